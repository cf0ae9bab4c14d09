// One query against 200 normal keys: the longer the query, the wider its scores. A temperature as high
// as the query is long takes them back.
const KEYS = 200;
const REACH = 4;
const FARTHEST = 12;
const BIN = 0.5;
const COLDEST = 1 / 16;
const HOTTEST = 16;
const NEAR = 0.03; // a ring that is so near the tip of the query goes onto it, relative to its radius
const CLOSE = 0.05; // and a query that is so near the ring
const SNUG = 0.002; // an address has three digits
const EDGE = 4.4; // the handle of the ring stays in the plane
const FLAT = Math.sqrt(2 * Math.PI);

const uniform = (n) => ((mulberry32(n) >>> 0) + 0.5) / 2 ** 32; // between 0 and 1

/** The keys: pairs of normal numbers by the method of Box and Muller (1958). */
const keys = range(KEYS).map((j) => {
  const radius = Math.sqrt(-2 * Math.log(uniform(2 * j)));
  const angle = 2 * Math.PI * uniform(2 * j + 1);
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
});

/**
 * Scores and weights of the keys, the length of the query, and how widely scores and weights are
 * spread.
 */
function compute({ query, temperature }) {
  const scores = keys.map((k) => dot(query, k) / temperature);
  const weights = softmax(scores);
  const mean = dot(
    scores,
    scores.map(() => 1 / KEYS),
  );
  const length = Math.hypot(...query);
  const deviation = Math.sqrt(scores.reduce((sum, s) => sum + (s - mean) ** 2, 0) / KEYS);
  const counts = range((2 * FARTHEST) / BIN).map(() => 0);
  let inside = 0;
  for (const s of scores) {
    const bin = Math.floor((s + FARTHEST) / BIN);
    if (bin >= 0 && bin < counts.length) {
      counts[bin] += 1;
      inside += 1;
    }
  }
  const entropy = -weights.reduce((sum, a) => sum + (a > 0 ? a * Math.log(a) : 0), 0);
  return {
    scores,
    weights,
    length,
    ratio: length / temperature,
    deviation,
    counts,
    outside: KEYS - inside,
    looks: Math.exp(entropy),
  };
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ query, temperature }) {
  return (
    query.length === 2 &&
    query.every((x) => Math.abs(x) <= REACH) &&
    temperature >= COLDEST &&
    temperature <= HOTTEST
  );
}

const TALLEST = 52;
const BASE = 262; // places in the drawing of the scores, which is 470 wide and 300 high
const LEFT = 20;
const RIGHT = 450;
const along = (s) => LEFT + ((RIGHT - LEFT) * (s + FARTHEST)) / (2 * FARTHEST);
const height = (count) => BASE - (246 * count) / TALLEST;

/**
 * The normal density with standard deviation `ratio`, as the number of keys that a bin would have.
 */
function bell(ratio) {
  const at = (s) => (KEYS * BIN * Math.exp(-((s / ratio) ** 2) / 2)) / (ratio * FLAT);
  const places = range(241).map((i) => (i - 120) / 10);
  if (ratio < 0.1) return `${along(0)},${BASE} ${along(0)},${height(10 * TALLEST)}`; // as good as a line
  return places.map((s) => `${hundredth(along(s))},${hundredth(height(at(s)))}`).join(" ");
}

const isBack = (ratio) => Math.abs(ratio - 1) < SNUG;

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const space = buildSpace(read, change);
  const histogram = buildHistogram();
  const remark = make("span");
  const numbers = Object.fromEntries(
    ["length", "looks"].map((name) => [name, make("span", { "data-shows": name })]),
  );
  numbers.temperature = make("span");
  const now = fillIn(
    "‖q‖ = {length}, T = {temperature}: the query looks at {looks} of 200 keys.",
    numbers,
  );
  const sums = make("p", { class: "live-verdict live-spread-sums" }, now, " ", remark);
  el.append(
    hintLine(
      "Drag the ring T until the bell lies on the dashed one. Move q, and do it again. Where does the ring run?",
    ),
    div("live-planes live-spread", space.element, histogram.element),
    sums,
    div("live-controls", button("Back to start", () => change(first))),
  );
  return { space, histogram, numbers, sums, remark };
}

const line = (look, x1, y1, x2, y2) => make("line", { class: look, x1, y1, x2, y2 });

/** The keys, the query, and the temperature as the radius of a ring around 0. */
function buildSpace(read, change) {
  const { element, svg, px, point, pointHandle } = plane("Keys, by their weight", REACH, 28);
  element.classList.add("live-spread-space");
  const [centre] = px([0, 0]);
  const found = make("g", { class: "live-spread-found" });
  const [ring, grip] = ["live-spread-ring", "live-spread-grip"].map((look) =>
    make("circle", { class: look, cx: centre, cy: centre })
  );
  const ray = line("live-ray live-ink", centre, centre, centre, centre);
  const dots = keys.map((k) => {
    const [cx, cy] = px(k);
    return make("circle", { class: "live-spread-key", cx, cy });
  });
  svg.append(...dots, found, ring, ray, grip);

  const turn = (T) => {
    const { length } = compute(read());
    const near = length && Math.abs(T / length - 1) < NEAR;
    change({ temperature: clamp(near ? length : T, COLDEST, HOTTEST) });
  };
  const drag = (x, y) => turn(Math.hypot(...point(x, y)));
  const step = (dx, dy) => turn(read().temperature * 2 ** ((dx + dy) / 16));
  draggable(grip, svg, drag);
  const moveRing = handle(svg, "temperature T", "live-orange", badge("T"), drag, step);
  const move = pointHandle(
    _("query"),
    "live-ink",
    badge("q"),
    (query) => change({ query: snapped(query, read().temperature) }),
  );
  return { element, px, found, ring, grip, ray, dots, move, moveRing, seen: new Set() };
}

/** A query whose tip is near the ring goes onto it. */
function snapped(query, temperature) {
  const length = Math.hypot(...query);
  const onRing = query.map((x) => (x * temperature) / length);
  const inside = onRing.every((x) => Math.abs(x) <= REACH);
  return inside && Math.abs(length - temperature) < CLOSE ? onRing : query;
}

/** The scores as a histogram, with the normal density now and that of standard deviation 1. */
function buildHistogram() {
  const look = { class: "live-label live-spread-text", y: 282, "text-anchor": "middle" };
  const ticks = [-12, -8, -4, 0, 4, 8, 12].map((s) =>
    make("text", { ...look, x: along(s) }, String(s).replace("-", "−"))
  );
  const width = (RIGHT - LEFT) * BIN / (2 * FARTHEST) - 1;
  const bars = range((2 * FARTHEST) / BIN).map((i) =>
    make("rect", { class: "live-spread-bar", x: along(i * BIN - FARTHEST) + 0.5, width })
  );
  const ghost = make("polyline", { class: "live-spread-ghost", points: bell(1) });
  const curve = make("polyline", { class: "live-spread-curve" });
  const outside = make("text", { ...look, x: RIGHT, y: 18, "text-anchor": "end" });
  const axis = line("live-axis", LEFT, BASE, RIGHT, BASE);
  const frame = { viewBox: "0 0 470 300", role: "img", "aria-label": "Histogram of the scores" };
  const svg = make("svg", frame, bars, axis, curve, ghost, ticks, outside);
  const title = div("live-title", "Their scores q·k\u00a0/\u00a0T");
  return { element: div("live-plane", title, svg), bars, curve, outside };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw({ space, histogram, numbers, remark }, state, result, { el, hidden }) {
  const back = isBack(result.ratio) && !hidden;
  el.toggleAttribute("data-hidden", hidden);
  el.toggleAttribute("data-back", back);
  drawSpace(space, state, result, hidden);
  drawHistogram(histogram, result);
  if (back) addFound(space, state);
  write(numbers.length, show(result.length));
  write(numbers.temperature, show(state.temperature));
  write(numbers.looks, hidden ? "?" : show(result.looks, 0));
  write(remark, back ? "✓ The bell is back: T = ‖q‖. Now another q." : "");
}

function drawSpace(
  { px, ring, grip, ray, dots, move, moveRing },
  { query, temperature },
  { weights },
  hidden,
) {
  const [x2, y2] = px(query);
  set(ray, { x2, y2 });
  move(query);
  const r = hundredth(px([temperature, 0])[0] - px([0, 0])[0]);
  [ring, grip].forEach((circle) => set(circle, { r }));
  const down = -Math.min(temperature * Math.SQRT1_2, EDGE);
  const bounds = { now: temperature.toFixed(3), min: COLDEST, max: HOTTEST };
  moveRing(px([down, down]), show(temperature), bounds);
  const radius = (weight) => (hidden ? 3 : hundredth(2 + 45 * Math.sqrt(weight)));
  dots.forEach((dot, j) => set(dot, { r: radius(weights[j]) }));
}

function drawHistogram({ bars, curve, outside }, { counts, ratio, outside: beyond }) {
  bars.forEach((bar, i) => {
    const y = height(Math.min(counts[i], TALLEST));
    set(bar, { y: hundredth(y), height: hundredth(BASE - y) });
  });
  set(curve, { points: bell(ratio) });
  write(outside, beyond ? `${beyond} outside` : "");
}

/** A query with which the bell was back leaves its dot and its ring. */
function addFound({ px, found, ring, seen }, { query }) {
  const name = query.map((x) => x.toFixed(1)).join(" ");
  if (seen.has(name)) return;
  seen.add(name);
  const [cx, cy] = px(query);
  const trace = ring.cloneNode();
  set(trace, { class: "live-spread-trace" });
  found.append(trace, make("circle", { cx, cy, r: 5 }));
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words, which hold numbers that `draw` writes. */
const speak = (_state, _result, { sums, hidden }) =>
  hidden ? "Scores and weights are hidden until you have answered." : sums.textContent;

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
