/* SPDX-License-Identifier: MIT */
/* Maps of the units: the die, and heat maps over time. */
const HEAT_COLUMNS = 60;

function unitRows(run, name) {
  return run.rows.filter((row) => row.name === name && row.instance !== null);
}

/* Returns the names of the values that have instances, by unit: [unit, [name, ...]]. */
function measuresOf(run) {
  const units = new Map();
  for (const row of run.rows)
    if (row.instance !== null && row.of) {
      if (!units.has(row.of)) units.set(row.of, new Set());
      units.get(row.of).add(row.name);
    }
  return [...units].map(([unit, names]) => [unit, [...names]]);
}

/* Returns the value of a row in interval `at`, or in the whole measurement (-1); amounts as rates. */
function valueAt(run, row, at) {
  if (at < 0) return row.v === null || !row.rate || !run.seconds ? row.v : row.v / run.seconds;
  const v = middle(row.over[at]);
  return v === null || !row.rate ? v : v / run.lengths[at];
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

/* Arranges the units on a die: in the centre the unit with the most instances, except links and memory; links above it,
 * memory at both sides, all others below. */
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
  const points = run.ends.length;
  const output = make('output', { 'aria-live': 'polite' });
  let boxes = [];
  const paint = () => {
    const summaries = new Map();
    for (const { rect, label, group, row } of boxes) {
      const value = valueAt(run, row, state.at), text = row.of + ' ' + row.instance + ': ' + group.name + ' ' +
        format(value, unitOverTime(row));
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

/* Returns a heat map: a row for each instance, at most HEAT_COLUMNS columns. A cell has the mean over the intervals of
 * its column, weighted by their lengths. */
function heatMap(run, name) {
  const rows = unitRows(run, name).filter((row) => row.over);
  if (!rows.length || run.ends.length < 2) return null;
  const points = run.ends.length, columns = Math.min(HEAT_COLUMNS, points), most = largest(run, rows);
  const unit = unitOverTime(rows[0]);
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
    '.instance, over time; highest: ' + format(most, unit))), make('div', { role: 'img', 'aria-label': name + ' of each ' +
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
