// One key leads m − 1 equal ones: how many keys the query looks at as m grows, and what a factor on the scores can do.
const MOST = 100000, RANGES = { factor: [0.2, 5], c: [0.2, 3] }, NAMES = Object.keys(RANGES);
const LADDER = [...new Set(range(41).map((k) => Math.round(10 ** (k / 8))))].filter((m) => m > 1);

/** The weight of a key that leads m - 1 equal ones, and e^H of all m weights. */
function attend(m, lead) {
  const others = (m - 1) * Math.exp(-lead), weight = 1 / (1 + others);
  return { weight, looks: Math.exp(lead * others * weight + Math.log1p(others)) };
}

/** In training, with the factor of the reader, and with log-n: factors, weights of the best key, keys looked at. */
function compute({ keys, factor, c, train }) {
  const lead = c * Math.log(train), rule = (m) => Math.log(m) / Math.log(train);
  const sizes = [train, keys, keys], factors = [1, factor, rule(keys)];
  const rows = sizes.map((m, i) => attend(m, factors[i] * lead));
  const curves = [() => factor, rule].map((g) => LADDER.map((m) => attend(m, g(m) * lead).looks));
  return { lead, sizes, factors, weights: rows.map(({ weight }) => weight), looks: rows.map(({ looks }) => looks), curves };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = (state) => Number.isInteger(state.keys) && state.keys >= 2 && state.keys <= MOST
  && Number.isInteger(state.train) && state.train >= 2 && state.train <= 1000
  && NAMES.every((name) => state[name] >= RANGES[name][0] && state[name] <= RANGES[name][1]);

/** The factor with which the query looks at `wanted` of m keys: a larger one makes it look at fewer. */
function factorFor(wanted, m, lead) {
  let [low, high] = RANGES.factor;
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (attend(m, middle * lead).looks > wanted) low = middle; else high = middle;
  }
  return hundredth((low + high) / 2);
}

// places in the drawing, which is 340 wide and 226 high: both axes are logarithmic, from 1 to 100 000
const STRIDE = [57, 36], toX = (m) => 44 + STRIDE[0] * Math.log10(m), toY = (n) => 194 - STRIDE[1] * Math.log10(n);
const label = (x, y, text, anchor = "middle") =>
  make("text", { class: "live-label live-crowd-text", x, y, "text-anchor": anchor }, text);
const rule = (look, x1, y1, x2, y2) => make("line", { class: look, x1, y1, x2, y2 });

/** A number of keys: with one decimal below a hundred. */
const whole = (x) => show(x, x < 100 ? 1 : 0);

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read(), { train } = first;
  const put = (name, x) => change({ [name]: clamp(x, ...RANGES[name]) });
  const grow = (m) => change({ keys: clamp(Math.round(m), 2, MOST) });

  // the plot
  const powers = ["1", "10", "100", "10³", "10⁴", "10⁵"].map((text, p) => { const m = 10 ** p; return [
    rule(p ? "live-grid" : "live-axis", toX(m), toY(1), toX(m), toY(MOST)), label(toX(m), 209, text),
    rule(p ? "live-grid" : "live-axis", toX(1), toY(m), toX(MOST), toY(m)), label(38, toY(m) + 4, text, "end")]; });
  const alike = rule("live-crowd-alike", toX(1), toY(1), toX(MOST), toY(MOST));
  const level = rule("live-crowd-level", toX(1), 0, toX(MOST), 0), diamond = mark(3, 7);
  const trained = make("g", { class: "live-ink live-crowd-trained" }, diamond);
  const [own, logn] = ["live-crowd-own live-orange", "live-crowd-logn live-blue"].map((look) => make("polyline", { class: look }));
  const svg = make("svg", { viewBox: "0 0 340 226", role: "group", class: "live-crowd", "aria-label":
    "Keys that the query looks at, against the number of keys" }, powers, label(187, 223, "keys m"), alike, level, logn,
  own, trained);
  const drag = (x, y) => {
    const m = clamp(Math.round(10 ** ((x - 44) / STRIDE[0])), 2, MOST), { c } = read();
    change({ keys: m, factor: factorFor(10 ** ((194 - y) / STRIDE[1]), m, c * Math.log(train)) });
  };
  const step = (right, up) => {
    if (up) return put("factor", hundredth(read().factor - up / 20));
    return grow(read().keys * 10 ** (right / 10));
  };
  const move = handle(svg, "number of keys, and keys looked at", "live-orange", mark(0, 7), drag, step);

  // the same as a table
  const span = (shows) => make("td", { "data-shows": shows });
  const parts = [["keys m", "sizes", String], ["factor on the scores", "factors", show],
    ["weight of the best key", "weights", tiny], ["keys looked at", "looks", whole]];
  const cells = parts.map(([, part]) => range(3).map((i) => span(`${part} ${i}`)));
  const heads = ["", "training", "yours", "log-n"].map((text) => make(text ? "th" : "td", text ? { scope: "col" } : {}, text));
  const table = make("table", { class: "live-table live-crowd-table" }, make("thead", {}, make("tr", {}, heads)),
    make("tbody", {}, parts.map(([name], i) => make("tr", {}, make("th", { scope: "row" }, name), cells[i]))));

  // controls
  const ticks = (name, stride, text) => ({ min: RANGES[name][0], max: RANGES[name][1], step: stride, text });
  const factor = slider("factor", ticks("factor", 0.05, (x) => show(x)), (x) => put("factor", x));
  const leads = (c) => `${show(c, 1)} · ln ${train} = ${show(c * Math.log(train))}`;
  const c = slider("lead R", ticks("c", 0.1, leads), (x) => put("c", x));
  const take = button("Take the log-n factor", () => put("factor", thousandth(compute(read()).factors[2])));
  const message = make("p", { class: "live-verdict" });
  el.append(make("p", { class: "live-hint" }, "Drag the dot along the solid curve: the text grows. Then drag it down to the ",
    "level of the diamond (training). Will one factor do for every length?"),
  make("div", { class: "live-controls" }, factor.element, c.element, take, button("Back to start", () => change(first))),
  make("div", { class: "live-planes live-lean" }, make("div", { class: "live-crowd-plot" }, make("div", { class: "live-title" },
    "How many of m keys the query looks at"), svg), make("div", { class: "live-reading" },
    scroller(make("div", { class: "live-scroll" }, table)), make("p", {}, "Solid: your factor at every length. ",
      `Dashed curve: the log-n factor, ln m / ln ${train}. Dotted: all keys alike. Diamond: training.`), message)));
  const speak = speaker(el);
  predictFirst(el, model.get("ask"), update);

  function update() {
    const state = read(), result = compute(state), hidden = el.classList.contains("live-asking");
    const seen = { visibility: hidden ? "hidden" : "visible" }, [before, now] = result.looks;
    const line = (curve) => LADDER.map((m, i) => `${hundredth(toX(m))},${hundredth(toY(curve[i]))}`).join(" ");
    [own, logn].forEach((curve, i) => set(curve, { points: line(result.curves[i]), ...seen }));
    set(level, { y1: hundredth(toY(before)), y2: hundredth(toY(before)) });
    set(trained, { transform: `translate(${hundredth(toX(train))} ${hundredth(toY(before))})` });
    const spoken = `${state.keys} keys, factor ${show(state.factor)}: ${show(now, 1)} looked at`;
    move([toX(state.keys), toY(now)], hidden ? "hidden" : spoken, { now: now.toFixed(1), min: 1, max: MOST });
    set(svg.querySelector("[role=slider]"), seen);
    parts.forEach(([, part, text], row) => cells[row].forEach((cell, i) =>
      write(cell, hidden && row > 1 && i ? "?" : text(result[part][i]))));
    factor.put(state.factor);
    c.put(state.c);
    write(message, hidden ? "The curves are hidden until you have answered." : sentence(state, result));
    speak(message.textContent);
  }
  model.on("change:state", update);
  update();
}

/** What the figure says in words. */
function sentence({ keys, c, train }, { looks }) {
  const fate = c > 1 ? `The lead exceeds ln ${train}: with log-n, the weight of the best key tends to 1.`
    : c < 1 ? `The lead is below ln ${train}: even with log-n, the weight of the best key tends to 0.`
      : `The lead is ln ${train}: with log-n, the best key keeps about half, and about 2√m keys are looked at.`;
  return `Among ${keys} keys the query looks at ${whole(looks[1])}; in training it was ${whole(looks[0])} of ${train}. ${fate}`;
}

export default { initialize, render, compute, valid };
