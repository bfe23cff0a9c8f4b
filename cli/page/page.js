/* SPDX-License-Identifier: MIT */
/* Shows the data of a page (cli/page/data.c). Charts over time are drawn by dygraphs. */
(function () {
  'use strict';

  const data = JSON.parse(document.getElementById('data').textContent);
  const page = document.getElementById('page');
  const LETTERS = 'ABCDEFGHIJKLMNOP';
  const HEAT_COLUMNS = 60;

  /* ---- elements ---- */

  function make(name, attributes, ...children) {
    const element = document.createElement(name);
    return fill(element, attributes, children);
  }

  function draw(name, attributes, ...children) {
    return fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
  }

  function fill(element, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {}))
      if (typeof value === 'function') element.addEventListener(key, value);
      else if (value !== null && value !== false) element.setAttribute(key, value);
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  /* ---- numbers, as the command prints them ---- */

  function digits(number) {
    const size = Math.abs(number);
    if (size >= 1e15) return number.toExponential(3);
    if (Number.isInteger(number) || size >= 1000) return Math.round(number).toLocaleString('en');
    if (size >= 0.001) return number.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4);
    return number === 0 ? '0' : number.toExponential(2);
  }

  function format(number, unit) {
    if (number === null || number === undefined) return 'no data';
    if (unit === 'ratio') return digits(number * 100) + ' %';
    if (unit === 'Hz' || unit === 'bytes' || unit.startsWith('bytes/')) {
      const prefixes = ['', 'k', 'M', 'G', 'T', 'P'];
      let p = 0;
      for (; Math.abs(number) >= 1000 && p < 5; p++) number /= 1000;
      return digits(number) + ' ' + prefixes[p] + (unit === 'Hz' ? 'Hz' : 'B' + unit.slice(5));
    }
    return digits(number) + (unit.startsWith('/') ? unit : unit ? ' ' + unit : '');
  }

  /* For axes: 400M/s */
  function short(number, unit) {
    if (unit !== '' && unit !== '/s') return format(number, unit);
    return number.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 2 }) + unit;
  }

  function seconds(time) {
    const [factor, unit] = time >= 1 ? [1, 's'] : time >= 1e-3 ? [1e3, 'ms'] : [1e6, 'us'];
    return digits(time * factor) + ' ' + unit;
  }

  function interval(value, unit) {
    if (value.low === undefined) return null;
    const high = value.high === null ? 'unlimited' : format(value.high, unit);
    return make('span', { class: 'interval' }, format(value.low, unit) + ' to ' + high);
  }

  /* ---- the data ---- */

  function scope(run, row) {
    if (row.package === null) return 'total';
    const where = run.package + ' ' + row.package;
    return row.instance === null ? where : where + ' ' + (row.of || 'instance') + ' ' + row.instance;
  }

  const isWhole = (row) => row.instance === null;

  /* The names of a list of rows, in their order. */
  function namesOf(rows) {
    return [...new Set(rows.map((row) => row.name))];
  }

  /* The value of everything: the total, or that of the only socket. */
  function totalOf(rows, name) {
    const whole = rows.filter((row) => row.name === name && isWhole(row));
    return whole.find((row) => row.package === null) || whole[0];
  }

  const middle = (point) => (Array.isArray(point) ? point[1] : point);
  const runLabel = (index) => (data.runs.length > 1 ? LETTERS[index] + ': ' + data.runs[index].file : '');

  /* ---- head ---- */

  function describe(run) {
    const where = run.machine ? "pmon's " + run.machine + ' machine' : run.backend;
    const parts = [run.platform + ' on ' + where, run.packages + ' ' + run.package + (run.packages === 1 ? '' : 's'),
      seconds(run.seconds) + (run.machine ? ' of simulated time' : ' measured')];
    if (run.host) parts.unshift(run.host);
    if (run.time) parts.push('from ' + new Date(run.time * 1000).toISOString().replace(/\.\d+Z/, ' UTC').replace('T', ' '));
    if (run.intervals > 1) parts.push(run.intervals + ' intervals');
    if (run.rounds > 1) parts.push('counters shared in ' + run.rounds + ' rounds');
    if (!run.complete) parts.push('the recording was not completed');
    return parts.join(', ');
  }

  function head() {
    const header = make('header', {});
    data.runs.forEach((run, index) => {
      const label = data.runs.length > 1 ? LETTERS[index] + ': ' : '';
      header.append(make(index ? 'p' : 'h1', {}, label + (run.command || run.file || 'The whole system')),
        make('p', { class: 'quiet' }, (data.runs.length > 1 ? run.file + ': ' : '') + describe(run)));
    });
    const machines = [...new Set(data.runs.filter((run) => run.machine).map((run) => run.machine))];
    if (machines.length)
      header.append(make('p', { class: 'banner', role: 'note' }, 'EMULATED: these values were counted on pmon’s ' +
        machines.join(', ') + ' machine, not on hardware' +
        (data.runs.every((run) => run.machine) ? '.' : ' (' + data.runs.filter((run) => run.machine)
          .map((run) => run.file).join(', ') + ').')));
    document.title = 'pmon: ' + (data.runs[0].command || data.runs[0].file || 'a measurement');
    return header;
  }

  /* ---- tables ---- */

  function meaning(run, name) {
    const found = run.meanings[name];
    if (!found || !found.brief) return make('span', {}, name);
    return make('details', {}, make('summary', {}, name), make('p', {}, found.brief),
      found.cite ? make('p', { class: 'quiet' }, 'Source: ' + found.cite) : null);
  }

  function cell(row) {
    if (!row) return make('td', {});
    if (row.v === null) return make('td', { title: row.reason || '' }, 'no data',
      row.reason ? make('span', { class: 'interval' }, ' (' + row.reason + ')') : null);
    return make('td', {}, format(row.v, row.unit), interval(row, row.unit));
  }

  function table(run, rows, caption) {
    const whole = rows.filter(isWhole);
    const scopes = [...new Set(whole.map((row) => scope(run, row)))];
    return make('div', { class: 'scroll' }, make('table', {}, make('caption', {}, caption),
      make('thead', {}, make('tr', {}, make('th', { scope: 'col' }, 'Value'),
        ...scopes.map((name) => make('th', { scope: 'col' }, name)))),
      make('tbody', {}, ...namesOf(whole).map((name) => make('tr', {},
        make('th', { scope: 'row' }, meaning(run, name)),
        ...scopes.map((where) => cell(whole.find((row) => row.name === name && scope(run, row) === where))))))));
  }

  function section(id, title, ...children) {
    return make('section', { id, 'aria-labelledby': id + '-title' }, make('h2', { id: id + '-title' }, title), ...children);
  }

  function summary() {
    return section('summary', 'Values', ...data.runs.map((run, index) =>
      table(run, run.rows, (runLabel(index) || 'The whole measurement') + '; below an estimate: its 95 % interval')));
  }

  /* ---- comparison ---- */

  function change(row) {
    if (row.change === null) return '';
    const sign = row.change > 0 ? '+' : '';
    if (row.unit === 'ratio') return sign + digits(row.change * 100) + ' points';
    return row.a.value ? sign + digits(100 * row.change / Math.abs(row.a.value)) + ' %' : sign + format(row.change, row.unit);
  }

  function comparedWhere(run, row) {
    return row.package === null ? '' : ' ' + scope(run, { package: row.package, instance: row.instance, of: row.unit_name });
  }

  function probability(row) {
    if (row.p_adjusted === null) return '';
    if (row.low === row.high) return 'exact';
    return row.p_adjusted < 0.001 ? '< 0.001' : row.p_adjusted.toFixed(3);
  }

  function comparisonTable(comparison, index) {
    const run = data.runs[0];
    const body = make('tbody', {});
    const show = (units) => {
      const rows = comparison.values.filter((row) => (units ? true : row.instance === null && row.package === null) &&
        !(row.change === 0 && row.low === row.high));
      body.replaceChildren(...rows.map((row) => make('tr', { class: row.significant ? 'significant' : null },
        make('th', { scope: 'row' }, row.name + comparedWhere(run, row)),
        make('td', {}, format(row.a.value, row.unit)), make('td', {}, format(row.b.value, row.unit)),
        make('td', {}, change(row)), make('td', {}, row.ratio === null ? '' : digits(row.ratio)),
        make('td', {}, probability(row)), make('td', {}, row.significant ? 'yes' : row.change === null ? '' : 'no'))));
      if (!rows.length) body.append(make('tr', {}, make('td', { colspan: 7 }, 'All values are equal.')));
    };
    const box = make('input', { type: 'checkbox', change: () => show(box.checked) });
    show(false);
    return make('div', {}, make('div', { class: 'tools' }, make('label', {}, box, ' sockets and units too')),
      make('div', { class: 'scroll' }, make('table', {},
        make('caption', {}, 'A: ' + comparison.a.name + ', ' + LETTERS[index + 1] + ': ' + comparison.b.name +
          '; the most significant change first. p is adjusted for the number of values (Benjamini and Hochberg).'),
        make('thead', {}, make('tr', {}, ...['Value', 'A', LETTERS[index + 1], 'change', 'ratio', 'p', 'significant']
          .map((name) => make('th', { scope: 'col' }, name)))), body)));
  }

  function comparisons() {
    return section('comparison', 'Comparison', ...data.comparisons.map(comparisonTable));
  }

  /* ---- over time ---- */

  const charts = [];
  let linking = false;

  /* All charts show the same time. */
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

  /* One series a socket, or one a run. */
  function seriesOf(name) {
    if (data.runs.length > 1)
      return data.runs.map((run, index) => ({ run, label: LETTERS[index], row: totalOf(run.rows, name) }))
        .filter((series) => series.row && series.row.over);
    const run = data.runs[0];
    return run.rows.filter((row) => row.name === name && isWhole(row) && row.over)
      .map((row) => ({ run, label: scope(run, row), row }));
  }

  /* Steps: a value holds from the begin of its interval to its end. Counts become rates. */
  function pointsOf(series, bars) {
    const times = new Map();
    series.forEach(({ run, row }, k) => {
      run.ends.forEach((end, i) => {
        const begin = end - run.lengths[i], factor = row.count && run.lengths[i] > 0 ? 1 / run.lengths[i] : 1;
        const point = Array.isArray(row.over[i]) ? row.over[i] : [row.over[i], row.over[i], row.over[i]];
        /* An end that nothing limits is not drawn. */
        const value = point.map((v) => (v === null ? point[1] : v)).map((v) => (v === null ? null : v * factor));
        if (!times.has(begin)) times.set(begin, []);
        times.get(begin)[k] = value;
        if (i === run.ends.length - 1) {
          if (!times.has(end)) times.set(end, []);
          times.get(end)[k] = value;
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
    const unit = series[0].row.count ? '/s' : series[0].row.unit;
    const bars = series.some(({ row }) => row.over.some(Array.isArray));
    const place = make('div', { class: 'chart' }), legend = make('div', { class: 'legend' });
    const all = series.flatMap(({ run, row }) => row.over.map((point, i) => {
      const v = middle(point);
      return v === null ? null : row.count ? v / run.lengths[i] : v;
    })).filter((v) => v !== null);
    const extent = all.length ? 'from ' + format(Math.min(...all), unit) + ' to ' + format(Math.max(...all), unit) : 'no data';
    const figure = make('figure', { role: 'group', 'aria-label': name + ' over time, ' + extent },
      make('figcaption', {}, name + (series[0].row.count ? ' a second' : ''), make('span', { class: 'quiet' }, extent)), place, legend);
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
    const node = section('time', 'Over time',
      make('p', { class: 'quiet' }, 'Drag to zoom, shift and drag to pan, double click for everything; all charts move ' +
        'together. Bands are 95 % intervals.' + (merged.length ? ' To keep the page small, ' + merged.join(', ') + '.' : '')),
      make('div', { class: 'tools' },
        make('button', { type: 'button', click: () => zoom(0.5) }, 'Zoom in'),
        make('button', { type: 'button', click: () => zoom(2) }, 'Zoom out'),
        make('button', { type: 'button', click: () => zoom(0) }, 'Everything')),
      make('div', { class: 'charts' }, ...figures));
    node.start = () => figures.forEach((figure) => figure.start());
    return node;
  }

  /* ---- units: the die and heat maps ---- */

  function unitRows(run, name) {
    return run.rows.filter((row) => row.name === name && row.instance !== null);
  }

  /* The measures that units have, by unit: [unit, [name, ...]]. */
  function measuresOf(run) {
    const units = new Map();
    for (const row of run.rows)
      if (row.instance !== null && row.of) {
        if (!units.has(row.of)) units.set(row.of, new Set());
        units.get(row.of).add(row.name);
      }
    return [...units].map(([unit, names]) => [unit, [...names]]);
  }

  /* The value of a row at a point of time, or of the whole (-1); counts as rates. */
  function valueAt(run, row, at) {
    if (at < 0) return row.v === null || !row.count || !run.seconds ? row.v : row.v / run.seconds;
    const v = middle(row.over[at]);
    return v === null || !row.count ? v : v / run.lengths[at];
  }

  function largest(run, rows) {
    let most = 0;
    for (const row of rows) {
      most = Math.max(most, valueAt(run, row, -1) || 0);
      for (let i = 0; row.over && i < row.over.length; i++) most = Math.max(most, valueAt(run, row, i) || 0);
    }
    return most;
  }

  function shade(value, most) {
    const part = most > 0 ? Math.round(100 * Math.min(1, value / most)) : 0;
    return 'color-mix(in srgb, var(--accent) ' + part + '%, var(--empty))';
  }

  const LINKS = ['upi', 'qpi', 'm3upi', 'r3qpi'], MEMORY = ['imc', 'm2m', 'cxlcm', 'cxldp', 'ha'];

  /* Rows of boxes: links above, the rest below, memory at both sides of what has the most instances. */
  function floorPlan(groups) {
    const count = (group) => group.rows.length;
    const center = groups.filter(({ unit }) => !LINKS.includes(unit) && !MEMORY.includes(unit))
      .sort((a, b) => count(b) - count(a))[0] || groups[0];
    const above = groups.filter((group) => group !== center && LINKS.includes(group.unit));
    const beside = groups.filter((group) => group !== center && MEMORY.includes(group.unit));
    const below = groups.filter((group) => group !== center && !above.includes(group) && !beside.includes(group));
    return { center, above, beside, below };
  }

  const BOX = 34, GAP = 4, WIDE = 520, SIDE = 92;

  function die(run, socket, groups, boxes) {
    const svg = draw('svg', { role: 'img' });
    const plan = floorPlan(groups);
    let y = 22;
    const box = (x, top, width, group, row) => {
      const rect = draw('rect', { x, y: top, width, height: BOX, rx: 3 }, draw('title', {}));
      const label = draw('text', { x: x + width / 2, y: top + BOX / 2 + 4, 'text-anchor': 'middle' }, String(row.instance));
      svg.append(rect, label);
      boxes.push({ rect, label, group, row });
    };
    const strip = (group, x, width, columns) => {
      svg.append(draw('text', { x, y: y - 6, class: 'group' }, group.unit));
      group.rows.forEach((row, i) => box(x + (i % columns) * (width / columns), y + Math.floor(i / columns) * (BOX + GAP),
        width / columns - GAP, group, row));
      return Math.ceil(group.rows.length / columns) * (BOX + GAP) + 20;
    };
    for (const group of plan.above) y += strip(group, 8, WIDE - 16, Math.min(8, group.rows.length));
    const top = y, side = plan.beside.length ? SIDE : 0;
    let bottom = y + strip(plan.center, 8 + side, WIDE - 16 - 2 * side, Math.min(plan.beside.length ? 7 : 10, plan.center.rows.length));
    plan.beside.forEach((group, k) => {
      const half = Math.ceil(group.rows.length / 2);
      if (!k) y = top;
      [group.rows.slice(0, half), group.rows.slice(half)].forEach((rows, i) => {
        svg.append(draw('text', { x: i ? WIDE - SIDE + 4 : 8, y: y - 6, class: 'group' }, group.unit));
        rows.forEach((row, n) => box(i ? WIDE - SIDE + 4 : 8, y + n * (BOX + GAP), SIDE - 16, group, row));
      });
      y += half * (BOX + GAP) + 20;
      bottom = Math.max(bottom, y);
    });
    y = bottom;
    for (const group of plan.below) y += strip(group, 8, WIDE - 16, Math.min(12, group.rows.length));
    svg.setAttribute('viewBox', '0 0 ' + WIDE + ' ' + y);
    return make('div', { style: 'flex: 1 1 20rem; min-width: 0' }, make('h3', {}, run.package + ' ' + socket), svg);
  }

  function dieMap(run) {
    const measures = measuresOf(run);
    if (!measures.length) return null;
    const chosen = new Map(measures.map(([unit, names]) => [unit, names[0]]));
    const place = make('div', { class: 'map' }), state = { at: -1 };
    const points = run.ends ? run.ends.length : 0;
    const output = make('output', { 'aria-live': 'polite' });
    let boxes = [];
    const paint = () => {
      const summaries = new Map();
      for (const { rect, label, group, row } of boxes) {
        const value = valueAt(run, row, state.at), text = row.of + ' ' + row.instance + ': ' + group.name + ' ' +
          format(value, row.count ? '/s' : row.unit);
        rect.style.fill = value === null ? 'none' : shade(value, group.most);
        label.style.fill = value !== null && group.most > 0 && value / group.most > 0.55 ? 'var(--on-accent)' : '';
        rect.firstChild.textContent = text;
        const best = summaries.get(rect.ownerSVGElement) || [];
        best.push([group.most > 0 && value !== null ? value / group.most : 0, text]);
        summaries.set(rect.ownerSVGElement, best);
      }
      for (const [svg, list] of summaries)
        svg.setAttribute('aria-label', 'Units by load. Highest: ' + list.sort((a, b) => b[0] - a[0]).slice(0, 3).map((x) => x[1]).join('; '));
      output.textContent = state.at < 0 ? 'the whole measurement'
        : seconds(run.ends[state.at] - run.lengths[state.at]) + ' to ' + seconds(run.ends[state.at]);
    };
    const build = () => {
      boxes = [];
      const groups = measures.map(([unit]) => ({ unit, name: chosen.get(unit), rows: unitRows(run, chosen.get(unit)) }));
      for (const group of groups) group.most = largest(run, group.rows);
      const sockets = [...new Set(groups.flatMap((group) => group.rows.map((row) => row.package)))];
      place.replaceChildren(...sockets.map((socket) => die(run, socket, groups
        .map((group) => Object.assign(Object.create(group), { rows: group.rows.filter((row) => row.package === socket) }))
        .filter((group) => group.rows.length), boxes)));
      paint();
    };
    const selects = measures.filter(([, names]) => names.length > 1).map(([unit, names]) => make('label', {}, unit + ' ',
      make('select', { change: (event) => { chosen.set(unit, event.target.value); build(); } },
        ...names.map((name) => make('option', { value: name }, name)))));
    const slider = points > 1 ? make('input', { type: 'range', min: -1, max: points - 1, value: -1, 'aria-label': 'time',
      input: (event) => { state.at = +event.target.value; paint(); event.target.setAttribute('aria-valuetext', output.textContent); } }) : null;
    build();
    return make('div', {}, make('div', { class: 'tools' }, ...selects),
      make('div', { class: 'tools' }, slider, output, make('span', { class: 'scale' }, '0', make('i', {}), 'highest of its kind')), place);
  }

  /* Time in at most HEAT_COLUMNS columns: means over the points that a column holds. */
  function heatMap(run, name) {
    const rows = unitRows(run, name).filter((row) => row.over);
    if (!rows.length || run.ends.length < 2) return null;
    const points = run.ends.length, columns = Math.min(HEAT_COLUMNS, points), most = largest(run, rows);
    const unit = rows[0].count ? '/s' : rows[0].unit;
    let best = rows[0];
    const body = make('tbody', {}, ...rows.map((row) => {
      if ((row.v || 0) > (best.v || 0)) best = row;
      const cells = [];
      for (let c = 0; c < columns; c++) {
        let sum = 0, time = 0;
        for (let i = Math.floor(c * points / columns); i < Math.floor((c + 1) * points / columns); i++) {
          const v = valueAt(run, row, i);
          if (v !== null) { sum += v * run.lengths[i]; time += run.lengths[i]; }
        }
        const cell = make('td', { class: time ? null : 'absent' });
        if (time) { cell.style.background = shade(sum / time, most); cell.title = scope(run, row) + ': ' + format(sum / time, unit); }
        cells.push(cell);
      }
      return make('tr', {}, make('th', { scope: 'row' }, row.package + '.' + row.instance), ...cells);
    }));
    return make('figure', {}, make('figcaption', {}, name, make('span', { class: 'quiet' }, rows[0].of + ', ' + run.package +
      '.instance, over time; darkest: ' + format(most, unit))), make('div', { role: 'img', 'aria-label': name + ' of each ' +
      rows[0].of + ' over time; highest on the whole: ' + scope(run, best) + ', ' + format(valueAt(run, best, -1), unit) },
    make('table', { class: 'heat', 'aria-hidden': 'true' }, body)));
  }

  function units() {
    const parts = data.runs.flatMap((run, index) => {
      const map = dieMap(run);
      if (!map) return [];
      const heat = namesOf(run.rows).map((name) => heatMap(run, name)).filter(Boolean);
      return [data.runs.length > 1 ? make('h3', {}, runLabel(index)) : null, map,
        heat.length ? make('div', { class: 'charts', style: 'margin-top: 1rem' }, ...heat) : null];
    });
    return parts.length ? section('units', 'Units', ...parts) : null;
  }

  /* ---- regions ---- */

  function regions() {
    const parts = data.runs.flatMap((run, index) => run.regions.map((region) => {
      const thread = region.thread === null ? 'all threads' : 'thread ' + region.thread;
      return table(run, region.rows, (runLabel(index) ? runLabel(index) + ', ' : '') + region.name + ', ' + thread + ': ' +
        region.calls.toLocaleString('en') + (region.calls === 1 ? ' call, ' : ' calls, ') + seconds(region.seconds));
    }));
    return parts.length ? section('regions', 'Regions of the program', ...parts) : null;
  }

  /* ---- all together ---- */

  const sections = [data.comparisons.length ? comparisons() : null, summary(), overTime(), units(), regions()].filter(Boolean);
  page.replaceChildren(head(), make('nav', { 'aria-label': 'Sections' }, ...sections.map((node) =>
    make('a', { href: '#' + node.id }, node.querySelector('h2').textContent))), ...sections,
  make('footer', {}, 'Made by pmon ' + data.pmon + '. The charts are drawn by dygraphs (MIT licence, © Dan Vanderkam and contributors).'));
  for (const node of sections) if (node.start) node.start();
  page.dataset.ready = 'yes';
}());
