// How far a recurrent state reaches back: each word stands as high as what is left of it.
const MOST = 16; // words
const RHO = [0.5, 1.1]; // the smallest ρ and the largest
const LEAD = 5; // how far the right key is ahead
const CEILING = 2.6; // what is higher leaves the drawing
const MODELS = ["recurrent", "attention"];

// ---- compute -------------------------------------------------------------------------------------

/**
 * The words, and how strongly the model depends on each. In a recurrent model, word t has gone
 * through n − 1 − t steps. In attention each of n queries looks for one of the n keys, which is ahead
 * of the others: how strongly the answers depend on a word is the norm of its column of weights.
 */
function compute({ model, text, rho }) {
  const words = split(text).slice(0, MOST);
  const n = words.length;
  if (model === "recurrent") return { words, influence: words.map((_x, t) => rho ** (n - 1 - t)) };
  const scores = range(n).map((j) => (j === 0 ? LEAD : 0)); // of the query that looks for key 0
  const [ahead, other = 0] = softmax(scores);
  const norm = Math.sqrt(ahead ** 2 + (n - 1) * other ** 2);
  return { words, influence: words.map(() => norm) };
}

// ---- valid ---------------------------------------------------------------------------------------

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ model, text, rho }) =>
  MODELS.includes(model) && isReadable(text) && rho >= RHO[0] && rho <= RHO[1];

const shape = ({ text }) => split(text).slice(0, MOST).length;

const SNAP = 0.06; // so near to 1, nothing fades

/** The ρ for which `amount` is left after so many steps. */
function factorFor(amount, steps) {
  if (Math.abs(amount - 1) < SNAP) return 1;
  return clamp(thousandth(Math.max(amount, 0) ** (1 / steps)), ...RHO);
}

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const titles = [
    "How strongly the last state depends on each word",
    "How strongly the answers depend on each word",
  ].map((text) => div("live-title", text));
  const title = stack(...titles);
  const words = range(shape(first)).map(buildWord);
  const knob = buildKnob(read, change);
  words[0].element.append(knob);
  words.forEach((word, t) => lift(word.name, word, words.length - 1 - t, read, change));
  lift(knob, words[0], words.length - 1, read, change);
  const row = make("div", { class: "live-fade", role: "group" }, words.map((word) => word.element));
  const other = button("Attention", () => {
    change({ model: MODELS.find((model) => model !== read().model) });
  });
  const message = messageLine();
  el.append(
    hintLine(
      "Drag the first word up. When does it count as much as the last, and what happens above that? Then try attention.",
    ),
    set(title.element, { class: "live-stack live-fade-title" }),
    row,
    div("live-controls", other, button("Back to start", () => change(first))),
    message,
  );
  nod(el);
  return { title, titles, row, words, knob, other, message };
}

/** A word on its column; how much is left of it is written below the column. */
function buildWord(_x, t) {
  const column = make("span", { class: "live-fade-column" });
  const name = make("span", { class: "live-fade-name", "aria-hidden": "true" });
  const amount = make("span", {
    class: "live-fade-amount",
    "data-shows": `influence ${t}`,
    "aria-hidden": "true",
  });
  return {
    element: make("span", { class: "live-fade-word" }, column, name, amount),
    column,
    name,
    amount,
  };
}

/** The knob on the first column. */
function buildKnob(read, change) {
  const [min, max] = RHO;
  const knob = grip("kept per step, ρ", "↕", (dx, dy) => {
    change({ model: "recurrent", rho: clamp(hundredth(read().rho + (dx + dy) / 100), min, max) });
  });
  return set(knob, { "aria-valuemin": min, "aria-valuemax": max });
}

/** Lets a pointer lift a word, which is so many steps back, by its name or by its knob. */
function lift(target, { element, column, name }, steps, read, change) {
  if (!steps) return;
  draggable(target, SCREEN, (_x, y) => {
    const above = target === name ? name.offsetHeight / 2 : 0; // the middle of a word is above its column
    const unit = parseFloat(getComputedStyle(element).getPropertyValue("--unit"));
    const amount = (column.getBoundingClientRect().bottom - y - above) / unit;
    change({ model: "recurrent", rho: factorFor(amount, steps) });
  });
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw({ title, titles, row, words, knob, other }, state, result, { hidden }) {
  const attention = state.model === "attention";
  title.show(titles[Number(attention)]);
  row.toggleAttribute("data-held", row.dataset.model === state.model); // no column lags behind a hand
  set(row, { "data-model": state.model, "aria-label": hidden ? _("hidden") : spoken(result) });
  words.forEach((word, t) => drawWord(word, result.words[t], result.influence[t], hidden));
  set(knob, {
    "aria-valuenow": state.rho,
    "aria-valuetext": attention ? _("attention") : `ρ = ${show(state.rho, 3)}`,
  });
  set(other, { "aria-pressed": attention });
}

const spoken = ({ words, influence }) =>
  words.map((word, t) => `${word} ${amountText(influence[t])}`).join(", ");

/** What is small but there does not read 0.00. */
const amountText = (x) => show(x, x < 0.005 ? 4 : 2);

function drawWord({ element, name, amount }, word, left, hidden) {
  const seen = hidden ? 0 : left;
  write(name, word);
  write(amount, hidden ? "?" : amountText(left));
  element.style.setProperty("--left", Math.min(seen, CEILING).toFixed(3));
  // a trace stays, to see what is lost
  element.style.setProperty("--ink", (0.1 + 0.9 * Math.min(seen, 1)).toFixed(3));
  element.toggleAttribute("data-more", seen > 1);
  element.toggleAttribute("data-beyond", seen > CEILING);
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words. */
function speak({ model, rho }, { words, influence }, { hidden }) {
  if (hidden) return "What is left of the words is hidden until you have answered.";
  if (model === "attention") {
    const all = show(influence[0]);
    return `Attention keeps every word one step away. All count alike: ${all}, nearly all of it in the answer that asks for the word.`;
  }
  const [start, end] = [words[0], words.at(-1)].map(quoted);
  if (words.length === 1) return `The state holds ${start} alone.`;
  const back = words.length === 2 ? "1 step back" : `${words.length - 1} steps back`;
  if (rho === 1) return `ρ = 1: ${start}, ${back}, counts as much as ${end}.`;
  return `ρ = ${show(rho, 3)}: ${start}, ${back}, counts ${
    tiny(influence[0])
  } times as much as ${end}.`;
}

const quoted = (word) => `“${clipped(word)}”`;

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid, shape };
