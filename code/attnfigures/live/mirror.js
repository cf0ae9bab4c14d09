// Break the law: two trained encoders, with positions and without, answer a sentence and its
// mirror, and a thread joins the two answers.
const MOST = 20;
const TRAINED = [0, 10, 25, 50, 100];
const TITLES = { blind: "Without positions", seeing: "With positions" };
const MODELS = Object.keys(TITLES);

/** P(cat first) that a model gives to a sentence. */
const probability = memoize((name, step, sentence) =>
  sigmoid(
    forward(weightsOf(name === "seeing", step), [sentence], name === "seeing" ? 1 : 0).odds[0],
  )
);

const reflected = (sentence) => sentence.split(" ").reverse().join(" ");
const both = (sentence) => [sentence, reflected(sentence)];

// ---- compute -------------------------------------------------------------------------------------

/** P(cat first) for the sentence and its mirror, and what is right of all that was tried. */
function compute({ sentence, step, tried }) {
  const result = { catFirst: catFirst(sentence), count: tried.length };
  for (const name of MODELS) {
    const p = both(sentence).map((text) => probability(name, step, text));
    const old = tried.map((one) => both(one).map((text) => probability(name, step, text)));
    const hits = tried.map((one, k) =>
      both(one).map((text, i) => old[k][i] > 0.5 === catFirst(text))
    );
    Object.assign(result, { [name]: p, [`${name}Gap`]: Math.abs(p[0] - p[1]) });
    result[`${name}Tried`] = old;
    Object.assign(result, {
      [`${name}Hits`]: hits,
      [`${name}Both`]: hits.filter(([a, b]) => a && b).length,
    });
  }
  return result;
}

// ---- valid ---------------------------------------------------------------------------------------

/** Whether a state from outside, such as an address, can be drawn. */
function valid({ sentence, step, tried }) {
  const pairs = new Set(tried.map((text) => both(text).sort().join()));
  return (
    [sentence, ...tried].every(isSentence) &&
    TRAINED.includes(step) &&
    tried.length <= MOST &&
    pairs.size === tried.length
  );
}

// ---- build ---------------------------------------------------------------------------------------

const LANES = [34, 92]; // the heights of the sentence in which cat is first, and of the other one
const LEFT = 78;
const WIDE = 244; // so that a dot at either end stays within the drawing
const across = (p) => LEFT + WIDE * p;

/**
 * What one of the models says: two lanes, one for each reading of a pair, and a thread between its two
 * answers. The half of a lane that is tinted is the half in which the answer is right.
 */
function buildPanel(name) {
  const rect = (x, y, hue) =>
    make("rect", { class: `live-mirror-right ${hue}`, x, y: y - 24, width: WIDE / 2, height: 48 });
  const word = (x, y, look, words) => make("text", { class: `live-label ${look}`, x, y }, words);
  const half = across(0.5);
  const threads = range(MOST).map(() => make("line", { class: "live-mirror-thread live-old" }));
  const thread = make("line", { class: "live-mirror-thread" });
  const dots = LANES.map((y, i) => {
    const number = make("text", { class: "live-label live-mirror-digits", y: -11 });
    const circle = make("circle", { r: 8 });
    return {
      group: make("g", { class: `live-mirror-dot ${CAT_FISH[i]}` }, circle, number),
      number,
      y,
    };
  });
  const svg = make(
    "svg",
    { viewBox: "0 0 334 136", class: "live-mirror-lanes", role: "img" },
    rect(half, LANES[0], CAT_FISH[0]),
    rect(LEFT, LANES[1], CAT_FISH[1]),
    make("line", { class: "live-axis", x1: half, x2: half, y1: 10, y2: 116 }),
    LANES.map((y) => make("line", { class: "live-axis", x1: LEFT, x2: LEFT + WIDE, y1: y, y2: y })),
    word(0, LANES[0] + 4, "", "cat is first"),
    word(0, LANES[1] + 4, "", "fish is first"),
    word(LEFT, 131, "", "← says fish"),
    set(word(LEFT + WIDE, 131, "", "says cat →"), { "text-anchor": "end" }),
    threads,
    thread,
    dots.map(({ group }) => group),
  );
  const whole = make("b", { "data-shows": `${name}Both` });
  const count = make("b", { "data-shows": "count" });
  const score = make("div");
  const head = div("live-mirror-head", make("span", {}, TITLES[name]), score);
  return {
    name,
    element: div("live-mirror-panel", head, svg),
    svg,
    dots,
    thread,
    threads,
    score,
    whole,
    count,
  };
}

const CAT_FISH = ["live-orange", "live-blue"]; // as on the cards

/** The column of the pair on the tiles, or -1 if it was not tried. */
const columnOf = ({ sentence, tried }) => tried.findIndex((one) => both(one).includes(sentence));

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const tiles = tileRow(read, change, { swaps: SWAPS, shown: SHOWN });
  const turn = () => {
    const { sentence, tried } = read();
    const known = columnOf(read()) >= 0;
    tiles.reorder(range(N).reverse(), known ? {} : { tried: [...tried, sentence].slice(-MOST) });
  };
  const panels = MODELS.map(buildPanel);
  const truth = make("p", { class: "live-mirror-truth" });
  const text = (i) => `${TRAINED[i]} steps`;
  const reach = { min: 0, max: TRAINED.length - 1, step: 1, text };
  const steps = slider("trained for", reach, (i) => change({ step: TRAINED[i] }));
  const digits = toggle("Digits", (yes) => el.classList.toggle("live-mirror-precise", yes));
  const answer = messageLine();
  el.append(
    hintLine(fillIn(
      "Drag the words, tap *sees* or *and* to change one into the other, then press Mirror. A dot in a tinted half is right.",
    )),
    tiles.row,
    div("live-mirror-row", button("Mirror", turn), truth),
    div("live-mirror-panels", panels.map(({ element }) => element)),
    div("live-controls", steps.element, digits, button("Back to start", () => change(first))),
    answer,
  );
  return { tiles, panels, truth, steps, answer };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw({ tiles, panels, truth, steps, answer }, state, result, { hidden }) {
  const at = columnOf(state);
  tiles.put(state.sentence.split(" "));
  write(
    truth,
    result.catFirst
      ? "Truth: cat first; mirrored: fish first."
      : "Truth: fish first; mirrored: cat first.",
  );
  for (const panel of panels) drawPanel(panel, state, result, at, hidden);
  steps.put(TRAINED.indexOf(state.step));
  write(
    answer,
    hidden ? "The answers are hidden until you have answered." : sentenceOf(result, at),
  );
}

/** What a model answers, and how many of the pairs that were tried it has right. */
function drawPanel(panel, { tried }, result, at, hidden) {
  const { name, svg, dots, thread, threads, score, whole, count } = panel;
  const answers = result.catFirst ? result[name] : [...result[name]].reverse(); // cat first, then fish first
  const own = result.catFirst ? 0 : 1;
  dots.forEach(({ group, number, y }, lane) => {
    const known = !hidden && (lane === own || at >= 0);
    const p = answers[lane];
    set(group, {
      style: `transform: translate(${across(p).toFixed(1)}px, ${y}px)`,
      visibility: known ? null : "hidden",
    });
    group.classList.toggle("live-own", lane === own);
    write(number, show(p, 6));
    set(number, { "text-anchor": p > 0.5 ? "end" : "start", x: p > 0.5 ? 8 : -8 });
  });
  putThread(thread, answers, !hidden && at >= 0);
  threads.forEach((line, k) => {
    const pair = result[`${name}Tried`][k];
    putThread(
      line,
      pair && (catFirst(tried[k]) ? pair : [...pair].reverse()),
      !hidden && pair && k !== at,
    );
  });
  set(svg, { "aria-label": hidden ? _("hidden") : labelOf(result, name, at) });
  write(whole, hidden ? "?" : String(result[`${name}Both`]));
  write(count, String(result.count));
  tell(score, result.count ? "both right: {whole} of {count}" : "", { whole, count });
}

/** A line between the two answers of a pair. */
function putThread(line, answers, seen) {
  set(line, { visibility: seen ? null : "hidden" });
  if (!seen) return;
  const [x1, x2] = answers.map((p) => across(p).toFixed(1));
  set(line, { x1, x2, y1: LANES[0], y2: LANES[1] });
}

/** What a panel shows, in words. */
function labelOf(result, name, at) {
  const truth = [result.catFirst, !result.catFirst];
  const [one, other] = result[name].map((p, i) => verdictOf(p > 0.5, truth[i]));
  return at < 0 ? `The sentence: ${one}.` : `The sentence: ${one}. The mirror: ${other}.`;
}

/** What an answer says, and whether that is right. */
function verdictOf(saysCat, catFirst) {
  if (saysCat) return catFirst ? "cat first: right" : "cat first: wrong";
  return catFirst ? "fish first: wrong" : "fish first: right";
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says aloud: the words of the sentence, and what it says of the answers. */
const speak = ({ sentence }, _result, { answer }) =>
  `${shownWords(sentence).join(" ")}. ${answer.textContent}`;

/** What the figure says in words. */
function sentenceOf(result, at) {
  if (at < 0) {
    return "Press Mirror to read this sentence backwards: a thread joins the two answers.";
  }
  const [blind, seeing] = MODELS.map(
    (name) => result[`${name}Hits`][at].filter((hit) => hit).length,
  );
  return `Right in this pair: ${blind} of 2 without positions, ${seeing} of 2 with positions.`;
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
