// Clocks of a rotary encoding: a query and a key as two hands on the face of every pair of coordinates.
const LAST = 60, RADIUS = 50, TURN = 2 * Math.PI;

// What a position makes of the pair (1, 0): turned by the angle ωt, or with a sine and a cosine of it added.
const turned = (angle) => [Math.cos(angle), Math.sin(angle)];
const SCHEMES = { rotary: turned, sinusoidal: (angle) => [1 + Math.sin(angle), Math.cos(angle)] };

/** The frequencies; the pairs of the content (1, 0, 1, 0, …) at a position; what each pair adds to a score; a score. */
const frequencies = ({ pairs, base }) => range(pairs).map((k) => base ** (-k / pairs));
const handsAt = ({ scheme }, omega, t) => omega.map((w) => SCHEMES[scheme](w * t));
const termsOf = (query, key) => query.map((pair, k) => dot(pair, key[k]));
const scoreAt = (state, omega, i, j) => total(termsOf(handsAt(state, omega, i), handsAt(state, omega, j)));

/** The angle of each face from the query's hand to the key's, in radians. Turning counts the full turns. */
function anglesAt(state, omega, i, j) {
  if (state.scheme === "rotary") return omega.map((w) => (j - i) * w);
  const key = handsAt(state, omega, j), across = ([a, b], [c, d]) => a * d - b * c;
  return handsAt(state, omega, i).map((pair, k) => Math.atan2(across(pair, key[k]), dot(pair, key[k])));
}

/** Hands, angles, what each face adds to the score, the score, and the score as a function of the key's position. */
function compute(state) {
  const { query, key } = state, omega = frequencies(state), hands = [query, key].map((t) => handsAt(state, omega, t));
  const terms = termsOf(...hands), score = total(terms), scoreFromZero = scoreAt(state, omega, 0, key - query);
  const curve = range(2 * LAST + 1).map((t) => scoreAt(state, omega, query, t / 2));
  const fromZero = range(4 * LAST + 1).map((t) => scoreAt(state, omega, 0, t / 2 - LAST));
  return { speeds: omega, hands, angles: anglesAt(state, omega, query, key), terms, score,
    scoreFromZero, offsetGap: Math.abs(score - scoreFromZero), curve, fromZero };
}

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ query, key, pairs, base, scheme }) {
  return [query, key, pairs].every(Number.isInteger) && query >= 0 && query <= LAST && key >= 0 && key <= LAST
    && pairs >= 1 && pairs <= 6 && base >= 1 && base <= 1e6 && Object.hasOwn(SCHEMES, scheme);
}

const short = (x) => typeset(Number(x.toPrecision(4)));

/** Points along an arc that winds outwards, so that full turns can be counted. */
function spiral(from, sweep) {
  const steps = Math.ceil((40 * Math.abs(sweep)) / TURN) + 1;
  return range(steps + 1).map((s) => {
    const part = (sweep * s) / steps, r = 20 + (2.8 * Math.abs(part)) / TURN;
    return turned(-(from + part)).map((x) => hundredth(r * x)).join();
  }).join(" ");
}

/** One face: a circle, two hands on an axle, the arc between them, and three lines of text. */
function face(k) {
  const [hands, tips] = [["line", "live-hand"], ["g", "live-tip"]].map(([tag, look]) =>
    [0, 1].map((h) => make(tag, { class: `${look} ${HUES[h]}` }, tag === "g" ? mark(h, 7) : null)));
  const arc = make("polyline", { class: "live-arc live-purple" });
  const all = make("g", {}, arc, [...hands].reverse(), make("circle", { r: 2.5, class: "live-axle" }), tips);
  const svg = make("svg", { viewBox: "-60 -60 120 120", role: "img", "aria-label": `Face of pair ${k}` },
    make("circle", { r: RADIUS, class: "live-ring" }), all);
  const shown = (name) => make("span", { "data-shows": `${name} ${k}` }), apart = make("div");
  const [speed, angle, adds] = ["speeds", "angles", "terms"].map(shown);
  const element = make("div", { class: "live-clock" }, svg, make("div", {}, `ω${low(k)} = `, speed),
    apart, make("div", {}, fillIn("adds {adds}", { adds })));
  /** Draws both hands. Turning, the tips go round the axle; adding, they go round the content (1, 0). */
  const turn = (pairs, angles, rotary) => {
    set(all, { transform: `translate(${rotary ? 0 : -RADIUS} 0)` });
    pairs.forEach(([x, y], h) => {
      const x2 = hundredth(RADIUS * x), y2 = hundredth(-RADIUS * y);
      set(hands[h], { x2, y2 });
      set(tips[h], { transform: `translate(${x2} ${y2}) rotate(${hundredth((360 * Math.atan2(y2, x2)) / TURN)})` });
    });
    set(arc, { points: spiral(Math.atan2(pairs[0][1], pairs[0][0]), angles[k]) });
  };
  return { element, turn, speed, angle, adds, apart };
}

const along = (share) => 20 + 520 * share; // ruler and curve are 560 wide, with the same margins
const label = (x, y, text = "") => make("text", { class: "live-label", x, y, "text-anchor": "middle" }, text);
const axis = (x1, x2, y1, y2) => make("line", { class: "live-axis", x1, x2, y1, y2 });

/** The largest score in the plot, where its 0 is, and where an offset and a score: it ends below at the least score. */
function plotOf({ pairs, scheme }, { fromZero }) {
  const [least, most] = scheme === "rotary" ? [Math.min(0, ...fromZero), pairs] : [-pairs / 2, 4 * pairs], unit = 96 / (most - least);
  return { most, zero: 10 + unit * most, to: (offset, score) => [along((offset + LAST) / (2 * LAST)), 10 + unit * (most - score)].map(hundredth) };
}

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read(), faces = range(6).map(face); // some of them hidden

  // the ruler with its two handles
  const arrow = make("path", { class: "live-offset live-purple" }), names = [4, 100, 41].map((y) => label(0, y));
  const stems = [4, 100].map((y, h) => make("line", { class: `live-ray ${HUES[h]}`, y1: y, y2: 50 }));
  const ticks = range(LAST + 1).map((t) => `M${along(t / LAST).toFixed(1)} 50v${t % 10 ? (t % 5 ? 4 : 7) : 11}`).join("");
  const ruler = make("svg", { viewBox: "0 -14 560 132", role: "group", "aria-label": "Positions of query and key",
    class: "live-ruler live-places" }, stems, axis(along(0), along(1), 50, 50), make("path", { class: "live-axis", d: ticks }),
  range(7).map((t) => label(along(t / 6), 79, 10 * t)), arrow, names);
  for (const name of names.slice(0, 2)) set(name, { "dominant-baseline": "central" }); // beside its handle
  const placeAt = (x) => Math.round((LAST * (x - along(0))) / 520);
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
  const point = make("circle", { r: 5, class: "live-point" }), most = label(13, 14);
  const zero = make("g", {}, axis(along(0), along(1), 0, 0), label(13, 4, 0)), middle = axis(280, 280, 10, 106);
  const plot = make("svg", { viewBox: "0 0 560 128", role: "img", class: "live-ruler", "aria-label":
    "The score against the offset" }, zero, middle, band, line, point, most,
  range(7).map((t) => label(along(t / 6), 125, typeset(20 * t - LAST))));
  const score = make("span", { "data-shows": "score" }), legend = make("p");
  const title = make("span", { class: "live-title" }, fillIn("Score {score}", { score }));

  const named = { rotary: "turn q and k (rotary)", sinusoidal: "are added (sinusoidal)" };
  const scheme = choice(_("positions"), named, (name) => change({ scheme: name }));
  const pairs = slider(_("pairs"), { min: 1, max: 6, step: 1, text: String }, (x) => change({ pairs: x }));
  const log = { min: 1, max: 6, step: 1, text: (x) => String(Math.round(10 ** x)) };
  const base = slider(_("base"), log, (x) => change({ base: 10 ** x }));
  const text = make("p", { class: "live-verdict" }), verdicts = make("ul", { class: "live-verdicts" }), hint = make("p", { class: "live-hint" });
  el.append(hint, make("div", { class: "live-clocks" }, faces.map(({ element }) => element)),
  make("div", { class: "live-clock-all" }, make("div", {}, ruler, plot), make("div", {},
    make("div", { class: "live-controls" }, scheme.element, pairs.element, base.element,
      button("Back to start", () => change(first))), legend, verdicts, text)));
  const speak = setUp(model, el, update);
  let seen, before, from, frame, scale;

  /** Draws what turns for the positions i and j, which need not be whole on the way. */
  function paint(i, j) {
    const state = read(), omega = frequencies(state), angles = anglesAt(state, omega, i, j);
    const hands = [i, j].map((t) => handsAt(state, omega, t));
    omega.forEach((_, k) => faces[k].turn(hands.map((pairs) => pairs[k]), angles, state.scheme === "rotary"));
    const [cx, cy] = scale.to(j - i, total(termsOf(...hands)));
    set(point, { cx, cy });
    seen = [i, j];
  }

  /** The hands turn to where they belong in a fifth of a second, or at once where movement is not wanted. */
  function travel(to) {
    cancelAnimationFrame(frame);
    const from = seen, begun = performance.now();
    if (calm() || !from || from.join() === to.join()) return paint(...to);
    (function step() {
      const left = Math.max(1 - (performance.now() - begun) / 200, 0);
      paint(...to.map((x, h) => x - left * (x - from[h])));
      if (left) frame = requestAnimationFrame(step);
    })();
  }

  function update() {
    const state = read(), result = compute(state), { query: i, key: j } = state, rotary = state.scheme === "rotary";
    const hidden = el.classList.contains("live-asking");
    const together = before && alike(before, state) && before.key - before.query === j - i;
    if (!together) from = result.score; // the score before query and key began to move together
    faces.forEach(({ element, speed, angle, adds, apart }, k) => {
      if ((element.hidden = k >= state.pairs)) return;
      write(speed, short(result.speeds[k]));
      tell(apart, rotary ? "{turn} = {angle}" : "apart {angle}", { angle, turn: `${typeset(j - i)} ω${low(k)}` });
      write(angle, hidden ? "?" : short(result.angles[k]));
      write(adds, hidden ? "?" : show(result.terms[k]));
    });
    scale = plotOf(state, result);
    travel([i, j]);
    const [x1, x2] = [i, j].map((t) => along(t / LAST)), tip = i < j ? -7 : 7, offset = typeset(j - i);
    putQuery([x1, 4], `query at ${i}, key at ${j}`, { now: i, min: 0, max: LAST });
    putKey([x2, 100], `key at ${j}, offset ${offset}`, { now: j, min: 0, max: LAST });
    [x1, x2].forEach((x, h) => set(stems[h], { x1: x, x2: x }));
    set(arrow, { d: i === j ? "" : `M${x1} 50H${x2}m${tip} -5l${-tip} 5l${tip} 5` });
    [[x1, `query at ${i}`], [x2, `key at ${j}`], [clamp((x1 + x2) / 2, 46, 514), `offset ${offset}`]].forEach(([x, message], n) => {
      const side = n === 2 ? 0 : x < 280 ? 1 : -1; // beside its handle, towards the middle
      write(set(names[n], { x: x + 18 * side, "text-anchor": ["end", "middle", "start"][side + 1] }), message);
    });
    [[band, result.fromZero, LAST], [line, result.curve, i]].forEach(([curve, scores, from]) =>
      set(curve, { points: scores.map((s, n) => scale.to(n / 2 - from, s).join()).join(" ") }));
    set(zero, { transform: `translate(0 ${hundredth(scale.zero)})` });
    write(most, String(scale.most));
    write(score, hidden ? "?" : show(result.score));
    tell(legend, "{score} at offset {offset}. The line shows all scores of the query at {query}, the wide band those of a query at 0, with keys on both sides.",
      { score: title, offset, query: i });
    write(hint, HINTS[state.scheme]);
    el.classList.toggle("live-elsewhere", state.scheme !== first.scheme); // what was asked is not true here
    el.style.setProperty("--elsewhere", JSON.stringify("This answer was about the other choice of positions."));
    [[scheme, state.scheme], [pairs, state.pairs], [base, Math.log10(state.base)]].forEach(([part, x]) => part.put(x));
    write(text, hidden ? "Angles and score are hidden until you have answered." : sentence(state, result, before, from));
    const product = (m, n) => (rotary ? `(R${low(m)} q)·(R${low(n)} k)` : `(x + p${low(m)})·(x + p${low(n)})`);
    verdicts.replaceChildren(hidden ? "" : verdict(product(i, j), product(0, j - i), result.offsetGap));
    before = state;
    speak(text.textContent);
  }
  update();
}

const HINTS = {
  rotary: "Drag the query (round): the key comes along. Then drag the key (square) alone. Which angles change?",
  sinusoidal: "A hand is x + p, from the left edge to a tip on the circle. Its length changes too, so the line leaves the band.",
};
const alike = (was, state) => ["pairs", "base", "scheme"].every((part) => was[part] === state[part]);

/** What the figure says in words; `was` is the state before, `from` the score before query and key
 *  began to move together. */
function sentence(state, { angles, speeds, score, scoreFromZero }, was, from) {
  const { query: i, key: j, pairs, scheme } = state, rotary = scheme === "rotary", now = show(score);
  const same = was && alike(was, state);
  if (same && was.query !== i && was.key - was.query === j - i) {
    if (Math.abs(from - score) > EXACT) return `Both have moved. The score was ${show(from)} and is ${now}.`;
    return `Both have moved: every hand has turned, no angle has changed, and the score is still ${now}.`;
  }
  const alone = same && was.query === i && was.key !== j, [first, last] = [0, -1].map((k) => short((alone ? speeds : angles).at(k)));
  if (rotary && alone) return pairs > 1 ? `Only the key turns; one position adds ${first} rad on the first face and ${last} rad on the last.`
    : `Only the key turns; one position adds ${first} rad.`;
  if (rotary) return pairs > 1 ? `The angle between the hands is ${first} rad on the first face and ${last} rad on the last. The score, the sum of the cosines, is ${now}.`
    : `The angle between the hands is ${first} rad. The score, the sum of the cosines, is ${now}.`;
  if (i === 0) return `With the query at 0 and the key at ${j} the score is ${now}: here the line lies on the band.`;
  return `The score is ${now}; with the query at 0 and the key at ${typeset(j - i)} it is ${show(scoreFromZero)}.`;
}

export default { initialize, render, compute, valid };
