// Two shuffles as layers of strings, one after the other, and the one shuffle that they make together.
const identity = (n) => range(n).map((i) => range(n).map((j) => Number(i === j)));
const matrixOf = (perm) => perm.map((from) => identity(perm.length)[from]);

/** The number of pairs i < j in the wrong order in both lists. */
const crossing = (p, q) => p.map((x, i) => range(i).filter((h) => p[h] > x && q[h] > q[i]).length)
  .reduce((a, b) => a + b);

/** The cycles (i, perm[i], perm[perm[i]], …), each from its smallest element on. */
const cyclesOf = (perm) => range(perm.length).map((start) => {
  const cycle = [start];
  while (perm[cycle.at(-1)] !== start) cycle.push(perm[cycle.at(-1)]);
  return cycle;
}).filter((cycle) => Math.min(...cycle) === cycle[0]);

/** Both shuffles in one; the matrices, crossings and signs of the three; the pairs that cross in both layers. */
function compute({ first, second }) {
  const composed = second.map((m) => first[m]), all = [first, second, composed], [P1, P2, both] = all.map(matrixOf);
  const product = matmul(P2, P1), crossings = all.map((p) => crossing(p, p)), twice = crossing(first, inverted(second));
  const signs = crossings.map((count) => (count % 2 ? -1 : 1));
  return { composed, P1, P2, product, crossings, twice, signs, inverse: inverted(first), cycles: cyclesOf(composed),
    productGap: largestDifference(product, both),
    crossingGap: Math.abs(crossings[0] + crossings[1] - 2 * twice - crossings[2]),
    signGap: Math.abs(signs[0] * signs[1] - signs[2]), commuteGap: largestDifference(product, matmul(P1, P2)),
    homeGap: largestDifference(product, identity(composed.length)) };
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ first, second, words }) {
  const n = words.length;
  return n >= 3 && n <= 6 && isPermutation(first, n) && isPermutation(second, n)
    && words.every((word) => word.length >= 1 && word.length <= 8);
}
const shape = ({ words }) => words;

// ---- drawing: a position is GAP high, a layer WIDE -----------------------------------------------------------------
const TOP = 46, GAP = 40, WIDE = 156;
const signed = (x) => (x < 0 ? "−1" : "+1");

/** The crossings of a layer: how far through it, at what position, and how many of one kind there are at one place. */
function knotsOf(from, to, stays) {
  const result = {};
  for (const k of range(from.length)) for (const j of range(k)) {
    const before = from[j] - from[k], after = to[j] - to[k], stay = stays(j, k);
    if (before * after >= 0) continue;
    const s = before / (before - after), t = 0.5 - Math.sin(Math.asin(1 - 2 * s) / 3); // s = 3t² − 2t³, as in a curve
    const across = 1.5 * t * (1 - t) + t ** 3, position = from[j] + (to[j] - from[j]) * s;
    (result[[across.toFixed(2), position.toFixed(2), stay]] ||= { across, position, stay, count: 0 }).count += 1;
  }
  return Object.entries(result).map(([place, knot]) => { // both kinds at one place stand side by side
    const other = place.replace(String(knot.stay), String(!knot.stay));
    return { ...knot, aside: other in result ? (knot.stay ? -10 : 10) : 0 };
  });
}

/** A picture of layers of strings, one for each name. `put(columns, stays)` takes the position of every string, column
 *  by column; where strings j and k cross is a dot if `stays(j, k)`, or else a ring. `counts` write below. */
function layers(title, names, words) {
  const margin = 14 + 7.5 * Math.max(...words.map((word) => word.length)), x = (c) => 22 + margin + c * WIDE;
  const n = words.length, last = names.length, y = (i) => TOP + GAP * i, width = x(last) + 14 + margin;
  const svg = make("svg", { viewBox: `0 0 ${width} ${y(n - 1) + 54}`, role: "group", "aria-label": title });
  const label = (look, left, top, ...text) => make("text", { class: look, x: left, y: top }, text);
  const counts = names.map(([name, place], c) => {
    const [count, sign] = ["crossings", "signs"].map((part) => make("tspan", { "data-shows": `${part} ${place}` }));
    const middle = x(c + 0.5), below = label("live-layer-count", middle, y(n - 1) + 42);
    svg.append(label("live-layer-name", middle, 20, name), below);
    return (k, s) => {
      tell(below, k === 1 ? "{count} crossing, sign {sign}" : "{count} crossings, sign {sign}", { count, sign });
      write(count, String(k));
      write(sign, signed(s));
    };
  });
  const lines = words.map((_, j) => make("path", { class: `live-string ${HUES[j]}` })), knots = make("g");
  const ends = words.map((word) => label("live-label", x(last) + 19, 0, word));
  words.forEach((word, i) => svg.append(
    make("line", { class: "live-grid", x1: x(0), x2: x(last), y1: y(i), y2: y(i) }),
    label("live-label", 4, y(i) + 4, String(i)), label("live-label live-before", x(0) - 12, y(i) + 4, word)));
  svg.append(...lines, knots, ...ends, ...words.map((_, i) =>
    make("g", { class: `live-mark ${HUES[i]}`, transform: `translate(${x(0)} ${y(i)})` }, mark(i, 6))));
  const knot = (c) => ({ across, position, stay, count, aside }) => make("g", { class: stay ? "live-knot" : "live-knot live-loose",
    transform: `translate(${(x(c) + across * WIDE + aside).toFixed(1)} ${y(position).toFixed(1)})` },
  make("circle", { r: count > 1 ? 9.5 : stay ? 3.5 : 7 }), count > 1 ? label("live-times", 0, 4.5, String(count)) : null);
  const put = (columns, stays) => {
    lines.forEach((line, j) => {
      const at = columns.map((column) => y(column[j])), half = (c) => x(c + 0.5);
      const bend = (c) => `C${half(c)} ${at[c]} ${half(c)} ${at[c + 1]} ${x(c + 1)} ${at[c + 1]}`;
      set(line, { d: `M${x(0)} ${at[0]}${range(last).map(bend).join("")}` });
      set(ends[j], { y: at[last] + 4 });
    });
    knots.replaceChildren(...range(last).flatMap((c) => knotsOf(columns[c], columns[c + 1], stays).map(knot(c))));
  };
  return { svg, width, x, y, put, counts };
}

function render({ model, el }) {
  const [read, change] = stateOf(model), start = read(), words = spokenAs(model, start.words), n = words.length;
  const each = (f) => range(n).map(f), asking = () => el.classList.contains("live-asking");

  // the strings: handles in the middle change the first shuffle, those at the right the second
  const two = layers("Shuffle 1, then shuffle 2", [["shuffle 1", 0], ["shuffle 2", 1]], words);
  const one = layers("Both in one step", [["both in one step", 2]], words);
  /** A handle at the end of string j in one layer; `entry()` is what the list of that shuffle calls the string. */
  const end = (part, title, j, entry) => {
    const go = (to) => {
      const moved = entry(), list = read()[part].filter((x) => x !== moved);
      list.splice(clamp(to, 0, n - 1), 0, moved);
      if (list.indexOf(moved) !== read()[part].indexOf(moved)) change({ [part]: list });
    };
    return handle(two.svg, `${words[j]}, ${LOOKS[j]}, after ${title}`, HUES[j], mark(j, 9),
      (_, y) => go(Math.round((y - TOP) / GAP)), (right, up) => go(read()[part].indexOf(entry()) + right - up));
  };
  const middle = each((j) => end("first", "shuffle 1", j, () => j));
  const right = each((j) => end("second", "shuffle 2", j, () => read().first.indexOf(j)));
  const arrived = each((j) => make("g", { class: `live-mark ${HUES[j]}` }, mark(j, 6)));
  one.svg.append(...arrived);
  // the same as matrices
  const P2 = matrix("P₂", "P2"), P1 = matrix("P₁", "P1"), P21 = matrix("P₂P₁", "product");
  const matrices = make("div", { class: "live-factors" }, P2.element, "·", P1.element,
    make("div", { class: "live-factors live-after" }, "=", P21.element));
  const buttons = make("div", { class: "live-controls" },
    button("Let shuffle 2 undo shuffle 1", () => change({ second: compute(read()).inverse })),
    button("Swap the shuffles", () => change({ first: read().second, second: read().first })),
    button("Back to start", () => change(start)));
  const text = make("p", { class: "live-verdict" }), round = make("p", { class: "live-after" });
  const laws = make("ul", { class: "live-verdicts live-after" });
  const icon = (look, r) =>
    make("svg", { class: "live-icon", viewBox: "-9 -9 18 18", "aria-hidden": true }, make("g", { class: look }, make("circle", { r })));
  const key = make("p", { class: "live-key live-after" }, fillIn("{once} These two strings cross once. {twice} These two cross twice, and not at all in one step. A number counts crossings at one spot.",
    { once: icon("live-knot", 6), twice: icon("live-knot live-loose", 8) }));
  const weave = make("div", { class: "live-weave", style: `grid-template-columns: ${two.width}fr ${one.width}fr` },
    make("div", { class: "live-layers" }, two.svg), make("div", { class: "live-after" }, one.svg), key);
  const hint = "Drag the end of a string, in the middle or at the right. Which crossings are gone in one step?";
  el.append(make("p", { class: "live-hint" }, hint), weave, buttons, text, make("details", {}, make("summary", {}, "The same as matrices"),
    make("div", { class: "live-woven" }, matrices, make("div", {}, round, laws))));
  const speak = setUp(model, el, update);

  let shown = null, frame = 0; // where the strings are drawn in the middle and at the right: they glide there
  function glide(columns) {
    cancelAnimationFrame(frame);
    const from = shown || columns, begin = performance.now(), time = shown && !calm() ? 300 : 0;
    const paint = (now) => {
      const t = time ? clamp((now - begin) / time, 0, 1) : 1, ease = 1 - (1 - t) ** 3;
      shown = columns.map((column, c) => column.map((y, j) => from[c][j] + (y - from[c][j]) * ease));
      draw(columns, [range(n), ...shown]);
      if (t < 1) frame = requestAnimationFrame(paint);
    };
    paint(begin);
  }

  /** Draws the strings at `places`, column by column, on their way to the positions `columns`. */
  function draw(columns, places) {
    const crosses = (c, j, k) => (places[c][j] - places[c][k]) * (places[c + 1][j] - places[c + 1][k]) < 0;
    two.put(places, (j, k) => asking() || !(crosses(0, j, k) && crosses(1, j, k)));
    one.put([places[0], places[2]], () => true);
    [middle, right].forEach((handles, c) => handles.forEach((put, j) => put([two.x(c + 1), two.y(places[c + 1][j])],
      `position ${columns[c][j]}`, { now: columns[c][j], min: 0, max: n - 1 })));
    arrived.forEach((end, j) => set(end, { transform: `translate(${one.x(1)} ${one.y(places[2][j])})` }));
  }

  function update() {
    const { first, second } = read(), result = compute(read()), { composed, crossings, signs } = result;
    [...two.counts, ...one.counts].forEach((put, i) => put(crossings[i], signs[i]));
    glide([inverted(first), inverted(composed)]);
    const put = (table, name, M, list, landing) => {
      table.put(M, each(String), each(String), { digits: 0, keys: list });
      write(table.caption, `${name}\n[${list.join(", ")}]`);
      each((i) => set(table.body.children[i], { class: HUES[landing[i]] })); // the hue of the string that lands there
    };
    put(P2, _("P₂, second"), result.P2, second, composed);
    put(P1, _("P₁, first"), result.P1, first, first);
    put(P21, _("P₂P₁, first[second]"), result.product, composed, composed);
    const [s, t, both] = signs.map(signed);
    laws.replaceChildren(verdict("P₂P₁", "the matrix of first[second]", result.productGap),
      verdict(`sign (${s}) · (${t})`, `sign ${both}`, result.signGap));
    write(round, circles(result.cycles));
    write(text, asking() ? "What both do in one step is hidden until you have answered." : sentence(result));
    speak(text.textContent);
  }
  update();
}

/** What the figure says in words. */
function sentence({ crossings: [a, b, c], twice, commuteGap, homeGap }) {
  const counts = !twice ? `${a} + ${b} crossings make ${c}: no pairs of strings cross twice.`
    : twice === 1 ? `${a} + ${b} crossings become ${c}: 1 pair of strings crosses twice, and these 2 crossings disappear.`
      : `${a} + ${b} crossings become ${c}: ${twice} pairs of strings cross twice, and these ${2 * twice} crossings disappear.`;
  const order = commuteGap <= EXACT ? "These two commute: the order does not matter."
    : "These two do not commute: swap them, and the result is different.";
  const home = "Every string is home again: shuffle 2 is the mirror image of shuffle 1.";
  return paragraph(counts, homeGap <= EXACT ? home : order);
}

/** The cycles in words. */
function circles(cycles) {
  return `Cycles in one step: ${cycles.map((cycle) => `(${cycle.join(" ")})`).join(" ")}.`;
}

export default { initialize, render, compute, valid, shape };
