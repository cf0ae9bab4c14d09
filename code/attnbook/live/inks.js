// Two inks: how strongly the last state depends on each word of a sentence, and how well a reader of it recovers each.
const MOST = 16, LEAST = 0.5, LEAD = 5; // words and numbers, the smallest ρ, how far the key asked for is ahead in score
const NOISES = [0, 0.01, 0.03, 0.1, 0.3, 1]; // standard deviations

const tokens = (text) => split(text).slice(0, MOST);

/** What makes both inks of n words. The state is a ring of `size` numbers, which a step turns by one and multiplies by ρ:
 *  words share a number if their positions differ by a multiple of `size`. Attention asks for each word by itself. */
const MODELS = {
  recurrent({ rho, size, noise }, n) {
    const influence = range(n).map((t) => rho ** (n - 1 - t));
    const shared = influence.map((_, t) => total(influence.map((g, s) => ((t - s) % size ? 0 : g * g))));
    return { influence, recovery: influence.map((g, t) => (g * g) / (shared[t] + noise * noise)), kept: size };
  },
  attention({ noise }, n) {
    const rows = range(n).map((t) => softmax(range(n).map((j) => (j === t ? LEAD : 0))));
    const recovery = rows.map((row, t) => (row[t] * row[t]) / (dot(row, row) + noise * noise));
    return { influence: rows.map((row, t) => row[t]), recovery, kept: n };
  },
};

/** The words, ‖∂h_n/∂x_t‖ and R² of each, how many numbers are kept, and Σ R². */
function compute(state) {
  const words = tokens(state.text), inks = MODELS[state.model](state, words.length);
  return { words, ...inks, spent: total(inks.recovery) };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ model, text, rho, size, noise }) => Object.hasOwn(MODELS, model) && !/\p{Surrogate}/u.test(text)
  && rho >= LEAST && rho <= 1 && Number.isInteger(size) && size >= 1 && size <= MOST
  && NOISES.includes(noise);

/** A sentence whose words have more or less ink, with a number below each; `put` draws it. */
function inkRow(shows) {
  const element = make("div", { class: "live-inks", role: "img" });
  const put = (words, inks, hidden) => {
    if (element.children.length !== words.length) {
      element.replaceChildren(...words.map((_, t) => make("span", { "aria-hidden": true }, make("span",
        { class: "live-inked" }), make("span", { class: "live-amount", "data-shows": `${shows} ${t}` }))));
    }
    words.forEach((word, t) => {
      const [drawn, amount] = element.children[t].children;
      write(drawn, word);
      const ink = (0.07 + 0.93 * (hidden ? 0 : inks[t])).toFixed(3); // a trace is left, to see what is lost
      drawn.style.filter = `opacity(${ink})`; // faded on purpose: the number below has full contrast
      write(amount, hidden ? "?" : show(inks[t]));
    });
    const message = hidden ? _("hidden") : words.map((word, t) => `${word} ${show(inks[t])}`).join(", ");
    set(element, { "aria-label": message });
  };
  return { element, put };
}

/** The budget: a box for every number that is kept, filled by the words that share it, and dashed the boxes that lack. */
function budgetBar() {
  const svg = make("svg", { class: "live-budget", role: "img", preserveAspectRatio: "none" });
  const put = ({ recovery, kept }, hidden) => {
    const n = recovery.length, length = Math.max(n, kept), filled = range(kept);
    const pieces = hidden ? [] : recovery.map((width, t) => {
      const box = t % kept, x = filled[box], hue = Math.floor((n - 1 - t) / kept) % 2 ? "live-sky" : "live-blue";
      filled[box] += width;
      return make("rect", { class: `live-piece ${hue}`, x, width, y: 0, height: 1 });
    });
    const boxes = range(length).map((x) =>
      make("rect", { class: x < kept ? "live-box" : "live-short", x: x + 0.03, width: 0.94, y: 0, height: 1 }));
    set(svg, { viewBox: `0 0 ${length} 1`, "aria-label": `${kept} numbers for ${n} words` });
    svg.replaceChildren(...pieces, ...boxes);
  };
  return { svg, put };
}

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read();
  const named = { recurrent: "recurrent, one state", attention: _("attention") };
  const kind = choice(_("model"), named, (name) => change({ model: name }));
  const rho = slider("kept per step, ρ", { min: LEAST, max: 1, step: 0.01, text: (x) => show(x) },
    (x) => change({ rho: x }));
  const size = slider(fillIn("state size, d{h}", { h: make("sub", {}, "h") }), { min: 1, max: MOST, step: 1, text: String },
    (x) => change({ size: x }));
  const noise = slider("noise, σ", { min: 0, max: NOISES.length - 1, step: 1, text: (i) => String(NOISES[i]) },
    (i) => change({ noise: NOISES[i] }));
  const typed = make("input", { type: "text", id: newId(), class: "live-text", maxlength: 150, autocomplete: "off",
    oninput: () => change({ text: typed.value }) });
  const own = set(control(`your sentence, up to ${MOST} words`, typed, typed.id), { class: "live-control live-wide" });
  const sliders = make("div", { class: "live-sliders" }, rho.element, size.element);
  const [titleA, titleB] = [1, 2].map(() => make("div", { class: "live-title" }));
  const A = inkRow("influence"), B = inkRow("recovery"), bar = budgetBar();
  const spent = make("span", { "data-shows": "spent" }), below = make("p", { class: "live-spent" }), message = make("p", { class: "live-verdict" });
  el.append(make("p", { class: "live-hint" }, "Turn every word in row A black, then every word in row B. What does it take? Which words does noise fade first?"), titleA, A.element, titleB, B.element, bar.svg,
    make("div", { class: "live-controls" }, sliders, noise.element, kind.element,
      button("Back to start", () => change(first))), own, below, message);
  const speak = setUp(model, el, update);

  function update() {
    const state = read(), result = compute(state), hidden = el.classList.contains("live-asking");
    const recurrent = state.model === "recurrent", n = result.words.length;
    kind.put(state.model);
    rho.put(state.rho);
    size.put(state.size);
    noise.put(NOISES.indexOf(state.noise));
    for (const { element } of [rho, size]) element.querySelector("input").disabled = !recurrent;
    if (typed.value !== state.text) typed.value = state.text;
    write(titleA, recurrent ? "A. How strongly the last state depends on each word" : "A. How strongly the output depends on each word");
    write(titleB, recurrent ? "B. How well a linear reader of the last state recovers each word, R²"
      : "B. How well a linear reader of the output recovers each word, R²");
    A.put(result.words, result.influence, hidden);
    B.put(result.words, result.recovery, hidden);
    bar.put(result, hidden);
    write(spent, hidden ? "?" : show(result.spent));
    tell(below, recurrent ? "Row B adds up to {spent}, at most 1 for each number of the state (box)."
      : "Row B adds up to {spent}, at most 1 for each number that is kept (box).", { spent });
    if (n > result.kept) below.append(" ", `${n} words would need ${n} (dashed).`);
    write(message, hidden ? "Both inks are hidden until you have answered." : sentence(state, result, n));
    speak(message.textContent);
  }
  update();
}

/** What the figure says in words. */
function sentence({ model, rho }, { words, influence }, n) {
  if (model === "attention") return "Attention keeps every word and asks for each with a query of its own. A: the weight of that word.";
  const [start, end] = [words[0], words.at(-1)].map((word) => `“${word.length > 12 ? `${word.slice(0, 11)}…` : word}”`);
  const back = n === 2 ? "1 step back" : `${n - 1} steps back`;
  return n === 1 ? "There is one word." : rho === 1 ? `A: ${start}, ${back}, counts as much as ${end}.`
    : `A: ${start}, ${back}, counts ${tiny(influence[0])} times as much as ${end}.`;
}

export default { initialize, render, compute, valid };
