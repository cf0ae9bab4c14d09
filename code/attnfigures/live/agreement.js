// A query in a trained head: the place of a verb asks, the words before it answer, and their values say is or are.
// The head after several numbers of training steps, in thousandths, is the constant `head`, which files.py puts in front.
const NOUNS = ["key", "cabinet", "letter", "door"], PLURALS = NOUNS.map((noun) => `${noun}s`);
const WORDS = [...NOUNS, ...PLURALS, "the", "old", "to", "near", "…"], D = 16, REACH = 5, TRAINED = head.map(({ steps }) => steps);
const FRAMES = "the keys to the cabinet, the old keys near the doors, the letter near the doors to the cabinets".split(", ");
const NOUN = `(?:${NOUNS.join("|")})s?`;
const SENTENCE = new RegExp(`^the (?:old ${NOUN}|${NOUN}(?: (?:to|near) the ${NOUN})?) (?:to|near) the ${NOUN}$`);
const MOST = 8; // words

const rowsOf = (numbers, columns) => range(numbers.length / columns).map((i) => numbers.slice(i * columns, (i + 1) * columns));
const wave = (t) => range(D).map((c) => [Math.sin, Math.cos][c % 2](t * 10000 ** (-2 * (c >> 1) / D)));

/** The query of the verb, keys, weights and values of the words before it, and what arrives without the word `taken`. */
function compute({ sentence, steps, taken }) {
  const numbers = head.find((one) => one.steps === steps).weights.map((x) => x / 1000);
  const embed = rowsOf(numbers, D).slice(0, WORDS.length);
  const [W_Q, W_K, W_V] = range(3).map((k) => rowsOf(numbers.slice(WORDS.length * D + 2 * D * k), 2).slice(0, D));
  const X = [...sentence.split(" "), "…"].map((word, t) => embed[WORDS.indexOf(word)].map((x, c) => x + wave(t)[c]));
  const before = X.slice(0, -1), [query] = matmul(X.slice(-1), W_Q), keys = matmul(before, W_K), V = matmul(before, W_V);
  const weights = softmax(keys.map((key) => dot(query, key) / Math.sqrt(2)));
  const left = V.map((row, j) => row.map((x) => (j === taken ? 0 : x))), [arrives] = matmul([weights], left);
  return { query, keys, weights, speaks: left.map(([is, are]) => are - is), arrives, are: arrives[1] > arrives[0] };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ sentence, steps, taken }) => SENTENCE.test(sentence) && TRAINED.includes(steps)
  && Number.isInteger(taken) && taken >= -1 && taken < sentence.split(" ").length;

const isNoun = (word) => WORDS.indexOf(word) < 2 * NOUNS.length;
const isPlural = (word) => PLURALS.includes(word);
const flipped = (word) => (isPlural(word) ? word.slice(0, -1) : `${word}s`);
const hueOf = (words, i) => (isNoun(words[i]) ? HUES[words.slice(0, i).filter(isNoun).length] : "live-ink");

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read();
  const flip = (i) => change({ sentence: read().sentence.split(" ").map((word, j) => (j === i ? flipped(word) : word)).join(" ") });

  const space = plane("The query, and a key per word", REACH), [x1, y1] = space.px([0, 0]);
  const ray = make("line", { class: "live-ray live-ink", x1, y1 });
  const points = range(MOST).map((i) => {
    const letter = make("text", { class: "live-label", x: 9, y: 4 });
    const shapes = range(4).map((k) => make("g", {}, k < 3 ? mark(k, 8) : make("circle", { r: 3.5 })));
    return { letter, shapes, point: make("g", {}, shapes, letter) };
  });
  space.svg.append(ray, ...points.map(({ point }) => point)); // no line runs through a name

  const lines = range(MOST).map((i) => {
    const word = button("", () => flip(i)), take = button("", () => change({ taken: read().taken === i ? -1 : i }));
    const weight = make("span"), bar = make("span", { class: "live-bar" }), speaks = make("span");
    const side = make("span", { class: "live-agreement-side" }, make("span"));
    const row = make("tr", {}, make("th", { scope: "row" }, word), make("td", { class: "live-share" }, bar, weight),
      make("td", { class: "live-agreement-speaks" }, side, speaks), make("td", {}, take));
    return { row, word, take, weight, bar, speaks, side };
  });
  const heading = make("tr", {}, [_("word"), _("weight"), "is ← → are", ""].map((text) => make(text ? "th" : "td", text ? { scope: "col" } : {}, text)));
  const table = make("table", { class: "live-agreement-table" }, make("thead", {}, heading), make("tbody", {}, lines.map(({ row }) => row)));
  const [is, are] = [0, 1].map((k) => make("b", { "data-shows": `arrives ${k}` })), says = make("strong");
  const answer = make("p", { class: "live-agreement-says" }, says, make("span", {}, fillIn("What arrives: is {is}, are {are}", { is, are })));

  const frame = choice(_("sentence"), Object.fromEntries(FRAMES.map((text, i) => [i, pattern(text)])),
    (i) => change({ sentence: FRAMES[i], taken: -1 }));
  const trained = slider("steps of training", { min: 0, max: TRAINED.length - 1, step: 1, text: (k) => String(TRAINED[k]) },
    (k) => change({ steps: TRAINED[k] }));
  const message = make("p", { class: "live-verdict" });
  el.append(make("p", { class: "live-hint" }, "Click a noun. Which one does the verb follow?"),
    answer, make("div", { class: "live-planes live-lean" }, make("div", { class: "live-reading" }, table), space.element),
    make("div", { class: "live-controls" }, frame.element, trained.element, button("Back to start", () => change(first))), message);
  const speak = setUp(model, el, update);

  function update() {
    const state = read(), words = state.sentence.split(" "), hidden = el.classList.contains("live-asking");
    const result = compute(state), { query, keys, weights, speaks } = result;
    const long = Math.max(...query.map(Math.abs)) / (0.92 * REACH), end = space.px(query.map((x) => x / Math.max(1, long)));
    set(ray, { x2: end[0].toFixed(1), y2: end[1].toFixed(1) });
    const most = Math.max(...speaks.map(Math.abs), 1e-9);
    const heights = labelHeights(words, keys.map((key) => space.px(key)[1]));
    points.forEach(({ point, shapes, letter }, i) => {
      set(point, { visibility: i < words.length ? "visible" : "hidden" });
      if (i >= words.length) return;
      const [x, y] = space.px(keys[i].map((c) => clamp(c, -REACH, REACH))), hue = hueOf(words, i);
      const shape = hue === "live-ink" ? 3 : HUES.indexOf(hue);
      set(point, { class: `live-agreement-key ${hue}`, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` });
      shapes.forEach((one, k) => set(one, { visibility: k === shape && i < words.length ? "visible" : "hidden" }));
      write(letter, isNoun(words[i]) ? words[i] : "");
      const left = x > 220 || (x > 70 && words.every((word, j) => !isNoun(word) || keys[i][0] <= keys[j][0]));
      set(letter, { "text-anchor": left ? "end" : "start", x: left ? -11 : 11, y: (heights[i] - y + 4).toFixed(1) });
    });
    table.style.setProperty("--taller", MOST / words.length);
    lines.forEach(({ row, word, take, weight, bar, speaks: number, side }, i) => {
      set(row, { class: i < words.length ? hueOf(words, i) : "live-agreement-none" });
      [[weight, "weights"], [number, "speaks"]].forEach(([text, name]) => set(text, { "data-shows": i < words.length ? `${name} ${i}` : null }));
      if (i >= words.length) return;
      write(word, words[i]);
      word.disabled = !isNoun(words[i]);
      set(word, { "aria-label": isNoun(words[i]) ? `${words[i]}: change to ${flipped(words[i])}` : words[i] });
      write(weight, hidden ? "?" : show(weights[i]));
      set(bar, { style: `--share: ${hidden ? 0 : weights[i].toFixed(3)}` });
      write(number, hidden ? "?" : show(speaks[i], 1));
      const share = hidden ? 0 : 50 * speaks[i] / most;
      set(side.firstChild, { style: `left: ${Math.min(50, 50 + share).toFixed(1)}%; width: ${Math.abs(share).toFixed(1)}%` });
      write(take, state.taken === i ? "put back" : "take away");
      set(take, { "aria-pressed": state.taken === i, "aria-label": state.taken === i ? `put back the value of ${words[i]}, word ${i + 1}`
        : `take away the value of ${words[i]}, word ${i + 1}` });
    });
    frame.put(FRAMES.findIndex((text) => pattern(text) === pattern(state.sentence)));
    trained.put(TRAINED.indexOf(state.steps));
    [is, are].forEach((text, k) => write(text, hidden ? "?" : show(result.arrives[k])));
    const tie = show(result.arrives[0]) === show(result.arrives[1]);
    write(says, `${state.sentence} ${hidden || tie ? "…" : result.are ? "are" : "is"}`);
    write(message, hidden ? "Weights and answer are hidden until you have answered." : tie ? "What arrives does not choose between is and are." : sentenceOf(state, words, result));
    speak(message.textContent);
  }
  update();
}

/** Where the names of the nouns stand, none upon another: at the height of the key, or lower. */
function labelHeights(words, heights) {
  let last = -99;
  const nouns = range(words.length).filter((i) => isNoun(words[i])).sort((a, b) => heights[a] - heights[b]);
  const placed = new Map(nouns.map((i) => [i, last = Math.max(heights[i], last + 15)]));
  return range(words.length).map((i) => placed.get(i) ?? 0);
}

const pattern = (text) => text.split(" ").map((word) => (isNoun(word) ? "…" : word)).join(" ");

/** What the figure says in words. */
function sentenceOf({ taken }, words, { are }) {
  const subject = words.find(isNoun), right = are === isPlural(subject), word = words[taken];
  if (taken < 0) return right ? `The verb agrees with “${subject}”.` : `The verb does not agree with “${subject}”.`;
  return right ? `Without the value of “${word}” the verb agrees with “${subject}”.`
    : `Without the value of “${word}” the verb does not agree with “${subject}”.`;
}

export default { initialize, render, compute, valid };
