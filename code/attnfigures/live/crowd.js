// One key leads m − 1 equal ones: how many keys the query looks at as m grows, and what a factor on the scores can do.
const MOST = 100000, RANGES = { factor: [0.2, 5], c: [0.2, 3] }, NAMES = Object.keys(RANGES);
const LADDER = [...new Set(range(41).map((k) => Math.round(10 ** (k / 8))))].filter((m) => m > 1);

/** The weight of a key that leads m - 1 equal ones, and e^H of all m weights. */
function attend(m, lead) {
  const others = (m - 1) * Math.exp(-lead), weight = 1 / (1 + others);
  return { weight, looks: Math.exp(lead * others * weight + Math.log1p(others)) };
}

/** In training and now: factors, weights of the best key, keys looked at; and the last of these at every length. */
function compute({ keys, factor, c, train, grow }) {
  const lead = c * Math.log(train), rule = (m) => factor * (grow ? Math.log(m) / Math.log(train) : 1);
  const sizes = [train, keys], factors = [1, rule(keys)], rows = sizes.map((m, i) => attend(m, factors[i] * lead));
  const curve = LADDER.map((m) => attend(m, rule(m) * lead).looks);
  return { lead, sizes, factors, weights: rows.map(({ weight }) => weight), looks: rows.map(({ looks }) => looks), curve };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = (state) => Number.isInteger(state.keys) && state.keys >= 2 && state.keys <= MOST
  && Number.isInteger(state.train) && state.train >= 2 && state.train <= 1000
  && NAMES.every((name) => state[name] >= RANGES[name][0] && state[name] <= RANGES[name][1]);

// places in the drawing, which is 340 wide and 226 high: both axes are logarithmic, from 1 to 100 000
const STRIDE = [57, 36], toX = (m) => 44 + STRIDE[0] * Math.log10(m), toY = (n) => 194 - STRIDE[1] * Math.log10(n);
const label = (x, y, text, anchor = "middle") =>
  make("text", { class: "live-label live-crowd-text", x, y, "text-anchor": anchor }, text);
const rule = (look, x1, y1, x2, y2) => make("line", { class: look, x1, y1, x2, y2 });

/** A number of keys: with one decimal below a hundred, with three digits and a power of ten from ten thousand. */
const many = (x) => (x >= 1e4 ? typeset(x.toExponential(2).replace(/\.?0+e/, "e")) : show(x, Number.isInteger(x) || x >= 100 ? 0 : 1));
const length = (m) => many(m).replace(/^1·/, "");

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read(), { train } = first;
  const put = (name, x) => change({ [name]: clamp(x, ...RANGES[name]) });
  const grow = (m) => change({ keys: clamp(Math.round(m), 2, MOST) });

  // the plot
  const powers = ["1", "10", "100", "10³", "10⁴", "10⁵"].map((text, p) => { const m = 10 ** p; return [
    rule(p ? "live-grid" : "live-axis", toX(m), toY(1), toX(m), toY(MOST)), label(toX(m), 209, text),
    rule(p ? "live-grid" : "live-axis", toX(1), toY(m), toX(MOST), toY(m)), label(38, toY(m) + 4, text, "end")]; });
  const alike = rule("live-crowd-alike", toX(1), toY(1), toX(MOST), toY(MOST));
  const level = rule("live-crowd-level", toX(1), 0, toX(MOST), 0), own = make("polyline", { class: "live-crowd-own live-orange" });
  const trained = make("g", { class: "live-ink live-crowd-trained" }, mark(3, 7));
  const names = [label(toX(3000) - 6, toY(3000) - 6, "all keys alike", "end"), label(toX(MOST) - 14, 0, "as many as in training", "end")];
  const svg = make("svg", { viewBox: "0 0 340 226", role: "group", class: "live-crowd", "aria-label":
    "Keys that the query looks at, against the number of keys" }, powers, label(187, 223, "keys m"), alike, level, names, own, trained);
  const drag = (x, y) => { // the dot goes to the point of its curve that is nearest to the pointer, above all sideways
    const state = read(), far = (m) => Math.hypot(toX(m) - x, 0.6 * (toY(compute({ ...state, keys: m }).looks[1]) - y));
    grow(range(236).map((k) => 2 * 10 ** (k / 50)).reduce((best, m) => (far(m) < far(best) ? m : best)));
  };
  const move = handle(svg, "number of keys", "live-orange", mark(0, 7), drag,
    (right, up) => grow(read().keys * 10 ** ((right + up) / 10)));

  // the same as a table
  const bars = range(2).map(() => make("span", { class: "live-bar live-orange" }));
  const rows = [_("training"), _("now")].map((name, i) => {
    const cells = ["factors", "weights", "looks"].map((part) => make("span", { "data-shows": `${part} ${i}` })), size = make("span");
    const boxes = cells.map((cell, k) => make("td", k === 1 ? { class: "live-share" } : {}, k === 1 ? bars[i] : null, cell));
    return { element: make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, size), boxes), cells, size };
  });
  const heads = ["", "keys m", _("factor"), "best key’s weight", "keys looked at"].map((text) => make(text ? "th" : "td", text ? { scope: "col" } : {}, text));
  const table = make("table", { class: "live-table live-crowd-table" }, make("thead", {}, make("tr", {}, heads)),
    make("tbody", {}, rows.map(({ element }) => element)));

  // controls
  const ticks = (name, stride, text) => ({ min: RANGES[name][0], max: RANGES[name][1], step: stride, text });
  const factor = slider(_("factor"), ticks("factor", 0.05, (x) => (!el.firstChild || read().grow /* first: room */ ? `${show(x)} · ln m / ln ${train}` : show(x))), (x) => put("factor", x));
  const c = slider("lead R", ticks("c", 0.1, (x) => show(x * Math.log(train))), (x) => put("c", x));
  const rules = choice("the factor", { false: "is the same for every m", true: `grows as ln m / ln ${train}` }, (yes) => change({ grow: yes === "true" }));
  const message = make("p", { class: "live-verdict" });
  el.append(make("p", { class: "live-hint" }, "Drag the dot to 100 keys. Which factor brings it back to the dashed line? Is it enough for 10 000 keys? And if the factor grows with m, does every lead win?"),
  make("div", { class: "live-crowd-all" }, make("div", {}, make("div", { class: "live-title" },
    "How many of m keys the query looks at"), svg), make("div", {}, factor.element, rules.element, c.element,
    scroller(make("div", { class: "live-scroll" }, table)), message,
    make("div", { class: "live-controls" }, button("Back to start", () => change(first))))));
  const speak = setUp(model, el, update);

  function update() {
    const state = read(), result = compute(state), hidden = el.classList.contains("live-asking");
    const seen = { visibility: hidden ? "hidden" : "visible" }, [before, now] = result.looks, high = hundredth(toY(before));
    set(own, { points: LADDER.map((m, i) => `${hundredth(toX(m))},${hundredth(toY(result.curve[i]))}`).join(" "), ...seen });
    set(level, { y1: high, y2: high });
    set(names[1], { y: high - 5 });
    set(trained, { transform: `translate(${hundredth(toX(train))} ${high})` });
    move([toX(state.keys), toY(now)], hidden ? _("hidden") : `${state.keys} keys: ${show(now, 1)} looked at`, { now: state.keys, min: 2, max: MOST });
    set(svg.querySelector("[role=slider]"), seen);
    rows.forEach(({ cells, size }, i) => {
      write(size, length(result.sizes[i]));
      [show, tiny, many].forEach((text, k) => write(cells[k], hidden && i && k ? "?" : text(result[["factors", "weights", "looks"][k]][i])));
      set(bars[i], { style: `--share: ${hidden && i ? 0 : result.weights[i].toFixed(4)}` });
    });
    [[factor, state.factor], [c, state.c], [rules, String(state.grow)]].forEach(([part, x]) => part.put(x));
    write(message, hidden ? "The curve is hidden until you have answered." : sentence(state, result));
    speak(message.textContent);
  }
  update();
}

/** What the figure says in words. */
function sentence({ factor, train, grow }, { sizes, looks, lead }) {
  const much = `Among ${length(sizes[1])} keys the query looks at ${many(looks[1])}; in training it looked at ${many(looks[0])} of ${sizes[0]}.`;
  const product = show(factor * lead), limit = show(Math.log(train));
  return paragraph(much, grow && (product === limit ? `Factor times lead is ln ${train} = ${limit}.`
    : factor * lead > Math.log(train) ? `Factor times lead is ${product}, above ln ${train} = ${limit}.`
      : `Factor times lead is ${product}, below ln ${train} = ${limit}.`));
}

export default { initialize, render, compute, valid };
