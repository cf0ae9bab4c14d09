// One thread: all 180 orders of six words in a trained encoder that reads X + αE.
const START = "fish sees cat and sees and".split(" ");
const SHARES = range(101).map((i) => i / 100);
const ORDERS = ordersOf(START)
  .map((order) => order.join(" "))
  .sort();
const PARTS = 4;
const PART = ORDERS.length / PARTS;
const TRUTH = ORDERS.map(catFirst);
const reversed = (sentence) => sentence.split(" ").reverse().join(" ");

/**
 * The log-odds of "cat first" of a part of the orders, which a slow phone computes between two
 * frames, and of all.
 */
const oddsOf = memoize(
  (alpha, part) =>
    forward(weightsOf(true, 100), ORDERS.slice(PART * part, PART * (part + 1)), alpha).odds,
);
const oddsAt = memoize((alpha) => range(PARTS).flatMap((part) => oddsOf(alpha, part)));

/** How many of some answers differ by more than rounding can. */
const different = (odds) =>
  [...odds].sort((a, b) => a - b).filter((x, i, all) => !i || x - all[i - 1] > EXACT).length;

/**
 * P(cat first) of the sentence, the log-odds of all orders, how many of them are right, and how
 * many differ.
 */
function compute({ sentence, alpha }) {
  const odds = oddsAt(alpha);
  const right = odds.filter((x, s) => x > 0 === TRUTH[s]).length;
  return {
    p: sigmoid(odds[ORDERS.indexOf(sentence)]),
    catFirst: catFirst(sentence),
    odds,
    right,
    answers: different(odds),
  };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ sentence, alpha }) => ORDERS.includes(sentence) && alpha >= 0 && alpha <= 1;

// ---- build ---------------------------------------------------------------------------------------

const LEAST = -7.6; // the axis in log-odds
const MOST = 6;
const TOP = 4; // the stack of dots, and the axis below it
const STACK = 112;
const BASE = 132;
const STRIPE = 15; // so many orders of one colour lie together
const WIDER = 20; // how many times as wide the lens shows the dots
const DOT = { r: 4.5 };
const SQUARE = { x: -4, y: -4, width: 8, height: 8 };
const SIDES = [false, true]; // fish first, cat first
const placeOf = (sentence) => ORDERS.indexOf(sentence);

/**
 * The height of every order in the stack: stripes of the two colours in turn, so that both are seen
 * where all answers are one; those that turn first at the bottom.
 */
const lanes = memoize((some) => {
  const odds = oddsAt(some ? 0.5 : 0);
  const falling = range(ORDERS.length)
    .filter((s) => !TRUTH[s])
    .sort((a, b) => odds[b] - odds[a]);
  const stripe = (k) => falling.slice(STRIPE * k, STRIPE * (k + 1));
  const mirrors = (orders) => orders.map((s) => placeOf(reversed(ORDERS[s])));
  const stack = range(falling.length / STRIPE).flatMap((
    k,
  ) => [...stripe(k), ...mirrors(stripe(k))]);
  return inverted(stack).map((k) => TOP + (STACK * k) / (ORDERS.length - 1));
});

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const parts = {
    tried: new Set(),
    farthest: 0,
    width: 343,
    result: null,
    held: null,
    drawn: null,
  };
  parts.tiles = tileRow(read, change, { shown: SHOWN });
  parts.tiles.row.classList.add("live-cards");
  parts.dots = buildDots(parts, read);
  parts.knob = buildKnob(change);
  parts.answer = buildAnswer();
  parts.score = buildScore();
  parts.verdict = make("p", { class: "live-verdict" });
  const every = button("Try all", () => {
    ORDERS.forEach((sentence) => parts.tried.add(sentence));
    parts.update();
  });
  const reset = button("Back to start", () => {
    parts.tried.clear();
    parts.farthest = 0;
    change(first);
  });
  el.append(
    make(
      "p",
      { class: "live-hint" },
      fillIn(
        "*Drag the cards. Can you move the dot?* It is the answer of a small attention model: does *cat* come before *fish*?",
      ),
    ),
    parts.tiles.row,
    parts.dots.svg,
    legend(),
    parts.answer.element,
    parts.score.element,
    parts.knob.element,
    parts.verdict,
    div("live-controls", every, reset),
  );
  nod(el);
  followWidth(parts.dots.svg, (width) => {
    parts.width = width;
    parts.update();
  });
  return parts;
}

const sideLabel = (look, text) =>
  make("text", { class: "live-label live-thread-side", ...look }, text);

/** The answers: 179 dots in a stack, and that of the sentence in its ring on the axis. */
function buildDots(parts, read) {
  const svg = make("svg", {
    class: "live-thread-dots",
    height: BASE + 36,
    role: "group",
    "aria-label": "The answers to all 180 orders",
  });
  const axis = make("line", { class: "live-axis", x1: 0, y1: BASE, y2: BASE });
  const middle = make("line", { class: "live-thread-middle", y1: 0, y2: BASE + 6 });
  const below = (anchor) => ({ y: BASE + 32, "text-anchor": anchor });
  const names = [
    sideLabel(below("start"), "← fish first"),
    sideLabel(below("middle"), _("undecided")),
    sideLabel(below("end"), "cat first →"),
  ];
  const paths = SIDES.map((cat) =>
    make("path", { class: cat ? "live-thread-square live-orange" : "live-thread-disc live-blue" })
  );
  const lens = buildLens(paths);
  const yours = sideLabel({ y: BASE - 4 }, "your cards");
  svg.append(axis, middle, ...names, ...paths, lens.element, yours);
  const own = [make("circle", DOT), make("rect", SQUARE)];
  const at = make("g", {}, own);
  const band = make("line", { class: "live-thread-ring" });
  const ring = make("g", {}, band, at, make("circle", { class: "live-thread-ring", r: 10 }));
  const { pull, step, drop, click } = dotMoves(parts, read, lens);
  const move = handle(svg, "the dot of your sentence", "live-thread-own", ring, pull, step, drop);
  svg.addEventListener("click", (event) => click(placeIn(svg, event)));
  return { svg, axis, middle, names, paths, lens, yours, own, at, band, ring, move };
}

/** While all answers are near that of the reader, a lens shows them much farther apart. */
function buildLens(paths) {
  const near = paths.map((path) => path.cloneNode());
  const frame = make("path", { class: "live-thread-frame" });
  const name = sideLabel({ x: 4, y: BASE - 3 }, _(`close-up, ${WIDER} times as wide`));
  const element = make("g", { "aria-hidden": "true" }, frame, near, name);
  const open = () => frame.checkVisibility({ visibilityProperty: true });
  return { element, frame, near, open };
}

/** Where log-odds lie on the axis, and where the lens ends, in a drawing of this width. */
const axisOf = (width) => (odds) => 14 + ((width - 28) * (odds - LEAST)) / (MOST - LEAST);
const edgeOf = (width) => Math.min(0.45 * width, 420);

/** What a pointer and the arrow keys do: they take another order, whose dot is the nearest. */
function dotMoves(parts, read, lens) {
  const own = () => placeOf(read().sentence);
  const xs = () => parts.result.odds.map(axisOf(parts.width));
  const nearest = (px, py) => {
    const all = xs();
    const at = own();
    const heights = lanes(read().alpha > 0);
    const far = (s) => Math.abs(all[s] - px) + 0.3 * Math.abs((s === at ? BASE : heights[s]) - py);
    return range(ORDERS.length).reduce((best, s) => (far(s) < far(best) ? s : best), at);
  };
  const go = (px, py) => {
    const sentence = ORDERS[nearest(px, py)];
    if (sentence !== read().sentence) parts.tiles.lay(sentence);
  };
  // where all answers are in one place, the farther the pull, the higher the dot that is taken
  const pull = (px, py) => {
    const all = xs();
    const together = Math.max(...all) - Math.min(...all) < 24;
    parts.held = clamp(px, 12, parts.width - 12);
    go(px, together ? BASE - Math.hypot(px - all[own()], py - BASE) : py);
    parts.update();
  };
  const drop = () => {
    parts.held = null;
    parts.update();
  };
  const step = (dx, dy) => {
    const { odds } = parts.result;
    const ranked = range(ORDERS.length).sort((a, b) => odds[a] - odds[b]);
    const to = clamp(ranked.indexOf(own()) + (dx || dy), 0, ORDERS.length - 1);
    parts.tiles.lay(ORDERS[ranked[to]]);
  };
  const click = ({ x, y }) => {
    if (y >= BASE - 12) return;
    const edge = edgeOf(parts.width);
    const within = lens.open() && x < edge;
    go(within ? xs()[own()] + (x - edge / 2) / WIDER : x, y);
  };
  return { pull, step, drop, click };
}

/** The slider for the strength of the positions, with the curves behind it. */
function buildKnob(change) {
  const reach = { min: 0, max: 1, step: 0.01, text: (alpha) => `α = ${show(alpha)}` };
  const knob = slider("tell it where each word stands", reach, (alpha) => change({ alpha }));
  const { element } = knob;
  const curves = backdrop();
  const hand = element.querySelector("input");
  const bundles = ["cat first", "fish first"].map((side) =>
    make("span", { class: "live-thread-side", "aria-hidden": "true" }, side)
  );
  const pull = make("span", { class: "live-thread-pull", "aria-hidden": "true" }, "pull →");
  element.classList.add("live-thread-knob");
  element.insertBefore(curves, hand);
  element.append(pull, ...bundles);
  return { element, put: knob.put, hand, curves, pull };
}

/**
 * The 180 curves over α as two paths, computed piece by piece once the reader comes near; they fill
 * the memory of `oddsAt`, so that the slider then finds its values there.
 */
function backdrop() {
  const y = (odds) => 8 + (82 * (MOST - odds)) / (MOST - LEAST);
  const coarse = SHARES.filter((_, i) => i % 2 === 0);
  const lines = SIDES.map((cat) =>
    make("path", { class: `live-thread-curve ${cat ? "live-orange" : "live-blue"}` })
  );
  const point = (alpha, s) => `${(396 * alpha).toFixed(0)} ${y(oddsAt(alpha)[s]).toFixed(1)}`;
  const curve = (s) => `M${coarse.map((alpha) => point(alpha, s)).join("L")}`;
  const drawCurves = () =>
    SIDES.forEach((cat, side) => {
      const orders = range(ORDERS.length).filter((s) => TRUTH[s] === cat);
      set(lines[side], { d: orders.map(curve).join("") });
    });
  const order = [...coarse, ...SHARES.filter((_, i) => i % 2)];
  let at = 0;
  const some = () => {
    if (at === PARTS * coarse.length) drawCurves();
    if (at === PARTS * order.length) return;
    oddsOf(order[Math.floor(at / PARTS)], at % PARTS);
    at += 1;
    setTimeout(some, 4);
  };
  const zero = make("line", { class: "live-axis", x1: 0, x2: 396, y1: y(0), y2: y(0) });
  const look = { viewBox: "0 0 396 98", preserveAspectRatio: "none", "aria-hidden": "true" };
  const svg = make("svg", look, zero, lines);
  whenNear(svg, some);
  return svg;
}

/** Acts once an element comes within a screen of what the reader sees. */
function whenNear(element, act) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    act();
  }, { rootMargin: "100%" });
  observer.observe(element);
}

const row = (...inside) => make("p", { class: "live-thread-row" }, inside);

/** What the model says of the sentence. */
function buildAnswer() {
  const p = make("span", { "data-shows": "p" });
  const said = make("span");
  const element = row(said, make("span", {}, fillIn("P(cat first) = {p}", { p })));
  return { element, said, p };
}

/** How many orders were tried, and how many are right. */
function buildScore() {
  const right = make("b", { "data-shows": "right" });
  const before = make("span");
  const element = row(before, make("span", {}, fillIn("{right} of 180 right", { right })));
  return { element, before, right, count: make("b"), found: make("b") };
}

/** What the two kinds of dots mean. */
function legend() {
  const key = (shape, hue, text) => {
    const look = {
      viewBox: "-5 -5 10 10",
      class: `live-thread-key ${hue}`,
      "aria-hidden": "true",
    };
    return make("span", {}, make("svg", look, shape), " ", text);
  };
  const square = key(make("rect", SQUARE), "live-orange", "cat is first");
  const disc = key(make("circle", DOT), "live-blue", "fish is first");
  const sentence = fillIn("All 180 orders: {square}, {disc}", { square, disc });
  return make("p", { class: "live-thread-legend" }, sentence);
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw(parts, state, result, { hidden }) {
  parts.result = result;
  parts.tried.add(state.sentence);
  parts.farthest = Math.max(parts.farthest, state.alpha);
  parts.tiles.put(state.sentence.split(" "));
  drawAxis(parts, hidden);
  drawDots(parts, state, result);
  drawLens(parts, state, result, hidden);
  drawOwn(parts, state, result, hidden);
  drawAnswer(parts.answer, result, hidden);
  drawScore(parts, result, hidden);
  drawKnob(parts, state, result, hidden);
  write(parts.verdict, verdictOf(parts, result, hidden));
}

function drawAxis({ width, dots: { svg, axis, middle, names } }, hidden) {
  const zero = axisOf(width)(0);
  set(svg, { viewBox: `0 0 ${width} ${BASE + 36}`, visibility: hidden ? "hidden" : null });
  set(axis, { x2: width });
  set(middle, { x1: zero, x2: zero });
  [2, zero, width - 2].forEach((x, i) => set(names[i], { x }));
}

/** A path with a point for each order of a side that `placed` gives a place. */
const pointsOf = (cat, heights, placed) =>
  range(ORDERS.length)
    .filter((s) => TRUTH[s] === cat && placed(s) !== null)
    .map((s) => `M${placed(s).toFixed(1)} ${heights[s].toFixed(1)}h0`)
    .join("");

function drawDots({ width, dots: { paths } }, { sentence, alpha }, { odds }) {
  const x = axisOf(width);
  const own = placeOf(sentence);
  const placed = (s) => (s === own ? null : x(odds[s]));
  const heights = lanes(alpha > 0);
  SIDES.forEach((cat, side) => set(paths[side], { d: pointsOf(cat, heights, placed) }));
}

function drawLens({ width, dots: { lens } }, { sentence, alpha }, { odds, answers }, hidden) {
  const x = axisOf(width);
  const edge = edgeOf(width);
  const place = x(odds[placeOf(sentence)]);
  const shut = hidden || answers === 1 || Math.min(...odds.map(x)) < edge + 12;
  const bottom = STACK + 7;
  const box = `M2 1H${edge}V${bottom}H2Z`;
  const rays = `M${edge} 1L${place} ${TOP}M${edge} ${bottom}L${place} ${TOP + STACK}`;
  set(lens.element, { visibility: shut ? "hidden" : null });
  set(lens.frame, { d: box + rays });
  const placed = (s) => {
    const there = edge / 2 + WIDER * (x(odds[s]) - place);
    return there > 6 && there < edge - 4 ? there : null;
  };
  const heights = lanes(alpha > 0);
  SIDES.forEach((cat, side) => set(lens.near[side], { d: pointsOf(cat, heights, placed) }));
}

/**
 * The dot of the sentence, with its name beside it, and the ring around it. The ring goes with the
 * hand that holds it, from which a band leads to the dot.
 */
function drawOwn(parts, { sentence }, result, hidden) {
  const { yours, own, at, band, ring, move } = parts.dots;
  const s = placeOf(sentence);
  const odds = result.odds[s];
  const place = axisOf(parts.width)(odds);
  const hand = parts.held ?? place;
  const side = place > 100 ? -1 : 1;
  set(yours, { x: place + 28 * side, "text-anchor": side < 0 ? "end" : "start" });
  SIDES.forEach((cat, k) =>
    set(own[k], { visibility: hidden || TRUTH[s] !== cat ? "hidden" : null })
  );
  set(at, { transform: `translate(${(place - hand).toFixed(2)} 0)` });
  set(band, { x2: (place - hand).toFixed(2) });
  // moved by a card, it flies as the card does
  const flies = parts.held === null && parts.drawn !== null && parts.drawn !== sentence;
  ring.parentNode.classList.toggle("live-thread-flies", flies);
  parts.drawn = sentence;
  const now = 1 + result.odds.filter((one) => one < odds).length;
  const answer = answerOf(result);
  const spoken = hidden
    ? _("hidden")
    : `${shownWords(sentence).join(" ")}: ${answer}, P(cat first) ${show(result.p)}`;
  move([hand, BASE], spoken, { now, min: 1, max: ORDERS.length });
}

const answerOf = ({ p }) => (p > 0.5 ? "cat first" : "fish first");

function drawAnswer({ said, p }, result, hidden) {
  write(said, saidOf(result, hidden));
  write(p, hidden ? "?" : show(result.p, 4));
}

function saidOf(result, hidden) {
  if (hidden) return "It says ?";
  const answer = answerOf(result);
  const right = result.p > 0.5 === result.catFirst;
  return right ? `It says ${answer}: right.` : `It says ${answer}: wrong.`;
}

function drawScore({ tried, score: { before, right, count, found } }, result, hidden) {
  const answers = different([...tried].map((sentence) => result.odds[placeOf(sentence)]));
  write(count, String(tried.size));
  write(found, hidden ? "?" : String(answers));
  tell(
    before,
    answers === 1
      ? "tried {count} of 180 orders: {found} answer"
      : "tried {count} of 180 orders: {found} answers",
    { count, found },
  );
  write(right, hidden ? "?" : String(result.right));
}

/** The slider; the curves behind it are shown as far as it has been. */
function drawKnob({ farthest, knob }, state, result, hidden) {
  const unseen = thousandth(1 - farthest);
  knob.put(state.alpha);
  knob.pull.hidden = farthest > 0;
  set(knob.hand, {
    "aria-valuetext": hidden
      ? show(state.alpha)
      : `${show(state.alpha)}, ${result.right} of 180 right`,
  });
  set(knob.curves, {
    visibility: hidden ? "hidden" : null,
    style: `clip-path: inset(0 calc(${unseen} * (100% - 24px) + 12px) 0 0)`,
  });
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says aloud: the answer and the sentence, which stand in two places. */
const speak = (_state, _result, { answer, verdict }) =>
  `${answer.said.textContent} ${verdict.textContent}`;

/** The sentence of the figure. */
function verdictOf({ tried }, { p, catFirst, right, answers }, hidden) {
  if (hidden) return "The answers are hidden until you have answered.";
  if (right === ORDERS.length) return "Two bundles: all 180 are right.";
  if (right > 90) return `The thread tears: ${right} of 180 are right.`;
  if (answers > 1) {
    return `The thread frays: the orders have ${answers} answers now, but ${right} are right.`;
  }
  if (tried.size === 1) {
    return p > 0.5 === catFirst ? "You have tried one order." : "Can you make it right?";
  }
  return tried.size < ORDERS.length
    ? "The dot has not moved. Try other orders, then pull the slider."
    : "All 180 orders, one answer. Now pull the slider.";
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
