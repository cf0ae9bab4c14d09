// One thread: all 180 orders of six words in a trained encoder that reads X + αE.
const START = "cat sees fish and sees and".split(" "), SHARES = range(101).map((i) => i / 100);
const ORDERS = ordersOf(START).map((order) => order.join(" ")).sort();
const PARTS = 4, PART = ORDERS.length / PARTS, TRUTH = ORDERS.map(catFirst), reversed = (sentence) => sentence.split(" ").reverse().join(" ");

/** The log-odds of "cat first" of a part of the orders, which a slow phone computes between two frames, and of all. */
const oddsOf = memoize((alpha, part) => forward(weightsOf(true, 100), ORDERS.slice(PART * part, PART * (part + 1)), alpha).odds);
const oddsAt = memoize((alpha) => range(PARTS).flatMap((part) => oddsOf(alpha, part)));

/** How many of some answers differ by more than rounding can. */
const different = (odds) => [...odds].sort((a, b) => a - b).filter((x, i, all) => !i || x - all[i - 1] > EXACT).length;

/** P(cat first) of the sentence, the log-odds of all orders, how many of them are right, and how many differ. */
function compute({ sentence, alpha }) {
  const odds = oddsAt(alpha), right = odds.filter((x, s) => x > 0 === TRUTH[s]).length;
  return { p: sigmoid(odds[ORDERS.indexOf(sentence)]), catFirst: catFirst(sentence), odds, right, answers: different(odds) };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ sentence, alpha }) => ORDERS.includes(sentence) && alpha >= 0 && alpha <= 1;

const LEAST = -7.6, MOST = 6, TOP = 4, STACK = 112, BASE = 132, WIDER = 20; // of the axis in log-odds; of the drawing in px
/** The height of every order in the stack: each beside its mirror, those that turn first at the bottom. At α = 0 all have
 *  one answer, and any order of the pairs looks the same. */
const lanes = memoize((some) => {
  const odds = oddsAt(some ? 0.5 : 0), falling = range(ORDERS.length).filter((s) => !TRUTH[s]).sort((a, b) => odds[b] - odds[a]);
  const heights = [];
  falling.forEach((s, k) => [s, ORDERS.indexOf(reversed(ORDERS[s]))].forEach((one, i) => {
    heights[one] = TOP + (STACK * (2 * k + i)) / (ORDERS.length - 1);
  }));
  return heights;
});

/** The 180 curves over α as two paths, computed piece by piece while nothing else happens; they fill the memory of
 *  `oddsAt`, so that the slider then finds its values there. */
function backdrop() {
  const lines = [false, true].map((side) => make("path", { class: `live-thread-curve ${side ? "live-orange" : "live-blue"}` }));
  const y = (odds) => 8 + (82 * (MOST - odds)) / (MOST - LEAST), coarse = SHARES.filter((_, i) => i % 2 === 0);
  const svg = make("svg", { viewBox: "0 0 396 98", preserveAspectRatio: "none", "aria-hidden": "true" },
    make("line", { class: "live-axis", x1: 0, x2: 396, y1: y(0), y2: y(0) }), lines);
  const draw = () => lines.forEach((line, side) => set(line, { d: ORDERS.flatMap((_, s) => (TRUTH[s] === Boolean(side)
    ? `M${coarse.map((a) => `${(396 * a).toFixed(0)} ${y(oddsAt(a)[s]).toFixed(1)}`).join("L")}` : [])).join("") }));
  const order = [...coarse, ...SHARES.filter((_, i) => i % 2)];
  let at = 0;
  setTimeout(function some() {
    if (at === PARTS * coarse.length) draw();
    if (at < PARTS * order.length) { oddsOf(order[Math.floor(at / PARTS)], at++ % PARTS); setTimeout(some, 4); }
  });
  return svg;
}

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read(), tried = new Set();
  let farthest = 0; // the curves behind the slider are shown as far as it has been
  const tiles = tileRow(read, change, null);
  /** Puts another order on the cards; equal words keep their order among themselves. */
  const lay = (sentence) => {
    const left = read().sentence.split(" ").map((word, i) => [word, i]);
    tiles.reorder(sentence.split(" ").map((word) => left.splice(left.findIndex(([w]) => w === word), 1)[0][1]));
  };

  // the answers: 179 dots in a stack, and that of the sentence in its ring on the axis
  let width = 343, result;
  const x = (odds) => 14 + ((width - 28) * (odds - LEAST)) / (MOST - LEAST);
  const svg = make("svg", { class: "live-thread-dots", height: BASE + 36, role: "group", "aria-label": "The answers to all 180 orders" });
  const axis = make("line", { class: "live-axis", x1: 0, y1: BASE, y2: BASE });
  const middle = make("line", { class: "live-thread-middle", y1: 0, y2: BASE + 6 });
  const label = (anchor, text) => make("text", { class: "live-label live-thread-side", y: BASE + 32, "text-anchor": anchor }, text);
  const sides = [label("start", "← fish first"), label("middle", _("undecided")), label("end", "cat first →")];
  const dots = [false, true].map((side) => make("path", { class: side ? "live-thread-square live-orange" : "live-thread-disc live-blue" }));
  // while all answers are near that of the reader, a lens shows them much farther apart
  const near = dots.map((path) => path.cloneNode()), frame = make("path", { class: "live-thread-frame" }), open = () => frame.checkVisibility({ visibilityProperty: true });
  const lens = make("g", { "aria-hidden": "true" }, frame, near, make("text", { class: "live-label live-thread-side", x: 4, y: BASE - 3 }, _(`close-up, ${WIDER} times as wide`)));
  const yours = make("text", { class: "live-label live-thread-side", y: BASE - 4 }, "your cards"), edge = () => Math.min(0.45 * width, 420);
  const widened = (px) => edge() / 2 + WIDER * (px - x(result.odds[ORDERS.indexOf(read().sentence)]));
  svg.append(axis, middle, ...sides, ...dots, lens, yours);
  const own = [make("circle", { r: 4.5 }), make("rect", { x: -4, y: -4, width: 8, height: 8 })];
  const ring = make("g", {}, own, make("circle", { class: "live-thread-ring", r: 10 }));
  const nearest = (px, py) => {
    const at = ORDERS.indexOf(read().sentence), height = (s) => (s === at ? BASE : lanes(read().alpha > 0)[s]);
    const far = (s) => Math.abs(x(result.odds[s]) - px) + 0.3 * Math.abs(height(s) - py);
    return range(ORDERS.length).reduce((best, s) => (far(s) < far(best) ? s : best), at);
  };
  const go = (px, py) => { const sentence = ORDERS[nearest(px, py)]; if (sentence !== read().sentence) lay(sentence); };
  const pull = (px, py) => { // where all answers are in one place, the farther the pull, the higher the dot that is taken
    const all = result.odds.map(x), own = all[ORDERS.indexOf(read().sentence)];
    go(px, Math.max(...all) - Math.min(...all) < 24 ? BASE - Math.hypot(px - own, py - BASE) : py);
  };
  const ranked = () => range(ORDERS.length).sort((a, b) => result.odds[a] - result.odds[b]);
  const step = (dx, dy) => {
    const all = ranked(), at = all.indexOf(ORDERS.indexOf(read().sentence));
    lay(ORDERS[all[clamp(at + (dx || dy), 0, ORDERS.length - 1)]]);
  };
  const moveRing = handle(svg, "the dot of your sentence", "live-thread-own", ring, pull, step);
  svg.addEventListener("click", ({ clientX, clientY }) => {
    const place = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
    const far = open() && place.x < edge(), [middle, own] = [edge() / 2, x(result.odds[ORDERS.indexOf(read().sentence)])];
    if (place.y < BASE - 12) go(far ? own + (place.x - middle) / WIDER : place.x, place.y);
  });

  // the strength of the positions
  const reach = { min: 0, max: 1, step: 0.01, text: (alpha) => `α = ${show(alpha)}` };
  const knob = slider("tell it where each word stands", reach, (alpha) => change({ alpha }));
  knob.element.classList.add("live-thread-knob");
  const curves = backdrop(), hand = knob.element.querySelector("input");
  const bundles = ["cat first", "fish first"].map((side) => make("span", { class: "live-thread-side", "aria-hidden": "true" }, side));
  knob.element.insertBefore(curves, hand);
  knob.element.append(...bundles);

  const p = make("span", { "data-shows": "p" }), said = make("span"), row = { class: "live-thread-row" };
  const says = make("p", row, said, make("span", {}, fillIn("P(cat first) = {p}", { p })));
  const right = make("b", { "data-shows": "right" }), count = make("b"), found = make("b"), before = make("span");
  const score = make("p", row, before, make("span", {}, fillIn("{right} of 180 right", { right })));
  const every = button("Try all", () => { ORDERS.forEach((sentence) => tried.add(sentence)); update(); });
  const back = button("Back to start", () => { tried.clear(); farthest = 0; change(first); });
  const text = make("p", { class: "live-verdict" });
  const key = (shape, hue) => make("svg", { viewBox: "-5 -5 10 10", class: `live-thread-key ${hue}`, "aria-hidden": "true" }, shape);
  const legend = make("p", { class: "live-thread-legend" }, fillIn("All 180 orders: {square}, {disc}", {
    square: make("span", {}, key(make("rect", { x: -4, y: -4, width: 8, height: 8 }), "live-orange"), " ", "cat is first"),
    disc: make("span", {}, key(make("circle", { r: 4.5 }), "live-blue"), " ", "fish is first") }));
  el.append(make("p", { class: "live-hint" }, fillIn("*Move the dot.* It is the answer of a small attention model to your cards: does *cat* come before *fish*? Drag the cards.")),
  tiles.row, svg, legend, says, score, knob.element, text, make("div", { class: "live-controls" }, every, back));
  const speak = setUp(model, el, update);
  el.classList.add("live-thread-idle");
  ["pointerdown", "keydown", "focusin"].forEach((kind) => el.addEventListener(kind, () => el.classList.remove("live-thread-idle"), { once: true }));

  function update() {
    const state = read(), hidden = el.classList.contains("live-asking"), at = ORDERS.indexOf(state.sentence);
    const heights = lanes(state.alpha > 0);
    result = compute(state);
    tried.add(state.sentence);
    tiles.put(state.sentence.split(" "));
    set(svg, { viewBox: `0 0 ${width} ${BASE + 36}`, visibility: hidden ? "hidden" : null });
    set(axis, { x2: width });
    set(middle, { x1: x(0), x2: x(0) });
    sides.forEach((side, i) => set(side, { x: [2, x(0), width - 2][i] }));
    dots.forEach((path, side) => set(path, { d: ORDERS.map((_, s) => (s !== at && TRUTH[s] === Boolean(side)
      ? `M${x(result.odds[s]).toFixed(1)} ${heights[s].toFixed(1)}h0` : "")).join("") }));
    const place = x(result.odds[at]), shut = hidden || result.answers === 1 || Math.min(...result.odds.map(x)) < edge() + 12;
    set(lens, { visibility: shut ? "hidden" : null });
    set(frame, { d: `M2 1H${edge()}V${STACK + 7}H2ZM${edge()} 1L${place} ${TOP}M${edge()} ${STACK + 7}L${place} ${TOP + STACK}` });
    near.forEach((path, side) => set(path, { d: ORDERS.map((_, s) => { const there = widened(x(result.odds[s]));
      return TRUTH[s] === Boolean(side) && there > 6 && there < edge() - 4 ? `M${there.toFixed(1)} ${heights[s].toFixed(1)}h0` : ""; }).join("") }));
    set(yours, place > 100 ? { x: place - 28, "text-anchor": "end" } : { x: place + 28, "text-anchor": "start" });
    own.forEach((shape, side) => set(shape, { visibility: hidden || TRUTH[at] !== Boolean(side) ? "hidden" : null }));
    const rank = 1 + result.odds.filter((odds) => odds < result.odds[at]).length;
    const answer = result.p > 0.5 ? "cat first" : "fish first";
    const spoken = hidden ? _("hidden") : `${shownWords(state.sentence).join(" ")}: ${answer}, P(cat first) ${show(result.p)}`;
    moveRing([x(result.odds[at]), BASE], spoken, { now: rank, min: 1, max: ORDERS.length });
    const good = result.p > 0.5 === result.catFirst;
    write(said, hidden ? "It says ?" : good ? `It says ${answer}: right.` : `It says ${answer}: wrong.`);
    write(p, hidden ? "?" : show(result.p, 4));
    const answers = different([...tried].map((sentence) => result.odds[ORDERS.indexOf(sentence)]));
    write(count, String(tried.size));
    write(found, hidden ? "?" : String(answers));
    tell(before, answers === 1 ? "tried {count} of 180 orders: {found} answer" : "tried {count} of 180 orders: {found} answers", { count, found });
    write(right, hidden ? "?" : String(result.right));
    knob.put(state.alpha);
    set(hand, { "aria-valuetext": hidden ? show(state.alpha) : `${show(state.alpha)}, ${result.right} of 180 right` });
    farthest = Math.max(farthest, state.alpha);
    set(curves, { visibility: hidden ? "hidden" : null, style: `clip-path: inset(0 calc(${thousandth(1 - farthest)} * (100% - 24px) + 12px) 0 0)` });
    write(text, hidden ? "The answers are hidden until you have answered." : sentenceOf(result, tried.size));
    speak(`${said.textContent} ${text.textContent}`);
  }
  new ResizeObserver(() => { if (svg.clientWidth && svg.clientWidth !== width) { width = svg.clientWidth; update(); } }).observe(svg);
  update();
}

/** What the figure says in words. */
function sentenceOf({ right, answers }, tried) {
  if (right === ORDERS.length) return "Two bundles: all 180 are right.";
  if (right > 90) return `The thread tears: ${right} of 180 are right.`;
  if (answers > 1) return `The thread frays: the orders have ${answers} answers now, but ${right} are right.`;
  if (tried === 1) return "You have tried one order.";
  return tried < ORDERS.length ? "The dot has not moved. Try other orders, then pull the slider." : "All 180 orders, one answer. Now pull the slider.";
}

export default { initialize, render, compute, valid };
