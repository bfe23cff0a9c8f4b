/* SPDX-License-Identifier: MIT */
/* Charts over time, drawn by dygraphs. */
const charts = [];
let linking = false;

/* Sets the time range of all other charts to that of `chart`. */
function link(chart) {
  if (linking) return;
  linking = true;
  const range = chart.xAxisRange();
  for (const other of charts)
    if (other !== chart) other.updateOptions({ dateWindow: range });
  linking = false;
}

function zoom(factor) {
  if (!charts.length) return;
  const [begin, end] = charts[0].xAxisRange(), center = (begin + end) / 2, half = (end - begin) / 2 * factor;
  const [first, last] = charts[0].xAxisExtremes();
  charts[0].updateOptions({ dateWindow: factor ? [Math.max(first, center - half), Math.min(last, center + half)] : null });
  link(charts[0]);
}

/* Moves the time range by half of its width: back for -1, forth for 1. */
function move(direction) {
  if (!charts.length) return;
  const [begin, end] = charts[0].xAxisRange(), [first, last] = charts[0].xAxisExtremes();
  const by = Math.min(Math.max(direction * (end - begin) / 2, first - begin), last - end);
  charts[0].updateOptions({ dateWindow: [begin + by, end + by] });
  link(charts[0]);
}

/* Returns the series of a value: one for each recording; of a single recording, one for each socket and the total. */
function seriesOf(name) {
  if (data.runs.length > 1)
    return data.runs.map((run, index) => ({ run, label: LETTERS[index], row: totalOf(run.rows, name) }))
      .filter((series) => series.row && series.row.over);
  const run = data.runs[0];
  return run.rows.filter((row) => row.name === name && isWhole(row) && row.over)
    .map((row) => ({ run, label: scope(run, row), row }));
}

/* Whether nothing was measured between an interval and the next one. Times are whole nanoseconds. */
const hasGap = (run, i) => i + 1 < run.ends.length && run.ends[i + 1] - run.lengths[i + 1] - run.ends[i] > 0.5e-9;

/* An amount is shown over time as a rate. */
const unitOverTime = (row) => row.rate || row.unit;

/* Returns the points of a step chart: a value holds from the start of its interval to its end. Amounts become rates. */
function pointsOf(series, bars) {
  const times = new Map();
  series.forEach(({ run, row }, k) => {
    run.ends.forEach((end, i) => {
      const begin = end - run.lengths[i], factor = row.rate && run.lengths[i] > 0 ? 1 / run.lengths[i] : 1;
      const point = Array.isArray(row.over[i]) ? row.over[i] : [row.over[i], row.over[i], row.over[i]];
      /* A band without a limit on one side ends at the value on that side. */
      const value = point.map((v) => (v === null ? point[1] : v)).map((v) => (v === null ? null : v * factor));
      if (!times.has(begin)) times.set(begin, []);
      times.get(begin)[k] = value;
      if (i === run.ends.length - 1 || hasGap(run, i)) {
        if (!times.has(end)) times.set(end, []);
        times.get(end)[k] = hasGap(run, i) ? [null, null, null] : value;
      }
    });
  });
  const last = [];
  return [...times.entries()].sort((a, b) => a[0] - b[0]).map(([time, values]) => [time, ...series.map(({ run }, k) => {
    if (values[k]) last[k] = values[k];
    const value = time <= run.ends[run.ends.length - 1] && last[k] ? last[k] : [null, null, null];
    return bars ? value : value[1];
  })]);
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function palette() {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  return dark ? ['#6db3f7', '#ffb454', '#86d89b', '#f08cc0', '#c3a6ff'] : ['#0b5cad', '#b25900', '#1b6e33', '#a3246f', '#6a3fb5'];
}

function chart(name) {
  const series = seriesOf(name);
  if (!series.length) return null;
  const unit = unitOverTime(series[0].row);
  const bars = series.some(({ row }) => row.over.some(Array.isArray));
  const place = make('div', { class: 'chart' }), legend = make('div', { class: 'legend' });
  const all = series.flatMap(({ run, row }) => row.over.map((point, i) => {
    const v = middle(point);
    return v === null ? null : row.rate ? v / run.lengths[i] : v;
  })).filter((v) => v !== null);
  const extent = all.length ? 'from ' + format(Math.min(...all), unit) + ' to ' + format(Math.max(...all), unit) : 'no data';
  const figure = make('figure', { role: 'group', 'aria-label': name + ' over time, ' + extent },
    make('figcaption', {}, name + (series[0].row.rate ? ' a second' : ''), make('span', { class: 'quiet' }, extent)), place, legend);
  figure.start = () => {
    const total = Math.max(...data.runs.map((run) => run.ends[run.ends.length - 1] || 0));
    const [factor, word] = total >= 1 ? [1, 's'] : total >= 1e-3 ? [1e3, 'ms'] : [1e6, 'us'];
    const graph = new Dygraph(place, pointsOf(series, bars), {
      labels: ['time', ...series.map(({ label }) => label)], customBars: bars, stepPlot: true, legend: 'always',
      labelsDiv: legend, includeZero: true, colors: palette().slice(0, series.length), strokeWidth: 1.5,
      gridLineColor: colour('--line'), axisLineColor: colour('--quiet'), animatedZooms: false,
      axes: { x: { axisLabelFormatter: (time) => +(time * factor).toPrecision(4) + ' ' + word, valueFormatter: (time) => seconds(time), pixelsPerLabel: 70 },
        y: { axisLabelFormatter: (v) => short(v, unit), valueFormatter: (v) => format(v, unit), axisLabelWidth: 84 } },
      drawCallback: (g, initial) => { if (!initial) link(g); },
    });
    charts.push(graph);
  };
  return figure;
}

function overTime() {
  const figures = namesOf(data.runs.flatMap((run) => run.rows)).map(chart).filter(Boolean);
  if (!figures.length) return null;
  const merged = data.runs.filter((run) => run.step > 1)
    .map((run) => 'each point of ' + (run.file || 'the run') + ' is the sum of ' + run.step + ' intervals');
  const whole = data.runs.filter((run) => !run.ends.length).map((run) => run.file);
  const node = section('time', 'Over time',
    make('p', { class: 'quiet' }, 'Drag to zoom, shift and drag to pan, double click for everything; all charts move ' +
      'together. Bands are 95 % intervals.' + (merged.length ? ' To keep the page small, ' + merged.join(', ') + '.' : '') +
      (whole.length ? ' Without intervals: ' + whole.join(', ') + '.' : '')),
    make('div', { class: 'tools' },
      make('button', { type: 'button', click: () => zoom(0.5) }, 'Zoom in'),
      make('button', { type: 'button', click: () => zoom(2) }, 'Zoom out'),
      make('button', { type: 'button', click: () => zoom(0) }, 'Everything'),
      make('button', { type: 'button', click: () => move(-1) }, 'Earlier'),
      make('button', { type: 'button', click: () => move(1) }, 'Later')),
    make('div', { class: 'charts' }, ...figures));
  node.start = () => figures.forEach((figure) => figure.start());
  return node;
}
