// Many rows of weights with one output: first the query moves the weights, then one weight moves the others.
const REACH = 3, NOTHING = 1e-14, M = 5; // the planes go from -3 to 3; rounding leaves less of a weight that is 0
const SIGNS = [0, 1, 2, 3, 5]; // the marks and hues of the words: not the star, which is the output
const tenth = (x) => Math.round(10 * x) / 10;

/** The rank of [V 1], and the projector onto the null space of its transpose times a whole number: all is exact. */
function freedom(values) {
  const [x, y] = transpose(values).map((column) => {
    const tenths = column.map((t) => Math.round(10 * t)), sum = total(tenths);
    return tenths.map((t) => M * t - sum);
  });
  const xx = dot(x, x), yy = dot(y, y), xy = dot(x, y);
  let rank = 3, common = xx * yy - xy * xy;
  let along = (i, j) => yy * x[i] * x[j] - xy * (x[i] * y[j] + y[i] * x[j]) + xx * y[i] * y[j];
  if (common === 0) [rank, common, along] = [2, xx + yy, (i, j) => x[i] * x[j] + y[i] * y[j]]; // all on a line
  if (common === 0) [rank, common] = [1, 1]; // all in one point
  const N = range(M).map((i) => range(M).map((j) => (i === j ? M * common : 0) - common - M * along(i, j)));
  return { rank, N, unit: M * common };
}

/** The weights, their output, and how far and with which changes of the others each weight can be moved. */
function compute({ query, keys, values, mode, pull }) {
  const output = (weights) => transpose(values).map((column) => dot(weights, column));
  const { rank, N, unit } = freedom(values), given = softmax(keys.map((k) => dot(query, k) / Math.SQRT2));
  const change = N.map((row) => (mode === "weights" ? dot(row, pull) / unit : 0));
  const part = Math.min(1, ...given.map((a, l) => (a + change[l] < -NOTHING ? a / -change[l] : 1)));
  const weights = given.map((a, l) => a + part * change[l]).map((b, l) => (change[l] && b < NOTHING ? 0 : b));
  const directions = N.map((row, j) => row.map((x) => (row[j] ? x / row[j] : 0)));
  const room = (sign) => directions.map((row, j) => (N[j][j]
    ? Math.min(...row.map((d, l) => (sign * d > 0 ? weights[l] / (sign * d) : Infinity))) : 0));
  const [down, up] = [room(1), room(-1)], at = output(weights), held = output(given);
  return { given, weights, output: at, held, rank, free: M - rank, directions,
    low: weights.map((b, j) => b - down[j]), high: weights.map((b, j) => b + up[j]),
    moved: total(weights.map((b, l) => Math.abs(b - given[l]))) / 2, starGap: largestDifference([at], [held]) };
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ words, query, keys, values, mode, pull }) {
  const point = (p) => p.length === 2 && p.every((x) => Math.abs(x) <= REACH);
  return [query, ...keys, ...values].every(point) && [words, keys, values, pull].every((list) => list.length === M)
    && values.flat().every((x) => Math.abs(10 * x - Math.round(10 * x)) < 1e-9)
    && words.every((word) => word.length >= 1 && word.length <= 8)
    && pull.every((x) => Math.abs(x) <= 1) && ["query", "weights"].includes(mode);
}

const ROW = 36, LEFT = 150, WIDE = 140; // the bars: height of a row, where 0 is, and how long 1 is
const rowAt = (j) => ROW * j + 15, along = (weight) => LEFT + WIDE * weight;
const BEGIN = "The star is held, and the query no longer sets the weights.";

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read(), each = (f) => range(M).map(f), words = spokenAs(model, first.words);
  const looks = SIGNS.map((s, j) => `${words[j]}, ${LOOKS[s]}`), hue = (j) => HUES[SIGNS[j]];
  const sign = (j) => mark(SIGNS[j], 8), replaced = (list, j, x) => list.map((old, i) => (i === j ? x : old));
  const caught = (svg, put) => ({ put, group: svg.lastChild }); // a handle and its element

  // the two planes
  const left = plane("Query q, keys, weights", REACH, 20), right = plane("Values and star", REACH, 20);
  const ray = make("line", { class: "live-ray live-ink" }), shares = each((j) => make("tspan", { "data-shows": `weights ${j}` }));
  const keyHull = make("polygon", { class: "live-hull", points: convexHull(first.keys).map((p) => left.px(p).map(hundredth).join()).join(" ") });
  left.svg.append(keyHull, ray, ...each((j) => { // below the names
    const [x1, y1] = left.px([0, 0]), [x2, y2] = left.px(first.keys[j]), at = { transform: `translate(${x2} ${y2})` };
    const name = { class: "live-label live-keyname", x: clamp(x2, 36, 264), y: y2 + (first.keys[j][1] < 1 ? 26 : -14), "text-anchor": "middle" };
    return make("g", { class: hue(j) }, make("line", { class: `live-ray ${hue(j)}`, x1, y1, x2, y2 }),
      make("g", { class: "live-word", ...at }, sign(j)), make("text", name, `${words[j]} `, shares[j]));
  }));
  const springs = each((j) => make("line", { class: `live-spring ${hue(j)}` }));
  const polygon = make("polygon", { class: "live-hull" });
  right.svg.append(polygon, ...springs);
  const moveQuery = left.pointHandle(_("query"), "live-ink", badge("q"), (query) => change({ query }));
  const putValue = (j, p) => change({ values: replaced(read().values, j, p.map(tenth)) });
  const values = each((j) => caught(right.svg,
    right.pointHandle(`value of ${looks[j]}`, hue(j), sign(j), (p) => putValue(j, p))));
  const corners = range(10).map((i) => [i % 2 ? 5.5 : 14, (i * Math.PI) / 5])
    .map(([r, t]) => `${(r * Math.sin(t)).toFixed(1)},${(-r * Math.cos(t)).toFixed(1)}`).join(" ");
  const held = make("circle", { r: 20 });
  const star = make("g", { class: "live-star" }, make("g", {}, make("polygon", { points: corners }), held));
  right.svg.append(star);

  // the bars
  const chart = make("svg", { viewBox: `0 0 300 ${ROW * M}`, role: "group", "aria-label": "Weights" });
  const box = (look, j) => make("rect", { class: look, x: LEFT, y: rowAt(j) - 11, height: 22 });
  const [bars, given] = [each((j) => box(`live-fivebar ${hue(j)}`, j)), each((j) => box("live-given", j))];
  const reaches = each(() => make("path", { class: "live-reach" }));
  const label = (x, j, anchor, ...inside) =>
    make("text", { class: "live-label live-barlabel", x, y: rowAt(j) + 5, "text-anchor": anchor }, inside);
  const numbers = each((j) => make("tspan", { "data-shows": `weights ${j}` }));
  const name = (j) => make("g", {}, label(26, j, "start", words[j]), label(LEFT - 8, j, "end", numbers[j]),
    make("g", { class: `live-sign ${hue(j)}`, transform: `translate(10 ${rowAt(j)})` }, mark(SIGNS[j], 7)));
  const zero = make("line", { class: "live-axis", x1: LEFT, x2: LEFT, y1: 0, y2: ROW * M });
  chart.append(...each(name), zero, ...reaches, ...bars, ...given);
  const pullBar = (j, to) => {
    const state = read(), { given: a, weights: b, directions, low, high } = compute(state);
    if (state.mode !== "weights") return;
    const by = clamp(to, low[j], high[j]) - b[j];
    change({ pull: b.map((x, l) => x - a[l] + by * directions[j][l]) });
  };
  const drag = (j) => (x) => pullBar(j, (x - LEFT) / WIDE);
  const grip = () => make("rect", { x: -4, y: -12, width: 8, height: 24, rx: 3 });
  const rows = each(() => make("g")); // what holds the handle of a row while there is one
  const grips = each((j) => caught(rows[j], handle(rows[j], `weight of ${looks[j]}`, hue(j), grip(), drag(j),
    (dx, dy) => pullBar(j, compute(read()).weights[j] + (dx + dy) / 50))));
  chart.append(...rows);
  const line = (...inside) => make("div", {}, inside);
  const title = (...inside) => make("div", { class: "live-title" }, inside);

  // how many directions are free
  const [rank, free] = ["rank", "free"].map((name) => make("strong", { "data-shows": name }));
  const count = line(), five = make("strong", {}, M);
  const panel = make("div", { class: "live-plane live-fivebars" }, title("Weights"), chart,
    line("Outline: the weight from the query. Line: how far a bar goes while the others make way."),
    count);

  // controls
  const freeze = button("", () => change({ mode: frozen() ? "query" : "weights", pull: each(() => 0) }));
  const frozen = () => read().mode === "weights";
  const back = button("Back to start", () => change(first)), hint = make("p", { class: "live-hint" });
  const message = make("p", { class: "live-verdict" });
  el.append(hint, make("div", { class: "live-planes" }, left.element, panel, right.element),
    make("div", { class: "live-controls" }, freeze, back), message);
  const speak = setUp(model, el, update);

  function update() {
    const state = read(), result = compute(state), hidden = el.classList.contains("live-asking"), still = frozen();
    const seen = { visibility: hidden ? "hidden" : "visible" };
    const to = (element, [x1, y1], [x2, y2]) => set(element, { x1, y1, x2, y2 });
    to(ray, left.px([0, 0]), left.px(state.query));
    moveQuery(state.query);
    each((j) => {
      const b = result.weights[j], fixed = result.directions[j][j] === 0, { put, group } = grips[j];
      values[j].put(state.values[j]);
      const rest = still ? { tabindex: null, "pointer-events": "none" } : { tabindex: 0, "pointer-events": null };
      set(values[j].group, { "aria-disabled": still, ...rest });
      to(springs[j], right.px(state.values[j]), right.px(result.output));
      set(springs[j], { ...seen, "stroke-width": (12 * b).toFixed(2) });
      set(bars[j], { ...seen, width: (WIDE * b).toFixed(2) });
      set(given[j], { width: (WIDE * result.given[j]).toFixed(2), visibility: still && !hidden ? "visible" : "hidden" });
      write(shares[j], hidden ? "?" : show(b));
      write(numbers[j], hidden ? "?" : b < 5e-4 ? tiny(b) : show(b, 3));
      const movable = still && !hidden && !fixed;
      if (movable !== (group.parentNode === rows[j])) movable ? rows[j].append(group) : group.remove();
      const [min, max] = [result.low[j].toFixed(3), result.high[j].toFixed(3)], now = b.toFixed(3);
      put([along(b), rowAt(j)], `${now}, from ${min} to ${max}`, { now, min, max });
      const [from, end, y] = [along(result.low[j]).toFixed(2), along(result.high[j]).toFixed(2), rowAt(j) + 16];
      set(reaches[j], { d: movable ? `M${from} ${y - 3}v6M${from} ${y}H${end}M${end} ${y - 3}v6` : "" });
    });
    set(polygon, { points: convexHull(state.values).map((p) => right.px(p).map(hundredth).join()).join(" ") });
    set(star, { transform: `translate(${right.px(result.output).map((x) => x.toFixed(2)).join(" ")})`, ...seen });
    set(held, { visibility: still && !hidden ? "visible" : "hidden" });
    [left.element.hidden, panel.hidden, freeze.hidden] = [still, !still, hidden];
    write(rank, String(result.rank));
    write(free, String(result.free));
    tell(count, ["{five} weights − {rank} condition (sum) = {free} free directions",
      "{five} weights − {rank} conditions (sum, star along the line of the values) = {free} free directions",
      "{five} weights − {rank} conditions (sum, star’s x, star’s y) = {free} free directions"][result.rank - 1], { five, rank, free });
    write(freeze, still ? "Let the star go" : "Freeze the star");
    write(hint, still ? "Drag a bar. Which ones can you empty?" : "Drag the query q. Which values can the star reach?");
    write(message, hidden ? "Weights and star are hidden until you have answered." : sentence(words, state, result));
    speak(message.textContent);
  }
  update();
}

/** What the figure says in words. */
function sentence(words, { mode }, { given, weights, directions, moved, starGap }) {
  const largest = (x) => words[x.indexOf(Math.max(...x))], [was, is] = [largest(given), largest(weights)];
  const list = (test) => listed(words.filter((_, j) => test(j)).map((word) => `“${word}”`));
  const alike = Math.max(...weights) - Math.min(...weights) <= EXACT;
  if (mode === "query") return alike ? "All five count the same." : `“${is}” counts most.`;
  const fixed = list((j) => directions[j][j] === 0), empty = list((j) => weights[j] === 0);
  const share = moved < 0.005 ? "less than 1" : Math.round(100 * moved);
  return paragraph(moved === 0 ? BEGIN : starGap <= EXACT ? `You have moved ${share} % of the weight, and the star has not moved.`
    : `You have moved ${share} % of the weight, and the star has moved by ${tiny(starGap)}.`,
  fixed && `Fixed as long as the star is held: the weight of ${fixed}.`, empty && `The weight of ${empty} is 0 now.`,
  was !== is && `The largest weight was that of “${was}”; now it is that of “${is}”.`);
}

export default { initialize, render, compute, valid };
