// What is left of a gradient after k steps back: an RNN, the cell path of an LSTM, and attention,
// as lines in a logarithm.
const STEPS_BACK = 100;
const TOP = 5; // the plot shows logarithms from here …
const FLOOR = -30; // … down to here
const RANGES = { w: [0.5, 1.05], bias: [0, 8], score: [0, 12] };
const NAMES = Object.keys(RANGES);
const MODELS = ["RNN", "LSTM", _("attention")];
const SETTINGS = ["RNN: w", "LSTM: forget bias", _("attention: score")];
const NAMED = ["w", _("bias"), _("score")];

/**
 * For the three models: by what a step multiplies, its logarithm, steps that halve, and what is
 * left of 1, step by step. Attention has no step in between: from every distance its weight
 * arrives, for a key `score` ahead of 100 others.
 */
function compute({ w, bias, score }) {
  const weight = softmax([score, ...range(STEPS_BACK).map(() => 0)])[0];
  const factor = [w, 0.5 + 0.5 * Math.tanh(bias / 2), 1];
  const slope = factor.map(Math.log);
  const start = [1, 1, weight];
  const curves = slope.map((s, i) => range(STEPS_BACK + 1).map((k) => Math.log(start[i]) + k * s));
  const halfLife = slope.map((s) => (s < 0 ? -Math.LN2 / s : null));
  return { factor, slope, halfLife, curves, left: curves.map((curve) => Math.exp(curve.at(-1))) };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = (state) =>
  NAMES.every((name) => state[name] >= RANGES[name][0] && state[name] <= RANGES[name][1]);

const NEARLY_FLAT = 0.008; // a slope that a hand means to be 0: some pixels at the end of the line

/**
 * The setting that gives its line the slope y/k, or attention the height y: the point (k, y) comes
 * to lie on it, or nearly so where the line of the RNN is laid flat.
 */
const FITS = {
  w: (k, y) => Math.abs(y / k) < NEARLY_FLAT ? 1 : thousandth(Math.exp(y / k)),
  bias: (k, y) => {
    const s = Math.min(y / k, -1e-9);
    return hundredth(s - Math.log(-Math.expm1(s)));
  },
  score: (_x, y) => {
    const a = Math.min(y, -1e-9);
    return hundredth(a - Math.log(-Math.expm1(a)) + Math.log(100));
  },
};
const ARROW = { w: 0.002, bias: 0.1, score: 0.1 };

// places in the drawing, which is 340 wide and 196 high
const toX = (k) => 36 + 2.9 * k;
const toY = (y) => 6 + 5 * (TOP - y);
const label = (x, y, text, look = {}) =>
  make("text", { class: "live-label live-power", x, y, ...look }, text);
const rule = (look, x1, y1, x2, y2) => make("line", { class: look, x1, y1, x2, y2 });

/** Where a line ends in the plot: after 100 steps, or where it leaves the plot below. */
const endOf = (slope, [start]) =>
  start + slope * STEPS_BACK < FLOOR
    ? [(FLOOR - start) / slope, FLOOR]
    : [STEPS_BACK, start + slope * STEPS_BACK];

/** The part of its line at which a model is held, so that handles and names stay apart. */
const HELD = [1, 0.8, 0.6];
const ABOVE_AXIS = 2.4; // how far a handle stays above the floor of the plot

const each = (f) => NAMES.map(f);

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const put = (name, x) => change({ [name]: clamp(x, ...RANGES[name]) });
  const plot = buildPlot(read, put);
  const table = buildTable(put);
  const lives = each(lifeLine);
  const reading = stack(
    div("live-lives-told", lives.map(({ element }) => element)),
    scroller(div("live-scroll", table.element)),
  );
  const [told, numbers] = reading.element.children;
  const type = toggle("Type the settings", (pressed) => {
    reading.show(pressed ? numbers : told);
    for (const { setting } of table.rows) setting.open(pressed);
  });
  el.append(
    hintLine(
      "Can you lay the line of the RNN flat? Which marks tilt their lines, and which one only lifts it?",
    ),
    div("live-title", "What is left of a gradient, by steps back"),
    div(
      "live-planes live-lean",
      plot.svg,
      set(reading.element, { class: "live-stack live-reading" }),
    ),
    div("live-controls", type, button("Back to start", () => change(first))),
  );
  return { plot, rows: table.rows, lives };
}

/** The mark of a model, and beside it how long a gradient lives there. */
function lifeLine(_x, i) {
  const text = make("span");
  return { element: make("p", {}, icon(i), " ", make("b", {}, MODELS[i]), ": ", text), text };
}

const icon = (i) => {
  const look = { viewBox: "-10 -10 20 20", class: `live-icon ${HUES[i]}` };
  return make("svg", { ...look, role: "img", "aria-label": LOOKS[i] }, mark(i, 8));
};

/** The lines of the models, each with a bead where it has halved, a handle and a name. */
function buildPlot(read, put) {
  const lines = each((_x, i) => make("polyline", { class: `live-curve ${HUES[i]}` }));
  const beads = each((_x, i) => make("path", { class: `live-beads ${HUES[i]}` }));
  const tags = each((_x, i) =>
    label(0, 0, MODELS[i], { class: `live-label live-power live-tag ${HUES[i]}` })
  );
  const look = {
    viewBox: "0 0 340 196",
    role: "group",
    class: "live-decay",
    "aria-label": "What is left against the distance",
  };
  const svg = make("svg", look, gridOf(), [...lines].reverse(), beads, tags);
  const handles = each((name, i) => {
    const drag = (x, y) => {
      const k = Math.max((x - toX(0)) / 2.9, 1);
      put(name, FITS[name](k, TOP - (y - toY(TOP)) / 5));
    };
    const step = (dx, dy) => put(name, thousandth(read()[name] + (dx + dy) * ARROW[name]));
    const look = make("g", { class: "live-decay-grip" }, mark(i, 9), arrowsOn());
    const move = handle(svg, `${MODELS[i]}, ${LOOKS[i]}`, HUES[i], look, drag, step);
    return { move, element: svg.lastChild };
  });
  return { svg, lines, beads, tags, handles };
}

/** Arrows up and down on a mark, which is dragged. */
const arrowsOn = () => make("text", { y: 3.5, "text-anchor": "middle" }, "↕");

/** The powers of ten at the left, and the steps below. */
function gridOf() {
  const powers = [[2, "10²"], [0, "1"], [-3, "10⁻³"], [-6, "10⁻⁶"], [-9, "10⁻⁹"], [-12, "10⁻¹²"]];
  const levels = powers.map(([p, text]) => {
    const y = toY(p * Math.LN10);
    return [
      rule(p ? "live-grid" : "live-axis", toX(0), y, toX(100), y),
      label(32, y + 3, text, { "text-anchor": "end" }),
    ];
  });
  const columns = range(6).map((t) => {
    const x = toX(20 * t);
    return [
      rule(t ? "live-grid" : "live-axis", x, toY(TOP), x, toY(FLOOR)),
      label(x, 192, t ? String(20 * t) : "k = 0", { "text-anchor": "middle" }),
    ];
  });
  return [levels, columns];
}

/** The same as a table, whose settings can be typed. */
function buildTable(put) {
  const titles = ["", _("setting"), "×\u00a0per step", "steps to halve", "left after 100"];
  const rows = each((name, i) => buildRow(name, i, put));
  const heads = titles.map((text) => make(text ? "th" : "td", text ? { scope: "col" } : {}, text));
  const element = make(
    "table",
    { class: "live-table live-lives" },
    make("thead", {}, make("tr", {}, heads)),
    make("tbody", {}, rows.map((row) => row.element)),
  );
  return { element, rows };
}

function buildRow(name, i, put) {
  const [least, most] = RANGES[name];
  const setting = field(SETTINGS[i], most, (x) => put(name, x), least);
  const factor = make("td", { "data-shows": `factor ${i}` });
  const half = make("td", { class: "live-halving" });
  const left = make("td", { "data-shows": `left ${i}` });
  const named = make("span", { class: "live-named" }, SETTINGS[i]);
  const head = make("th", { scope: "row" }, icon(i), "\u00a0", named);
  const element = make("tr", {}, head, make("td", {}, setting.element), factor, half, left);
  return { element, setting, factor, half, left };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw({ plot, rows, lives }, state, result, { hidden }) {
  each((name, i) => {
    const isFlat = !hidden && i === 0 && result.slope[i] === 0;
    write(lives[i].text, hidden ? "?" : life(i, result));
    lives[i].text.classList.toggle("live-found", isFlat);
    drawLine(plot, name, i, state, result, hidden);
    drawRow(rows[i], state[name], i, result, hidden);
  });
}

/** The line of a model, its beads, its handle and its name beside that. */
function drawLine({ lines, beads, tags, handles }, name, i, state, result, hidden) {
  const seen = { visibility: hidden ? "hidden" : "visible" };
  const slope = result.slope[i];
  const [start] = result.curves[i];
  const [k, y] = endOf(slope, result.curves[i]);
  const low = Math.max(y, FLOOR + ABOVE_AXIS);
  const held = y < start ? Math.min(HELD[i], (low - start) / (y - start)) : HELD[i];
  const at = [toX(held * k), toY(start + held * (y - start))];
  set(lines[i], { points: `${toX(0)},${toY(start)} ${toX(k)},${toY(y)}`, ...seen });
  set(beads[i], { d: beadsOf(slope, k), ...seen });
  set(tags[i], { ...besideHandle(at, i, result), ...seen });
  const [min, max] = RANGES[name];
  const spoken = hidden ? _("hidden") : `${NAMED[i]} ${show(state[name])}: ${life(i, result)}`;
  handles[i].move(at, spoken, { now: state[name].toFixed(3), min, max });
  set(handles[i].element, seen);
}

/** A bead wherever a line has halved or doubled. */
function beadsOf(slope, k) {
  const gap = slope ? Math.LN2 / Math.abs(slope) : Infinity;
  const places = range(Math.floor(k / gap)).map((b) => gap * (b + 1));
  return places.map((t) => `M${hundredth(toX(t))} ${hundredth(toY(slope * t))}h0`).join("");
}

/**
 * Where the name of a model stands: above its handle or below, where no other line runs; a steep RNN's
 * on its right.
 */
function besideHandle([x, y], i, { slope, curves }) {
  if (i === 0 && x < 282) return { x: x + 20, y: y + 3, "text-anchor": "start" };
  const steps = (x - toX(0)) / 2.9 - (i ? 0 : 4); // at the middle of the name
  const others = range(3).filter((j) => j !== i);
  const lines = others.map((j) => toY(curves[j][0] + steps * slope[j]) + 3);
  const isFree = (at) => at > 8 && at < 180 && lines.every((line) => Math.abs(line - at) > 8);
  const places = [-19, 26, 40, -33].map((by) => y + by);
  return {
    x,
    y: places.find(isFree) ?? places[y < 28 ? 1 : 0],
    "text-anchor": i ? "middle" : "end",
  };
}

function drawRow({ setting, factor, half, left }, x, i, result, hidden) {
  const halfLife = result.halfLife[i];
  const halves = halfLife === null ? _("never") : show(halfLife, 1);
  setting.put(x);
  write(factor, hidden ? "?" : show(result.factor[i], 3));
  write(half, hidden ? "?" : halves);
  write(left, hidden ? "?" : tiny(result.left[i]));
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words. */
function speak(_state, result, { hidden }) {
  if (hidden) return "The lines are hidden until you have answered.";
  const lives = MODELS.map((name, i) => `${name}: ${life(i, result)}`).join("; ");
  return _(`${lives}.`);
}

/** How long a gradient lives in model i, in words. */
function life(i, { slope, halfLife, left }) {
  if (i === 2) return `${tiny(left[2])} arrives from any distance`;
  if (slope[i] < 0) return `it halves every ${show(halfLife[i], 1)} steps`;
  return slope[i]
    ? `it doubles every ${show(Math.LN2 / slope[i], 1)} steps`
    : "it is flat, and nothing is lost";
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
