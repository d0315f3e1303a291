// The page of a run. /samples has all data: see page/samples.py for its lines.

const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** An element with attributes, texts and children; `on` has its listeners. */
function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "g", "path", "rect", "circle", "line", "polyline", "text", "title", "image"].includes(tag);
  const element = svg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name.startsWith("aria-")) element.setAttribute(name, String(value));
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/** Lines of a drawing with spaces between them, so that they are words to those who cannot see it. */
const spaced = (lines) => lines.flatMap((line) => [line, " "]);

// ---- numbers as texts

function short(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  for (const [size, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (Math.abs(value) >= size) return `${Number((value / size).toPrecision(3))} ${letter}`;
  }
  return Number.isInteger(value) || value >= 100 ? String(Math.round(value)) : value.toPrecision(2);
}
const bytes = (value) => `${short(value)}B`.replace(/(\d)B/, "$1 B");
const bits = (value) => `${short(value)}bit/s`.replace(/(\d)bit/, "$1 bit");
/** In three or four characters. */
const brief = (value) => value < 1000 ? String(value) : value < 1e4 ? `${(value / 1e3).toFixed(1)}k` : value < 1e6 ? `${Math.floor(value / 1e3)}k` : `${Math.floor(value / 1e6)}M`;
const percent = (value, digits = 1) => `${(100 * value).toFixed(digits)} %`;
const seconds = (value) => value < 100 ? `${value.toFixed(1)} s` : `${Math.floor(value / 60)}:${String(Math.floor(value % 60)).padStart(2, "0")} min`;
const ranks = (bitmap) => [...Array(32).keys()].filter((rank) => (bitmap >>> rank) & 1);
const sum = (values) => values.reduce((total, value) => total + (value ?? 0), 0);

// ---- the run

let run = null;         // the heading
let samples = [];
let curves = [];        // for each job its standings, with the number of their sample
let events = [];
let over = null;
const view = { at: -1, follows: true, plays: false, job: 0, switch: null, slot: null, host: null };

/** Standings of a job that are kept, at least. */
const MOST_POINTS = 8192;
const SLOT_FIELDS = 7;

/** The slots of a switch's reading, as in a sample; undefined if there are none. They are kept in one array. */
const slotsOf = (state) => state?.slots && Array.from({ length: state.slots.length / SLOT_FIELDS }, (_, slot) => [...state.slots.subarray(SLOT_FIELDS * slot, SLOT_FIELDS * (slot + 1))]);
/** The levels of a standing's sections. */
const levels = (densities) => Uint8Array.from(densities.match(/../g) ?? [], (pair) => parseInt(pair, 16));

function forget() {
  run = over = null;
  samples = []; curves = []; events = [];
  lane = laneSaid = null;
  view.at = -1;
}

function take(line) {
  if (run === null) {
    run = line;
    view.switch = run.switches.at(-1);
    curves = [];
    begin();
  } else if (line.over) {
    over = line.over;
    // The summary's time is not a sample: keep it off the time axis.
  } else {
    const number = samples.push(line) - 1;
    // Not every sample reads the switches: the last reading stays.
    line.states = { ...samples[number - 1]?.states };
    for (const [name, state] of Object.entries(line.switches)) line.states[name] = { ...state, number, slots: state.slots && Uint32Array.from(state.slots.flat()) };
    delete line.switches;
    line.jobs.forEach((standings, job) => {
      const curve = (curves[job] ??= []);
      // Older runs have no densities.
      for (const [step, loss, accuracy, sent, dense, resent, densities = ""] of standings) {
        curve.push({ number, step, loss, accuracy, sent, dense, resent, densities });
      }
      if (curve.length >= (curve.most ??= MOST_POINTS)) {
        // Of each sample its last standing is enough.
        curves[job] = curve.filter((each, index) => each.number !== curve[index + 1]?.number);
        curves[job].most = Math.max(MOST_POINTS, 2 * curves[job].length);
      }
    });
    line.stands = line.jobs.some((standings) => standings.length);
    delete line.jobs;
    for (const [kind, text] of line.events) events.push({ number, t: line.t, kind, text });
  }
}

/** The samples in a page that is a file of its own; null in one that is served. */
const recorded = $("recorded");

/** Where a run that has ended is looked at first: the last sample with slots, or else the last one. */
function resting() {
  const last = samples.findLastIndex((sample) => Object.values(sample.states).some((state) => state.slots?.length));
  return last < 0 ? samples.length - 1 : last;
}

/** Shows the latest moment, to those who look at no other. */
function showLatest() {
  if (view.follows) view.at = over ? resting() : samples.length - 1;
  draw();
}

async function follow() {
  let next = 0;
  let lost = false;
  for (;;) {
    try {
      const answer = await fetch(`samples?from=${next}`, { cache: "no-store" });
      if (!answer.ok) throw new Error(await answer.text());
      const lines = (await answer.text()).split("\n").filter(Boolean);
      if (lost) {
        // It may be the page of another run now: read all of it.
        lost = false;
        next = 0;
        forget();
        continue;
      }
      next = Number(answer.headers.get("X-Next"));
      for (const line of lines) take(JSON.parse(line));
      if (lines.length) showLatest();
      if (over) return;
    } catch (error) {
      lost = true;
      say("away", run ? "the run's page has ended" : "no answer");
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  }
}

function say(is, text) {
  if ($("status").textContent !== text) $("status").textContent = text;
  $("status").dataset.is = is;
}

/** What changed a second in a count of the sample `number`. */
function rate(number, count) {
  const now = samples[number];
  const before = number > 0 ? samples[number - 1] : null;
  const a = count(now);
  const b = before ? count(before) : 0;
  if (a === null || a === undefined) return null;
  return Math.max(0, a - (b ?? 0)) / Math.max(1e-3, now.t - (before ? before.t : 0));
}

/** What changed a second in a count of a switch, between its reading that holds at a sample and the one before. */
function switchRate(name, number, count) {
  const now = samples[number].states[name];
  const before = samples[now.number - 1]?.states[name];
  if (!before) return null;
  return Math.max(0, (count(now) ?? 0) - (count(before) ?? 0)) / Math.max(1e-3, samples[now.number].t - samples[before.number].t);
}

/** Places in a worker's counts. */
const [WINDOW, MARKED, AGAIN] = [1, 2, 3];

/** A worker's counts in a sample: [rank, window, congested results, retransmissions]; empty if there are none. */
const worker = (sample, job, rank) => sample.workers?.[job - 1]?.find((each) => each[0] === rank) ?? [];

/** A job's last standing at the sample `number`. */
function standing(job, number) {
  return (curves[job] ?? []).findLast((each) => each.number <= number) ?? null;
}

// ---- drawing

const OF_TRAINING = ["lane-form", "loss", "accuracy", "bytes", "windows", "repeats", "densities", "workers", "fates", "events"];

function begin() {
  $("run").textContent = run.run;
  const merged = run.merged > 1 ? ` · thinned: ${run.merged} samples are merged into one` : "";
  $("title").textContent = `${run.title} · ${run.switch}${merged}`;
  document.title = `${run.run} · Dropzero`;
  $("switch").replaceChildren(...run.switches.map((name) => make("option", { value: name }, name)));
  $("switch").value = view.switch;
  $("which").hidden = run.switches.length < 2;
  $("lane-card").open = Boolean(run.captured);
  // A run of a protocol of one's own trains nothing, and its packets and counters are its own.
  for (const id of OF_TRAINING) $(id).closest("details").hidden = run.steps === null;
  layOut();
}

function draw() {
  if (run === null) return;
  drawTimeline();
  drawOutcome();
  drawLaneHint();
  if (view.at < 0) return;
  drawTiles();
  drawNetwork();
  drawSlots();
  drawCharts();
  drawDensities();
  drawWorkers();
  drawFates();
  drawEvents();
}

function drawOutcome() {
  if (over === null) say("live", view.follows ? "live" : "live, looking back");
  else if (over.error) say("failed", "failed");
  else say("trained", run.steps === null ? "exact" : "trained");
  $("outcome").hidden = over === null;
  if (over === null) return;
  $("outcome").className = over.error ? "failed" : "";
  $("outcome").textContent = over.error ? `The run ended early: ${over.error}` : over.text ?? ending(over.summaries);
}

/** How a run ended, in a sentence. */
function ending(summaries) {
  const range = (value, format) => [...new Set([Math.min, Math.max].map((pick) => format(pick(...summaries.map(value)))))].join(" to ");
  const differ = summaries.flatMap((each, job) => each.replicas_identical ? [] : [job + 1]);
  const same = differ.length ? `THE WORKERS' WEIGHTS DIFFER${summaries.length > 1 ? ` in job ${differ.join(", ")}` : ""}` : "all workers have the same weights";
  const killed = summaries.flatMap((each, job) => (each.killed ?? []).map((rank) => summaries.length > 1 ? `worker ${rank} of job ${job + 1}` : `worker ${rank}`));
  return `${summaries.length > 1 ? `${summaries.length} jobs: ` : ""}${range((each) => each.steps, String)} steps in ${range((each) => each.seconds, (value) => `${value.toFixed(1)} s`)}, ` +
    `test accuracy ${range((each) => each.test_accuracy, (value) => percent(value, 2))}, ${bytes(sum(summaries.map((each) => each.uplink_bytes)))} sent, ` +
    `${range((each) => each.uplink_bytes / each.dense_uplink_bytes, percent)} of dense; ${same}${killed.length ? `; killed: ${killed.join(", ")}` : ""}`;
}

function drawTiles() {
  const now = standing(view.job, view.at);
  const sample = samples[view.at];
  const first = samples.findIndex((each) => each.stands);
  const before = view.at > first && first >= 0 ? standing(view.job, view.at - 1) : null;
  const pace = now && before ? (now.step - before.step) / Math.max(1e-3, sample.t - samples[view.at - 1].t) : null;
  const states = Object.values(sample.states);
  const lost = sum(states.map((each) => (each.fates?.lost ?? 0) + (each.lost ?? 0)));
  const slots = states.flatMap((each) => slotsOf(each) ?? []);
  const marked = slots.filter((slot) => slot[6]).length;
  const share = now ? now.sent / now.dense : null;
  const tiles = run.steps === null ? [[`${slots.filter((slot) => slot[5]).length}`, "slots that wait for workers"]] : [
    [now ? `${now.step}` : "–", `of ${run.steps} steps${pace ? `, ${short(pace)} a second` : ""}`, now ? now.step / run.steps : 0],
    [now?.loss == null ? "–" : now.loss.toFixed(4), "minibatch loss"],
    [now?.accuracy == null ? "–" : percent(now.accuracy, 2), "test accuracy"],
    [share === null ? "–" : percent(share), now ? `of dense: ${bytes(now.sent)} of ${bytes(now.dense)}` : "of dense bytes", share],
    [now ? short(now.resent) : "–", "retransmissions"],
    [short(lost), "packets lost on links"],
    [`${marked} of ${slots.length}`, "slots with congestion marks"],
  ];
  const shown = tiles.map(([value, label, bar]) => make("div", { class: "tile" }, make("b", {}, value), make("span", {}, label),
    ...(bar === undefined ? [] : [make("progress", { max: 1, value: Math.min(1, bar ?? 0), "aria-label": label })])));
  if (curves.length > 1) {
    const choice = make("select", { on: { change: (event) => { view.job = Number(event.target.value); draw(); } }, id: "job", "aria-label": "Job of the numbers" },
      ...curves.map((_, job) => make("option", { value: job, selected: job === view.job }, `job ${job + 1}`)));
    shown.unshift(make("div", { class: "tile" }, choice, make("span", {}, `of ${curves.length} jobs`)));
  }
  // A list that is open must not be replaced.
  if (document.activeElement?.id !== "job") $("tiles").replaceChildren(...shown);
  else shown.slice(1).forEach((tile, index) => $("tiles").children[index + 1].replaceWith(tile));
}

// ---- the network

let drawn = null;

const CARD = { width: 104, height: 92 };
/** Of many hosts. */
const SMALL_CARD = { width: 88, height: 56 };
const MANY = 16;
const SWITCH = { width: 150, height: 62 };

/** Draws nodes and links at the width that there is; `drawNetwork` then only changes them. */
function layOut() {
  const svg = $("network");
  const hosts = Object.keys(run.hosts);
  const under = (name) => run.links.filter(([, high]) => high === name).map(([low]) => low);
  // From left to right: the hosts of each switch that has some or has nothing below it.
  const blocks = [];
  const ends = {};
  const collect = (name, depth) => {
    const first = blocks.length;
    const lower = under(name);
    lower.filter((each) => !hosts.includes(each)).forEach((each) => collect(each, depth + 1));
    const own = lower.filter((each) => hosts.includes(each));
    if (own.length || blocks.length === first) blocks.push({ own, depth });
    ends[name] = { first, last: blocks.length - 1, depth };
  };
  // Several spines have the same switches below them.
  const roots = run.switches.filter((name) => run.links.every(([low]) => low !== name));
  collect(roots.at(-1), 0);
  const room = svg.parentElement.clientWidth;
  const card = hosts.length > MANY ? SMALL_CARD : CARD;
  const wide = card.width + 12;
  const block = Math.max(room / blocks.length, blocks.length > 1 ? Math.max(wide, SWITCH.width + 12) : wide);
  const width = Math.max(room, block * blocks.length);
  const top = (depth) => 4 + (SWITCH.height + 70) * depth;
  const places = {};
  let bottom = 0;
  for (const [name, { first, last, depth }] of Object.entries(ends)) {
    places[name] = { x: block * ((first + last) / 2 + .5), y: top(depth), ...SWITCH };
    bottom = Math.max(bottom, top(depth));
  }
  roots.forEach((name, index) => { places[name] = { x: width * (index + .5) / roots.length, y: top(0), ...SWITCH }; });
  blocks.forEach(({ own, depth }, index) => {
    const most = Math.max(1, Math.min(own.length, Math.floor(block / wide)));
    // Rows of the same length.
    const columns = Math.ceil(own.length / Math.ceil(own.length / most)) || 1;
    const pitch = Math.min(block / columns, 200);
    const first = top(depth) + SWITCH.height + 74;
    own.forEach((host, place) => {
      const row = Math.floor(place / columns), column = place % columns - (columns - 1) / 2;
      const x = block * (index + .5) + pitch * column;
      const y = first + (card.height + 22) * row;
      // A cable from a lower row passes the others between two columns.
      const gap = row ? { x: x - Math.min(pitch, card.width + 16) / 2 * (Math.sign(column) || 1), y: first } : null;
      places[host] = { x, y, gap, ...card };
      bottom = Math.max(bottom, y);
    });
  });
  svg.setAttribute("width", width);
  svg.setAttribute("height", bottom + card.height + 6);
  const wires = run.links.map(([low, high]) => {
    const a = places[low], b = places[high];
    const bend = (shift) => {
      const { x, y } = a.gap ?? a, y1 = b.y + b.height;
      const detour = a.gap ? `M${a.x + shift},${a.y} C${a.x + shift},${a.y - 16} ${x + shift},${a.y - 4} ${x + shift},${a.y - 20} L${x + shift},${y}` : `M${x + shift},${y}`;
      // It ends within the switch.
      const end = Math.max(10 - b.width / 2, Math.min(b.width / 2 - 10, (x - b.x) * .16));
      return `${detour} C${x + shift},${(y + y1) / 2} ${b.x + shift + end * 1.25},${(y + y1) / 2} ${b.x + shift + end},${y1}`;
    };
    return ["up", "down"].map((way) => {
      const d = bend(way === "up" ? -5 : 5);
      const wire = make("path", { class: `wire ${way}`, d });
      const flow = make("path", { class: `flow ${way}`, d });
      const motion = flow.animate([{ strokeDashoffset: 0 }, { strokeDashoffset: way === "up" ? -28 : 28 }], { duration: 1000, iterations: Infinity });
      motion.playbackRate = 0;
      return { wire, flow, motion };
    });
  });
  const nodes = Object.fromEntries(Object.entries(places).map(([name, place]) => {
    const host = run.hosts[name];
    const x = place.x - place.width / 2;
    const texts = (host && card === SMALL_CARD ? [12, 30, 44] : [16, 33, 49, 65, 79]).map((y, line) => make("text", { x: place.x, y: place.y + y + 3, "text-anchor": "middle", class: line ? "small" : "name" }));
    const choose = () => { view.host = view.host === name ? null : name; if (host) view.switch = home(name); $("switch").value = view.switch; draw(); };
    const group = make("g", { class: `node ${host ? "host" : "switch"}`, ...(host ? { tabindex: 0, role: "button", on: { click: choose, keydown: (event) => { if (["Enter", " "].includes(event.key)) { event.preventDefault(); choose(); } } } } : {}) },
      make("rect", { x, y: place.y, width: place.width, height: place.height, rx: 12 }), ...spaced(texts));
    return [name, { group, texts }];
  }));
  svg.replaceChildren(...wires.flat().flatMap(({ wire, flow }) => [wire, flow]), ...Object.values(nodes).map(({ group }) => group));
  drawn = { wires, nodes, room };
}

const home = (host) => run.links.find(([low]) => low === host)[1];

function drawNetwork() {
  const sample = samples[view.at];
  const small = Object.keys(run.hosts).length > MANY;
  const texts = {};
  const loads = Object.fromEntries(run.switches.map((name) => [name, { coming: 0, leaving: 0 }]));
  run.links.forEach(([low, high], index) => {
    const [upPackets, upBytes, downPackets, downBytes] = [0, 1, 2, 3].map((column) => rate(view.at, (each) => each.links[index][column]));
    drawn.wires[index].forEach(({ wire, flow, motion }, way) => {
      const load = way ? downBytes : upBytes;
      const weight = 1.5 + 1.6 * Math.log10(1 + load / 1e4);
      wire.setAttribute("stroke-width", weight.toFixed(1));
      flow.setAttribute("stroke-width", Math.max(2.5, weight * .8).toFixed(1));
      flow.classList.toggle("idle", load === 0);
      motion.playbackRate = load === 0 || still.matches || view.at !== samples.length - 1 && !view.plays || over && !view.plays ? 0 : .4 + .6 * Math.log10(1 + load / 1e4);
    });
    const up = upPackets === null ? "" : `${short(upPackets)} pkt/s`;
    const down = downPackets === null ? "" : `${short(downPackets)} pkt/s`;
    texts[low] = { up: [up, bits(8 * upBytes)], down: [down, bits(8 * downBytes)] };
    for (const [name, coming, leaving] of [[high, upBytes, downBytes], [low, downBytes, upBytes]]) {
      if (!(name in loads)) continue;
      loads[name].coming += coming;
      loads[name].leaving += leaving;
    }
  });
  for (const [name, { group, texts: lines }] of Object.entries(drawn.nodes)) {
    const host = run.hosts[name];
    const gone = sample.gone.includes(name);
    const traffic = texts[name];
    let said, member;
    if (host) {
      const [job, rank] = host;
      member = job ? `${curves.length > 1 ? `job ${job}, ` : ""}worker ${rank}` : "server";
      said = [name, ...(small && !gone ? [] : [member]),
        ...(gone ? ["killed"] : small ? [`↑ ${traffic.up[1]}`, `↓ ${traffic.down[1]}`] : [`↑ ${traffic.up[0] || traffic.up[1]}`, traffic.up[0] ? `↑ ${traffic.up[1]}` : "", `↓ ${traffic.down[0] || traffic.down[1]}`])];
    } else {
      const state = sample.states[name];
      const { coming, leaving } = loads[name];
      said = state?.error ? [name, "does not answer"] : [name, `in ${bits(8 * coming)}`, `out ${bits(8 * leaving)}`];
    }
    group.classList.toggle("gone", gone || Boolean(sample.states[name]?.error));
    group.classList.toggle("chosen", view.host === name);
    lines.forEach((line, index) => {
      line.textContent = said[index] ?? "";
      line.setAttribute("class", index === 0 ? "name" : said[index]?.startsWith("↑") ? "small rate-up" : said[index]?.startsWith("↓") ? "small rate-down" : gone ? "small killed" : "small");
    });
    if (host) {
      group.setAttribute("aria-label", [...new Set([name, member, ...said])].filter(Boolean).join(", "));
      group.setAttribute("aria-pressed", view.host === name);
    }
  }
  $("network").setAttribute("aria-label", `${Object.keys(run.hosts).length} workers, ${run.switches.length} ${run.switches.length > 1 ? "switches" : "switch"}`);
}

// ---- the slots

/** The part of a ring, of radius r about (24, 24), that belongs to place `index` of `count`. */
function arc(index, count, r = 20) {
  const gap = count > 1 ? Math.min(.12, .5 / count) : 0;
  const [from, to] = [index, index + 1].map((edge, side) => 2 * Math.PI * edge / count - Math.PI / 2 + (side ? -gap : gap));
  if (count === 1) return `M24,${24 - r} a${r},${r} 0 1 1 -.01,0`;
  const point = (angle) => `${(24 + r * Math.cos(angle)).toFixed(2)},${(24 + r * Math.sin(angle)).toFixed(2)}`;
  return `M${point(from)} A${r},${r} 0 ${to - from > Math.PI ? 1 : 0} 1 ${point(to)}`;
}

function drawSlots() {
  const name = view.switch;
  const state = samples[view.at].states[name];
  const place = $("slots");
  const hint = (text, ...more) => { place.replaceChildren(make("p", { class: "muted" }, text, ...more)); $("detail").textContent = $("read").textContent = ""; $("key").hidden = true; };
  if (state.error) return hint(`${name}: ${state.error}`);
  const slots = slotsOf(state);
  if (!slots) return hint("This switch does not let its registers be read over P4Runtime; the embedded switch does.");
  if (!slots.length) {
    const last = samples.findLastIndex((each) => each.states[name]?.slots?.length);
    if (last < 0) return hint("No job has slots yet.");
    return hint("No job has slots at this moment. ", make("button", { type: "button", on: { click: () => seek(last) } }, "Show the last that had"));
  }
  $("key").hidden = false;
  $("read").textContent = `as read at ${seconds(samples[state.number].t)}`;
  const before = new Map((slotsOf(samples[state.number - 1]?.states[name]) ?? []).map((slot) => [slot[0], slot]));
  const moved = (slot) => { const was = before.get(slot[0]); return was && was[2] === slot[2] ? Math.max(0, slot[3] - was[3]) : slot[3]; };
  const most = Math.max(1, ...slots.map(moved));
  const followed = view.host && run.hosts[view.host] && home(view.host) === name ? run.hosts[view.host] : null;
  const focused = document.activeElement?.dataset?.slot;
  const groups = Map.groupBy ? Map.groupBy(slots, (slot) => slot[1]) : group(slots, (slot) => slot[1]);
  const shown = [];
  for (const [job, own] of groups) {
    const busy = own.filter(used);
    shown.push(make("h3", {}, `Job ${job}${run.steps === null ? "" : `, epoch ${Math.max(...own.map((slot) => slot[2])) || "–"}`}: ${busy.length} of slots ${own[0][0]} to ${own.at(-1)[0]} in use`));
    shown.push(make("div", { class: `job-slots${busy.length > 128 ? " dense" : ""}` }, ...busy.map((slot) => cell(name, slot, moved(slot) / most, followed))));
  }
  place.replaceChildren(...shown);
  // The Tab key reaches one slot, the arrow keys the others.
  (place.querySelector(`[data-slot="${focused ?? view.slot}"]`) ?? place.querySelector(".cell"))?.setAttribute("tabindex", 0);
  if (focused) place.querySelector(`[data-slot="${focused}"]`)?.focus();
  const chosen = slots.find((slot) => slot[0] === view.slot);
  $("detail").textContent = chosen ? inWords(name, chosen) : "Choose a slot to read its registers.";
}

function group(list, key) {
  const groups = new Map();
  for (const each of list) groups.set(key(each), [...(groups.get(key(each)) ?? []), each]);
  return groups;
}

/** Whether a slot has had a packet in its epoch. */
const used = ([, , , round, seen]) => Boolean(seen || round);

function cell(name, slot, heat, followed) {
  const [number, job, epoch, round, seen, missing, marked] = slot;
  const members = ranks(seen | missing);
  const parts = members.map((rank, index) => make("path", { d: arc(index, members.length), class: (seen >>> rank) & 1 ? "seen" : "missing" }));
  if (followed && followed[0] === job) {
    const index = members.indexOf(followed[1]);
    if (index >= 0) parts.push(make("path", { d: arc(index, members.length), class: `followed${(seen >>> followed[1]) & 1 ? "" : " waits"}` }));
  }
  const texts = [brief(round), ...(epoch ? [`e${epoch < 1e4 ? epoch : brief(epoch)}`] : [])];
  return make("button", {
    class: "cell", type: "button", "data-slot": number, "aria-pressed": view.slot === number,
    tabindex: -1, "aria-label": ["Slot", number, ...texts].join(" "), "aria-description": inWords(name, slot),
    on: { click: () => { view.slot = view.slot === number ? null : number; drawSlots(); if (view.slot !== null) chooseLane(number); }, keydown: (event) => step(event, number) },
  }, make("svg", { viewBox: "0 0 48 48", "aria-hidden": true },
    make("rect", { class: "heat", width: 48, height: 48, rx: 9, opacity: (.2 * heat).toFixed(2) }), ...parts,
    ...spaced(texts.map((text, line) => make("text", { x: 24, y: 26 + 9 * line, class: line ? "epoch" : "round" }, text))),
    ...(marked ? [make("path", { class: "marked", d: "M41,1 l6,0 l0,6 z" })] : [])));
}

function step(event, number) {
  const cells = [...$("slots").querySelectorAll(".cell")];
  const index = cells.findIndex((each) => Number(each.dataset.slot) === number);
  const row = cells.findIndex((each) => each.offsetTop > cells[0].offsetTop);
  const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: row, ArrowUp: -row }[event.key];
  if (!by || row < 0 && Math.abs(by) !== 1) return;
  event.preventDefault();
  event.stopPropagation();
  cells[Math.max(0, Math.min(cells.length - 1, index + by))].focus();
}

function inWords(name, [number, job, epoch, round, seen, missing, marked]) {
  const list = (bitmap) => ranks(bitmap).join(" ") || "nobody";
  return `Slot ${number} of ${name}: job ${job}${epoch ? `, epoch ${epoch}` : ""}, round ${round}. Contributed: ${list(seen)}. Missing: ${list(missing)}.${marked ? " Marked: its packets met a long queue." : ""}`;
}

function drawKey() {
  const ring = (...kinds) => make("svg", { width: 18, height: 18, viewBox: "0 0 48 48", "aria-hidden": true }, ...kinds.map((kind, index) => make("path", { d: arc(index, kinds.length), class: kind })));
  const corner = make("svg", { width: 12, height: 12, viewBox: "40 0 8 8", "aria-hidden": true }, make("path", { class: "marked", d: "M41,1 l6,0 l0,6 z" }));
  $("shades").replaceChildren(...[1, .1, .01].map((share) => make("span", {}, make("svg", { width: 14, height: 14, "aria-hidden": true }, make("rect", { class: "shade", width: 14, height: 14, "fill-opacity": shade(share).toFixed(2) })), `${100 * share} %`)));
  const line = (...kinds) => make("svg", { width: 26, height: 10, viewBox: "0 0 26 10", "aria-hidden": true }, make("line", { class: `message ${kinds.join(" ")}`, x1: 0, x2: 26, y1: 5, y2: 5 }));
  const cross = make("svg", { width: 10, height: 10, viewBox: "0 0 10 10", "aria-hidden": true }, make("path", { class: "message lost", d: "M1,1 l8,8 m0,-8 l-8,8" }));
  $("lane-key").replaceChildren(...[[line("contribution"), "contribution and its round"], [line("result"), "result"], [line(), "the switch asks or refuses"], [line("contribution", "again"), "sent again"], [cross, "lost"]].map((pair) => make("span", {}, ...pair)));
  $("key").replaceChildren(make("span", {}, ring("seen", "seen", "seen", "missing"), "one part for each rank: blue, it has contributed; grey, it is missing; orange, it is the chosen worker's"),
    make("span", {}, "the number is the round, e the ", make("a", { href: "#word-epoch" }, "epoch")), make("span", {}, "the bluer, the more rounds since the last sample"), make("span", {}, corner, "a packet met a long queue"));
}

// ---- the charts

const COLOURS = ["var(--up)", "var(--down)", "var(--good)", "var(--bad)", "var(--mark)", "var(--muted)"];

/** The distance between about `count` ticks from low to high: 1, 2 or 5 times a power of ten. */
function distance(low, high, count) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].find((each) => each * power >= rough) * power;
}

function ticks(low, high, count) {
  const size = distance(low, high, count);
  const found = [];
  for (let value = Math.ceil(low / size) * size; value <= high + size * 1e-6; value += size) found.push(Number(value.toPrecision(12)));
  return found;
}

/** Ticks of a logarithmic axis. */
function powers(low, high) {
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1) found.push(...[1, 2, 5].map((each) => Number((each * 10 ** power).toPrecision(1))));
  const inside = found.filter((each) => each >= low && each <= high);
  const round = inside.filter((each) => Number.isInteger(Math.log10(each)));
  return inside.length < 2 ? ticks(low, high, 3) : inside.length > 7 && round.length > 1 ? round : inside;
}

/** The axes of values from `low` to `high`: its ends, its ticks, and how far up a value is, from 0 to 1. */
const AXES = {
  /** From 0. */
  zero(low, high) {
    const size = distance(0, high || 1, 4);
    return linear(0, Math.ceil((high || 1) / size - 1e-9) * size);
  },
  /** Only where there are values. */
  zoomed(low, high) {
    const size = low === high ? .01 : distance(low, high, 4);
    const [from, to] = [Math.floor(low / size + 1e-9) * size, Math.ceil(high / size - 1e-9) * size];
    return linear(from === to ? from - size : from, to);
  },
  logarithmic(low, high) {
    const [from, to] = [low * .95, high * 1.05].map(Math.log10);
    return { ticks: powers(low * .95, high * 1.05), place: (value) => (Math.log10(Math.max(value, low)) - from) / (to - from) };
  },
};
const linear = (low, high) => ({ ticks: ticks(low, high, 4), place: (value) => (value - low) / (high - low) });

const pen = document.createElement("canvas").getContext("2d");
pen.font = `600 12px ${getComputedStyle(document.body).fontFamily}`;
/** The width of a chart's label, in pixels. */
const widthOf = (text) => pen.measureText(text).width;

/** Of many series only the chosen one has a colour; the highest and the lowest at this moment have their names, too. */
function crowded(series, chosen) {
  if (series.length <= COLOURS.length) return series;
  const now = new Map(series.map((each) => [each, each.points.findLast((point) => point.number <= view.at)?.y]));
  const known = series.filter((each) => now.get(each) !== undefined).sort((a, b) => now.get(a) - now.get(b));
  const grey = series.filter((each) => each.name !== chosen).map((each) => ({
    ...each, colour: "var(--muted)", faint: true, name: each === known[0] || each === known.at(-1) ? each.name : null,
  }));
  return [...grey, ...series.filter((each) => each.name === chosen).map((each) => ({ ...each, colour: COLOURS[0] }))];
}

/** At most some hundred points: of each part of the curve its first and its extremes. */
function thinned(points, most = 300) {
  if (points.length <= 3 * most) return points;
  const size = Math.ceil(points.length / most);
  const kept = [];
  for (let start = 0; start < points.length; start += size) {
    const part = points.slice(start, start + size);
    const low = part.reduce((a, b) => b.y < a.y ? b : a), high = part.reduce((a, b) => b.y > a.y ? b : a);
    kept.push(...new Set([part[0], low, high].sort((a, b) => a.x - b.x)));
  }
  kept.push(points.at(-1));
  return kept;
}

/** series: [{name, colour, dashed, faint, points: [{x, y, number}]}]; one whose name is null has no label. */
function chart(svg, series, { x: xName, y: format, axis = "zero" }) {
  const all = series.flatMap((each) => each.points);
  const flat = all.length > 0 && axis === "zero" && all.every((each) => each.y === 0);
  svg.classList.toggle("flat", flat);
  const width = svg.clientWidth || 300, height = svg.clientHeight || 200, base = height - 34;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.onpointerdown = null;
  if (!all.length || flat) {
    const text = flat ? `${series.map((each) => each.name ?? "").join(" and ").trim()}: 0 at all times` : "nothing yet";
    svg.replaceChildren(make("text", { x: 0, y: 16, class: "small" }, text));
    svg.setAttribute("aria-label", text);
    return;
  }
  const xLow = xName === "step" ? 0 : all[0].x;
  const xHigh = series.reduce((high, each) => Math.max(high, each.points.at(-1)?.x ?? 0), 0) || 1;
  const values = axis === "logarithmic" ? all.filter((each) => each.y > 0) : all;
  const [low, high] = [Math.min, Math.max].map((pick) => values.reduce((found, each) => pick(found, each.y), values[0]?.y ?? 1));
  const { ticks: yTicks, place } = AXES[axis](low, high);
  const left = 12 + Math.max(34, ...yTicks.map((tick) => widthOf(format(tick))));
  const now = series.filter((each) => each.name !== null).map((each) => ({ ...each, last: each.points.findLast((point) => point.number <= view.at) })).filter((each) => each.last);
  const said = ({ name, last }) => `${name} ${format(last.y)}`.trim();
  const right = 16 + now.reduce((most, each) => Math.max(most, widthOf(said(each))), 0);
  const X = (x) => left + (width - left - right) * (x - xLow) / (xHigh - xLow || 1);
  const Y = (y) => base - (base - 8) * place(y);
  const path = (points) => points.map((point) => `${X(point.x).toFixed(1)},${Y(point.y).toFixed(1)}`).join(" ");
  const parts = [];
  for (const tick of yTicks) {
    parts.push(make("line", { class: "grid", x1: left, x2: width - right, y1: Y(tick), y2: Y(tick) }), make("text", { class: "small", x: left - 6, y: Y(tick) + 4, "text-anchor": "end" }, format(tick)));
  }
  for (const tick of ticks(xLow, xHigh, Math.max(2, Math.floor(width / 80)))) parts.push(make("text", { class: "small", x: X(tick), y: base + 15, "text-anchor": "middle" }, short(tick)));
  parts.push(make("text", { class: "small", x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, xName));
  for (const each of series) {
    const until = each.points.filter((point) => point.number <= view.at);
    const kind = `${each.dashed ? " dashed" : ""}${each.faint ? " other" : ""}`;
    if (until.length < each.points.length) parts.push(make("polyline", { class: "series later", stroke: each.colour, points: path(thinned(each.points)) }));
    parts.push(make("polyline", { class: `series${kind}`, stroke: each.colour, points: path(thinned(until)) }));
  }
  const labels = now.map((each) => ({ text: said(each), colour: each.colour, x: X(each.last.x) + 8, y: Y(each.last.y) + 4 })).sort((a, b) => a.y - b.y);
  for (const { last, colour } of now) parts.push(make("circle", { cx: X(last.x), cy: Y(last.y), r: 3.5, fill: colour }));
  // Labels do not cover each other, and stay above the axis.
  labels.forEach((label, index) => { label.y = Math.max(label.y, index ? labels[index - 1].y + 14 : 12); });
  labels.reverse().forEach((label, index) => { label.y = Math.min(label.y, index ? labels[index - 1].y - 14 : base); });
  for (const label of labels.reverse()) parts.push(make("text", { class: "label", x: Math.min(label.x, width - right + 8), y: label.y, fill: label.colour, "data-colour": true }, label.text));
  for (const kill of events.filter((each) => each.kind === "kill" && each.number <= view.at)) {
    const at = series[0].points.findLast((point) => point.number <= kill.number);
    if (at) parts.push(make("line", { class: "kill-line", x1: X(at.x), x2: X(at.x), y1: 8, y2: base }));
  }
  svg.replaceChildren(...parts);
  for (const text of svg.querySelectorAll("[data-colour]")) text.style.fill = text.getAttribute("fill");
  svg.setAttribute("aria-label", labels.map((label) => label.text).join(", "));
  seekable(svg, all, left, width - right, xLow, xHigh);
}

/** A click between `left` and `right`, where x goes from xLow to xHigh, goes to the nearest point's moment. */
function seekable(svg, points, left, right, xLow, xHigh) {
  svg.onpointerdown = (event) => {
    const x = (event.clientX - svg.getBoundingClientRect().left - left) / (right - left) * (xHigh - xLow) + xLow;
    seek(points.reduce((a, b) => Math.abs(b.x - x) < Math.abs(a.x - x) ? b : a).number);
  };
}

function drawCharts() {
  const many = curves.length > 1;
  const lines = (field, colour) => crowded(curves.map((curve, job) => ({
    name: many ? `job ${job + 1}` : "", colour: many ? COLOURS[job % COLOURS.length] : colour,
    points: curve.filter((each) => each[field] !== null).map((each) => ({ x: each.step, y: each[field], number: each.number })),
  })), `job ${view.job + 1}`);
  chart($("loss"), lines("loss", "var(--up)"), { x: "step", y: (value) => value >= 1 ? short(value) : String(Number(value.toPrecision(2))), axis: "logarithmic" });
  chart($("accuracy"), lines("accuracy", "var(--good)"), { x: "step", y: (value) => `${Number((100 * value).toFixed(2))} %`, axis: "zoomed" });
  const total = (field) => (curves[view.job] ?? []).map((each) => ({ x: each.step, y: each[field], number: each.number }));
  chart($("bytes"), [{ name: "dense", colour: "var(--muted)", dashed: true, points: total("dense") }, { name: "sent", colour: "var(--up)", points: total("sent") }], { x: "step", y: bytes });
  const load = (column) => samples.map((each, number) => ({ x: each.t, y: 8 * sum(run.links.map((_, index) => rate(number, (one) => one.links[index][column]))), number }));
  const members = Object.entries(run.hosts).filter(([, [job]]) => job === view.job + 1);
  const windows = members.map(([host, [job, rank]], index) => ({
    name: host, colour: COLOURS[index % COLOURS.length],
    points: samples.map((each, number) => ({ x: each.t, y: worker(each, job, rank)[WINDOW], number })).filter((each) => each.y !== undefined),
  }));
  $("crowd").textContent = members.length > COLOURS.length ? "Only the highest and the lowest are named: choose a worker in the drawing to see its line." : "";
  chart($("windows"), crowded(windows, view.host), { x: "seconds", y: short });
  const pace = (field) => samples.map((each, number) => ({ x: each.t, y: rate(number, (one) => sum((one.workers?.[view.job] ?? []).map((counts) => counts[field]))), number }));
  chart($("repeats"), [{ name: "marked", colour: "var(--mark)", points: pace(MARKED) }, { name: "sent again", colour: "var(--bad)", points: pace(AGAIN) }], { x: "seconds", y: short });
  chart($("load"), [{ name: "↑", colour: "var(--up)", points: load(1) }, { name: "↓", colour: "var(--down)", points: load(3) }], { x: "seconds", y: bits });
}

// ---- the heat map

/** How strong the colour of a share of blocks is: the root, so that few blocks are seen next to many. */
const shade = (share) => Math.sqrt(share);

function drawDensities() {
  const svg = $("densities");
  const points = (curves[view.job] ?? []).filter((each) => each.densities.length);
  const width = svg.clientWidth || 300, height = svg.clientHeight || 200, left = 46, right = width - 12, base = height - 34;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("aria-label", "nothing yet");
  svg.replaceChildren(...(points.length ? [] : [make("text", { x: left, y: 80, class: "small" }, "nothing yet")]));
  if (!points.length) return;
  const last = points.at(-1).step, sections = points[0].densities.length / 2;
  const X = (step) => left + (right - left) * step / last;
  const columns = Math.min(last, Math.ceil(right - left));
  const canvas = make("canvas", { width: columns, height: sections });
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, sections);
  const colour = getComputedStyle(document.documentElement).getPropertyValue("--up").match(/[0-9a-f]{2}/gi).map((pair) => parseInt(pair, 16));
  for (let column = 0, at = 0; column < columns; column += 1) {
    // The first step that was measured at or after this column's.
    while (at < points.length - 1 && points[at].step < last * (column + 1) / columns) at += 1;
    const faint = points[at].number > view.at ? .22 : 1;
    levels(points[at].densities).forEach((level, section) => image.data.set([...colour, 255 * faint * shade(level / 255)], 4 * (section * columns + column)));
  }
  context.putImageData(image, 0, 0);
  const now = points.findLast((each) => each.number <= view.at);
  svg.replaceChildren(
    make("image", { href: canvas.toDataURL(), x: left, y: 8, width: right - left, height: base - 8, preserveAspectRatio: "none" }),
    make("rect", { x: left, y: 8, width: right - left, height: base - 8, fill: "none", class: "grid" }),
    ...["start", "end"].map((text, end) => make("text", { class: "small", x: left - 6, y: end ? base : 18, "text-anchor": "end" }, text)),
    ...ticks(0, last, Math.max(2, Math.floor(width / 80))).map((tick) => make("text", { class: "small", x: X(tick), y: base + 15, "text-anchor": "middle" }, short(tick))),
    make("text", { class: "small", x: (left + right) / 2, y: height - 4, "text-anchor": "middle" }, "step"),
    ...(now ? [make("line", { class: "cursor", x1: X(now.step), x2: X(now.step), y1: 8, y2: base })] : []));
  if (now) svg.setAttribute("aria-label", `step ${now.step}: ${percent(sum([...levels(now.densities)]) / 255 / sections)} of the blocks`);
  seekable(svg, points.map(({ step, number }) => ({ x: step, number })), left, right, 0, last);
}

// ---- a lane's packets

let lane = null;
let laneSaid = null;

/** Fetches the packets that the inputs name, and draws them. */
async function readLane() {
  const wanted = ["job", "lane", "round"].map((name) => `${name}=${$(`lane-${name}`).value}`).join("&");
  laneSaid = "reading the captures";
  drawLaneHint();
  try {
    const answer = await fetch(`lane?${wanted}`, { cache: "no-store" }).catch(() => { throw new Error("The page has ended with the run; dropzero page serves it again."); });
    if (!answer.ok) throw new Error(await answer.text());
    lane = await answer.json();
    laneSaid = `${lane.messages.length} of ${lane.packets} packets from this round on, ${lane.messages.filter((each) => each.lost).length} of them lost`;
  } catch (error) {
    lane = null;
    laneSaid = error.message;
  }
  drawLaneHint();
  drawLane();
}

/** Messages of one sender to several receivers at once share a row. */
function rows(messages) {
  const kept = [];
  for (const each of messages) {
    const last = kept.at(-1);
    const alone = each.again || each.lost || each.kind !== "result";
    if (!alone && last?.joins && last.text === each.text && last.from === each.from) last.to.push(each.to);
    else kept.push({ ...each, to: [each.to], joins: !alone });
  }
  return kept;
}

function drawLane() {
  const svg = $("sequence");
  svg.toggleAttribute("hidden", lane === null);
  $("lane-key").hidden = lane === null;
  if (lane === null) return;
  const names = [...lane.hosts, ...lane.switches];
  const room = svg.parentElement.clientWidth;
  // As wide as there is room next to the texts.
  const left = 76, said = room < 500 ? 230 : 330, step = 22, top = 30;
  const pitch = Math.max(36, Math.min(150, (room - left - said) / names.length));
  const X = Object.fromEntries(names.map((name, index) => [name, left + pitch * (index + .5)]));
  const drawn = rows(lane.messages);
  const right = left + pitch * names.length;
  const height = top + step * drawn.length + 8;
  const parts = [make("text", { x: left - 6, y: 16, class: "small", "text-anchor": "end" }, "ms"), ...names.flatMap((name) => [make("text", { x: X[name], y: 16, class: "name", "text-anchor": "middle" }, name), make("line", { class: "lifeline", x1: X[name], x2: X[name], y1: 22, y2: height })])];
  drawn.forEach((each, index) => {
    const y = top + step * (index + .5), from = X[each.from];
    const kind = each.lost ? "lost" : ["contribution", "result"].includes(each.kind) ? each.kind : "rare";
    for (const to of each.to.map((name) => X[name])) {
      const way = Math.sign(to - from), end = each.lost ? to - way * pitch * .4 : to - way * 2;
      parts.push(make("line", { class: `message ${kind}${each.again ? " again" : ""}`, x1: from, x2: end, y1: y, y2: y }));
      const head = each.lost ? `M${end - 4},${y - 4} l8,8 m0,-8 l-8,8` : `M${end - 6 * way},${y - 4} L${end},${y} L${end - 6 * way},${y + 4}`;
      parts.push(make("path", { class: `message ${kind}`, d: head }));
    }
    parts.push(make("text", { class: "small", x: left - 6, y: y + 4, "text-anchor": "end" }, each.ms.toFixed(3)),
      make("text", { class: `said ${kind}`, x: right + 4, y: y + 4 }, `${each.text}${each.again ? " (again)" : ""}${each.lost ? " (lost)" : ""}`));
  });
  svg.setAttribute("width", right + said);
  svg.setAttribute("height", height);
  svg.setAttribute("aria-label", drawn.map((each) => `${each.from} to ${each.to.join(" ")}: ${each.text}${each.again ? ", again" : ""}${each.lost ? ", lost" : ""}`).join("; "));
  svg.replaceChildren(...parts);
}

/** The lane of a slot: its place among its job's slots. */
function chooseLane(slot) {
  const slots = slotsOf(samples[view.at].states[view.switch]);
  const [, job] = slots.find((each) => each[0] === slot);
  $("lane-job").value = job;
  $("lane-lane").value = slot - slots.find((each) => each[1] === job)[0];
  $("lane-round").value = Math.max(0, slots.find((each) => each[0] === slot)[3] - 1);
  if (run.captured && !recorded) readLane();
}

function drawLaneHint() {
  $("lane-form").hidden = !run.captured || recorded;
  const text = !run.captured ? "There are no captures of this run: make run PCAP=1 writes some."
    : recorded ? "The packets are in the run's captures, not in this file: dropzero page shows them." : laneSaid ?? "Choose a slot above, or a lane.";
  if ($("lane-said").textContent !== text) $("lane-said").textContent = text;
}

$("lane-form").onsubmit = (event) => { event.preventDefault(); readLane(); };

// ---- tables

function drawWorkers() {
  const sample = samples[view.at];
  $("workers").tBodies[0].replaceChildren(...Object.entries(run.hosts).map(([host, [job, rank]]) => {
    const [, lanes, marked, again] = worker(sample, job, rank);
    const pace = rate(view.at, (each) => worker(each, job, rank)[MARKED]);
    const cells = sample.gone.includes(host) ? ["killed", "", "", ""] : [lanes, marked, pace, again].map(short);
    return make("tr", { class: view.host === host ? "chosen" : null }, make("th", { scope: "row" }, `${host}, worker ${rank}`), ...cells.map((text) => make("td", {}, text)));
  }));
}

function drawFates() {
  const name = view.switch;
  const state = samples[view.at].states[name];
  $("fates-of").textContent = `${name}, as read at ${seconds(samples[state.number].t)}`;
  const rows = state.error ? [] : Object.entries({ ...state.fates, "sent out": state.delivered, "lost on the way out": state.lost }).filter(([, count]) => count);
  $("fates").tBodies[0].replaceChildren(...rows.map(([fate, count]) => make("tr", {}, make("td", {}, term(fate.replaceAll("_", " "))), make("td", {}, count.toLocaleString("en")),
    make("td", {}, short(switchRate(name, view.at, (each) => fate === "sent out" ? each.delivered : fate === "lost on the way out" ? each.lost : each.fates?.[fate]))))));
}

let listed = "";

function drawEvents() {
  const until = events.filter((each) => each.number <= view.at);
  const key = `${until.length} ${run.began}`;
  if (key === listed) return;
  listed = key;
  $("events").replaceChildren(...until.slice(-200).reverse().map(({ t, kind, text }) => make("li", { class: kind }, make("time", {}, seconds(t)), text)));
}

// ---- words

/** A word with a link to its meaning, if the page explains it. */
function term(word) {
  const id = `word-${word.replaceAll(" ", "-")}`;
  return $(id) ? make("a", { href: `#${id}`, title: $(id).nextElementSibling.textContent }, word) : word;
}

/** Gives links to words their meanings, and closes on a phone what is not needed first. */
function describe() {
  for (const link of document.querySelectorAll("a[href^='#word-']")) link.title = $(link.hash.slice(1)).nextElementSibling.textContent;
  // The documents are served, but are not in a file of its own.
  if (recorded) for (const link of document.querySelectorAll("a[href^='docs/']")) link.replaceWith(link.textContent);
  if (matchMedia("(max-width: 640px)").matches) for (const card of document.querySelectorAll(".more")) card.open = false;
}

addEventListener("click", (event) => { if (event.target.matches("a[href^='#word-']")) $("words").open = true; });
// What was closed had no size.
addEventListener("toggle", () => { if (run) { layOut(); draw(); } }, true);

// ---- the timeline

function seek(number) {
  view.at = Math.max(0, Math.min(samples.length - 1, number));
  view.follows = false;
  draw();
}

function drawTimeline() {
  const last = samples.length - 1;
  Object.assign($("at"), { max: Math.max(0, last), value: Math.max(0, view.at), disabled: last < 0 });
  const now = samples[view.at];
  const text = now ? `${seconds(now.t)} of ${seconds(samples[last].t)}` : "waiting for the first step";
  $("time").textContent = text;
  $("at").setAttribute("aria-valuetext", text);
  const moving = view.plays || view.follows && over === null;
  $("play").textContent = moving ? "Pause" : over && view.at >= resting() ? "Replay" : "Play";
  $("back").disabled = view.at <= 0;
  $("forth").disabled = view.at >= last;
  const kills = events.filter((each) => each.kind === "kill");
  $("marks").replaceChildren(...kills.map(({ number }) => {
    const x = $("marks").clientWidth * number / Math.max(1, last);
    return make("path", { d: `M${x - 4},-2 h8 l-4,7 z` });
  }));
}

/** Plays the samples in the time in which they were taken; a live run is followed from its last one on. */
async function play() {
  view.plays = true;
  view.follows = false;
  while (view.plays) {
    if (view.at >= samples.length - 1) {
      view.plays = false;
      view.follows = true;
    } else {
      view.at += 1;
      const wait = (samples[view.at + 1]?.t ?? 0) - samples[view.at].t;
      draw();
      await new Promise((resolve) => setTimeout(resolve, 1000 * Math.max(.1, Math.min(1, wait))));
      continue;
    }
  }
  showLatest();
}

$("play").onclick = () => {
  if (view.plays) view.plays = false;
  else if (view.follows && over === null) view.follows = false;
  else {
    if (over && view.at >= resting()) view.at = -1;
    play();
    return;
  }
  draw();
};
$("back").onclick = () => { view.plays = false; seek(view.at - 1); };
$("forth").onclick = () => { view.plays = false; seek(view.at + 1); };
$("at").oninput = () => { view.plays = false; seek(Number($("at").value)); };
$("switch").onchange = () => { view.switch = $("switch").value; view.slot = null; draw(); };
addEventListener("keydown", (event) => {
  if (event.target.closest("a, button, input, select, summary, [role=button]") || event.ctrlKey || event.metaKey || event.altKey) return;
  const act = { " ": $("play"), ArrowLeft: $("back"), ArrowRight: $("forth") }[event.key];
  if (act) {
    event.preventDefault();
    act.click();
  }
});
new ResizeObserver(() => {
  if (run && drawn && drawn.room !== $("network").parentElement.clientWidth) {
    layOut();
    draw();
  }
}).observe(document.body);

// ---- light and dark

const dark = matchMedia("(prefers-color-scheme: dark)");
/** What was chosen before; nothing where a page may not remember it, as in a mail. */
const remembered = (choice) => {
  try {
    if (choice) localStorage.theme = choice;
    return localStorage.theme;
  } catch {
    return choice;
  }
};
const themed = (choice) => {
  document.documentElement.dataset.theme = remembered(choice) ?? (dark.matches ? "dark" : "light");
  // Its picture has the colours of the theme.
  if (samples.length) drawDensities();
};
dark.onchange = () => themed();
$("theme").onclick = () => themed(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
themed();

drawKey();
describe();
if (recorded) {
  for (const line of recorded.textContent.trim().split("\n")) take(JSON.parse(line));
  showLatest();
} else follow();
