// One key leads m − 1 equal ones: how many keys the query looks at as m grows, and which leads a
// factor that grows with m can save.
const MOST = 100000;
const LEADS = [0.2, 3]; // c
const LADDER = [...new Set(range(41).map((k) => Math.round(10 ** (k / 8))))].filter((m) => m > 1);

// ---- compute -------------------------------------------------------------------------------------

/** The weight of a key that leads m - 1 equal ones, and e^H of all m weights. */
function attend(m, lead) {
  const others = (m - 1) * Math.exp(-lead);
  const weight = 1 / (1 + others);
  return { weight, looks: Math.exp(lead * others * weight + Math.log1p(others)) };
}

/**
 * In training and now: factors, weights of the best key, keys looked at; and the last of these at
 * every length.
 */
function compute({ keys, c, train, grow }) {
  const lead = c * Math.log(train);
  const rule = (m) => grow ? Math.log(m) / Math.log(train) : 1;
  const sizes = [train, keys];
  const factors = [1, rule(keys)];
  const rows = sizes.map((m, i) => attend(m, factors[i] * lead));
  const curve = LADDER.map((m) => attend(m, rule(m) * lead).looks);
  return {
    lead,
    sizes,
    factors,
    weights: rows.map(({ weight }) => weight),
    looks: rows.map(({ looks }) => looks),
    curve,
  };
}

// ---- valid ---------------------------------------------------------------------------------------

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ keys, c, train }) =>
  Number.isInteger(keys) &&
  keys >= 2 &&
  keys <= MOST &&
  Number.isInteger(train) &&
  train >= 2 &&
  train <= 1000 &&
  c >= LEADS[0] &&
  c <= LEADS[1];

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const field = buildField();
  const plot = buildPlot(first, read, change);
  const controls = buildControls(first, read, change);
  const sides = new Set(); // whether a lead that has met the factor was above the limit
  const message = messageLine();
  el.append(
    hintLine(
      "Drag the dot to 10 000 keys and press the factor. From which lead R on does it save the best key?",
    ),
    div(
      "live-crowd-all",
      field.element,
      make("div", {}, div("live-title", "How many of m keys the query looks at"), plot.svg),
    ),
    div(
      "live-controls",
      controls.factor,
      controls.c.element,
      button("Back to start", () => change(first)),
    ),
    message,
  );
  return { field, plot, controls, sides, message };
}

// Both drawings are 340 wide and 226 high.
const WIDE = 340;
const TALL = 226;

/**
 * The crowd: people in rows, the best key among them, and a light on as many as the query looks at;
 * above it the weight of the best key.
 */
function buildField() {
  const ids = { pattern: newId(), clip: newId() };
  const pattern = make("pattern", {
    id: ids.pattern,
    patternUnits: "userSpaceOnUse",
    width: 1,
    height: 1,
  }, person());
  const clip = make("path");
  const people = make("path", { fill: `url(#${ids.pattern})` });
  const light = make("circle", { class: "live-crowd-light" });
  const ground = make("circle", { class: "live-crowd-ground", cx: 0.5, cy: 0.5, r: 0.56 });
  const best = make("g", { class: "live-crowd-best" }, ground, person());
  const svg = make(
    "svg",
    { viewBox: `0 0 ${WIDE} ${TALL}`, class: "live-crowd", role: "img", "aria-label": "The crowd" },
    pattern,
    make("clipPath", { id: ids.clip }, clip),
    make("g", { "clip-path": `url(#${ids.clip})` }, light),
    people,
    best,
  );
  const weight = make("span", { "data-shows": "weights 1" });
  const bar = make("span", { class: "live-bar live-orange" });
  const share = make("span", { class: "live-share live-crowd-share" }, bar, weight);
  const title = div("live-title live-crowd-head", "best key’s weight", share);
  return {
    element: make("div", {}, title, svg),
    pattern,
    clip,
    people,
    light,
    best,
    weight,
    bar,
  };
}

/** Head and shoulders, 1 wide and 1 high. */
const person = () =>
  make("path", { d: "M.5 .1a.17 .17 0 1 1 -.01 0zM.18 .94a.32 .46 0 0 1 .64 0z" });

// Both axes of the plot are logarithmic, from 1 to 100 000.
const STRIDE = [57, 36];
const toX = (m) => 44 + STRIDE[0] * Math.log10(m);
const toY = (n) => 194 - STRIDE[1] * Math.log10(n);
const label = (x, y, text, anchor = "middle") =>
  make("text", { class: "live-label live-crowd-text", x, y, "text-anchor": anchor }, text);
const rule = (look, x1, y1, x2, y2) => make("line", { class: look, x1, y1, x2, y2 });

/**
 * A number of keys: with one decimal below a hundred, with up to three digits and a power of ten from
 * ten thousand.
 */
const many = (x) =>
  x >= 1e4
    ? typeset(x.toExponential(2).replace(/\.?0+e/, "e")).replace(/^1·/, "")
    : show(x, Number.isInteger(x) || x >= 100 ? 0 : 1);

/** How many keys the query looks at against their number, as a curve with a dot on it. */
function buildPlot({ train }, read, change) {
  const powers = ["1", "10", "100", "10³", "10⁴", "10⁵"].map((text, p) => {
    const m = 10 ** p;
    return [
      rule(p ? "live-grid" : "live-axis", toX(m), toY(1), toX(m), toY(MOST)),
      label(toX(m), 209, text),
      rule(p ? "live-grid" : "live-axis", toX(1), toY(m), toX(MOST), toY(m)),
      label(38, toY(m) + 4, text, "end"),
    ];
  });
  const alike = rule("live-crowd-alike", toX(1), toY(1), toX(MOST), toY(MOST));
  const level = rule("live-crowd-level", toX(1), 0, toX(MOST), 0);
  const own = make("polyline", { class: "live-crowd-own live-orange" });
  const trained = make("g", { class: "live-ink live-crowd-trained" }, mark(3, 7));
  const names = [
    label(toX(3000) - 6, toY(3000) - 6, "all keys alike", "end"),
    label(toX(MOST) - 14, 0, "as many as in training", "end"),
  ];
  const look = {
    viewBox: `0 0 ${WIDE} ${TALL}`,
    role: "group",
    class: "live-crowd",
    "aria-label": "Keys that the query looks at, against the number of keys",
  };
  const title = label(187, 223, "keys m");
  const svg = make("svg", look, powers, title, alike, level, names, own, trained);
  const grow = (m) => change({ keys: clamp(Math.round(m), 2, MOST) });
  const drag = (x, y) => grow(nearestOnCurve(read(), x, y));
  const step = (right, up) => grow(read().keys * 10 ** ((right + up) / 10));
  const move = handle(svg, "number of keys", "live-orange", mark(0, 7), drag, step);
  return { svg, train, level, own, trained, name: names[1], move, dot: svg.lastChild };
}

/** The number of keys at the point of the curve nearest to a pointer, above all sideways. */
function nearestOnCurve(state, x, y) {
  const height = (m) => toY(compute({ ...state, keys: m }).looks[1]);
  const far = (m) => Math.hypot(toX(m) - x, 0.6 * (height(m) - y));
  return range(236)
    .map((k) => 2 * 10 ** (k / 50))
    .reduce((best, m) => (far(m) < far(best) ? m : best));
}

/** Whether there is a factor, and the lead. */
function buildControls({ train }, read, change) {
  const [min, max] = LEADS;
  const text = (c) => show(c * Math.log(train));
  const c = slider("lead R", { min, max, step: 0.1, text }, (x) => change({ c: x }));
  const factor = button(`factor ln m / ln ${train}`, () => change({ grow: !read().grow }));
  return { c, factor };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw({ field, plot, controls, sides }, state, result, { hidden }) {
  drawField(field, state, result, hidden);
  drawPlot(plot, state, result, hidden);
  set(controls.factor, { "aria-pressed": state.grow });
  controls.c.put(state.c);
  if (state.grow && state.c !== 1) sides.add(state.c > 1);
}

/** The crowd, and the light on some of it. */
function drawField(field, { keys }, { looks, weights }, hidden) {
  const crowd = crowdOf(keys);
  const { size, left, top, at } = crowd;
  const place = (x, y, scale) => `translate(${thousandth(x)} ${thousandth(y)}) scale(${scale})`;
  const [cx, cy] = at;
  const large = Math.max(size, 20); // it can be seen in the largest crowd
  field.best.classList.toggle("live-crowd-ringed", large > size);
  set(field.pattern, { patternTransform: place(left, top, size) });
  set(field.people, { d: outlineOf(crowd) });
  set(field.clip, { d: outlineOf({ ...crowd, last: crowd.across }) }); // the light stays round at the free places
  set(field.best, { transform: place(cx - large / 2, cy - large / 2, large) });
  const r = thousandth(radiusFor(looks[1] * size ** 2, crowd));
  set(field.light, { cx, cy, r, visibility: hidden ? "hidden" : null });
  write(field.weight, hidden ? "?" : tiny(weights[1]));
  set(field.bar, { style: `--share: ${hidden ? 0 : weights[1].toFixed(4)}` });
}

/** The rows of a crowd in the middle of the drawing, and the place of the best key among them. */
function crowdOf(keys) {
  const across = columnsOf(keys);
  const rows = Math.ceil(keys / across);
  const size = Math.min(WIDE / across, TALL / rows, 70);
  const left = (WIDE - across * size) / 2;
  const top = (TALL - rows * size) / 2;
  const middle = (n) => Math.floor((n - 1) / 2) + 0.5;
  const at = [left + size * middle(across), top + size * middle(rows)];
  return { across, rows, last: keys - across * (rows - 1), size, left, top, at };
}

/** The number of columns, near that of a crowd as wide as the drawing, that leaves the fewest places empty. */
function columnsOf(keys) {
  const ideal = Math.sqrt((keys * WIDE) / TALL);
  const least = Math.ceil(0.9 * ideal);
  const near = range(Math.ceil(1.1 * ideal) - least + 1).map((k) => least + k);
  const empty = (across) => across * Math.ceil(keys / across) - keys;
  return near.reduce((best, across) => (empty(across) < empty(best) ? across : best));
}

/** The path around a crowd, whose last row may be shorter. */
const outlineOf = ({ across, rows, last, size, left, top }) =>
  `M${left} ${top}h${across * size}v${(rows - 1) * size}H${left + last * size}v${size}H${left}z`;

/** The radius of a light on the best key that falls on so much of the crowd. */
function radiusFor(area, { across, rows, last, size, left, top, at: [cx, cy] }) {
  const STRIPS = 160;
  const wide = (across * size) / STRIPS;
  const strips = range(STRIPS).map((k) => {
    const x = left + wide * (k + 0.5);
    const bottom = top + size * (x < left + last * size ? rows : rows - 1);
    return { away: x - cx, above: cy - top, below: bottom - cy };
  });
  const lit = (r) =>
    wide * total(strips.map(({ away, above, below }) => {
      const half = Math.sqrt(Math.max(r ** 2 - away ** 2, 0));
      return half && Math.min(half, above) + Math.min(half, below);
    }));
  let [least, most] = [0, WIDE + TALL];
  for (let round = 0; round < 24; round++) {
    const r = (least + most) / 2;
    if (lit(r) < area) least = r;
    else most = r;
  }
  return most;
}

function drawPlot({ train, level, own, trained, name, move, dot }, { keys }, result, hidden) {
  const [before, now] = result.looks;
  const seen = { visibility: hidden ? "hidden" : "visible" };
  const high = hundredth(toY(before));
  const point = (m, i) => `${hundredth(toX(m))},${hundredth(toY(result.curve[i]))}`;
  set(own, { points: LADDER.map(point).join(" "), ...seen });
  set(level, { y1: high, y2: high });
  set(name, { y: high - 5 });
  set(trained, { transform: `translate(${hundredth(toX(train))} ${high})` });
  const spoken = hidden ? _("hidden") : `${keys} keys: ${show(now, 1)} looked at`;
  move([toX(keys), toY(now)], spoken, { now: keys, min: 2, max: MOST });
  set(dot, seen);
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words. */
function speak(state, { sizes, looks }, { hidden, sides }) {
  if (hidden) return "The curve is hidden until you have answered.";
  const [before, now] = looks.map(many);
  const all = many(sizes[1]);
  return [
    `Among ${all} keys the query looks at ${now}; in training it looked at ${before} of ${
      sizes[0]
    }.`,
    state.grow && sides.has(true) && sides.has(false) ? limitText(state) : "",
  ];
}

/** What a reader has seen on both sides of the limit. */
const limitText = ({ train }) =>
  `The factor saves every lead above ln ${train} = ${show(Math.log(train))}, and none below.`;

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
