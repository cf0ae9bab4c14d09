// Rows of a sinusoidal table: how alike two of them are, what each pair of columns adds, and what direction needs.
const LAST = 40, COLUMNS = [2, 4, 8, 16, 64], FEW = 4;
const frequencies = ({ d, base }) => range(d / 2).map((k) => base ** ((-2 * k) / d));
const rowAt = (omega, t) => omega.flatMap((w) => [Math.sin(w * t), Math.cos(w * t)]);

/** The row p times J, a quarter turn of each pair: (s, c) becomes (c, −s). */
const turned = (p) => p.map((_, c) => (c % 2 ? -p[c - 1] : p[c + 1]));

/** The table, the products of row i with all rows, and what each pair adds to that with row j. */
function compute({ row, other, d, base, turn }) {
  const omega = frequencies({ d, base }), table = range(LAST + 1).map((t) => rowAt(omega, t));
  const between = turn ? turned : (p) => p, products = table.map((p) => dot(between(table[row]), p)), product = products[other];
  const parts = omega.map((w) => (turn ? Math.sin : Math.cos)(w * (other - row)));
  const alike = (s) => total(omega.map((w) => Math.cos(w * s))), near = Math.abs(other - row);
  const farther = range(Math.max(row, LAST - row) + 1).slice(near + 1);
  const best = farther.reduce((result, s) => (result && alike(result) >= alike(s) ? result : s), 0);
  return { table, products, product, adds: omega.map((w, k) => [w, parts[k]]), sumGap: Math.abs(product - total(parts)),
    symmetryGap: Math.abs(product - (turn ? -1 : 1) * dot(between(table[other]), table[row])),
    rival: best && alike(best) > alike(near) + 1e-9 ? best : 0 };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ row, other, d, base }) => [row, other].every((t) => Number.isInteger(t) && t >= 0 && t <= LAST)
  && COLUMNS.includes(d) && base >= 1 && base <= 1e6;

const STEP = 13, along = (t) => 20 + STEP * t, TOP = 34, HIGH = 72, LOW = 302, REACH = 160; // of the bars, below the table
const text = (x, y, words, look = "") => make("text", { class: `live-label ${look}`, x, y, "text-anchor": "middle" }, words);

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read();
  const hatched = newId(), hatch = make("pattern", { id: hatched, width: 4.3, height: 4.3, patternUnits: "userSpaceOnUse",
    patternTransform: "rotate(45)" }, make("rect", { width: 1.7, height: 4.3, fill: "currentColor" }));
  const shades = make("g"), bars = range(LAST + 1).map((t) => make("rect", { class: "live-similarity-bar", x: along(t) - 5, width: 10 }));
  const product = set(text(0, 0, "", "live-similarity-product"), { "data-shows": "product" });
  const frames = ["live-blue", "live-orange"].map((hue) => make("rect", { class: `live-similarity-frame ${hue}`, y: TOP - 2, width: STEP + 3, height: HIGH + 4 }));
  const lines = ["live-blue", "live-orange"].map((hue) => make("line", { class: `live-similarity-line ${hue}`, y1: TOP + HIGH, y2: LOW }));
  const zero = make("line", { class: "live-axis", x1: along(0) - 7, x2: along(LAST) + 7 });
  const limit = make("line", { class: "live-axis live-similarity-limit", x1: along(0) - 7, x2: along(LAST) + 7, y1: LOW - REACH, y2: LOW - REACH });
  const most = text(along(LAST) + 10, LOW - REACH + 5, "", "live-similarity-most"), ticks = range(5).map((k) => text(along(10 * k), LOW + 16, String(10 * k)));
  const svg = make("svg", { viewBox: "0 0 600 322", role: "group", class: "live-similarity", "aria-label": "The table, and the products of position i with every one" },
    hatch, shades, frames, lines, zero, limit, bars, most, product, ticks);
  const placeAt = (x) => clamp(Math.round((x - along(0)) / STEP), 0, LAST);
  const moved = (part) => [(x) => change({ [part]: placeAt(x) }), (dx, dy) => change({ [part]: clamp(read()[part] + dx + dy, 0, LAST) })];
  const putRow = handle(svg, "position i", "live-blue", mark(0, 9), ...moved("row"));
  const putOther = handle(svg, "position j", "live-orange", mark(1, 10), ...moved("other"));

  const columns = choice("numbers d", Object.fromEntries(COLUMNS.map((d) => [d, String(d)])), (d) => change({ d: Number(d) }));
  const log = { min: 0, max: 6, step: 1, text: (x) => String(Math.round(10 ** x)) };
  const base = slider(_("base"), log, (x) => change({ base: 10 ** x }));
  const between = choice("between the rows", { false: _("nothing"), true: "a quarter turn J" }, (yes) => change({ turn: yes === "true" }));
  const adds = matrix("What each pair adds", "adds");
  const laws = make("ul", { class: "live-verdicts" }), message = make("p", { class: "live-verdict" });
  el.append(make("p", { class: "live-hint" }, "Drag position j (square) away from position i (round). Is a farther one always less similar? Can the product tell before from after?"),
    make("div", { class: "live-similarity-all" }, make("div", {}, svg,
      make("div", { class: "live-controls" }, between.element, columns.element, base.element, button("Back to start", () => change(first)))),
    make("div", {}, laws, message, adds.element)));
  const speak = setUp(model, el, update);
  let drawn;

  function update() {
    const state = read(), result = compute(state), { row: i, other: j, d, turn } = state, hidden = el.classList.contains("live-asking");
    if (drawn !== `${d} ${state.base}`) { // the table itself changes only with them
      const high = HIGH / d;
      shades.replaceChildren(...result.table.flatMap((p, t) => p.map((x, c) => {
        const [left, top] = [along(t) - STEP / 2, TOP + ((c % 2 ? d : 0) / 2 + (c >> 1)) * high], much = hundredth(0.8 * Math.abs(x));
        return make("rect", { x: left, y: thousandth(top), width: STEP, height: thousandth(high), fill: x < 0 ? `url(#${hatched})` : "currentColor",
          "fill-opacity": much });
      })));
      drawn = `${d} ${state.base}`;
    }
    [i, j].forEach((t, k) => {
      set(frames[k], { x: along(t) - STEP / 2 - 1.5 });
      set(lines[k], { x1: along(t), x2: along(t) });
    });
    putRow([along(i), 16], `position i at ${i}`, { now: i, min: 0, max: LAST });
    putOther([along(j), TOP + HIGH + 18], `position j at ${j}`, { now: j, min: 0, max: LAST });
    const all = range(LAST + 1).map((s) => total(result.adds.map(([w]) => (turn ? Math.sin : Math.cos)(w * s)))); // at any offset
    const reach = turn || Math.min(...all) < 0 ? REACH / 2 : REACH, level = LOW - REACH + reach; // half, where bars go both ways
    const tallest = turn ? Math.max(...all.map(Math.abs), 0.1) : d / 2, rival = i + result.rival <= LAST ? i + result.rival : i - result.rival;
    set(zero, { y1: level, y2: level });
    result.products.forEach((x, t) => {
      const high = hundredth((reach * Math.abs(x)) / tallest);
      set(bars[t], { y: x < 0 ? level : hundredth(level - high), height: hidden ? 0 : high });
      bars[t].classList.toggle("live-similarity-chosen", t === j);
      bars[t].classList.toggle("live-similarity-rival", !turn && result.rival > 0 && t === rival);
    });
    write(most, turn ? show(tallest, 1) : String(d / 2));
    columns.put(String(d));
    base.put(Math.log10(state.base));
    between.put(String(turn));
    const both = (a, b) => (turn ? `p${low(a)} J p${low(b)}ᵀ` : `p${low(a)}·p${low(b)}`);
    write(set(product, { x: along(j) + (j < 34 ? 18 : -18), y: TOP + HIGH + 24, style: `text-anchor: ${j < 34 ? "start" : "end"}` }), hidden ? "?" : show(result.product, 3));
    adds.element.hidden = hidden || d / 2 > FEW;
    const pairs = range(FEW); // the room of a row that is not there stays
    adds.put(pairs.map((k) => result.adds[k] ?? [0, 0]), pairs.map((k) => `pair ${k}`), ["ω", turn ? _("sine") : _("cosine")], { digits: 3 });
    pairs.forEach((k) => { adds.body.children[k].hidden = k >= d / 2; });
    laws.replaceChildren(...(hidden ? [] : [verdict(`${both(i, j)} = ${show(result.product, 3)}`, `Σ ${turn ? "sin" : "cos"} ω(j\u00a0−\u00a0i)`, result.sumGap),
      verdict(both(i, j), turn ? `−${both(j, i)}` : both(j, i), result.symmetryGap)]));
    write(message, hidden ? "Products are hidden until you have answered." : sentence(state, result, rival));
    speak(message.textContent);
  }
  update();
}

/** What the figure says in words. */
function sentence({ row, other, turn }, { product, products, rival }, t) {
  if (turn) return Math.abs(product) > EXACT ? `Exchange the rows, and ${show(product, 3)} becomes ${show(-product, 3)}: after and before differ.`
    : "Exchange the rows, and nothing changes here.";
  if (row === other) return "Every position has the same product with itself: 1 for each pair.";
  if (!rival) return `No position farther away than ${other} is more similar. Others may have one.`;
  return `Position ${t} is farther away and more similar: ${show(products[t], 3)} against ${show(product, 3)}.`;
}

export default { initialize, render, compute, valid };
