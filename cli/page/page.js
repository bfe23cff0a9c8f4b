/* SPDX-License-Identifier: MIT */
/* Builds the page's head, tables, comparisons and regions, and puts all sections together. */
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
  return make('details', {}, make('summary', {}, ...breakable(name)), make('p', {}, found.brief),
    found.cite ? make('p', { class: 'quiet' }, 'Source: ' + found.cite) : null);
}

function cell(row) {
  if (!row) return make('td', {});
  if (row.v === null) return make('td', { title: row.reason || '' }, 'no data',
    row.reason ? make('span', { class: 'interval reason' }, ' (', ...breakable(row.reason), ')') : null);
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
      make('th', { scope: 'row' }, ...breakable(row.name), comparedWhere(run, row)),
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
/* A table that is wider than the screen can be scrolled with the keyboard. */
for (const node of document.querySelectorAll('.scroll')) if (node.scrollWidth > node.clientWidth) node.tabIndex = 0;
page.dataset.ready = 'yes';
