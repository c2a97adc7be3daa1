'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const steps = data.steps, threads = data.threads;
  const byId = (id) => document.getElementById(id);
  const lane = new Map(threads.map((thread, index) => [thread.thread, index]));
  const kRow = 26, kLane = Math.max(22, Math.min(56, 224 / Math.max(threads.length, 1)));
  let current = 0;

  // Shows control and direction characters, which names of the program may contain, as escapes.
  const kControl = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
  const shown = (text) => String(text ?? '').replace(kControl,
    (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
  const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = shown(text);
    if (className) made.className = className;
    return made;
  };
  const drawn = (name, attributes) => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const base = (file) => (file ?? '').split('/').pop();
  const place = (at) => at.file ? `${base(at.file)}:${at.line}` : '';
  const x = (thread) => (lane.get(thread) + 0.5) * kLane;
  const y = (index) => (index + 0.5) * kRow;

  const words = (step) => {
    switch (step.step) {
      case 'switch': return `-> switch to ${step.to} (${step.why})`;
      case 'left_out': return `... ${step.events} more`;
      case 'failure': return `X ${step.outcome}${step.message ? ': ' + step.message : ''}`;
      default: {
        const value = step.value === null ? '' : (step.writes ? ' := ' : ' = ') + step.value;
        return `${step.action}${step.variable ? ' ' + step.variable : ''}${value}`;
      }
    }
  };

  const show_head = () => {
    byId('signature').textContent = shown(data.outcome.signature || data.outcome.kind);
    byId('message').textContent = shown(data.outcome.message);
    byId('cause-kind').textContent = shown(data.cause.kind.replaceAll('_', ' ')) + ':';
    byId('cause-text').textContent = shown(data.cause.text);
    for (const id of ['signature', 'message', 'cause-text']) byId(id).classList.add('isolated');
    for (const id of ['failing-order', 'passing-order']) {
      for (const index of data.cause[id.replace('-', '_')]) {
        const access = data.cause.accesses[index];
        const held = access.locks.length ? access.locks.map((lock) => lock || 'a lock').join(', ') : 'no lock';
        const where = place(access) || 'an unknown place';
        byId(id).append(element('li',
          `thread ${access.thread}: ${access.access} ${access.variable ?? ''} at ${where}, ${held} held`, 'isolated'));
      }
    }
    if (!data.cause.passing_order.length) byId('orders-section').hidden = true;
    byId('commands').textContent = shown(data.commands.join('\n')).replaceAll('\\u000a', '\n');
    const figures = byId('figures');
    figures.textContent = `${data.events} events; ${data.preemptions.before} preemptions, ` +
      `${data.preemptions.after} needed; found with ${data.trials} executions in ${data.seconds.toFixed(2)} s`;
    if (data.slice)
      figures.append(`; the failure depends on ${data.slice.relevant} of ${data.slice.events} events, others are pale`);
    for (const signature of data.also ?? []) figures.append(element('span', `; also seen as ${signature}`, 'isolated'));
    if (!data.shrunk?.after) return;
    byId('shrinking').hidden = false;
    for (const [name, size] of [['before', data.shrunk.before], ['after', data.shrunk.after]]) {
      const row = element('tr');
      for (const text of [name, size.threads, size.preemptions, size.switches, size.events])
        row.append(element('td', text));
      byId('shrinking').querySelector('tbody').append(row);
    }
  };

  const show_ranking = () => {
    byId('ranking-section').hidden = !data.ranking?.length;
    for (const point of data.ranking ?? []) {
      const row = element('tr', undefined, point.in_cause ? 'running' : undefined);
      for (const text of [point.rank, place(point), point.function, point.in_cause ? 'yes' : 'no'])
        row.append(element('td', text, 'isolated'));
      byId('ranking').tBodies[0].append(row);
    }
  };

  const draw_lanes = () => {
    const width = threads.length * kLane, height = steps.length * kRow;
    const svg = byId('lanes');
    svg.setAttribute('width', width);
    svg.setAttribute('height', height);
    for (const thread of threads) {
      const name = element('span', thread.thread, 'isolated');
      name.style.width = kLane + 'px';
      byId('lane-names').append(name);
      svg.append(drawn('line', {class: 'lane', x1: x(thread.thread), x2: x(thread.thread), y1: 0, y2: height}));
    }
    let last_pair = null;
    steps.forEach((step, index) => {
      const at = x(step.thread), level = y(index);
      if (step.step === 'switch') {
        const to = x(step.to), side = to > at ? -5 : 5;
        svg.append(drawn('line', {class: 'run', x1: at, x2: at, y1: level - kRow / 2, y2: level}));
        svg.append(drawn('path', {class: 'change', d: `M${at} ${level} L${to} ${level + kRow / 2 - 3}`}));
        svg.append(drawn('path', {class: 'head', d: `M${to} ${level + kRow / 2} l${side} -7 l${-side * 1.6} 0 z`}));
        return;
      }
      svg.append(drawn('line', {class: 'run', x1: at, x2: at, y1: level - kRow / 2, y2: level + kRow / 2}));
      if (step.step === 'left_out') return;
      const bad = step.in_cause || step.step === 'failure';
      svg.append(drawn('circle', {class: bad ? 'bad' : 'dot', cx: at, cy: level, r: bad ? 5.5 : 3.5}));
      if (!step.in_cause) return;
      if (last_pair) svg.append(drawn('path', {class: 'pair', d: `M${last_pair[0]} ${last_pair[1]} L${at} ${level}`}));
      last_pair = [at, level];
    });
  };

  // [[earlier step, later step]] for each enforced order: from a release to the acquisition after it, from a fork to
  // the first step of the thread, from its last step to the join. The data says what each step does.
  const ordered_pairs = () => {
    const pairs = [], released = new Map(), created = new Map(), last = new Map();
    steps.forEach((step, index) => {
      if (step.step !== 'event') return;
      if (!last.has(step.thread) && created.has(step.thread)) pairs.push([created.get(step.thread), index]);
      last.set(step.thread, index);
      const earlier = released.get(step.variable);
      if (step.forks) created.set(step.other_thread, index);
      else if (step.joins && last.has(step.other_thread)) pairs.push([last.get(step.other_thread), index]);
      else if (step.releases && step.variable) released.set(step.variable, index);
      else if (step.acquires && earlier !== undefined && steps[earlier].thread !== step.thread)
        pairs.push([earlier, index]);
    });
    return pairs;
  };

  const draw_orders = () => {
    for (const [from, to] of ordered_pairs()) {
      const x1 = x(steps[from].thread), x2 = x(steps[to].thread), side = x2 > x1 ? -6 : 6;
      const curve = `M${x1} ${y(from)} C${x1 - side * 2} ${y(from)} ${x2 + side * 2} ${y(to)} ${x2} ${y(to)}`;
      byId('lanes').append(drawn('path', {class: 'order', d: curve}));
      byId('lanes').append(drawn('path', {class: 'order-head', d: `M${x2} ${y(to)} l${side} -3.5 l0 7 z`}));
    }
  };

  const list_steps = () => {
    steps.forEach((step, index) => {
      const row = element('li', undefined, step.step);
      if (step.in_cause) row.classList.add('cause');
      if (step.relevant === false) row.classList.add('irrelevant');
      if (step.step === 'switch' && !step.preemption) row.classList.add('forced');
      row.style.paddingLeft = threads.length * kLane + 8 + 'px';
      row.append(element('span', words(step), 'isolated'));
      if (place(step)) row.append(element('span', place(step), 'place'));
      row.title = shown(`thread ${step.thread}: ${words(step)} ${place(step)}`);
      row.setAttribute('aria-label', `step ${index + 1}, ${row.title}` +
        (step.relevant === false ? ', the failure does not depend on it' : ''));
      row.addEventListener('click', () => go(index));
      byId('steps').append(row);
    });
  };

  // The state of each thread after the steps up to `until`.
  const states_at = (until) => {
    const states = new Map(threads.map((thread) =>
      [thread.thread, {state: 'not yet seen', holds: thread.held_at_start, at: null, step: null}]));
    for (let index = 0; index <= until; ++index) {
      const step = steps[index], state = states.get(step.thread);
      for (const other of states.values()) if (other.state === 'running') other.state = 'could run';
      state.state = 'running';
      if (step.step === 'switch') {
        state.state = step.why;
        states.get(step.to).state = 'running';
      } else if (step.step === 'failure') {
        state.state = 'failed';
      }
      if (step.holds) state.holds = step.holds;
      if (step.file) { state.at = step; state.step = step; }
    }
    return states;
  };

  const source_of = (thread, state) => {
    const active = state.state === 'running' || state.state === 'failed';
    const pane = element('div', undefined, 'pane' + (active ? ' running' : ''));
    pane.dataset.thread = thread.thread;
    const name = thread.name ? ` (${thread.name})` : '';
    pane.append(element('h3', `thread ${thread.thread}${name} ${state.at ? place(state.at) : ''}`, 'isolated'));
    const lines = state.at ? data.sources[state.at.file] : null;
    if (!state.at || !lines) {
      pane.append(element('p', state.at ? 'the source file is not available' : 'no step of this thread yet', 'note'));
      return pane;
    }
    pane.append(element('p', words(state.step), 'note isolated'));
    const text = element('pre');
    text.tabIndex = 0;
    text.setAttribute('aria-label', `Source of thread ${thread.thread}`);
    for (const [number, line] of lines) {
      if (Math.abs(number - state.at.line) > 12) continue;
      const row = element('code', `${String(number).padStart(5)}  ${line.replaceAll('\t', '    ')}`);
      if (number === state.at.line) { row.className = 'at'; row.setAttribute('aria-current', 'location'); }
      text.append(row);
    }
    pane.append(text);
    return pane;
  };

  const show_states = () => {
    const states = states_at(current), body = byId('states').tBodies[0];
    body.replaceChildren();
    byId('panes').replaceChildren();
    for (const thread of threads) {
      const state = states.get(thread.thread), row = element('tr');
      if (state.state === 'running') row.className = 'running';
      row.append(element('td', thread.thread), element('td', state.state, 'isolated'),
                 element('td', state.holds.length ? state.holds.join(', ') : 'nothing', 'isolated'));
      body.append(row);
      const pane = source_of(thread, state);
      byId('panes').append(pane);
      const marked = pane.querySelector('.at'), text = pane.querySelector('pre');
      if (marked) text.scrollTop = Math.max(0, marked.offsetTop - text.offsetTop - text.clientHeight / 2);
    }
  };

  const go = (index) => {
    if (!steps.length) return;
    byId('steps').children[current].removeAttribute('aria-current');
    current = Math.max(0, Math.min(steps.length - 1, index));
    const row = byId('steps').children[current], view = byId('interleaving');
    row.setAttribute('aria-current', 'step');
    const top = row.offsetTop, bottom = top + kRow;
    if (top < view.scrollTop + 56) view.scrollTop = top - 56;
    if (bottom > view.scrollTop + view.clientHeight) view.scrollTop = bottom - view.clientHeight + 28;
    byId('position').textContent = `step ${current + 1} of ${steps.length}`;
    show_states();
  };
  const find = (wanted) => {
    for (let i = 1; i <= steps.length; ++i) {
      const index = (current + i) % steps.length;
      if (wanted(steps[index], index)) return go(index);
    }
  };
  const actions = {
    'to-first': () => go(0), 'back': () => go(current - 1), 'forward': () => go(current + 1),
    'next-switch': () => find((step) => step.step === 'switch'),
    'next-cause': () => find((step) => step.in_cause || step.step === 'failure'),
    'to-last': () => go(steps.length - 1),
  };
  const keys = {ArrowRight: 'forward', ArrowDown: 'forward', j: 'forward', ArrowLeft: 'back', ArrowUp: 'back',
                k: 'back', n: 'next-switch', c: 'next-cause', Home: 'to-first', End: 'to-last'};

  show_head();
  show_ranking();
  draw_lanes();
  draw_orders();
  list_steps();
  for (const [id, act] of Object.entries(actions)) byId(id).addEventListener('click', act);
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target === byId('search')) return;
    if (event.key === '/') { byId('search').focus(); event.preventDefault(); return; }
    if (!(event.key in keys)) return;
    actions[keys[event.key]]();
    event.preventDefault();
  });
  byId('search').addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !event.target.value) return;
    const text = event.target.value.toLowerCase();
    find((step) => `${words(step)} ${place(step)}`.toLowerCase().includes(text));
  });
  const first = steps.findIndex((step) => step.in_cause);
  go(first < 0 ? 0 : first);
})();
