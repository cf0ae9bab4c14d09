// Many rows of weights with one output: first the query moves the weights, then one weight moves
// the others.
const REACH = 3; // the planes go from -3 to 3
const NOTHING = 1e-14; // rounding leaves less of a weight that is 0
const M = 5;
const NEAR = 0.9; // with so much of the weight on one value, the star is almost there
const SIGNS = [0, 1, 2, 3, 5]; // the marks and hues of the words: not the star, which is the output
const tenth = (x) => Math.round(10 * x) / 10;

/**
 * The rank of [V 1], and the projector onto the null space of its transpose times a whole number:
 * all is exact.
 */
function freedom(values) {
  const [x, y] = transpose(values).map((column) => {
    const tenths = column.map((t) => Math.round(10 * t));
    const sum = total(tenths);
    return tenths.map((t) => M * t - sum);
  });
  const xx = dot(x, x);
  const yy = dot(y, y);
  const xy = dot(x, y);
  let rank = 3;
  let common = xx * yy - xy * xy;
  let along = (i, j) => yy * x[i] * x[j] - xy * (x[i] * y[j] + y[i] * x[j]) + xx * y[i] * y[j];
  if (common === 0) { // all on a line
    rank = 2;
    common = xx + yy;
    along = (i, j) => x[i] * x[j] + y[i] * y[j];
  }
  if (common === 0) { // all in one point
    rank = 1;
    common = 1;
  }
  const N = range(M).map((i) =>
    range(M).map((j) => (i === j ? M * common : 0) - common - M * along(i, j))
  );
  return { rank, N, unit: M * common };
}

/**
 * The weights, their output, and how far and with which changes of the others each weight can be
 * moved.
 */
function compute({ query, keys, values, mode, pull }) {
  const output = (weights) => transpose(values).map((column) => dot(weights, column));
  const { rank, N, unit } = freedom(values);
  const given = softmax(keys.map((k) => dot(query, k) / Math.SQRT2));
  const change = N.map((row) => (mode === "weights" ? dot(row, pull) / unit : 0));
  const part = Math.min(1, ...given.map((a, l) => (a + change[l] < -NOTHING ? a / -change[l] : 1)));
  const weights = given
    .map((a, l) => a + part * change[l])
    .map((b, l) => (change[l] && b < NOTHING ? 0 : b));
  const directions = N.map((row, j) => row.map((x) => (row[j] ? x / row[j] : 0)));
  const room = (sign) =>
    directions.map((row, j) =>
      N[j][j]
        ? Math.min(...row.map((d, l) => (sign * d > 0 ? weights[l] / (sign * d) : Infinity)))
        : 0
    );
  const [down, up] = [room(1), room(-1)];
  const at = output(weights);
  const held = output(given);
  return {
    given,
    weights,
    output: at,
    held,
    rank,
    free: M - rank,
    directions,
    low: weights.map((b, j) => b - down[j]),
    high: weights.map((b, j) => b + up[j]),
    moved: total(weights.map((b, l) => Math.abs(b - given[l]))) / 2,
    starGap: largestDifference([at], [held]),
  };
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ words, query, keys, values, mode, pull }) {
  const point = (p) => p.length === 2 && p.every((x) => Math.abs(x) <= REACH);
  return (
    [query, ...keys, ...values].every(point) &&
    [words, keys, values, pull].every((list) => list.length === M) &&
    values.flat().every((x) => Math.abs(10 * x - Math.round(10 * x)) < 1e-9) &&
    words.every((word) => word.length >= 1 && word.length <= 8) &&
    pull.every((x) => Math.abs(x) <= 1) &&
    ["query", "weights"].includes(mode)
  );
}

// ---- build ---------------------------------------------------------------------------------------

const ROW = 36; // the height of a row of the bars
const LEFT = 150; // where 0 is
const WIDE = 140; // how long 1 is
const rowAt = (j) => ROW * j + 15;
const along = (weight) => LEFT + WIDE * weight;
const each = (f) => range(M).map(f);
const hueOf = (j) => HUES[SIGNS[j]];
const signOf = (j) => mark(SIGNS[j], 8);
const outline = (points, px) =>
  convexHull(points)
    .map((p) => px(p).map(hundredth).join())
    .join(" ");

/** Puts all elements into `el`, and returns those that change. */
function build({ model, el, read, change, first }) {
  const words = spokenAs(model, first.words);
  const looks = each((j) => `${words[j]}, ${LOOKS[SIGNS[j]]}`);
  const keys = buildKeys(first, words, change);
  const stars = buildStar(looks, read, change);
  const chart = buildChart(words, looks, read, change);
  const freedom = buildCount();
  const score = buildScore(words);
  const panel = div(
    "live-plane live-fivebars",
    div("live-title", "Weights"),
    chart.svg,
    freedom.count,
    score.element,
  );
  const freeze = button("", () => {
    const mode = read().mode === "weights" ? "query" : "weights";
    change({ mode, pull: each(() => 0) });
  });
  const hint = hintLine();
  const message = messageLine();
  el.append(
    hint,
    div("live-planes", keys.plane.element, panel, stars.plane.element),
    div("live-controls", freeze, button("Back to start", () => change(first))),
    message,
  );
  return { words, keys, stars, chart, freedom, score, panel, freeze, hint, message };
}

/** The plane of the query and the keys, each with its word and its weight. */
function buildKeys({ keys }, words, change) {
  const left = plane("Query q, keys, weights", REACH, 20);
  const hull = make("polygon", { class: "live-hull", points: outline(keys, left.px) });
  const ray = make("line", { class: "live-ray live-ink" });
  const shares = each((j) => make("tspan", { "data-shows": `weights ${j}` }));
  const [x1, y1] = left.px([0, 0]);
  const names = each((j) => {
    const x = clamp(left.px(keys[j])[0], 36, 264);
    const look = { class: "live-label live-keyname", x, "text-anchor": "middle" };
    return make("text", look, `${words[j]} `, shares[j]);
  });
  const key = (j) => {
    const [x2, y2] = left.px(keys[j]);
    const place = { class: "live-word", transform: `translate(${x2} ${y2})` };
    return make(
      "g",
      { class: hueOf(j) },
      make("line", { class: `live-ray ${hueOf(j)}`, x1, y1, x2, y2 }),
      make("g", place, signOf(j)),
      names[j],
    );
  };
  left.svg.append(hull, ray, ...each(key)); // the ray lies below the names
  const move = left.pointHandle(_("query"), "live-ink", badge("q"), (query) => change({ query }));
  return { plane: left, ray, shares, names, move };
}

/** Where the name of a key stands: below it or above, but not under the letter of the query. */
function nameHeight(key, query, px) {
  const [x, y] = px(key);
  const [queryX, queryY] = px(query);
  const sides = key[1] < 1 ? [26, -14] : [-14, 26];
  const isFree = (by) => Math.abs(queryX - x) > 48 || Math.abs(queryY - (y + by - 5)) > 20;
  return y + (sides.find(isFree) ?? sides[0]);
}

/** A handle of a group, and its element. */
const caught = (svg, put) => ({ put, group: svg.lastChild });

/** The plane of the values, which springs tie to their mean, the star. */
function buildStar(looks, read, change) {
  const right = plane("Values and star", REACH, 20);
  const springs = each((j) => make("line", { class: `live-spring ${hueOf(j)}` }));
  const hull = make("polygon", { class: "live-hull" });
  right.svg.append(hull, ...springs);
  const move = (j) => (p) => {
    if (read().mode === "weights") return; // the star is held
    const values = read().values.map((old, i) => (i === j ? p.map(tenth) : old));
    change({ values });
  };
  const values = each((j) => {
    const put = right.pointHandle(`value of ${looks[j]}`, hueOf(j), signOf(j), move(j));
    return caught(right.svg, put);
  });
  const held = make("circle", { r: 20 });
  const shape = make("polygon", { points: corners(10, 0, 14, 5.5) });
  const star = make("g", { class: "live-star" }, make("g", {}, shape, held));
  right.svg.append(star);
  return { plane: right, hull, springs, values, star, held, near: new Set() };
}

/** The bars of the weights, and a handle for each, which stands in its row while there is one. */
function buildChart(words, looks, read, change) {
  const svg = make("svg", {
    viewBox: `0 0 300 ${ROW * M}`,
    role: "group",
    "aria-label": "Weights",
  });
  const box = (look, j) => make("rect", { class: look, x: LEFT, y: rowAt(j) - 11, height: 22 });
  const bars = each((j) => box(`live-fivebar ${hueOf(j)}`, j));
  const given = each((j) => box("live-given", j));
  const reaches = each(() => make("path", { class: "live-reach" }));
  const numbers = each((j) => make("tspan", { "data-shows": `weights ${j}` }));
  const label = (x, j, anchor, inside) => {
    const look = "live-label live-barlabel";
    return make("text", { class: look, x, y: rowAt(j) + 5, "text-anchor": anchor }, inside);
  };
  const name = (j) => {
    const place = { class: `live-sign ${hueOf(j)}`, transform: `translate(10 ${rowAt(j)})` };
    const word = label(26, j, "start", words[j]);
    const number = label(LEFT - 8, j, "end", numbers[j]);
    return make("g", {}, word, number, make("g", place, mark(SIGNS[j], 7)));
  };
  const zero = make("line", { class: "live-axis", x1: LEFT, x2: LEFT, y1: 0, y2: ROW * M });
  svg.append(...each(name), zero, ...reaches, ...bars, ...given);
  const rows = each(() => make("g"));
  const grips = each((j) => caught(rows[j], buildGrip(rows[j], j, looks, read, change)));
  svg.append(...rows);
  return { svg, bars, given, reaches, numbers, rows, grips };
}

/** The handle of a bar: it moves one weight, and the others make way. */
function buildGrip(row, j, looks, read, change) {
  const pull = (to) => {
    const state = read();
    const { given, weights, directions, low, high } = compute(state);
    if (state.mode !== "weights") return;
    const by = clamp(to, low[j], high[j]) - weights[j];
    change({ pull: weights.map((x, l) => x - given[l] + by * directions[j][l]) });
  };
  const shape = make("rect", { x: -4, y: -12, width: 8, height: 24, rx: 3 });
  const drag = (x) => pull((x - LEFT) / WIDE);
  const step = (dx, dy) => pull(compute(read()).weights[j] + (dx + dy) / 50);
  return handle(row, `weight of ${looks[j]}`, hueOf(j), shape, drag, step);
}

/** The line that counts how many directions are free. */
function buildCount() {
  const [rank, free] = ["rank", "free"].map((name) => make("strong", { "data-shows": name }));
  return { rank, free, five: make("strong", {}, M), count: make("div") };
}

/** The score: a place for each word, which fills once its weight was 0 while this star was held. */
function buildScore(words) {
  const places = each((j) => {
    const look = {
      viewBox: "-10 -10 20 20",
      class: `live-icon ${hueOf(j)}`,
      "aria-hidden": "true",
    };
    const sign = make("svg", look, mark(SIGNS[j], 8));
    return make("span", { class: "live-star-place" }, sign, " ", words[j]);
  });
  const count = make("strong");
  const element = div("live-star-score", div("", fillIn("Emptied {count}", { count })), places);
  return { element, places, count, emptied: new Map() };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw(parts, state, result, { hidden }) {
  const { keys, stars, chart, freedom, score, panel, freeze, hint } = parts;
  const frozen = state.mode === "weights";
  keys.plane.element.hidden = frozen;
  panel.hidden = !frozen;
  freeze.hidden = hidden;
  drawKeys(keys, state, result, hidden);
  drawStar(stars, state, result, hidden);
  each((j) => drawBar(chart, j, state, result, hidden));
  drawCount(freedom, result);
  if (frozen && !hidden) drawScore(score, state, result);
  write(freeze, frozen ? "Let the star go" : "Freeze the star");
  write(
    hint,
    frozen
      ? "Drag a bar. How many of the five can you empty, one at a time, while the star stays?"
      : "Drag the query q. Which values can the star reach?",
  );
}

const ends = ([x1, y1], [x2, y2]) => ({ x1, y1, x2, y2 });

function drawKeys(
  { plane: { px }, ray, shares, names, move },
  { keys, query },
  { weights },
  hidden,
) {
  set(ray, ends(px([0, 0]), px(query)));
  move(query);
  each((j) => {
    write(shares[j], hidden ? "?" : show(weights[j]));
    set(names[j], { y: nameHeight(keys[j], query, px) });
  });
}

function drawStar(parts, state, result, hidden) {
  const { plane: { px }, hull, springs, values, star, held, near } = parts;
  const frozen = state.mode === "weights";
  const visibility = hidden ? "hidden" : "visible";
  const taken = frozen
    ? { tabindex: null, "pointer-events": "none" }
    : { tabindex: 0, "pointer-events": null };
  each((j) => {
    values[j].put(state.values[j]);
    set(values[j].group, { "aria-disabled": frozen, ...taken });
    set(springs[j], ends(px(state.values[j]), px(result.output)));
    set(springs[j], { visibility, "stroke-width": (12 * result.weights[j]).toFixed(2) });
  });
  set(hull, { points: outline(state.values, px) });
  const place = px(result.output).map((x) => x.toFixed(2));
  set(star, { transform: `translate(${place.join(" ")})`, visibility });
  set(held, { visibility: frozen && !hidden ? "visible" : "hidden" });
  if (!frozen && !hidden) result.weights.forEach((weight, j) => weight >= NEAR && near.add(j));
}

/** The bar of a weight, its number, and how far it goes where it can be moved. */
function drawBar({ bars, given, reaches, numbers, rows, grips }, j, { mode }, result, hidden) {
  const frozen = mode === "weights";
  const weight = result.weights[j];
  const number = weight < 5e-4 ? tiny(weight) : show(weight, 3);
  write(numbers[j], hidden ? "?" : number);
  set(bars[j], {
    visibility: hidden ? "hidden" : "visible",
    width: (WIDE * weight).toFixed(2),
  });
  set(given[j], {
    width: (WIDE * result.given[j]).toFixed(2),
    visibility: frozen && !hidden ? "visible" : "hidden",
  });
  const movable = frozen && !hidden && result.directions[j][j] !== 0;
  const { put, group } = grips[j];
  if (!movable) group.remove();
  else if (group.parentNode !== rows[j]) rows[j].append(group);
  const [low, high] = [result.low[j], result.high[j]];
  const [min, max, now] = [low, high, weight].map((x) => x.toFixed(3));
  put([along(weight), rowAt(j)], `${now}, from ${min} to ${max}`, { now, min, max });
  const [from, to] = [low, high].map((x) => along(x).toFixed(2));
  const y = rowAt(j) + 16;
  set(reaches[j], { d: movable ? `M${from} ${y - 3}v6M${from} ${y}H${to}M${to} ${y - 3}v6` : "" });
}

function drawCount({ rank, free, five, count }, result) {
  write(rank, String(result.rank));
  write(free, String(result.free));
  const sentences = [
    "{five} weights − {rank} condition (sum) = {free} free directions",
    "{five} weights − {rank} conditions (sum, star along the line of the values) = {free} free directions",
    "{five} weights − {rank} conditions (sum, star’s x, star’s y) = {free} free directions",
  ];
  tell(count, sentences[result.rank - 1], { five, rank, free });
}

/** Fills the places of the words that were emptied while this star is held. */
function drawScore({ places, count, emptied }, { query, values }, { weights }) {
  const held = JSON.stringify([query, values]);
  const done = emptied.get(held) ?? new Set();
  emptied.set(held, done);
  weights.forEach((weight, j) => weight === 0 && done.add(j));
  places.forEach((place, j) => place.toggleAttribute("data-emptied", done.has(j)));
  write(count, `${done.size} / ${M}`);
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words. */
function speak(state, result, { words, stars, score, hidden }) {
  if (hidden) return "Weights and star are hidden until you have answered.";
  if (state.mode === "query") {
    return paragraph(ofQuery(words, result), nearText(words, state, result, stars.near));
  }
  const done = score.emptied.get(JSON.stringify([state.query, state.values]));
  return paragraph(ofBars(words, result), scoreText(words, state, result, done));
}

/** What is left to empty, or why nothing is: without such a word the others do not reach the star. */
function scoreText(words, { values }, { held }, done) {
  const needed = range(M).filter((j) => !reaches(values.filter((_x, l) => l !== j), held));
  if (!done.size) return "";
  if (needed.some((j) => done.has(j)) || done.size + needed.length < M) {
    return `Emptied so far: ${done.size}.`;
  }
  const names = listed(needed.map((j) => `“${words[j]}”`));
  return needed.length
    ? `These are all: without ${names} the star would lie outside the polygon.`
    : "You have emptied all five.";
}

/** Whether a point lies in the polygon around others, if that has an inside. */
function reaches(points, [x, y]) {
  const corners = convexHull(points);
  const left = corners.map(([a, b], i) => {
    const [c, d] = corners[(i + 1) % corners.length];
    return (c - a) * (y - b) - (d - b) * (x - a);
  });
  return corners.length > 2 && left.every((turn) => turn >= 0);
}

const largest = (words, x) => words[x.indexOf(Math.max(...x))];

function ofQuery(words, { weights }) {
  const alike = Math.max(...weights) - Math.min(...weights) <= EXACT;
  const is = largest(words, weights);
  if (alike) return "All five count the same.";
  return Math.max(...weights) < NEAR
    ? `“${is}” counts most.`
    : `The star is almost at the value of “${is}”.`;
}

/** How many values the star has come close to; once there are no more, why not. */
function nearText(words, { keys }, { weights }, near) {
  if (Math.max(...weights) < NEAR || near.size < 2) return "";
  const within = range(M).filter((j) => reaches(keys.filter((_x, l) => l !== j), keys[j]));
  if (near.size + within.length < M) return `So far it came close to ${near.size} of the five.`;
  const names = listed(within.map((j) => `“${words[j]}”`));
  return within.length
    ? `These are all: the key of ${names} lies within the polygon, so it is never the farthest along a query.`
    : "It has come close to all five.";
}

function ofBars(words, { given, weights, directions, moved, starGap }) {
  const was = largest(words, given);
  const is = largest(words, weights);
  const list = (test) => listed(words.filter((_x, j) => test(j)).map((word) => `“${word}”`));
  const fixed = list((j) => directions[j][j] === 0);
  const empty = list((j) => weights[j] === 0);
  return paragraph(
    movedText(moved, starGap),
    fixed && `Fixed as long as the star is held: the weight of ${fixed}.`,
    empty && `The weight of ${empty} is 0 now.`,
    was !== is && `The largest weight was that of “${was}”; now it is that of “${is}”.`,
  );
}

function movedText(moved, starGap) {
  if (moved === 0) return "The star is held, and the query no longer sets the weights.";
  const share = moved < 0.005 ? "less than 1" : Math.round(100 * moved);
  return starGap <= EXACT
    ? `You have moved ${share} % of the weight, and the star has not moved.`
    : `You have moved ${share} % of the weight, and the star has moved by ${tiny(starGap)}.`;
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
