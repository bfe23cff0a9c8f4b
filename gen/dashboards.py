#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the Grafana dashboards of examples/grafana from the exporter's series (cli/exporter/series.inc).

usage: dashboards.py SERIES.INC FOLDER

Each panel below is a title, a unit of Grafana, and queries with their legends. A name that is no series of the table is
an error, and so is a series that no panel shows.
"""
import json
import os
import re
import sys

OWN = {"pmon_info", "pmon_measuring", "pmon_metric_valid", "pmon_process_cpu_seconds_total",
       "pmon_network_cpu_seconds_total", "pmon_scrapes_total", "pmon_scrape_age_seconds"}
# Series of processors with links or devices that others do not have, and of RDT.
ELSEWHERE = {"pmon_qpi_data_bytes_total", "pmon_qpi_crc_errors_total", "pmon_cxl_read_bytes_total", "pmon_cxl_written_bytes_total",
             "pmon_l3_occupancy_bytes", "pmon_llc_occupancy_bytes"}
AT = '{instance=~"$instance"}'


def rate(series, by, labels=""):
    return f'sum by ({by}) (rate({series}{{instance=~"$instance"{labels}}}[$__rate_interval]))'


READ, WRITTEN = "pmon_memory_read_bytes_total", "pmon_memory_written_bytes_total"
UPI, MISSES = "pmon_upi_data_bytes_total", "pmon_llc_misses_total"
IO, PORTS = "pmon_io_memory_bytes_total", "pmon_io_bytes_total"
SOCKET = "instance, socket"
BY_SOCKET = "{{instance}} socket {{socket}}"

MEMORY_READ = ("Memory read", "Bps", [(rate(READ, SOCKET), BY_SOCKET)])
MEMORY_WRITTEN = ("Memory written", "Bps", [(rate(WRITTEN, SOCKET), BY_SOCKET)])
UPI_SOCKET = ("Data between sockets", "Bps", [(rate(UPI, SOCKET + ", direction"), BY_SOCKET + " {{direction}}")])
IO_SOCKET = ("Memory traffic of devices", "Bps", [(rate(IO, SOCKET + ", direction"), BY_SOCKET + " {{direction}}")])
LLC = ("Last-level cache misses", "ops", [(rate(MISSES, SOCKET), BY_SOCKET)])
LLC_RATIO = ("Misses of all requests to the last-level cache", "percentunit", [
    (f"{rate(MISSES, SOCKET)} / {rate('pmon_llc_requests_total', SOCKET)}", BY_SOCKET)])
FREQUENCY = ("Frequency of the uncore", "hertz", [("pmon_uncore_frequency_hertz" + AT, BY_SOCKET)])
INVALID = ("Series without a value", "short", [(f"count by (instance) (pmon_metric_valid{AT} == 0) or "
                                               f"count by (instance) (pmon_info{AT}) * 0", "{{instance}}")])

BOARDS = {
    "overview": ("Server overview", [MEMORY_READ, MEMORY_WRITTEN, LLC, UPI_SOCKET, IO_SOCKET, FREQUENCY, INVALID]),
    "memory": ("Memory", [
        MEMORY_READ, MEMORY_WRITTEN,
        ("Read, by channel", "Bps", [(rate(READ, SOCKET + ", channel"), BY_SOCKET + " channel {{channel}}")]),
        ("Written, by channel", "Bps", [(rate(WRITTEN, SOCKET + ", channel"), BY_SOCKET + " channel {{channel}}")]),
        ("Busiest channel against the mean", "none", [
            (f"max by ({SOCKET}) ({rate(READ, SOCKET + ', channel')}) / "
             f"avg by ({SOCKET}) ({rate(READ, SOCKET + ', channel')})", BY_SOCKET)]),
        ("Reads for each byte written", "none", [(f"{rate(READ, SOCKET)} / {rate(WRITTEN, SOCKET)}", BY_SOCKET)]),
    ]),
    "mesh": ("Mesh and links", [
        LLC, LLC_RATIO, FREQUENCY,
        ("Data reads that look up the cache", "Bps", [(rate("pmon_llc_data_read_bytes_total", SOCKET), BY_SOCKET)]),
        ("Data of each link", "Bps", [
            (rate(UPI, SOCKET + ", link, direction"), BY_SOCKET + " link {{link}} {{direction}}")]),
        ("Checksum errors of each link", "short", [
            (f"sum by ({SOCKET}, link) (increase(pmon_upi_crc_errors_total{AT}[$__rate_interval]))", BY_SOCKET + " link {{link}}")]),
        ("Data received for each byte of memory traffic", "percentunit", [
            (rate(UPI, SOCKET, ', direction="received"') + f" / ({rate(READ, SOCKET)} + {rate(WRITTEN, SOCKET)})",
             BY_SOCKET)]),
    ]),
    "io": ("I/O devices", [
        IO_SOCKET,
        ("By stack", "Bps", [(rate(IO, SOCKET + ", stack, direction"), BY_SOCKET + " stack {{stack}} {{direction}}")]),
        ("Lines that miss the last-level cache", "percentunit", [
            (f"64 * {rate('pmon_io_llc_misses_total', SOCKET)} / {rate(IO, SOCKET)}", BY_SOCKET)]),
        # Label bdf exists where the exporter knows the devices behind a port.
        ("By port", "Bps", [(rate(PORTS, SOCKET + ", stack, port, bdf, direction"),
                             BY_SOCKET + " stack {{stack}} port {{port}} {{bdf}} {{direction}}")]),
        # The E5-2600 counts I/O at the last-level cache only.
        ("Read by devices", "Bps", [
            (rate(IO, SOCKET, ', direction="read"') + " or " + rate("pmon_io_read_bytes_total", SOCKET), BY_SOCKET)]),
        ("Written by devices", "Bps", [
            (rate(IO, SOCKET, ', direction="written"') + " or " + rate("pmon_io_written_bytes_total", SOCKET), BY_SOCKET)]),
    ]),
    "power": ("Power", [
        FREQUENCY,
        ("Frequency held down by a limit", "percentunit", [
            ("pmon_frequency_limited_ratio" + AT, BY_SOCKET + " {{limit}}")]),
        ("Power of packages", "watt", [(rate("pmon_energy_joules_total", SOCKET, ', domain="package"'), BY_SOCKET)]),
        ("Power of memory", "watt", [(rate("pmon_energy_joules_total", SOCKET, ', domain="dram"'), BY_SOCKET)]),
        ("Energy for each instruction", "joule", [
            (rate("pmon_energy_joules_total", SOCKET, ', domain="package"') + " / " +
             rate("pmon_instructions_total", SOCKET), BY_SOCKET)]),
    ]),
    "fleet": ("Fleet", [
        ("Servers", "short", [(f"count (pmon_info{AT})", "servers"), (f"sum (pmon_measuring{AT})", "measuring")]),
        ("Most memory traffic", "Bps", [
            (f"topk (10, {rate(READ, 'instance')} + {rate(WRITTEN, 'instance')})", "{{instance}}")]),
        ("Memory traffic, quantiles", "Bps", [
            (f"quantile ({q}, {rate(READ, 'instance')} + {rate(WRITTEN, 'instance')})", f"{q}") for q in (0.1, 0.5, 0.9)]),
        ("Most data between sockets", "Bps", [(f"topk (10, {rate(UPI, 'instance')})", "{{instance}}")]),
        ("Exporters' processor time", "percentunit", [
            (f"topk (10, {rate('pmon_process_cpu_seconds_total', 'instance')} + "
             f"{rate('pmon_network_cpu_seconds_total', 'instance')})", "{{instance}}")]),
        ("Age of the values when they are scraped", "s", [("topk (10, pmon_scrape_age_seconds" + AT + ")", "{{instance}}")]),
        ("Scrapes", "reqps", [(f"sum (rate(pmon_scrapes_total{AT}[$__rate_interval]))", "all")]),
        INVALID,
    ]),
}


def make_panel(number, panel):
    title, unit, queries = panel
    source = {"type": "prometheus", "uid": "${datasource}"}
    return {
        "id": number + 1, "type": "timeseries", "title": title, "datasource": source,
        "gridPos": {"x": 12 * (number % 2), "y": 8 * (number // 2), "w": 12, "h": 8},
        "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
        "options": {"legend": {"calcs": [], "displayMode": "list", "placement": "bottom", "showLegend": True},
                    "tooltip": {"mode": "multi", "sort": "none"}},
        "targets": [{"refId": chr(65 + i), "datasource": source, "expr": query, "legendFormat": legend}
                    for i, (query, legend) in enumerate(queries)],
    }


def make_board(name, title, panels):
    return {
        "uid": f"pmon-{name}", "title": f"pmon: {title}", "tags": ["pmon"], "schemaVersion": 38, "version": 1,
        "editable": True, "refresh": "15s", "time": {"from": "now-1h", "to": "now"},
        "templating": {"list": [
            {"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Data source"},
            {"name": "instance", "type": "query", "label": "Server", "multi": True, "includeAll": True,
             "allValue": ".*", "refresh": 2, "datasource": {"type": "prometheus", "uid": "${datasource}"},
             "query": {"query": "label_values(pmon_info, instance)", "refId": "instance"},
             "current": {"text": "All", "value": "$__all"}}]},
        "panels": [make_panel(i, p) for i, p in enumerate(panels)],
    }


def main():
    table, folder = sys.argv[1:]
    with open(table, encoding="utf-8") as f:
        series = set(re.findall(r'^SERIES\("(\w+)"', f.read(), re.M))
    shown = set(re.findall(r"\bpmon_\w+", json.dumps(BOARDS)))
    if shown - series - OWN or series - shown - ELSEWHERE:
        sys.exit(f"dashboards: no series {sorted(shown - series - OWN)}; not shown {sorted(series - shown - ELSEWHERE)}")
    os.makedirs(folder, exist_ok=True)
    for name, (title, panels) in BOARDS.items():
        with open(os.path.join(folder, f"pmon-{name}.json"), "w", encoding="utf-8") as f:
            json.dump(make_board(name, title, panels), f, indent=1)
            f.write("\n")


main()
