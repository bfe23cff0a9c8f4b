/* SPDX-License-Identifier: MIT */
/* Functions that all scripts of a page use: elements, numbers, and the data, which cli/page/data.c writes. */
const data = JSON.parse(document.getElementById('data').textContent);
const page = document.getElementById('page');
const LETTERS = 'ABCDEFGHIJKLMNOP';

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

/* Returns the parts of a name with <wbr> elements between them, so that lines can break after _, / and full stops. */
function breakable(name) {
  return name.split(/(?<=[_/.])/).flatMap((part, index) => (index ? [make('wbr'), part] : [part]));
}

/* ---- numbers, as the command prints them ---- */

/* Returns 1.235e-05: the exponent has two digits. */
function exponential(number, fraction) {
  return number.toExponential(fraction).replace(/\d+$/, (power) => power.padStart(2, '0'));
}

/* Writes four significant digits, or all of a whole number below 10^15. Of a larger one the data have six. */
function digits(number) {
  const size = Math.abs(number);
  if (size >= 1e15) return exponential(number, 5);
  if (Number.isInteger(number) || size >= 1000) return Math.round(number).toLocaleString('en');
  if (size >= 0.001) return number.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4);
  return exponential(number, 3);
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

/* Formats a number for an axis label, which has little room: 400M/s, also for rates of requests. */
function short(number, unit) {
  const rate = unit.endsWith('/s') && !unit.startsWith('bytes');
  if (unit !== '' && !rate) return format(number, unit).replace(/(\.\d*?)0+(?!\d)/, '$1').replace(/\.(?!\d)/, '');
  return number.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 2 }) + (rate ? '/s' : '');
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

/* Returns each name of a list of rows once, in the order of the rows. */
function namesOf(rows) {
  return [...new Set(rows.map((row) => row.name))];
}

/* Returns the row of a value for the whole system: the total, or without a total the row of the only socket. */
function totalOf(rows, name) {
  const whole = rows.filter((row) => row.name === name && isWhole(row));
  return whole.find((row) => row.package === null) || whole[0];
}

const middle = (point) => (Array.isArray(point) ? point[1] : point);
const runLabel = (index) => (data.runs.length > 1 ? LETTERS[index] + ': ' + data.runs[index].file : '');
