// Clocks of a rotary encoding: a query and a key as two hands on the face of every pair of coordinates.
const LAST = 60, MOST = 6, RADIUS = 50, DEGREE = Math.PI / 180;
const HALVES = range(2 * LAST + 1).map((t) => t / 2); // 0, ½, … 60

// What a place makes of the pair (1, 0): turned by the angle ωt, or with a sine and a cosine of it added.
const SCHEMES = {
  rotary: (angle) => [Math.cos(angle), Math.sin(angle)],
  sinusoidal: (angle) => [1 + Math.sin(angle), Math.cos(angle)],
};

const frequencies = ({ pairs, base }) => range(pairs).map((k) => base ** (-k / pairs));

/** The pairs of the content (1, 0, 1, 0, …) at a place, and what each pair adds to the score of a query and a key. */
const handsAt = ({ scheme }, omega, t) => omega.map((w) => SCHEMES[scheme](w * t));
const termsOf = (query, key) => query.map((pair, k) => dot(pair, key[k]));
const total = (terms) => terms.reduce((sum, x) => sum + x, 0);
const scoreAt = (state, omega, i, j) => total(termsOf(handsAt(state, omega, i), handsAt(state, omega, j)));

/** The angle of each face from the query's hand to the key's, in degrees. Turning counts the full turns. */
function anglesAt(state, omega, i, j) {
  if (state.scheme === "rotary") return omega.map((w) => ((j - i) * w) / DEGREE);
  const key = handsAt(state, omega, j), across = ([a, b], [c, d]) => a * d - b * c;
  return handsAt(state, omega, i).map((pair, k) => Math.atan2(across(pair, key[k]), dot(pair, key[k])) / DEGREE);
}

/** Hands, angles, what each face adds to the score, the score, and the score as a function of the key's place. */
function compute(state) {
  const { query, key } = state, omega = frequencies(state), hands = [query, key].map((t) => handsAt(state, omega, t));
  const terms = termsOf(...hands), score = total(terms), scoreFromZero = scoreAt(state, omega, 0, key - query);
  return {
    speeds: omega.map((w) => w / DEGREE), hands, angles: anglesAt(state, omega, query, key), terms, score,
    scoreFromZero, offsetGap: Math.abs(score - scoreFromZero),
    curve: HALVES.map((t) => scoreAt(state, omega, query, t)),
    fromZero: range(4 * LAST + 1).map((t) => scoreAt(state, omega, 0, t / 2 - LAST)),
  };
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ query, key, pairs, base, scheme }) {
  const whole = (x, least, most) => Number.isInteger(x) && x >= least && x <= most;
  return whole(query, 0, LAST) && whole(key, 0, LAST) && whole(pairs, 1, MOST) && base >= 1 && base <= 1e6
    && Object.hasOwn(SCHEMES, scheme);
}

// ---- numbers as text -----------------------------------------------------------------------------------------------
const signed = (x) => String(x).replace("-", "−");
const short = (x) => signed(Number(x.toPrecision(4)));
const low = (t) => [...String(t)].map((digit) => (digit === "-" ? "₋" : "₀₁₂₃₄₅₆₇₈₉"[digit])).join("");
const spaced = (x) => String(Math.round(x)).replace(/\B(?=(\d{3})+$)/g, "\u202f");

/** Points along an arc that winds outwards, so that full turns can be counted. Angles are in degrees. */
function spiral(from, sweep) {
  const steps = Math.ceil(Math.abs(sweep) / 9) + 1;
  return range(steps + 1).map((s) => {
    const turned = (sweep * s) / steps, r = 12 + (3 * Math.abs(turned)) / 360, angle = (from + turned) * DEGREE;
    return `${(r * Math.cos(angle)).toFixed(2)},${(-r * Math.sin(angle)).toFixed(2)}`;
  }).join(" ");
}

/** One face: a circle, two hands on an axle, the arc between them, and three lines of text. */
function face(k) {
  const hands = [make("line", { class: "live-hand live-blue" }), make("line", { class: "live-hand live-orange" })];
  const tips = [make("circle", { r: 5, class: "live-tip live-blue" }),
    make("rect", { x: -6, y: -6, width: 12, height: 12, class: "live-tip live-open live-orange" })];
  const arc = make("polyline", { class: "live-arc live-purple" }), axle = make("circle", { r: 2.5, class: "live-axle" });
  const all = make("g", {}, arc, hands[1], hands[0], axle, tips[1], tips[0]);
  const svg = make("svg", { viewBox: "-58 -58 116 116", role: "img", "aria-label": `Face of pair ${k}` },
    make("circle", { r: RADIUS, class: "live-ring" }), all);
  const number = (name) => make("span", { "data-shows": `${name} ${k}` });
  const speed = number("speeds"), angle = number("angles"), adds = number("terms"), apart = make("span");
  const element = make("div", { class: "live-clock" }, svg, make("div", {}, `ω${low(k)} = `, speed, "°"),
    make("div", {}, apart, angle, "°"), make("div", {}, "adds ", adds));
  /** Draws both hands. Turning, the tips go round the axle; adding, they go round the content (1, 0). */
  const turn = (pairs, angles, rotary) => {
    set(all, { transform: `translate(${rotary ? 0 : -RADIUS} 0)` });
    pairs.forEach(([x, y], h) => {
      const there = [RADIUS * x, -RADIUS * y].map((c) => c.toFixed(2)), lean = Math.atan2(-y, x) / DEGREE;
      set(hands[h], { x2: there[0], y2: there[1] });
      set(tips[h], { transform: `translate(${there.join(" ")}) rotate(${lean.toFixed(2)})` });
    });
    set(arc, { points: spiral(Math.atan2(pairs[0][1], pairs[0][0]) / DEGREE, angles[k]) });
  };
  return { element, arc, turn, speed, angle, adds, apart };
}

const WIDTH = 560, along = (share) => 20 + (WIDTH - 40) * share; // ruler and curve have the same margins
const label = (x, y, text) => make("text", { class: "live-label", x, y, "text-anchor": "middle" }, text);
const axis = (x1, x2, y1, y2) => make("line", { class: "live-axis", x1, x2, y1, y2 });

/** Where an offset and a score are in the plot: from -60 to 60, and from the least to the most that a score can be. */
function toPlot({ pairs, scheme }, offset, score) {
  const most = scheme === "rotary" ? pairs : 4 * pairs;
  return [along((offset + LAST) / (2 * LAST)), 106 - (94 * (score + pairs)) / (most + pairs)].map(hundredth);
}

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read();
  const faces = range(MOST).map(face); // some are hidden: drawn anew, the slider would lose the focus

  // the ruler with two handles
  const ruler = make("svg", { viewBox: `0 0 ${WIDTH} 92`, role: "group", "aria-label": "Places of query and key" });
  const arrow = make("path", { class: "live-offset live-purple" });
  const ticks = range(7).map((t) => [label(along(t / 6), 64, `${10 * t}`), axis(along(t / 6), along(t / 6), 41, 51)]);
  const names = [[18, "q"], [84, "k"], [38, ""]].map(([y]) => label(0, y));
  ruler.append(axis(along(0), along(1), 46, 46), ...ticks.flat(), arrow, ...names);
  const placeAt = (x) => Math.round((LAST * (x - along(0))) / (along(1) - along(0)));
  const moveBoth = (to) => {
    const { query, key } = read(), by = clamp(to - query, -Math.min(query, key), LAST - Math.max(query, key));
    if (by) change({ query: query + by, key: key + by });
  };
  const moveKey = (to) => change({ key: clamp(to, 0, LAST) });
  const putQuery = handle(ruler, "query, takes the key along", "live-blue", mark(0, 9),
    (x) => moveBoth(placeAt(x)), (dx, dy) => moveBoth(read().query + dx + dy));
  const putKey = handle(ruler, "key, moves alone", "live-orange", mark(1, 10),
    (x) => moveKey(placeAt(x)), (dx, dy) => moveKey(read().key + dx + dy));

  // the score against the offset
  const band = make("polyline", { class: "live-band" }), line = make("polyline", { class: "live-arc live-purple" });
  const point = make("circle", { r: 5, class: "live-point" }), zero = make("line", { class: "live-axis" });
  const bounds = [label(9, 16), label(9, 109)];
  const plot = make("svg", { viewBox: `0 0 ${WIDTH} 128`, role: "img", "aria-label": "The score against the offset" },
    zero, axis(along(0.5), along(0.5), 10, 108), band, line, point, bounds,
    range(7).map((t) => label(along(t / 6), 123, signed(20 * t - LAST))));
  const score = make("strong", { "data-shows": "score" }), legend = make("span");

  // controls
  const named = { rotary: "turn q and k (rotary)", sinusoidal: "are added (sinusoidal)" };
  const scheme = choice("places", named, (name) => change({ scheme: name }));
  const pairs = slider("pairs d/2", { min: 1, max: MOST, step: 1, text: String }, (x) => change({ pairs: x }));
  const log = { min: 1, max: 6, step: 1, text: (x) => spaced(10 ** x) };
  const base = slider("base", log, (x) => change({ base: 10 ** x }));
  const text = make("p", { class: "live-verdict" }), verdicts = make("ul", { class: "live-verdicts" });
  const hint = "Drag the query (round): the key comes along. Then drag the key (square) alone. Which angles change?";
  const back = button("Back to start", () => change(first));
  el.append(make("p", { class: "live-hint" }, hint),
    make("div", { class: "live-controls" }, scheme.element, pairs.element, base.element, back),
    make("div", { class: "live-clocks" }, faces.map(({ element }) => element)), ruler,
    make("p", {}, make("span", { class: "live-title" }, "Score "), score, legend), plot, text, verdicts);
  ruler.classList.add("live-ruler");
  plot.classList.add("live-ruler");
  const speak = speaker(el);
  let seen = null, frame = 0, before = null;
  predictFirst(el, model.get("ask"), update);

  /** Draws what turns for the places i and j, which need not be whole on the way. */
  function paint(i, j) {
    const state = read(), omega = frequencies(state), angles = anglesAt(state, omega, i, j);
    const hands = [i, j].map((t) => handsAt(state, omega, t));
    omega.forEach((_, k) => faces[k].turn(hands.map((pairs) => pairs[k]), angles, state.scheme === "rotary"));
    const [cx, cy] = toPlot(state, j - i, total(termsOf(...hands)));
    set(point, { cx, cy });
    seen = [i, j];
  }

  /** The hands turn to their places in a fifth of a second, or at once where movement is not wanted. */
  function travel(to) {
    cancelAnimationFrame(frame);
    const from = seen, begun = performance.now();
    if (calm() || !from || largestDifference(from, to) === 0) return paint(...to);
    const step = () => {
      const t = Math.min((performance.now() - begun) / 200, 1);
      paint(...to.map((x, h) => (t < 1 ? from[h] + t * (x - from[h]) : x)));
      if (t < 1) frame = requestAnimationFrame(step);
    };
    step();
  }

  function update() {
    const state = read(), found = compute(state), { query: i, key: j } = state, rotary = state.scheme === "rotary";
    const hidden = el.classList.contains("live-asking"), visibility = hidden ? "hidden" : "visible";
    faces.forEach(({ element, arc, speed, angle, adds, apart }, k) => {
      element.hidden = k >= state.pairs;
      if (element.hidden) return;
      write(speed, short(found.speeds[k]));
      write(apart, rotary ? `${signed(j - i)} ω${low(k)} = ` : "apart ");
      write(angle, hidden ? "?" : short(found.angles[k]));
      write(adds, hidden ? "?" : show(found.terms[k]));
      set(arc, { visibility });
    });
    travel([i, j]);
    const [x1, x2] = [i, j].map((t) => along(t / LAST)), tip = i < j ? -7 : 7;
    putQuery([x1, 18], `query at ${i}, key at ${j}`, { now: i, min: 0, max: LAST });
    putKey([x2, 78], `key at ${j}, offset ${signed(j - i)}`, { now: j, min: 0, max: LAST });
    set(arrow, { d: i === j ? "" : `M${x1} 46H${x2}m${tip} -5l${-tip} 5l${tip} 5` });
    [[x1, `query at ${i}`], [x2, `key at ${j}`], [(x1 + x2) / 2, `offset ${signed(j - i)}`]].forEach(([x, words], n) => {
      const side = n === 2 ? 0 : x < WIDTH / 2 ? 1 : -1; // beside its handle, towards the middle
      set(names[n], { x: (x + 18 * side).toFixed(2), "text-anchor": ["end", "middle", "start"][side + 1] });
      write(names[n], words);
    });
    const points = (scores, from) => scores.map((s, n) => toPlot(state, n / 2 - from, s).join()).join(" ");
    set(band, { points: points(found.fromZero, LAST), visibility });
    set(line, { points: points(found.curve, i), visibility });
    set(point, { visibility });
    const height = toPlot(state, 0, 0)[1];
    set(zero, { x1: along(0), x2: along(1), y1: height, y2: height });
    [rotary ? state.pairs : 4 * state.pairs, -state.pairs].forEach((s, n) => write(bounds[n], signed(s)));
    write(score, hidden ? "?" : show(found.score));
    write(legend, ` at offset ${signed(j - i)}. Line: query at ${i}. Wide band: query at 0.`);
    [scheme.put(state.scheme), pairs.put(state.pairs), base.put(Math.log10(state.base))];
    write(text, hidden ? "Angles and score are hidden until you have answered." : sentence(state, found, before));
    const moved = rotary ? ["(R", "q)·(R", "k)"] : ["(x + p", ")·(x + p", ")"];
    const product = (m, n) => `${moved[0]}${low(m)}${moved[1]}${low(n)}${moved[2]}`;
    verdicts.replaceChildren(hidden ? "" : verdict(product(i, j), product(0, j - i), found.offsetGap));
    before = { ...state, score: found.score };
    speak(text.textContent);
  }
  model.on("change:state", update);
  update();
}

/** What the figure says in words; `was` is the state before, with its score. */
function sentence(state, { angles, speeds, score, scoreFromZero }, was) {
  const { query: i, key: j, scheme } = state, rotary = scheme === "rotary", degrees = (x) => `${short(x)}°`;
  const ends = (numbers) => (state.pairs > 1 ? `${degrees(numbers[0])} on the first face and `
    + `${degrees(numbers.at(-1))} on the last` : degrees(numbers[0]));
  const alike = was && ["pairs", "base", "scheme"].every((part) => was[part] === state[part]);
  if (alike && was.query !== i && was.key - was.query === j - i) {
    const still = Math.abs(was.score - score) <= EXACT, [from, to] = [was.score, score].map((x) => show(x));
    if (still) return `Both have moved: every hand has turned, no angle has changed, and the score is still ${to}.`;
    return `Both have moved by the same number of places, and the score has changed from ${from} to ${to}.`;
  }
  if (rotary && alike && was.key !== j) return `The key has moved alone. Each place turns its hand by ${ends(speeds)}.`;
  if (rotary) return `The hands stand ${ends(angles)} apart. Each face adds the cosine of its angle: ${show(score)}.`;
  return `Each tip goes round the content x, not round the origin. The score is ${show(score)}; with the query at 0 and `
    + `the key at ${signed(j - i)} it would be ${show(scoreFromZero)}.`;
}

export default { initialize, render, compute, valid };
