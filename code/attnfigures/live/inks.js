// Two inks: how strongly a model depends on each word of a sentence, and how well its answers give
// each word back.
const MOST = 16; // words, numbers and questions
const LEAST = 0.5; // the smallest ρ
const LEAD = 5; // how far the right key is ahead

const tokens = (text) => split(text).slice(0, MOST);

/**
 * A ring of `size` numbers, which a step turns by one and multiplies by ρ, and into which the first
 * `written` of n words are written. Words share a number if their positions differ by a multiple of
 * `size`. The answers are the numbers that hold the first `asked` words; each of these words gets
 * its share of the variance of its number.
 */
function ring({ rho, size }, n, asked, written) {
  const box = range(n).map((t) => t % size);
  const influence = range(n).map((t) => (t < written ? rho ** (written - 1 - t) : 0));
  const variance = range(size).map((i) =>
    total(influence.filter((_x, t) => box[t] === i).map((g) => g * g))
  );
  const recovery = influence.map((g, t) => (box[t] < asked ? (g * g) / variance[box[t]] : 0));
  return { influence, recovery, kept: size, box };
}

const MODELS = {
  recurrent: (state, n, asked) => ring(state, n, asked, n),
  gated: (state, n, asked) => ring(state, n, asked, asked), // only what will be asked for is written

  /**
   * A query for each question: weight a on its word, b on the others, so M = [(a − b) I, 0] + b 11ᵀ.
   * Then M Mᵀ is αI + β11ᵀ, with the inverse (I − β/(α + Tβ) 11ᵀ)/α.
   */
  attention(_x, n, asked) {
    const [a, b = 0] = softmax(range(n).map((t) => (t ? 0 : LEAD)));
    const lead = a - b;
    const alpha = lead * lead;
    const beta = 2 * b * lead + n * b * b;
    const explained = (square, sum) =>
      (square - (beta / (alpha + asked * beta)) * sum * sum) / alpha;
    const own = explained(alpha + 2 * lead * b + asked * b * b, lead + asked * b);
    const other = explained(asked * b * b, asked * b);
    const influence = range(n).map((t) =>
      Math.sqrt(t < asked ? a * a + (asked - 1) * b * b : asked * b * b)
    );
    const recovery = range(n).map((t) => (t < asked ? own : other));
    return { influence, recovery, kept: n, box: range(n).map((t) => t % asked) };
  },
};

/**
 * The words, how strongly the model depends on each, R² of each, the questions, the numbers kept,
 * boxes, and Σ R².
 */
function compute(state) {
  const words = tokens(state.text);
  const asked = state.rows === "reach" ? words.length : Math.min(state.questions, words.length);
  const inks = MODELS[state.model](state, words.length, asked);
  return { words, ...inks, asked, spent: total(inks.recovery) };
}

const counts = (x) => Number.isInteger(x) && x >= 1 && x <= MOST;

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ model, text, rho, size, questions, rows }) =>
  Object.hasOwn(MODELS, model) &&
  !/\p{Surrogate}/u.test(text) &&
  rho >= LEAST &&
  rho <= 1 &&
  counts(size) &&
  counts(questions) &&
  ["reach", "both"].includes(rows);

/** The number below a word: what is small but there does not read 0.00. */
const amount = (x) => show(x, x > 0 && x < 0.005 ? 3 : 2);

/** A sentence whose words have more or less ink, with a number below each; `put` draws it. */
function inkRow(shows) {
  const element = make("div", { class: "live-inks", role: "img" });

  function build(words) {
    const drawn = words.map((_x, t) => {
      const word = make("span", { class: "live-inked" });
      const number = make("span", { class: "live-amount", "data-shows": `${shows} ${t}` });
      return make("span", { "aria-hidden": true }, word, number);
    });
    element.replaceChildren(...drawn);
  }

  function put(words, inks, hidden, asked = 0) {
    if (element.children.length !== words.length) build(words);
    words.forEach((word, t) => {
      const [drawn, number] = element.children[t].children;
      write(drawn, word);
      // a trace is left, to see what is lost; the number below has full contrast
      const ink = (0.07 + 0.93 * (hidden ? 0 : inks[t])).toFixed(3);
      drawn.style.filter = `opacity(${ink})`;
      write(number, hidden ? "?" : amount(inks[t]));
      element.children[t].classList.toggle("live-wanted", t < asked);
    });
    const message = hidden
      ? _("hidden")
      : words.map((word, t) => `${word} ${amount(inks[t])}`).join(", ");
    set(element, { "aria-label": message });
  }

  return { element, put };
}

/**
 * A box for each answer, filled by the words that it gives back; dashed if it only repeats other
 * answers.
 */
function answerBar() {
  const svg = make("svg", { class: "live-budget", role: "img", preserveAspectRatio: "none" });

  function pieces({ recovery, box }) {
    const filled = range(MOST);
    const drawn = [];
    recovery.forEach((width, t) => {
      if (!width) return;
      const hue = filled[box[t]] > box[t] ? "live-sky" : "live-blue";
      drawn.push(
        make("rect", { class: `live-piece ${hue}`, x: filled[box[t]], width, y: 0, height: 1 }),
      );
      filled[box[t]] += width;
    });
    return drawn;
  }

  function put(result, hidden) {
    const { asked, kept } = result;
    const boxes = range(asked).map((i) => {
      const look = i < kept ? "live-box" : "live-short";
      return make("rect", { class: look, x: i + 0.03, width: 0.94, y: 0, height: 1 });
    });
    set(svg, { viewBox: `0 0 ${MOST} 1`, "aria-label": answers(asked) });
    svg.replaceChildren(...(hidden ? [] : pieces(result)), ...boxes);
  }

  return { svg, put };
}

const answers = (asked) => (asked === 1 ? "1 answer" : `${asked} answers`);

/** Puts all elements into `el`, and returns those that change. */
function build({ el, change, first }) {
  const controls = buildControls(change);
  const [titleA, titleB] = [1, 2].map(() => div("live-title"));
  const A = inkRow("influence");
  const B = inkRow("recovery");
  const bar = answerBar();
  const spent = make("span", { "data-shows": "spent" });
  const below = make("p", { class: "live-spent live-second" });
  const message = messageLine();
  const { kind, rho, size, questions, typed } = controls;
  const hint = hintLine();
  const ofBoth = [titleB, B.element, bar.svg, size.element, questions.element];
  ofBoth.forEach((part) => part.classList.add("live-second"));
  el.append(
    hint,
    titleA,
    A.element,
    titleB,
    B.element,
    bar.svg,
    div(
      "live-controls",
      div("live-sliders", rho.element, size.element),
      questions.element,
      kind.element,
      button("Back to start", () => change(first)),
    ),
    set(control(`your sentence, up to ${MOST} words`, typed, typed.id), {
      class: "live-control live-wide live-second",
    }),
    below,
    message,
  );
  return { el, controls, hint, titleA, titleB, A, B, bar, spent, below, message };
}

/** The model, its numbers, the questions, and the sentence. */
function buildControls(change) {
  const named = {
    recurrent: "recurrent, one state",
    gated: "recurrent, told what will be asked",
    attention: _("attention"),
  };
  const share = { min: LEAST, max: 1, step: 0.01, text: (x) => show(x) };
  const whole = { min: 1, max: MOST, step: 1, text: String };
  const sized = fillIn("state size, d{h}", { h: make("sub", {}, "h") });
  const typed = make("input", {
    type: "text",
    id: newId(),
    class: "live-text",
    maxlength: 150,
    autocomplete: "off",
    oninput: () => change({ text: typed.value }),
  });
  return {
    kind: choice(_("model"), named, (model) => change({ model })),
    rho: slider("kept per step, ρ", share, (rho) => change({ rho })),
    size: slider(sized, whole, (size) => change({ size })),
    questions: slider(_("questions"), whole, (questions) => change({ questions })),
    typed,
  };
}

/** Writes a state and what `compute` returns for it into the elements. */
function draw(parts, state, result, { hidden }) {
  const { el, controls, hint, titleA, titleB, A, B, bar, spent, below } = parts;
  el.classList.toggle("live-one-word", state.rows === "reach");
  drawControls(controls, state, result);
  write(hint, hintText(state));
  write(titleA, titleText(state));
  write(
    titleB,
    "B. How well the answers give back each word, R². Asked for: the underlined words",
  );
  A.put(result.words, result.influence, hidden);
  B.put(result.words, result.recovery, hidden, result.asked);
  bar.put(result, hidden);
  write(spent, hidden ? "?" : show(result.spent));
  tell(
    below,
    result.asked === 1
      ? "One answer, one number: row B adds up to {spent}."
      : "{asked} answers, one number each: row B adds up to {spent}.",
    { spent, asked: String(result.asked) },
  );
}

function hintText({ rows }) {
  return rows === "reach"
    ? "Move ρ, and turn the first word black. Then choose attention."
    : "Turn every word in row A black, then every word in row B. Then ask one question only: what can its answer carry, in each model?";
}

function titleText({ model, rows }) {
  if (rows === "reach") {
    return model === "attention"
      ? "How strongly the answers depend on each word"
      : "How strongly the last state depends on each word";
  }
  return model === "attention"
    ? "A. How strongly the answers depend on each word"
    : "A. How strongly the last state depends on each word";
}

function drawControls({ kind, rho, size, questions, typed }, state, { words, asked }) {
  const inputOf = ({ element }) => element.querySelector("input");
  kind.put(state.model);
  rho.put(state.rho);
  size.put(state.size);
  for (const one of [rho, size]) inputOf(one).disabled = state.model === "attention";
  set(inputOf(questions), { max: words.length });
  questions.put(asked);
  if (typed.value !== state.text) typed.value = state.text;
}

/** What the figure says in words. */
function speak(state, { words, influence, asked, kept }, { hidden }) {
  if (hidden) return "Both inks are hidden until you have answered.";
  const reach = state.rows === "reach";
  if (state.model === "attention" && reach) {
    return "Attention keeps every word, and each is one step away: all of them count alike.";
  }
  if (state.model === "attention") {
    return "Attention keeps every word and looks for each with a query of its own, once the question is known. Every further answer carries one more number.";
  }
  const last = state.model === "gated" ? asked : words.length;
  const written = words.slice(0, last);
  const repeated = reach ? 0 : asked - kept;
  return paragraph(distance(state, written, influence), ...repetition(repeated, kept));
}

/** That answers repeat each other, and why, if there are more of them than numbers in the state. */
function repetition(repeated, kept) {
  if (repeated <= 0) return [];
  return [
    repeated === 1
      ? "One answer only repeats what others say."
      : `${repeated} answers only repeat what others say.`,
    kept === 1 ? "The state has one number." : `The state has ${kept} numbers.`,
  ];
}

/** How much less the first of the words that were written counts than the last. */
function distance({ rho }, written, influence) {
  const short = (word) => (word.length > 12 ? `${word.slice(0, 11)}…` : word);
  const [start, end] = [written[0], written.at(-1)].map((word) => `“${short(word)}”`);
  if (written.length === 1) return `The state holds ${start} alone.`;
  const back = written.length === 2 ? "1 step back" : `${written.length - 1} steps back`;
  return rho === 1
    ? `${start}, ${back}, counts as much as ${end}.`
    : `${start}, ${back}, counts ${tiny(influence[0])} times as much as ${end}.`;
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
