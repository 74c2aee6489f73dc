'use strict';

// Whatever comes from the server is put into the page as text, never as HTML: texts of statements and errors are foreign.

const SVG = 'http://www.w3.org/2000/svg';
const POLL_MILLIS = 1000;
// The figure's name in EXPLAIN ANALYZE.
const SPILLED = 'spilled to disk, bytes';
const RUNNING = new Set(['waiting', 'planning', 'running', 'fetching']);

let round = 0;
let chosen = null;

function append(node, children) {
  for (const child of children) {
    if (child !== null && child !== undefined) {
      node.append(child instanceof Node ? child : document.createTextNode(String(child)));
    }
  }
  return node;
}

function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) {
      node.addEventListener(name.slice(2), value);
    } else {
      node.setAttribute(name, String(value));
    }
  }
  return node;
}

function el(name, attributes, ...children) {
  return append(set(document.createElement(name), attributes), children);
}

function draw(name, attributes, ...children) {
  return append(set(document.createElementNS(SVG, name), attributes), children);
}

function millis(value) {
  if (value < 1000) {
    return Math.round(value) + ' ms';
  }
  if (value < 60000) {
    return (value / 1000).toFixed(1) + ' s';
  }
  const seconds = Math.floor(value / 1000);
  return Math.floor(seconds / 60) + ' min ' + (seconds % 60) + ' s';
}

function nanos(value) {
  if (value >= 1e18) {
    return 'no finite price';
  }
  if (value < 1e3) {
    return Math.round(value) + ' ns';
  }
  return value < 1e6 ? (value / 1e3).toFixed(1) + ' µs' : value < 1e9 ? (value / 1e6).toFixed(1) + ' ms' : millis(value / 1e6);
}

function bytes(value) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let size = value;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return (unit === 0 ? size : size.toFixed(1)) + ' ' + units[unit];
}

function count(value) {
  return Math.round(value).toLocaleString('en');
}

function shortened(text, most) {
  return text.length <= most ? text : text.slice(0, most - 1) + '…';
}

function trouble(text) {
  const line = document.getElementById('trouble');
  line.textContent = text;
  line.hidden = text === '';
}

async function ask(path) {
  const answer = await fetch(path, { cache: 'no-store' });
  if (!answer.ok) {
    throw new Error(answer.status === 404 ? 'There is no such query, or none any more.'
      : answer.status === 403 ? 'This is for users who see everything.' : 'The server answers ' + answer.status + '.');
  }
  return answer.json();
}

async function cancel(id) {
  const answer = await fetch('/console/queries/' + encodeURIComponent(id) + '/cancel', {
    method: 'POST',
    headers: { 'X-Aragonite-Console': 'cancel' },
  });
  trouble(answer.ok ? '' : answer.status === 409 || answer.status === 404 ? 'The query has ended by itself.' : 'The server answers ' + answer.status + '.');
  show();
}

function progress(query) {
  if (!query.progress || query.progress.share === undefined) {
    return '';
  }
  const share = query.progress.share;
  return el('progress', { value: share, max: 1, title: Math.round(100 * share) + ' % of what is known to be read' });
}

function cancelButton(query) {
  return query.mayCancel ? el('button', { type: 'button', class: 'cancel', 'data-id': query.id, onclick: () => cancel(query.id) }, 'Cancel') : '';
}

function state(query) {
  return el('span', { class: 'state ' + query.state }, query.state + (query.state === 'failed' ? ' ' + query.code : ''));
}

function used(query, field) {
  return query[field] === undefined ? '' : query[field] === 0 ? '' : bytes(query[field]);
}

function queryRow(query) {
  const going = RUNNING.has(query.state);
  return el('tr', { 'data-id': query.id },
    el('td', {}, state(query)),
    el('td', { class: 'sql' }, el('a', { href: '#/query/' + encodeURIComponent(query.id), title: shortened(query.sql, 200) }, query.sql.trim().replace(/\s+/g, ' '))),
    el('td', {}, query.user === null ? '' : query.user),
    el('td', { class: 'number' }, millis(query.elapsedMillis)),
    el('td', { class: 'number' }, count(query.rows)),
    el('td', {}, progress(query)),
    el('td', { class: 'number' }, used(query, going ? 'memoryBytes' : 'peakMemoryBytes')),
    el('td', { class: 'number' }, used(query, 'spilledBytes')),
    el('td', {}, query.device || ''),
    el('td', {}, cancelButton(query)));
}

function queryTable(queries, memory) {
  return el('table', {},
    el('thead', {}, el('tr', {},
      el('th', {}, 'state'), el('th', {}, 'statement'), el('th', {}, 'user'), el('th', { class: 'number' }, 'time'),
      el('th', { class: 'number' }, 'rows'), el('th', {}, 'progress'), el('th', { class: 'number' }, memory),
      el('th', { class: 'number' }, 'spilled'), el('th', {}, 'device'), el('th', {}, ''))),
    el('tbody', {}, ...queries.map(queryRow)));
}

async function queriesPage() {
  const answer = await ask('/console/queries');
  who(answer);
  const going = answer.queries.filter(query => RUNNING.has(query.state));
  const ended = answer.queries.filter(query => !RUNNING.has(query.state));
  return {
    again: true,
    nodes: [
      el('h1', {}, going.length === 0 ? 'No query runs' : going.length === 1 ? '1 query runs' : going.length + ' queries run'),
      going.length === 0 ? null : queryTable(going, 'memory'),
      el('h2', {}, 'Ended'),
      ended.length === 0 ? el('p', {}, 'None yet.') : queryTable(ended, 'most memory'),
    ],
  };
}

function who(answer) {
  document.getElementById('who').textContent = answer.user === null ? '' : answer.user + (answer.all ? '' : ' (own queries)');
  document.getElementById('devices-link').hidden = !answer.all;
}

function facts(pairs) {
  const list = el('dl', { class: 'facts' });
  for (const [name, value] of pairs) {
    if (value !== '' && value !== undefined && value !== null) {
      append(list, [el('dt', {}, name), el('dd', {}, value)]);
    }
  }
  return list;
}

// What says most of what a node does.
function what(node) {
  for (const key of ['table', 'condition', 'keys', 'order', 'columns', 'calls']) {
    if (node[key] !== undefined) {
      return node[key];
    }
  }
  return '';
}

const BOX = { width: 236, height: 122, gapX: 22, gapY: 42 };

// Places the nodes of a plan: each above the middle of its inputs. Paths name nodes from the root.
function place(plan) {
  const nodes = [];
  let leaves = 0;
  let depth = 0;
  function visit(node, level, path) {
    const inputs = (node.inputs || []).map((input, i) => visit(input, level + 1, path + '.' + i));
    depth = Math.max(depth, level + 1);
    const x = inputs.length === 0 ? BOX.gapX + leaves++ * (BOX.width + BOX.gapX) : (inputs[0].x + inputs[inputs.length - 1].x) / 2;
    const placed = { node, path, inputs, x, y: BOX.gapY / 2 + level * (BOX.height + BOX.gapY) };
    nodes.push(placed);
    return placed;
  }
  visit(plan, 0, '0');
  return { nodes, width: BOX.gapX + leaves * (BOX.width + BOX.gapX), height: depth * (BOX.height + BOX.gapY) };
}

function box(placed, total, choose) {
  const node = placed.node;
  const ran = node.actualNanos !== undefined;
  const share = ran && total > 0 ? node.actualNanos / total : 0;
  const fade = Math.round(245 - 150 * Math.sqrt(share));
  const lines = [
    node.node + ' [' + node.device + ']',
    node.variant || '',
    what(node),
    ran ? nanos(node.actualNanos) + ', ' + Math.round(100 * share) + ' % of the time' : 'not timed by itself',
    'rows: ' + (ran ? count(node.actualRows) + ', ' : '') + count(node.estimatedRows) + ' estimated',
    ran && node.stateBytes > 0 ? 'state: ' + bytes(node.stateBytes) : '',
    node[SPILLED] > 0 ? 'spilled: ' + bytes(node[SPILLED]) : '',
  ].filter(line => line !== '');
  const group = draw('g', {
    class: 'node' + (placed.path === chosen ? ' chosen' : ''),
    'data-path': placed.path,
    tabindex: 0,
    onclick: () => choose(placed),
    onkeydown: event => { if (event.key === 'Enter') { choose(placed); } },
  },
    draw('title', {}, node.decision || node.node),
    draw('rect', { x: placed.x, y: placed.y, width: BOX.width, height: BOX.height, rx: 4, fill: `rgb(250,${fade},${fade})`, stroke: '#444466' }));
  lines.forEach((line, i) => {
    append(group, [draw('text', { x: placed.x + 8, y: placed.y + 17 + 16 * i, 'font-weight': i === 0 ? 'bold' : 'normal' }, shortened(line, 36))]);
  });
  return group;
}

function picture(plan, details) {
  const { nodes, width, height } = place(plan);
  const total = nodes.reduce((sum, placed) => sum + (placed.node.actualNanos || 0), 0);
  const most = Math.max(1, ...nodes.map(placed => placed.node.actualRows || 0));
  const svg = draw('svg', { xmlns: SVG, width, height, 'font-family': 'sans-serif', 'font-size': 11, role: 'img', 'aria-label': 'the plan' });
  function choose(placed) {
    chosen = placed.path;
    svg.querySelectorAll('g.node').forEach(group => group.classList.toggle('chosen', group.dataset.path === chosen));
    details.replaceChildren(...nodeDetails(placed.node));
  }
  for (const placed of nodes) {
    for (const input of placed.inputs) {
      append(svg, [draw('line', {
        x1: input.x + BOX.width / 2, y1: input.y, x2: placed.x + BOX.width / 2, y2: placed.y + BOX.height,
        stroke: '#8888aa', 'stroke-width': (1 + 7 * Math.log1p(input.node.actualRows || 0) / Math.log1p(most)).toFixed(1),
      })]);
    }
  }
  for (const placed of nodes) {
    append(svg, [box(placed, total, choose)]);
    if (placed.path === chosen) {
      details.replaceChildren(...nodeDetails(placed.node));
    }
  }
  return el('div', { class: 'picture' }, svg);
}

function nodeDetails(node) {
  const own = new Set(['node', 'device', 'inputs', 'candidates', 'expected', 'estimatedRows', 'estimatedNanos', 'actualRows', 'actualNanos', 'stateBytes']);
  const pairs = [
    ['device', node.device],
    ['rows', (node.actualRows === undefined ? '' : count(node.actualRows) + ', ') + count(node.estimatedRows) + ' estimated'],
    ['time', (node.actualNanos === undefined ? '' : nanos(node.actualNanos) + ', ') + nanos(node.estimatedNanos) + ' estimated'],
    ['state', node.stateBytes ? bytes(node.stateBytes) : ''],
  ];
  for (const [name, value] of Object.entries(node)) {
    if (!own.has(name)) {
      pairs.push([name, typeof value === 'number' ? count(value) : value]);
    }
  }
  const nodes = [el('h2', {}, node.node), facts(pairs)];
  if (node.candidates) {
    nodes.push(candidates(node));
  }
  return nodes;
}

// Prices are shown on demand.
function candidates(node) {
  const list = el('details', { class: 'candidates' }, el('summary', {}, 'Candidates and their prices'));
  if (node.expected) {
    append(list, [facts(Object.entries(node.expected).map(([name, value]) => [name, typeof value === 'number' ? Number(value.toPrecision(4)) : value]))]);
  }
  const rows = node.candidates.map(candidate => el('tr', {},
    el('td', {}, candidate.algorithm + (candidate.chosen ? ' (chosen)' : '')),
    el('td', { class: 'number' }, candidate.refused === undefined ? nanos(candidate.estimatedNanos) : ''),
    el('td', { class: 'number' }, candidate.refused === undefined ? bytes(candidate.bytes) : ''),
    el('td', {}, candidate.refused === undefined
      ? Object.entries(candidate.phases).map(([phase, time]) => phase + ' ' + nanos(time)).join(' + ')
      : 'refused: ' + candidate.refused)));
  append(list, [el('table', {},
    el('thead', {}, el('tr', {}, el('th', {}, 'algorithm'), el('th', { class: 'number' }, 'price'), el('th', { class: 'number' }, 'memory'), el('th', {}, 'made of'))),
    el('tbody', {}, ...rows))]);
  return list;
}

// Processor time by operator, the longest first.
function bars(plan) {
  const nodes = place(plan).nodes.map(placed => placed.node).filter(node => node.actualNanos > 0);
  if (nodes.length === 0) {
    return null;
  }
  nodes.sort((a, b) => b.actualNanos - a.actualNanos);
  const shown = nodes.slice(0, 20);
  const height = 22;
  const svg = draw('svg', { width: 900, height: shown.length * height, 'font-family': 'sans-serif', 'font-size': 12, class: 'bars', role: 'img', 'aria-label': 'time by operator' });
  shown.forEach((node, i) => {
    append(svg, [
      draw('text', { x: 0, y: i * height + 15 }, shortened(node.node + ' ' + what(node), 48)),
      draw('rect', { x: 330, y: i * height + 3, width: Math.max(1, 430 * node.actualNanos / shown[0].actualNanos).toFixed(1), height: height - 6, fill: '#5b84c4' }),
      draw('text', { x: 770, y: i * height + 15 }, nanos(node.actualNanos)),
    ]);
  });
  return svg;
}

function planParts(query) {
  if (!query.plan) {
    return [el('p', {}, query.noPlan)];
  }
  const details = el('div', { id: 'details' }, el('p', {}, 'Choose a node to see more of it.'));
  const chart = bars(query.plan.plan);
  const fallbacks = query.plan.fallbacks.map(fallback => el('li', {}, fallback.node + ': ' + fallback.reason));
  return [
    el('h2', {}, 'Plan'),
    picture(query.plan.plan, details),
    details,
    chart === null ? null : el('h2', {}, 'Processor time by operator'),
    chart,
    fallbacks.length === 0 ? null : el('h2', {}, 'Not on the device, left to Calcite'),
    fallbacks.length === 0 ? null : el('ul', {}, ...fallbacks),
  ];
}

async function queryPage(id) {
  const query = await ask('/console/queries/' + encodeURIComponent(id));
  who(query);
  const going = RUNNING.has(query.state);
  const read = query.progress;
  return {
    again: going,
    nodes: [
      el('h1', {}, 'Query ' + query.id + ' ', cancelButton(query)),
      query.error === undefined ? null : el('p', { class: 'error' }, query.error),
      facts([
        ['state', state(query)],
        ['user', query.user],
        ['from', query.protocol + ', ' + query.address],
        ['began', query.began],
        ['time', millis(query.elapsedMillis)],
        ['rows', count(query.rows)],
        ['progress', progress(query)],
        ['read', !read || read.expectedRows === 0 ? '' : count(read.rows) + ' of ' + count(read.expectedRows) + ' rows of tables'],
        ['files', !read || read.expectedParts === 0 ? '' : count(read.parts) + ' of ' + count(read.expectedParts) + ' parts' + (read.expectedBytes === 0 ? '' : ', ' + bytes(read.bytes) + ' of ' + bytes(read.expectedBytes))],
        ['memory', going ? used(query, 'memoryBytes') : ''],
        ['most memory', used(query, 'peakMemoryBytes')],
        ['spilled', used(query, 'spilledBytes')],
        ['device', query.device],
      ]),
      el('pre', { id: 'sql' }, query.sql),
      ...planParts(query),
    ],
  };
}

function memoryBar(memory) {
  const width = 500;
  const cached = width * memory.cachedBytes / memory.limitBytes;
  const busy = width * (memory.usedBytes - memory.cachedBytes) / memory.limitBytes;
  return draw('svg', { width, height: 16, role: 'img', 'aria-label': 'memory' },
    draw('rect', { x: 0, y: 0, width, height: 16, fill: '#e4e7ec' }),
    draw('rect', { x: 0, y: 0, width: busy.toFixed(1), height: 16, fill: '#c4605b' }),
    draw('rect', { x: busy.toFixed(1), y: 0, width: cached.toFixed(1), height: 16, fill: '#5b84c4' }));
}

function memoryRow(name, memory) {
  return el('tr', {},
    el('td', {}, name),
    el('td', {}, memoryBar(memory)),
    el('td', { class: 'number' }, bytes(memory.usedBytes - memory.cachedBytes)),
    el('td', { class: 'number' }, bytes(memory.cachedBytes)),
    el('td', { class: 'number' }, bytes(memory.freeBytes)),
    el('td', { class: 'number' }, bytes(memory.limitBytes)));
}

async function devicesPage() {
  const answer = await ask('/console/devices');
  who(answer);
  const nodes = [
    el('h1', {}, 'Devices'),
    facts([
      ['running queries', count(answer.runningQueries) + (answer.slots === undefined ? '' : ' in ' + count(answer.slots) + ' slots')],
      ['waiting queries', count(answer.waitingQueries)],
    ]),
  ];
  for (const engine of answer.engines) {
    const rows = [memoryRow('host', engine.hostMemory)];
    for (const device of engine.devices) {
      if (device.ownMemory || !device.usable) {
        rows.push(memoryRow(device.name + (device.usable ? '' : ' (failed)'), device.memory));
      }
    }
    nodes.push(
      el('h2', {}, 'Engine ' + engine.number + ': ' + engine.devices.map(device => device.name).join(', ')),
      facts([['connections', count(engine.connections)], ['in spill files', bytes(engine.spilledBytes)]]),
      el('table', {},
        el('thead', {}, el('tr', {}, el('th', {}, 'memory'), el('th', {}, ''), el('th', { class: 'number' }, 'queries'), el('th', { class: 'number' }, 'caches'), el('th', { class: 'number' }, 'free'), el('th', { class: 'number' }, 'limit'))),
        el('tbody', {}, ...rows)));
  }
  return { again: true, nodes };
}

function page() {
  const path = location.hash.slice(1);
  if (path.startsWith('/query/')) {
    return queryPage(decodeURIComponent(path.slice('/query/'.length)));
  }
  return path === '/devices' ? devicesPage() : queriesPage();
}

// Shows the page that the address names, and again each second as long as something of it changes.
async function show() {
  const mine = ++round;
  let again = true;
  try {
    if (!document.hidden) {
      const answer = await page();
      if (mine !== round) {
        return;
      }
      const open = document.querySelector('details.candidates[open]') !== null;
      document.getElementById('main').replaceChildren(...answer.nodes.filter(node => node !== null));
      const prices = document.querySelector('details.candidates');
      if (prices !== null) {
        prices.open = open;
      }
      trouble('');
      again = answer.again;
    }
  } catch (error) {
    if (mine !== round) {
      return;
    }
    trouble(error instanceof TypeError ? 'The server does not answer.' : error.message);
  }
  if (again) {
    setTimeout(() => { if (mine === round) { show(); } }, POLL_MILLIS);
  }
}

addEventListener('hashchange', () => {
  chosen = null;
  document.getElementById('main').replaceChildren();
  show();
});
document.addEventListener('visibilitychange', () => { if (!document.hidden) { show(); } });
show();
