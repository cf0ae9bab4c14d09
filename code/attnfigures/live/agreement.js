// A query in a trained head: the place of a verb asks, the words before it answer, and their values
// say is or are. The head after several numbers of training steps, in thousandths, is the constant
// `members`, which files.py puts in front.
const NOUNS = ["key", "cabinet", "letter", "door"];
const PLURALS = NOUNS.map((noun) => `${noun}s`);
const WORDS = [...NOUNS, ...PLURALS, "the", "old", "to", "near", "…"];
const D = 16;
const REACH = 5;
const TRAINED = members.map(({ steps }) => steps);
const FRAMES =
  "the keys to the cabinet, the old keys near the doors, the letter near the doors to the cabinets"
    .split(
      ", ",
    );
const NOUN = `(?:${NOUNS.join("|")})s?`;
const SENTENCE = new RegExp(
  `^the (?:old ${NOUN}|${NOUN}(?: (?:to|near) the ${NOUN})?) (?:to|near) the ${NOUN}$`,
);
const MOST = 8; // words

const rowsOf = (numbers, columns) =>
  range(numbers.length / columns).map((i) => numbers.slice(i * columns, (i + 1) * columns));
const wave = (t) =>
  range(D).map((c) => [Math.sin, Math.cos][c % 2](t * 10000 ** ((-2 * (c >> 1)) / D)));

/**
 * The query of the verb, keys, weights and values of the words before it, and what arrives without
 * the word `taken`.
 */
function compute({ sentence, steps, taken }) {
  const numbers = members.find((one) => one.steps === steps).weights.map((x) => x / 1000);
  const embed = rowsOf(numbers, D).slice(0, WORDS.length);
  const [W_Q, W_K, W_V] = range(3).map((k) =>
    rowsOf(numbers.slice(WORDS.length * D + 2 * D * k), 2).slice(0, D)
  );
  const X = [...sentence.split(" "), "…"].map((word, t) =>
    embed[WORDS.indexOf(word)].map((x, c) => x + wave(t)[c])
  );
  const before = X.slice(0, -1);
  const [query] = matmul(X.slice(-1), W_Q);
  const keys = matmul(before, W_K);
  const V = matmul(before, W_V);
  const weights = softmax(keys.map((key) => dot(query, key) / Math.sqrt(2)));
  const left = V.map((row, j) => row.map((x) => (j === taken ? 0 : x)));
  const [arrives] = matmul([weights], left);
  return {
    query,
    keys,
    weights,
    speaks: left.map(([is, are]) => are - is),
    arrives,
    are: arrives[1] > arrives[0],
  };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ sentence, steps, taken }) =>
  SENTENCE.test(sentence) &&
  TRAINED.includes(steps) &&
  Number.isInteger(taken) &&
  taken >= -1 &&
  taken < sentence.split(" ").length;

const isNoun = (word) => WORDS.indexOf(word) < 2 * NOUNS.length;
const isPlural = (word) => PLURALS.includes(word);
const flipped = (word) => (isPlural(word) ? word.slice(0, -1) : `${word}s`);
const hueOf = (words, i) =>
  isNoun(words[i]) ? HUES[words.slice(0, i).filter(isNoun).length] : "live-ink";

const pattern = (text) =>
  text
    .split(" ")
    .map((word) => (isNoun(word) ? "…" : word))
    .join(" ");

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const space = buildSpace();
  const table = buildTable(read, change);
  const answer = buildAnswer();
  const patterns = Object.fromEntries(FRAMES.map((text, i) => [i, pattern(text)]));
  const frame = choice(
    _("sentence"),
    patterns,
    (i) => change({ sentence: FRAMES[i], taken: -1 }),
  );
  const reach = { min: 0, max: TRAINED.length - 1, step: 1, text: (k) => String(TRAINED[k]) };
  const trained = slider("steps of training", reach, (k) => change({ steps: TRAINED[k] }));
  const reset = button("Back to start", () => change(first));
  const controls = div("live-controls", frame.element, trained.element, reset);
  const message = messageLine();
  el.append(
    hintLine(
      "Click a noun: which one does the verb follow? Click a weight to take its value away.",
    ),
    answer.element,
    div(
      "live-planes live-lean",
      div("live-reading", table.element, controls, message),
      space.element,
    ),
  );
  return { space, table, answer, frame, trained, message };
}

const WIDE = 700; // of a figure that has room for the plane beside the table, in pixels

/**
 * The plane of the query, with a key for each word: open from the beginning beside the table; below
 * it, where it would push the rest off the screen, closed until a reader asks for it.
 */
function buildSpace() {
  const title = "The query, and a key per word";
  const { svg, px } = plane(title, REACH);
  const element = make(
    "details",
    { class: "live-agreement-space" },
    make("summary", { class: "live-title" }, title),
    div("live-plane", svg),
  );
  const first = new ResizeObserver(() => {
    const figure = element.closest(".live-figure");
    if (!figure?.clientWidth) return;
    element.open = figure.clientWidth >= WIDE;
    first.disconnect();
  });
  first.observe(element);
  const [x1, y1] = px([0, 0]);
  const ray = make("line", { class: "live-ray live-ink", x1, y1 });
  const points = range(MOST).map(() => {
    const letter = make("text", { class: "live-label", x: 9, y: 4 });
    const looks = [mark(0, 8), mark(1, 8), mark(2, 8), make("circle", { r: 3.5 })];
    const shapes = looks.map((look) => make("g", {}, look));
    return { letter, shapes, point: make("g", {}, shapes, letter) };
  });
  svg.append(ray, ...points.map(({ point }) => point)); // no line runs through a name
  return { element, px, ray, points };
}

/** A row for each word: its weight, a click on which takes the word away, and what its value says. */
function buildTable(read, change) {
  const flip = (i) => {
    const words = read().sentence.split(" ");
    change({ sentence: words.map((word, j) => (j === i ? flipped(word) : word)).join(" ") });
  };
  const toggleTaken = (i) => change({ taken: read().taken === i ? -1 : i });
  const rows = range(MOST).map((i) => buildRow(() => flip(i), () => toggleTaken(i)));
  const heading = [_("word"), _("weight"), "is ← → are"].map((text) =>
    make("th", { scope: "col" }, text)
  );
  const element = make(
    "table",
    { class: "live-agreement-table" },
    make("thead", {}, make("tr", {}, heading)),
    make("tbody", {}, rows.map((row) => row.element)),
  );
  return { element, rows };
}

function buildRow(flip, takeAway) {
  const word = button("", flip);
  const weight = make("span");
  const bar = make("span", { class: "live-bar" });
  const take = make(
    "button",
    { type: "button", class: "live-button live-share", onclick: takeAway },
    bar,
    weight,
  );
  const speaks = make("span");
  const whole = make("span");
  const counted = make("span", { class: "live-agreement-counted" });
  const side = make("span", { class: "live-agreement-side" }, whole, counted);
  const element = make(
    "tr",
    {},
    make("th", { scope: "row" }, word),
    make("td", {}, take),
    make("td", { class: "live-agreement-speaks" }, side, speaks),
  );
  return { element, word, take, weight, bar, speaks, whole, counted };
}

/** What the head says, and what arrives. */
function buildAnswer() {
  const [is, are] = [0, 1].map((k) => make("b", { "data-shows": `arrives ${k}` }));
  const says = make("strong");
  const arrives = make("span", {}, fillIn("What arrives: is {is}, are {are}", { is, are }));
  const element = make("p", { class: "live-agreement-says" }, says, arrives);
  return { element, says, is, are };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw({ space, table, answer, frame, trained }, state, result, { hidden }) {
  const words = state.sentence.split(" ");
  drawSpace(space, words, result);
  table.element.style.setProperty("--taller", MOST / words.length);
  table.rows.forEach((row, i) => drawRow(row, i, words, state, result, hidden));
  frame.put(FRAMES.findIndex((text) => pattern(text) === pattern(state.sentence)));
  trained.put(TRAINED.indexOf(state.steps));
  const [is, are] = result.arrives.map((x) => show(x, DIGITS));
  write(answer.is, hidden ? "?" : is);
  write(answer.are, hidden ? "?" : are);
  write(answer.says, `${state.sentence} ${hidden ? "…" : verbOf(result)}`);
}

const DIGITS = 1; // behind the point; the weights of the head are rounded too
const NARROW = 0.5; // a lead that says more of rounding than of the noun

/** Whether what arrives is the same for both verbs, as it is shown. */
const isTie = ({ arrives: [is, are] }) => show(is, DIGITS) === show(are, DIGITS);

function verbOf(result) {
  if (isTie(result)) return "…";
  return result.are ? "are" : "is";
}

function drawSpace({ px, ray, points }, words, { query, keys }) {
  const long = Math.max(...query.map(Math.abs)) / (0.92 * REACH);
  const [x2, y2] = px(query.map((x) => x / Math.max(1, long))).map((c) => c.toFixed(1));
  set(ray, { x2, y2 });
  const heights = labelHeights(words, keys.map((key) => px(key)[1]));
  points.forEach(({ point, shapes, letter }, i) => {
    set(point, { visibility: i < words.length ? "visible" : "hidden" });
    if (i >= words.length) return;
    const [x, y] = px(keys[i].map((c) => clamp(c, -REACH, REACH)));
    const hue = hueOf(words, i);
    const shape = hue === "live-ink" ? 3 : HUES.indexOf(hue);
    const place = `translate(${x.toFixed(1)} ${y.toFixed(1)})`;
    set(point, { class: `live-agreement-key ${hue}`, transform: place });
    shapes.forEach((one, k) => set(one, { visibility: k === shape ? "visible" : "hidden" }));
    write(letter, isNoun(words[i]) ? words[i] : "");
    const leftmost = words.every((word, j) => !isNoun(word) || keys[i][0] <= keys[j][0]);
    const left = x > 220 || (x > 70 && leftmost);
    set(letter, {
      "text-anchor": left ? "end" : "start",
      x: left ? -11 : 11,
      y: (heights[i] - y + 4).toFixed(1),
    });
  });
}

/** Where the names of the nouns stand, none upon another: at the height of the key, or lower. */
function labelHeights(words, heights) {
  const placed = words.map(() => 0);
  const nouns = range(words.length)
    .filter((i) => isNoun(words[i]))
    .sort((a, b) => heights[a] - heights[b]);
  let last = -99;
  for (const i of nouns) {
    last = Math.max(heights[i], last + 15);
    placed[i] = last;
  }
  return placed;
}

function drawRow(
  { element, word, take, weight, bar, speaks, whole, counted },
  i,
  words,
  state,
  result,
  hidden,
) {
  const there = i < words.length;
  set(element, { class: there ? hueOf(words, i) : "live-agreement-none" });
  set(weight, { "data-shows": there ? `weights ${i}` : null });
  set(speaks, { "data-shows": there ? `speaks ${i}` : null });
  if (!there) return;
  const noun = isNoun(words[i]);
  write(word, words[i]);
  word.disabled = !noun;
  set(word, { "aria-label": noun ? `${words[i]}: change to ${flipped(words[i])}` : words[i] });
  const amount = hidden ? "?" : show(result.weights[i]);
  write(weight, amount);
  set(bar, { style: `--share: ${hidden ? 0 : result.weights[i].toFixed(3)}` });
  write(speaks, hidden ? "?" : show(result.speaks[i], DIGITS));
  const most = Math.max(...result.speaks.map(Math.abs), 1e-9);
  const taken = state.taken === i;
  const share = hidden ? 0 : result.speaks[i] / most;
  set(whole, fromTheMiddle(share));
  set(counted, fromTheMiddle(taken ? 0 : share * result.weights[i]));
  const act = taken
    ? `put back the value of ${words[i]}, word ${i + 1}`
    : `take away the value of ${words[i]}, word ${i + 1}`;
  set(take, { "aria-pressed": taken, "aria-label": `${amount}: ${act}` });
}

/** The style of a bar that goes from the middle to the left or right, by a share of the half from -1 to 1. */
function fromTheMiddle(share) {
  const left = Math.min(50, 50 + 50 * share);
  const width = Math.abs(50 * share);
  return { style: `left: ${left.toFixed(1)}%; width: ${width.toFixed(1)}%` };
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words. */
function speak(state, result, { hidden }) {
  if (hidden) return "Weights and answer are hidden until you have answered.";
  if (isTie(result)) return "A toss-up: what arrives does not choose between is and are.";
  const { sentence, taken } = state;
  const words = sentence.split(" ");
  const subject = words.find(isNoun);
  const right = result.are === isPlural(subject);
  if (taken < 0) {
    return right
      ? `The verb agrees with “${subject}”.`
      : `The verb does not agree with “${subject}”.`;
  }
  const word = words[taken];
  const [is, are] = result.arrives;
  const lead = Math.abs(are - is);
  if (lead < NARROW) {
    const leads = show(lead, DIGITS);
    return `Without the value of “${word}” the verb “${verbOf(result)}” leads by only ${leads}.`;
  }
  const whole = compute({ ...state, taken: -1 });
  if (whole.are === result.are && !isTie(whole)) {
    return right
      ? `With or without the value of “${word}” the verb agrees with “${subject}”.`
      : `With or without the value of “${word}” the verb does not agree with “${subject}”.`;
  }
  return right
    ? `Without the value of “${word}” the verb agrees with “${subject}”.`
    : `Without the value of “${word}” the verb does not agree with “${subject}”.`;
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
