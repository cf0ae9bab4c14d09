// One key leads m − 1 equal ones: how many keys the query looks at as m grows, and what a factor on
// the scores can do.
const MOST = 100000;
const RANGES = { factor: [0.2, 5], c: [0.2, 3] };
const NAMES = Object.keys(RANGES);
const LADDER = [...new Set(range(41).map((k) => Math.round(10 ** (k / 8))))].filter((m) => m > 1);

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
function compute({ keys, factor, c, train, grow }) {
  const lead = c * Math.log(train);
  const rule = (m) => factor * (grow ? Math.log(m) / Math.log(train) : 1);
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

/** Whether a state from outside, such as an address, can be drawn. */
const valid = (state) =>
  Number.isInteger(state.keys) &&
  state.keys >= 2 &&
  state.keys <= MOST &&
  Number.isInteger(state.train) &&
  state.train >= 2 &&
  state.train <= 1000 &&
  NAMES.every((name) => state[name] >= RANGES[name][0] && state[name] <= RANGES[name][1]);

// The drawing is 340 wide and 226 high; both axes are logarithmic, from 1 to 100 000.
const STRIDE = [57, 36];
const toX = (m) => 44 + STRIDE[0] * Math.log10(m);
const toY = (n) => 194 - STRIDE[1] * Math.log10(n);
const label = (x, y, text, anchor = "middle") =>
  make("text", { class: "live-label live-crowd-text", x, y, "text-anchor": anchor }, text);
const rule = (look, x1, y1, x2, y2) => make("line", { class: look, x1, y1, x2, y2 });

/**
 * A number of keys: with one decimal below a hundred, with three digits and a power of ten from ten
 * thousand.
 */
const many = (x) =>
  x >= 1e4
    ? typeset(x.toExponential(2).replace(/\.?0+e/, "e"))
    : show(x, Number.isInteger(x) || x >= 100 ? 0 : 1);
const length = (m) => many(m).replace(/^1·/, "");

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const plot = buildPlot(first, read, change);
  const table = buildTable();
  const controls = buildControls(el, first, read, change);
  const message = messageLine();
  el.append(
    hintLine(
      "Drag the dot to 100 keys. Which factor brings it back to the dashed line? Is it enough for 10 000 keys? And if the factor grows with m, does every lead win?",
    ),
    div(
      "live-crowd-all",
      make("div", {}, div("live-title", "How many of m keys the query looks at"), plot.svg),
      make(
        "div",
        {},
        controls.factor.element,
        controls.rules.element,
        controls.c.element,
        scroller(div("live-scroll", table.element)),
        message,
        div("live-controls", button("Back to start", () => change(first))),
      ),
    ),
  );
  return { plot, table, controls, message };
}

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
    viewBox: "0 0 340 226",
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

/** The same as a table: a row for training, and one for now. */
function buildTable() {
  const rows = [_("training"), _("now")].map((name, i) => {
    const [factor, weight, looks] = ["factors", "weights", "looks"].map((part) =>
      make("span", { "data-shows": `${part} ${i}` })
    );
    const bar = make("span", { class: "live-bar live-orange" });
    const size = make("span");
    const element = make(
      "tr",
      {},
      make("th", { scope: "row" }, name),
      make("td", {}, size),
      make("td", {}, factor),
      make("td", { class: "live-share" }, bar, weight),
      make("td", {}, looks),
    );
    return { element, size, factor, weight, looks, bar };
  });
  const heads = ["", "keys m", _("factor"), "best key’s weight", "keys looked at"].map((text) =>
    make(text ? "th" : "td", text ? { scope: "col" } : {}, text)
  );
  const element = make(
    "table",
    { class: "live-table live-crowd-table" },
    make("thead", {}, make("tr", {}, heads)),
    make("tbody", {}, rows.map((row) => row.element)),
  );
  return { element, rows };
}

function buildControls(el, { train }, read, change) {
  const made = (name, title, step, text) => {
    const [min, max] = RANGES[name];
    const act = (x) => change({ [name]: clamp(x, min, max) });
    return slider(title, { min, max, step, text }, act);
  };
  // while the figure is built, the longer text keeps room for itself
  const grows = () => !el.firstChild || read().grow;
  const factorText = (x) => (grows() ? `${show(x)} · ln m / ln ${train}` : show(x));
  const rules = { false: "is the same for every m", true: `grows as ln m / ln ${train}` };
  return {
    factor: made("factor", _("factor"), 0.05, factorText),
    c: made("c", "lead R", 0.1, (x) => show(x * Math.log(train))),
    rules: choice("the factor", rules, (yes) => change({ grow: yes === "true" })),
  };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw({ plot, table, controls }, state, result, { hidden }) {
  drawPlot(plot, state, result, hidden);
  table.rows.forEach((row, i) => drawRow(row, i, result, hidden && i === 1));
  controls.factor.put(state.factor);
  controls.c.put(state.c);
  controls.rules.put(String(state.grow));
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

function drawRow(row, i, { sizes, factors, weights, looks }, unseen) {
  write(row.size, length(sizes[i]));
  write(row.factor, show(factors[i]));
  write(row.weight, unseen ? "?" : tiny(weights[i]));
  write(row.looks, unseen ? "?" : many(looks[i]));
  set(row.bar, { style: `--share: ${unseen ? 0 : weights[i].toFixed(4)}` });
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words. */
function speak(state, { sizes, looks, lead }, { hidden }) {
  if (hidden) return "The curve is hidden until you have answered.";
  const [before, now] = looks.map(many);
  const much = `Among ${
    length(sizes[1])
  } keys the query looks at ${now}; in training it looked at ${before} of ${sizes[0]}.`;
  return paragraph(much, state.grow && limitText(state, lead));
}

/** Whether a factor that grows with ln m keeps up. */
function limitText({ factor, train }, lead) {
  const product = show(factor * lead);
  const limit = show(Math.log(train));
  if (product === limit) return `Factor times lead is ln ${train} = ${limit}.`;
  return factor * lead > Math.log(train)
    ? `Factor times lead is ${product}, above ln ${train} = ${limit}.`
    : `Factor times lead is ${product}, below ln ${train} = ${limit}.`;
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
