// What is left of a gradient after k steps back: an RNN, the cell path of an LSTM, and attention, as lines in a logarithm.
const STEPS_BACK = 100, TOP = 5, FLOOR = -30; // the plot shows logarithms between the last two
const RANGES = { w: [0.5, 1.05], bias: [0, 8], score: [0, 12] }, NAMES = Object.keys(RANGES);
const MODELS = ["RNN", "LSTM", _("attention")];
const SETTINGS = ["RNN: w", "LSTM: forget bias", _("attention: score")], NAMED = ["w", _("bias"), _("score")];

/** For the three models: by what a step multiplies, its logarithm, steps that halve, and what is left of 1, step by step.
 *  Attention has no step in between: from every distance its weight arrives, for a key `score` ahead of 100 others. */
function compute({ w, bias, score }) {
  const weight = softmax([score, ...range(STEPS_BACK).map(() => 0)])[0];
  const factor = [w, 0.5 + 0.5 * Math.tanh(bias / 2), 1], slope = factor.map(Math.log), start = [1, 1, weight];
  const curves = slope.map((s, i) => range(STEPS_BACK + 1).map((k) => Math.log(start[i]) + k * s));
  const halfLife = slope.map((s) => (s < 0 ? -Math.LN2 / s : null));
  return { factor, slope, halfLife, curves, left: curves.map((curve) => Math.exp(curve.at(-1))) };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = (state) => NAMES.every((name) => state[name] >= RANGES[name][0] && state[name] <= RANGES[name][1]);

/** The setting that gives its line the slope y/k, or attention the height y: the point (k, y) comes to lie on it. */
const FITS = {
  w: (k, y) => thousandth(Math.exp(y / k)),
  bias: (k, y) => { const s = Math.min(y / k, -1e-9); return hundredth(s - Math.log(-Math.expm1(s))); },
  score: (_, y) => { const a = Math.min(y, -1e-9); return hundredth(a - Math.log(-Math.expm1(a)) + Math.log(100)); },
};
const ARROW = { w: 0.002, bias: 0.1, score: 0.1 };

// places in the drawing, which is 340 wide and 208 high
const toX = (k) => 36 + 2.9 * k, toY = (y) => 6 + 5 * (TOP - y);
const label = (x, y, text, look = {}) => make("text", { class: "live-label live-power", x, y, ...look }, text);
const rule = (look, x1, y1, x2, y2) => make("line", { class: look, x1, y1, x2, y2 });

/** Where a line ends in the plot: after 100 steps, or where it leaves the plot below. */
const endOf = (slope, [start]) => (start + slope * STEPS_BACK < FLOOR ? [(FLOOR - start) / slope, FLOOR]
  : [STEPS_BACK, start + slope * STEPS_BACK]);
const HELD = [1, 0.8, 0.6]; // the part of its line at which a model is held: handles and names stay apart

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read(), each = (f) => NAMES.map((name, i) => f(name, i));
  const put = (name, x) => change({ [name]: clamp(x, ...RANGES[name]) });

  // the plot
  const powers = [[2, "10²"], [0, "1"], [-3, "10⁻³"], [-6, "10⁻⁶"], [-9, "10⁻⁹"], [-12, "10⁻¹²"]];
  const levels = powers.map(([p, text]) => { const y = toY(p * Math.LN10); return [
    rule(p ? "live-grid" : "live-axis", toX(0), y, toX(100), y), label(32, y + 3, text, { "text-anchor": "end" })]; });
  const columns = range(6).map((t) => [rule(t ? "live-grid" : "live-axis", toX(20 * t), toY(TOP), toX(20 * t), toY(FLOOR)),
    label(toX(20 * t), 202, t ? String(20 * t) : "k = 0", { "text-anchor": "middle" })]);
  const lines = each((_, i) => make("polyline", { class: `live-curve ${HUES[i]}` }));
  const beads = each((_, i) => make("path", { class: `live-beads ${HUES[i]}` }));
  const tags = each((_, i) => label(0, 0, MODELS[i], { class: `live-label live-power live-tag ${HUES[i]}` }));
  const svg = make("svg", { viewBox: "0 0 340 208", role: "group", class: "live-decay", "aria-label":
    "What is left against the distance" }, levels, columns, [...lines].reverse(), beads, tags);
  const go = (name) => (x, y) => put(name, FITS[name](Math.max((x - toX(0)) / 2.9, 1), TOP - (y - toY(TOP)) / 5));
  const move = each((name, i) => handle(svg, `${MODELS[i]}, ${LOOKS[i]}`, HUES[i], mark(i, 7),
    go(name), (dx, dy) => put(name, thousandth(read()[name] + (dx + dy) * ARROW[name]))));

  // the same as a table, whose settings can be typed
  const titles = ["", _("setting"), "×\u00a0per step", "steps to halve", "left after 100"];
  const fields = each((name, i) => field(SETTINGS[i], RANGES[name][1], (x) => put(name, x), RANGES[name][0]));
  const cell = (part, i) => make("td", { "data-shows": `${part} ${i}` });
  const [factor, left] = ["factor", "left"].map((part) => each((_, i) => cell(part, i)));
  const half = each(() => make("td", { class: "live-halving" }));
  const icon = (i) => make("svg", { viewBox: "-10 -10 20 20", class: `live-icon ${HUES[i]}`, role: "img",
    "aria-label": LOOKS[i] }, mark(i, 8));
  const rows = each((name, i) => make("tr", {}, make("th", { scope: "row" }, icon(i), "\u00a0", make("span", { class: "live-named" },
      SETTINGS[i])),
    make("td", {}, fields[i].element), factor[i], half[i], left[i]));
  const heads = titles.map((text) => make(text ? "th" : "td", text ? { scope: "col" } : {}, text));
  const table = make("table", { class: "live-table live-lives" }, make("thead", {}, make("tr", {}, heads)),
    make("tbody", {}, rows));

  const type = toggle("Type the settings", (pressed) => fields.forEach((f) => f.open(pressed)));
  const message = make("p", { class: "live-verdict" });
  el.append(make("p", { class: "live-hint" }, "Can you lay the line of the RNN flat? Which marks tilt their lines, and which one only lifts it?"),
    make("div", { class: "live-title" }, "What is left of a gradient, by steps back"),
    make("div", { class: "live-planes live-lean" }, svg, scroller(make("div", { class: "live-scroll live-reading" }, table))),
    make("div", { class: "live-controls" }, type, button("Back to start", () => change(first))), message);
  const speak = setUp(model, el, update);

  function update() {
    const state = read(), result = compute(state), hidden = el.classList.contains("live-asking");
    const seen = { visibility: hidden ? "hidden" : "visible" };
    each((name, i) => {
      fields[i].put(state[name]);
      const s = result.slope[i], curve = result.curves[i], [k, y] = endOf(s, curve);
      const at = [toX(HELD[i] * k), toY(curve[0] + HELD[i] * (y - curve[0]))];
      set(lines[i], { points: `${toX(0)},${toY(curve[0])} ${toX(k)},${toY(y)}`, ...seen });
      const gap = s ? Math.LN2 / Math.abs(s) : Infinity, dots = range(Math.floor(k / gap)).map((b) => gap * (b + 1));
      set(beads[i], { d: dots.map((t) => `M${hundredth(toX(t))} ${hundredth(toY(s * t))}h0`).join(""), ...seen });
      const beside = !i && at[0] < 282; // a steep RNN has room on its right
      set(tags[i], { x: at[0] + (beside ? 20 : 0), y: at[1] + (beside ? 3 : at[1] < 28 ? 26 : -19), "text-anchor": beside ? "start" : i ? "middle" : "end", ...seen });
      const [min, max] = RANGES[name];
      move[i](at, hidden ? _("hidden") : `${NAMED[i]} ${show(state[name])}: ${life(i, result)}`,
        { now: state[name].toFixed(3), min, max });
      set(svg.querySelectorAll("[role=slider]")[i], seen);
      write(factor[i], hidden ? "?" : show(result.factor[i], 3));
      write(half[i], hidden ? "?" : result.halfLife[i] === null ? _("never") : show(result.halfLife[i], 1));
      write(left[i], hidden ? "?" : tiny(result.left[i]));
    });
    const lives = MODELS.map((name, i) => `${name}: ${life(i, result)}`).join("; ");
    write(message, hidden ? "The lines are hidden until you have answered." : `${lives}.`);
    speak(message.textContent);
  }
  update();
}

/** How long a gradient lives in model i, in words. */
function life(i, { slope, halfLife, left }) {
  if (i === 2) return `${tiny(left[2])} arrives from any distance`;
  if (slope[i] < 0) return `it halves every ${show(halfLife[i], 1)} steps`;
  return slope[i] ? `it doubles every ${show(Math.LN2 / slope[i], 1)} steps` : "nothing is lost";
}

export default { initialize, render, compute, valid };
