// Two shuffles as layers of strings, one after the other, and the one shuffle that they make
// together.
const identity = (n) => range(n).map((i) => range(n).map((j) => Number(i === j)));
const matrixOf = (perm) => perm.map((from) => identity(perm.length)[from]);

/** The number of pairs i < j in the wrong order in both lists. */
const crossing = (p, q) =>
  p.map((x, i) => range(i).filter((h) => p[h] > x && q[h] > q[i]).length).reduce((a, b) => a + b);

/** The cycles (i, perm[i], perm[perm[i]], …), each from its smallest element on. */
const cyclesOf = (perm) =>
  range(perm.length)
    .map((start) => {
      const cycle = [start];
      while (perm[cycle.at(-1)] !== start) cycle.push(perm[cycle.at(-1)]);
      return cycle;
    })
    .filter((cycle) => Math.min(...cycle) === cycle[0]);

/**
 * Both shuffles in one; the matrices, crossings and signs of the three; the pairs that cross in
 * both layers.
 */
function compute({ first, second }) {
  const composed = second.map((m) => first[m]);
  const all = [first, second, composed];
  const [P1, P2, both] = all.map(matrixOf);
  const product = matmul(P2, P1);
  const crossings = all.map((p) => crossing(p, p));
  const twice = crossing(first, inverted(second));
  const signs = crossings.map((count) => (count % 2 ? -1 : 1));
  return {
    composed,
    P1,
    P2,
    product,
    crossings,
    twice,
    signs,
    inverse: inverted(first),
    cycles: cyclesOf(composed),
    productGap: largestDifference(product, both),
    crossingGap: Math.abs(crossings[0] + crossings[1] - 2 * twice - crossings[2]),
    signGap: Math.abs(signs[0] * signs[1] - signs[2]),
    commuteGap: largestDifference(product, matmul(P1, P2)),
    homeGap: largestDifference(product, identity(composed.length)),
  };
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ first, second, words }) {
  const n = words.length;
  return (
    n >= 3 &&
    n <= 6 &&
    isPermutation(first, n) &&
    isPermutation(second, n) &&
    words.every((word) => word.length >= 1 && word.length <= 8)
  );
}
const shape = ({ words }) => words;

// ---- drawing: a position is GAP high, a layer WIDE ----------------------------------------------
const TOP = 46;
const GAP = 40;
const WIDE = 156;
const signed = (x) => (x < 0 ? "−1" : "+1");

/**
 * The crossings of a layer: how far through it, at what position, and how many of one kind there
 * are at one place.
 */
function knotsOf(from, to, stays) {
  const result = {};
  for (const k of range(from.length)) {
    for (const j of range(k)) {
      const before = from[j] - from[k];
      const after = to[j] - to[k];
      const stay = stays(j, k);
      if (before * after >= 0) continue;
      const s = before / (before - after);
      const t = 0.5 - Math.sin(Math.asin(1 - 2 * s) / 3); // s = 3t² − 2t³, as in a curve
      const across = 1.5 * t * (1 - t) + t ** 3;
      const position = from[j] + (to[j] - from[j]) * s;
      const place = [across.toFixed(2), position.toFixed(2), stay];
      result[place] ||= { across, position, stay, count: 0 };
      result[place].count += 1;
    }
  }
  return Object.entries(result).map(([place, knot]) => {
    const other = place.replace(String(knot.stay), String(!knot.stay));
    const beside = knot.stay ? -10 : 10; // both kinds at one place stand side by side
    return { ...knot, aside: other in result ? beside : 0 };
  });
}

/**
 * A picture of layers of strings, one for each name. `put(columns, stays)` takes the position of
 * every string, column by column; where strings j and k cross is a dot if `stays(j, k)`, or else a
 * ring. `counts` write below.
 */
function layers(title, names, words) {
  const margin = 14 + 7.5 * Math.max(...words.map((word) => word.length));
  const x = (c) => 22 + margin + c * WIDE;
  const n = words.length;
  const last = names.length;
  const y = (i) => TOP + GAP * i;
  const width = x(last) + 14 + margin;
  const svg = make("svg", {
    viewBox: `0 0 ${width} ${y(n - 1) + 54}`,
    role: "group",
    "aria-label": title,
  });
  const counts = names.map(([name, place], c) => {
    const middle = x(c + 0.5);
    const count = layerCount(place, middle, y(n - 1) + 42);
    svg.append(label("live-layer-name", middle, 20, name), count.element);
    return count.put;
  });
  const lines = words.map((_x, j) => make("path", { class: `live-string ${HUES[j]}` }));
  const knots = make("g");
  const ends = words.map((word) => label("live-label", x(last) + 19, 0, word));
  words.forEach((word, i) =>
    svg.append(
      make("line", { class: "live-grid", x1: x(0), x2: x(last), y1: y(i), y2: y(i) }),
      label("live-label", 4, y(i) + 4, String(i)),
      label("live-label live-before", x(0) - 12, y(i) + 4, word),
    )
  );
  const starts = words.map((_x, i) => {
    const place = `translate(${x(0)} ${y(i)})`;
    return make("g", { class: `live-mark ${HUES[i]}`, transform: place }, mark(i, 6));
  });
  svg.append(...lines, knots, ...ends, ...starts);
  const put = (columns, stays) => {
    lines.forEach((line, j) => {
      const at = columns.map((column) => y(column[j]));
      const half = (c) => x(c + 0.5);
      const bend = (c) => `C${half(c)} ${at[c]} ${half(c)} ${at[c + 1]} ${x(c + 1)} ${at[c + 1]}`;
      set(line, { d: `M${x(0)} ${at[0]}${range(last).map(bend).join("")}` });
      set(ends[j], { y: at[last] + 4 });
    });
    const tied = range(last).flatMap((c) =>
      knotsOf(columns[c], columns[c + 1], stays).map((knot) => drawKnot(knot, x(c), y))
    );
    knots.replaceChildren(...tied);
  };
  return { svg, width, x, y, put, counts };
}

const label = (look, x, y, ...text) => make("text", { class: look, x, y }, text);

/** The line below a layer: how many crossings it has, and its sign. */
function layerCount(place, x, y) {
  const [count, sign] = ["crossings", "signs"].map((part) =>
    make("tspan", { "data-shows": `${part} ${place}` })
  );
  const element = label("live-layer-count", x, y);
  const put = (k, s) => {
    tell(element, k === 1 ? "{count} crossing, sign {sign}" : "{count} crossings, sign {sign}", {
      count,
      sign,
    });
    write(count, String(k));
    write(sign, signed(s));
  };
  return { element, put };
}

/** A dot or a ring where strings cross, with a number where several do. */
function drawKnot({ across, position, stay, count, aside }, left, y) {
  const place = [left + across * WIDE + aside, y(position)].map((c) => c.toFixed(1));
  const look = stay ? "live-knot" : "live-knot live-loose";
  const single = stay ? 3.5 : 7;
  return make(
    "g",
    { class: look, transform: `translate(${place.join(" ")})` },
    make("circle", { r: count > 1 ? 9.5 : single }),
    count > 1 ? label("live-times", 0, 4.5, String(count)) : null,
  );
}

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
function build({ model, el, read, change, first: start }) {
  const words = spokenAs(model, start.words);
  const strings = buildStrings(words, read, change);
  const matrices = {
    P2: matrix("P₂", "P2"),
    P1: matrix("P₁", "P1"),
    P21: matrix("P₂P₁", "product"),
  };
  const buttons = div(
    "live-controls",
    button("Let shuffle 2 undo shuffle 1", () => change({ second: compute(read()).inverse })),
    button("Swap the shuffles", () => change({ first: read().second, second: read().first })),
    button("Back to start", () => change(start)),
  );
  const round = make("p", { class: "live-after" });
  const laws = make("ul", { class: "live-verdicts live-after" });
  const message = messageLine();
  const hint =
    "Drag the end of a string, in the middle or at the right. Which crossings are gone in one step?";
  el.append(
    hintLine(hint),
    weave(strings),
    buttons,
    message,
    make(
      "details",
      {},
      make("summary", {}, "The same as matrices"),
      div("live-woven", factors(matrices), make("div", {}, round, laws)),
    ),
  );
  return { strings, matrices, round, laws, message };
}

/**
 * The strings of both layers, and of both in one step: handles in the middle change the first
 * shuffle, those at the right the second.
 */
function buildStrings(words, read, change) {
  const n = words.length;
  const both = [["shuffle 1", 0], ["shuffle 2", 1]];
  const two = layers("Shuffle 1, then shuffle 2", both, words);
  const one = layers("Both in one step", [["both in one step", 2]], words);
  /**
   * A handle at the end of string j in one layer; `entry()` is what the list of that shuffle calls
   * the string.
   */
  const end = (part, title, j, entry) => {
    const go = (to) => {
      const moved = entry();
      const list = read()[part].filter((x) => x !== moved);
      list.splice(clamp(to, 0, n - 1), 0, moved);
      if (list.indexOf(moved) !== read()[part].indexOf(moved)) change({ [part]: list });
    };
    const name = `${words[j]}, ${LOOKS[j]}, after ${title}`;
    const drag = (_x, y) => go(Math.round((y - TOP) / GAP));
    const step = (right, up) => go(read()[part].indexOf(entry()) + right - up);
    return handle(two.svg, name, HUES[j], mark(j, 9), drag, step);
  };
  const strings = range(n);
  const middle = strings.map((j) => end("first", "shuffle 1", j, () => j));
  const right = strings.map((j) => end("second", "shuffle 2", j, () => read().first.indexOf(j)));
  const arrived = strings.map((j) => make("g", { class: `live-mark ${HUES[j]}` }, mark(j, 6)));
  one.svg.append(...arrived);
  return { n, two, one, ends: [middle, right], arrived, shown: null, frame: 0 };
}

/** Both pictures side by side, as wide as their layers, and what their dots and rings mean. */
function weave({ two, one }) {
  const icon = (look, r) =>
    make(
      "svg",
      { class: "live-icon", viewBox: "-9 -9 18 18", "aria-hidden": true },
      make("g", { class: look }, make("circle", { r })),
    );
  const key = fillIn(
    "{once} These two strings cross once. {twice} These two cross twice, and not at all in one step. A number counts crossings at one spot.",
    { once: icon("live-knot", 6), twice: icon("live-knot live-loose", 8) },
  );
  const columns = `${two.width}fr ${one.width}fr`;
  return make(
    "div",
    { class: "live-weave", style: `grid-template-columns: ${columns}` },
    div("live-layers", two.svg),
    div("live-after", one.svg),
    make("p", { class: "live-key live-after" }, key),
  );
}

/** The equation P₂ · P₁ = P₂P₁ of the three matrices. */
function factors({ P2, P1, P21 }) {
  const product = div("live-factors live-after", "=", P21.element);
  return div("live-factors", P2.element, "·", P1.element, product);
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw({ strings, matrices, round, laws }, { first, second }, result, { el }) {
  const { composed: landing, crossings, signs } = result;
  const counts = [...strings.two.counts, ...strings.one.counts];
  counts.forEach((put, i) => put(crossings[i], signs[i]));
  glide(strings, [inverted(first), inverted(landing)], () => el.classList.contains("live-asking"));
  drawMatrix(matrices.P2, _("P₂, second"), result.P2, second, landing);
  drawMatrix(matrices.P1, _("P₁, first"), result.P1, first, first);
  drawMatrix(matrices.P21, _("P₂P₁, first[second]"), result.product, landing, landing);
  const [s, t, both] = signs.map(signed);
  laws.replaceChildren(
    verdict("P₂P₁", "the matrix of first[second]", result.productGap),
    verdict(`sign (${s}) · (${t})`, `sign ${both}`, result.signGap),
  );
  write(round, circles(result.cycles));
}

/** A matrix, its list, and in each row the hue of the string that lands there. */
function drawMatrix(table, name, M, list, landing) {
  const names = list.map((_x, i) => String(i));
  table.put(M, names, names, { digits: 0, keys: list });
  write(table.caption, `${name}\n[${list.join(", ")}]`);
  list.forEach((_x, i) => set(table.body.children[i], { class: HUES[landing[i]] }));
}

/** Lets the strings glide from where they are drawn to their positions, column by column. */
function glide(strings, columns, asking) {
  cancelAnimationFrame(strings.frame);
  const from = strings.shown || columns;
  const begin = performance.now();
  const time = strings.shown && !calm() ? 300 : 0;
  const paint = (now) => {
    const t = time ? clamp((now - begin) / time, 0, 1) : 1;
    const ease = 1 - (1 - t) ** 3;
    strings.shown = columns.map((column, c) =>
      column.map((y, j) => from[c][j] + (y - from[c][j]) * ease)
    );
    drawStrings(strings, columns, [range(strings.n), ...strings.shown], asking());
    if (t < 1) strings.frame = requestAnimationFrame(paint);
  };
  paint(begin);
}

/** Draws the strings at `places`, column by column, on their way to the positions `columns`. */
function drawStrings({ n, two, one, ends, arrived }, columns, places, hidden) {
  const crosses = (c, j, k) =>
    (places[c][j] - places[c][k]) * (places[c + 1][j] - places[c + 1][k]) < 0;
  two.put(places, (j, k) => hidden || !(crosses(0, j, k) && crosses(1, j, k)));
  one.put([places[0], places[2]], () => true);
  ends.forEach((handles, c) =>
    handles.forEach((put, j) => {
      const place = [two.x(c + 1), two.y(places[c + 1][j])];
      const reach = { now: columns[c][j], min: 0, max: n - 1 };
      put(place, `position ${columns[c][j]}`, reach);
    })
  );
  arrived.forEach((end, j) =>
    set(end, { transform: `translate(${one.x(1)} ${one.y(places[2][j])})` })
  );
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words. */
function speak(_state, { crossings, twice, commuteGap, homeGap }, { hidden }) {
  if (hidden) return "What both do in one step is hidden until you have answered.";
  const order = commuteGap <= EXACT
    ? "These two commute: the order does not matter."
    : "These two do not commute: swap them, and the result is different.";
  const home = "Every string is home again: shuffle 2 is the mirror image of shuffle 1.";
  return paragraph(counted(crossings, twice), homeGap <= EXACT ? home : order);
}

/** How the crossings add up. */
function counted([a, b, c], twice) {
  if (!twice) return `${a} + ${b} crossings make ${c}: no pairs of strings cross twice.`;
  if (twice === 1) {
    return `${a} + ${b} crossings become ${c}: 1 pair of strings crosses twice, and these 2 crossings disappear.`;
  }
  const gone = 2 * twice;
  return `${a} + ${b} crossings become ${c}: ${twice} pairs of strings cross twice, and these ${gone} crossings disappear.`;
}

/** The cycles in words. */
function circles(cycles) {
  return `Cycles in one step: ${cycles.map((cycle) => `(${cycle.join(" ")})`).join(" ")}.`;
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid, shape };
