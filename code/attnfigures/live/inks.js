// A state whose words share its numbers: each number has ink for one word.
const MOST = 16; // words, numbers and questions
const LEAST = 0.5; // the smallest ρ
const LEAD = 5; // how far the right key is ahead

const tokens = (text) => split(text).slice(0, MOST);

/**
 * R² of n words in a ring of `size` numbers, which a step turns by one and multiplies by ρ, and into
 * which the first `written` of them are written. Words share a number if their positions differ by a
 * multiple of `size`. The answers are the numbers that hold the first `asked` words; each of these
 * words gets its share of the variance of its number.
 */
function ring({ rho, size }, n, asked, written) {
  const squares = range(n).map((t) => (t < written ? rho ** (2 * (written - 1 - t)) : 0));
  const variance = (box) => total(squares.filter((_x, t) => t % size === box));
  return squares.map((square, t) => (t % size < asked ? square / variance(t % size) : 0));
}

/**
 * R² of n words with a query for each question: weight a on its word, b on the others, so
 * M = [(a − b) I, 0] + b 11ᵀ. Then M Mᵀ is αI + β11ᵀ, with the inverse (I − β/(α + Tβ) 11ᵀ)/α.
 */
function queries(n, asked) {
  const [a, b = 0] = softmax(range(n).map((t) => (t ? 0 : LEAD)));
  const lead = a - b;
  const alpha = lead * lead;
  const beta = 2 * b * lead + n * b * b;
  const explained = (square, sum) => (square - (beta / (alpha + asked * beta)) * sum * sum) / alpha;
  const own = explained(alpha + 2 * lead * b + asked * b * b, lead + asked * b);
  const other = explained(asked * b * b, asked * b);
  return range(n).map((t) => (t < asked ? own : other));
}

const NAMED = {
  recurrent: "One state",
  gated: "Told what will be asked",
  attention: "Attention",
};

/**
 * The words, R² of each, the questions, the boxes (numbers of the state, or answers of attention),
 * the box of each word that is written, and Σ R².
 */
function compute(state) {
  const words = tokens(state.text);
  const n = words.length;
  const asked = Math.min(state.questions, n);
  const attention = state.model === "attention";
  const written = state.model === "gated" ? asked : n; // only what will be asked for
  const boxes = attention ? asked : state.size;
  const recovery = attention ? queries(n, asked) : ring(state, n, asked, written);
  const box = range(n).map((t) => (t < written ? t % boxes : null));
  return { words, recovery, asked, boxes, box, spent: total(recovery) };
}

const counts = (x) => Number.isInteger(x) && x >= 1 && x <= MOST;

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ model, text, rho, size, questions }) =>
  Object.hasOwn(NAMED, model) &&
  isReadable(text) &&
  rho >= LEAST &&
  rho <= 1 &&
  counts(size) &&
  counts(questions);

const shape = ({ text }) => tokens(text).length;

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const sentence = buildSentence(shape(first), read, change);
  const state = buildState(shape(first), read, change);
  const spent = make("span", { "data-shows": "spent" });
  const title = div("live-title");
  const kinds = Object.entries(NAMED).map(([model, name]) => {
    const element = button(name, () => change({ model }));
    return { element, put: (now) => set(element, { "aria-pressed": now === model }) };
  });
  const message = messageLine();
  el.append(
    hintLine(
      "Pull the state down until every word comes back. Then shrink it, ask for three words only, and press the buttons in turn.",
    ),
    div("live-title", "Asked for: the underlined words"),
    sentence.row,
    title,
    div(
      "live-inks-both",
      state.element,
      div(
        "live-inks-beside",
        div(
          "live-controls",
          kinds.map(({ element }) => element),
          button("Back to start", () => change(first)),
        ),
        message,
      ),
    ),
  );
  return { sentence, state, title, spent, kinds, message };
}

/** The sentence: whoever drags the end of its line, or clicks a word, asks for the words up to there. */
function buildSentence(n, read, change) {
  const ask = (questions) => change({ questions: clamp(questions, 1, n) });
  const words = range(n).map((t) =>
    make("span", { class: "live-inks-asked", onclick: () => ask(t + 1) })
  );
  const asked = () => Math.min(read().questions, n);
  const end = grip(_("questions"), "↔", (dx, dy) => ask(asked() + dx + dy));
  const row = div("live-inks", words, end);
  // The end hangs at the lower edge of its line: a pointer that holds it means that line.
  draggable(end, SCREEN, (x, y) => ask(wordsBefore(words, x, y - words[0].offsetHeight / 2)));
  const settle = () => {
    const word = words[asked() - 1];
    end.style.left = `${word.offsetLeft + word.offsetWidth}px`;
    end.style.top = `${word.offsetTop + word.offsetHeight}px`;
  };
  new ResizeObserver(() => row.isConnected && settle()).observe(row);
  return { row, words, end, settle };
}

/** How many words begin their right halves before a place on the screen. */
function wordsBefore(words, x, y) {
  const places = words.map((word) => word.getBoundingClientRect());
  const line = clamp(y, places[0].top, places.at(-1).bottom - 1);
  return places.filter(({ left, width, top, bottom }) =>
    bottom <= line || (top <= line && left + width / 2 < x)
  ).length;
}

/** The boxes, whose lower edge is dragged, and below it the room for more. */
function buildState(n, read, change) {
  const resize = (size) => change({ size: clamp(size, 1, n) });
  const boxes = div("live-inks-boxes");
  const edge = grip("state size", "↕", (dx, dy) => resize(read().size + dx - dy));
  const free = div("live-inks-free");
  const element = div("live-inks-state", boxes, edge, free);
  draggable(edge, SCREEN, (_x, y) => {
    const high = parseFloat(getComputedStyle(element).getPropertyValue("--high"));
    resize(Math.round((y - boxes.getBoundingClientRect().top) / high));
  });
  return { element, boxes, edge, free };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw({ sentence, state: held, title, spent, kinds }, state, result, { hidden }) {
  const { words, asked, boxes } = result;
  drawSentence(sentence, words, asked);
  const most = Math.max(words.length, state.size);
  held.element.style.setProperty("--most", most);
  held.boxes.replaceChildren(...range(boxes).map((i) => drawBox(state, result, i, hidden)));
  held.free.style.setProperty("--free", most - boxes);
  set(held.boxes, { role: "img", "aria-label": hidden ? _("hidden") : spoken(result) });
  held.edge.hidden = state.model === "attention";
  set(held.edge, {
    "aria-valuenow": state.size,
    "aria-valuemin": 1,
    "aria-valuemax": words.length,
    "aria-valuetext": state.size === 1 ? "1 number" : `${state.size} numbers`,
  });
  write(spent, hidden ? "?" : show(result.spent, 0));
  tell(title, "What comes back: ink for {spent} of the {n} words asked for", {
    spent,
    n: String(asked),
  });
  for (const { put } of kinds) put(state.model);
}

function drawSentence({ words, end, settle }, names, asked) {
  words.forEach((word, t) => {
    write(word, names[t]);
    word.toggleAttribute("data-asked", t < asked);
  });
  set(end, {
    "aria-valuenow": asked,
    "aria-valuemin": 1,
    "aria-valuemax": words.length,
    "aria-valuetext": asked === 1 ? "1 question" : `${asked} questions`,
  });
  settle();
}

/**
 * A box with the sum of the words that it holds, each inked as far as it comes back; dashed, if nobody
 * asks for what it holds. An answer of attention holds the word that was asked for.
 */
function drawBox({ model }, { words, recovery, asked, box }, i, hidden) {
  const shown = model === "attention" ? asked : words.length;
  const held = range(shown).filter((t) => box[t] === i);
  const names = held.flatMap((t, place) => {
    const ink = hidden ? 0 : 100 * recovery[t];
    const word = make("span", { style: `--ink: ${ink.toFixed(1)}%` }, words[t]);
    return place ? ["+", word] : [word];
  });
  const element = div("live-inks-box", names);
  element.toggleAttribute("data-idle", !held.some((t) => t < asked));
  return element;
}

const spoken = ({ words, recovery }) =>
  words.map((word, t) => `${word} ${show(recovery[t])}`).join(", ");

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words. */
function speak({ model }, result, { hidden }) {
  if (hidden) return "The inks are hidden until you have answered.";
  if (model === "attention") {
    return "Attention keeps every word and looks for each with a query of its own, once the question is known. Every further answer carries one more number.";
  }
  return paragraph(sharing(result), ...repetition(result));
}

/** Which of the words that are asked for has to share its number: the first of them, or none. */
function sharing({ words, asked, box }) {
  const others = (t) => box.filter((one) => one === box[t]).length - 1;
  const t = range(asked).find(others);
  if (t === undefined) {
    return "✓ Every word that is asked for has a number of its own, and comes back.";
  }
  const word = clipped(words[t]);
  return others(t) === 1
    ? `“${word}” shares a number with 1 other word: whoever asks for it gets a mixture.`
    : `“${word}” shares a number with ${
      others(t)
    } other words: whoever asks for it gets a mixture.`;
}

/** That answers repeat each other, and why, if there are more of them than numbers in the state. */
function repetition({ asked, boxes }) {
  const repeated = asked - boxes;
  if (repeated <= 0) return [];
  return [
    repeated === 1
      ? "One answer only repeats what others say."
      : `${repeated} answers only repeat what others say.`,
    boxes === 1 ? "The state has one number." : `The state has ${boxes} numbers.`,
  ];
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid, shape };
