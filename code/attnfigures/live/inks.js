// Two inks: how strongly a model depends on each word of a sentence, and how well its answers give each word back.
const MOST = 16, LEAST = 0.5, LEAD = 5; // words, numbers and questions; the smallest ρ; how far the right key is ahead

const tokens = (text) => split(text).slice(0, MOST);

/**
 * A ring of `size` numbers, which a step turns by one and multiplies by ρ, and into which the first `written` of n words
 * are written. Words share a number if their positions differ by a multiple of `size`. The answers are the numbers
 * that hold the first `asked` words; each of these words gets its share of the variance of its number.
 */
function ring({ rho, size }, n, asked, written) {
  const box = range(n).map((t) => t % size);
  const influence = range(n).map((t) => (t < written ? rho ** (written - 1 - t) : 0));
  const variance = range(size).map((i) => total(influence.filter((_, t) => box[t] === i).map((g) => g * g)));
  const recovery = influence.map((g, t) => (box[t] < asked ? (g * g) / variance[box[t]] : 0));
  return { influence, recovery, kept: size, box };
}

const MODELS = {
  recurrent: (state, n, asked) => ring(state, n, asked, n),
  gated: (state, n, asked) => ring(state, n, asked, asked), // only what will be asked for is written

  /**
   * A query for each question: weight a on its word, b on the others, so M = [(a − b) I, 0] + b 11ᵀ. Then M Mᵀ is
   * αI + β11ᵀ, with the inverse (I − β/(α + Tβ) 11ᵀ)/α.
   */
  attention(_, n, asked) {
    const [a, b = 0] = softmax(range(n).map((t) => (t ? 0 : LEAD)));
    const lead = a - b;
    const alpha = lead * lead;
    const beta = 2 * b * lead + n * b * b;
    const explained = (square, sum) => (square - (beta / (alpha + asked * beta)) * sum * sum) / alpha;
    const own = explained(alpha + 2 * lead * b + asked * b * b, lead + asked * b);
    const other = explained(asked * b * b, asked * b);
    const influence = range(n).map((t) => Math.sqrt(t < asked ? a * a + (asked - 1) * b * b : asked * b * b));
    const recovery = range(n).map((t) => (t < asked ? own : other));
    return { influence, recovery, kept: n, box: range(n).map((t) => t % asked) };
  },
};

/** The words, how strongly the model depends on each, R² of each, the questions, the numbers kept, boxes, and Σ R². */
function compute(state) {
  const words = tokens(state.text);
  const asked = Math.min(state.questions, words.length);
  const inks = MODELS[state.model](state, words.length, asked);
  return { words, ...inks, asked, spent: total(inks.recovery) };
}

const counts = (x) => Number.isInteger(x) && x >= 1 && x <= MOST;

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ model, text, rho, size, questions }) =>
  Object.hasOwn(MODELS, model) && !/\p{Surrogate}/u.test(text) && rho >= LEAST && rho <= 1 && counts(size) && counts(questions);

const amount = (x) => show(x, x > 0 && x < 0.005 ? 3 : 2); // what is small but there does not read 0.00

/** A sentence whose words have more or less ink, with a number below each; `put` draws it. */
function inkRow(shows) {
  const element = make("div", { class: "live-inks", role: "img" });

  function build(words) {
    const drawn = words.map((_, t) => {
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
      const ink = (0.07 + 0.93 * (hidden ? 0 : inks[t])).toFixed(3); // a trace is left, to see what is lost
      drawn.style.filter = `opacity(${ink})`; // faded on purpose: the number below has full contrast
      write(number, hidden ? "?" : amount(inks[t]));
      element.children[t].classList.toggle("live-wanted", t < asked);
    });
    const message = hidden ? _("hidden") : words.map((word, t) => `${word} ${amount(inks[t])}`).join(", ");
    set(element, { "aria-label": message });
  }

  return { element, put };
}

/** A box for each answer, filled by the words that it gives back; dashed if it only repeats other answers. */
function answerBar() {
  const svg = make("svg", { class: "live-budget", role: "img", preserveAspectRatio: "none" });

  function pieces({ recovery, box }) {
    const filled = range(MOST);
    const drawn = [];
    recovery.forEach((width, t) => {
      if (!width) return;
      const hue = filled[box[t]] > box[t] ? "live-sky" : "live-blue";
      drawn.push(make("rect", { class: `live-piece ${hue}`, x: filled[box[t]], width, y: 0, height: 1 }));
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

function render({ model, el }) {
  const [read, change] = stateOf(model);
  const first = read();
  const named = {
    recurrent: "recurrent, one state",
    gated: "recurrent, told what will be asked",
    attention: _("attention"),
  };
  const kind = choice(_("model"), named, (name) => change({ model: name }));
  const rho = slider("kept per step, ρ", { min: LEAST, max: 1, step: 0.01, text: (x) => show(x) }, (x) => change({ rho: x }));
  const whole = { min: 1, max: MOST, step: 1, text: String };
  const size = slider(fillIn("state size, d{h}", { h: make("sub", {}, "h") }), whole, (x) => change({ size: x }));
  const questions = slider(_("questions"), whole, (x) => change({ questions: x }));
  const typed = make("input", {
    type: "text",
    id: newId(),
    class: "live-text",
    maxlength: 150,
    autocomplete: "off",
    oninput: () => change({ text: typed.value }),
  });
  const own = set(control(`your sentence, up to ${MOST} words`, typed, typed.id), { class: "live-control live-wide" });
  const [titleA, titleB] = [1, 2].map(() => make("div", { class: "live-title" }));
  const A = inkRow("influence");
  const B = inkRow("recovery");
  const bar = answerBar();
  const spent = make("span", { "data-shows": "spent" });
  const below = make("p", { class: "live-spent" });
  const message = make("p", { class: "live-verdict" });
  const sliders = make("div", { class: "live-sliders" }, rho.element, size.element);
  const back = button("Back to start", () => change(first));
  el.append(
    make("p", { class: "live-hint" }, "Turn every word in row A black, then every word in row B. Then ask one question only: what can its answer carry, in each model?"),
    titleA, A.element, titleB, B.element, bar.svg,
    make("div", { class: "live-controls" }, sliders, questions.element, kind.element, back),
    own, below, message,
  );
  const speak = setUp(model, el, update);

  function update() {
    const state = read();
    const result = compute(state);
    const hidden = el.classList.contains("live-asking");
    const attends = state.model === "attention";
    kind.put(state.model);
    rho.put(state.rho);
    size.put(state.size);
    set(questions.element.querySelector("input"), { max: result.words.length });
    questions.put(result.asked);
    for (const { element } of [rho, size]) element.querySelector("input").disabled = attends;
    if (typed.value !== state.text) typed.value = state.text;
    write(titleA, attends ? "A. How strongly the answers depend on each word" : "A. How strongly the last state depends on each word");
    write(titleB, "B. How well the answers give back each word, R². Asked for: the underlined words");
    A.put(result.words, result.influence, hidden);
    B.put(result.words, result.recovery, hidden, result.asked);
    bar.put(result, hidden);
    write(spent, hidden ? "?" : show(result.spent));
    tell(below, result.asked === 1 ? "One answer, one number: row B adds up to {spent}." : "{asked} answers, one number each: row B adds up to {spent}.",
      { spent, asked: String(result.asked) });
    write(message, hidden ? "Both inks are hidden until you have answered." : sentence(state, result));
    speak(message.textContent);
  }
  update();
}

/** What the figure says in words. */
function sentence(state, { words, influence, asked, kept }) {
  const repeated = asked - Math.min(asked, kept);
  if (state.model === "attention") return "Attention keeps every word and looks for each with a query of its own, once the question is known. Every further answer carries one more number.";
  const last = state.model === "gated" ? asked : words.length;
  const carried = repeated === 0 ? "" : repeated === 1 ? "One answer only repeats what others say." : `${repeated} answers only repeat what others say.`;
  const room = repeated === 0 ? "" : kept === 1 ? "The state has one number." : `The state has ${kept} numbers.`;
  return paragraph(distance(state, words.slice(0, last), influence), carried, room);
}

/** How much less the first of the words that were written counts than the last. */
function distance({ rho }, written, influence) {
  const [start, end] = [written[0], written.at(-1)].map((word) => `“${word.length > 12 ? `${word.slice(0, 11)}…` : word}”`);
  if (written.length === 1) return `The state holds ${start} alone.`;
  const back = written.length === 2 ? "1 step back" : `${written.length - 1} steps back`;
  return rho === 1 ? `A: ${start}, ${back}, counts as much as ${end}.` : `A: ${start}, ${back}, counts ${tiny(influence[0])} times as much as ${end}.`;
}

export default { initialize, render, compute, valid };
