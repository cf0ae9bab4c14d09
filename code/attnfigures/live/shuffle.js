// Shuffle the words: the rows that attention gives to the words of a sentence, in any order that
// the reader drags.
const D = 4;
const MOST = 6;
const TOKENS = [1, 2, 0, 3, 4, 5].map((k) => HUES[k]); // cat and fish as in the preface

const tokens = (text) => split(text).slice(0, MOST);

/**
 * Numbers of variance 1 that depend on the word alone: FNV-1a over its UTF-8 bytes seeds the
 * generator mulberry32.
 */
function wordVector(word) {
  let seed = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(word)) {
    seed = Math.imul(seed ^ byte, 0x01000193) >>> 0;
  }
  return range(D).map(() => {
    seed = (seed + 0x6d2b79f5) >>> 0;
    let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return Math.sqrt(3) * (2 * (((t ^ (t >>> 14)) >>> 0) / 2 ** 32) - 1);
  });
}

const W = ["W_Q", "W_K", "W_V"].map((name) =>
  range(D).map((i) => wordVector(`${name} ${i}`).map((x) => x / 2))
);

// ---- compute -------------------------------------------------------------------------------------

const mean = (Y) => transpose(Y).map((column) => total(column) / Y.length);

/**
 * A layer of attention with fixed W. What comes later than a word weighs `later` of what it would:
 * 0 is a causal mask.
 */
function layer(X, later) {
  const [Q, K, V] = W.map((w) => matmul(X, w));
  return matmul(
    Q.map((q, i) =>
      softmax(K.map((k, j) => dot(q, k) / Math.sqrt(D) + (j > i ? Math.log(later) : 0)))
    ),
    V,
  );
}

/**
 * Position i receives word order[i]. Y(X) and Y(PX) with the mean of their rows below; in how many
 * orders rows travel.
 */
function compute({ text, order, later }) {
  const words = tokens(text);
  const X = words.map(wordVector);
  const Y = layer(X, later);
  const moved = (rows, p) => p.map((i) => rows[i]);
  const gap = (p, Z) => largestDifference(Z, moved(Y, p));
  const Z = layer(moved(X, order), later);
  const orders = ordersOf(range(words.length));
  const survivors = orders.filter((p) => gap(p, layer(moved(X, p), later)) <= EXACT);
  return {
    words,
    before: [...Y, mean(Y)],
    after: [...Z, mean(Z)],
    orders: orders.length,
    survivors: survivors.length,
    rowsGap: gap(order, Z),
    meanGap: largestDifference([mean(Y)], [mean(Z)]),
  };
}

// ---- valid ---------------------------------------------------------------------------------------

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ text, order, later }) =>
  !/\p{Surrogate}/u.test(text) &&
  isPermutation(order, tokens(text).length) &&
  later >= 0 &&
  later <= 1;

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const words = buildWords(read, change);
  const typed = make("input", {
    type: "text",
    id: newId(),
    class: "live-text",
    maxlength: 120,
    autocomplete: "off",
    oninput: () => change({ text: typed.value, order: range(tokens(typed.value).length) }),
  });
  const later = buildLater(change);
  const Y = matrix("", "after");
  const text = messageLine();
  const laws = verdictList();
  const hint = fillIn(
    "Drag a word, and follow its row. *Underlined*: the word did not have this number in the sentence as written.",
    {},
    (word) => make("span", { class: "live-new" }, word),
  );
  const controls = div(
    "live-controls",
    set(control("your sentence", typed, typed.id), { class: "live-control live-wide" }),
    later.element,
    button("Shuffle", () => change({ order: mixed(read().order) })),
    button("Back to start", () => change(first)),
  );
  const reading = div("live-reading", controls, text, laws);
  el.append(hintLine(hint), words.element, div("live-planes live-lean", Y.element, reading));
  return { chips: words.chips, typed, later, Y, text, laws };
}

/** How much of what comes later a word hears. */
function buildLater(change) {
  const text = (x) => `${Math.round(100 * x)} %`;
  const reach = { min: 0, max: 1, step: 0.05, text };
  return slider("later words heard", reach, (x) => change({ later: x }));
}

/** Another order, by chance. */
function mixed(old) {
  const key = old.map(Math.random);
  const order = range(old.length).sort((a, b) => key[a] - key[b]);
  return old.length > 1 && String(order) === String(old) ? mixed(old) : order;
}

/** The row of words, between two arrows that move the marked one. */
function buildWords(read, change) {
  const place = (from, to) => {
    const { order } = read();
    const there = clamp(to, 0, order.length - 1);
    if (there !== from) change({ order: shifted(order, from, there) });
    chips.row.children[there].focus({ preventScroll: true });
  };
  const move = (by) => {
    const chosen = Number(chips.row.dataset.chosen);
    place(chosen, chosen + by);
  };
  const arrow = (sign, name, by) => set(button(sign, () => move(by)), { "aria-label": name });
  const left = arrow("◀", "Move the marked word left", -1);
  const right = arrow("▶", "Move the marked word right", 1);
  const chips = chipRow(place, (i) => {
    left.disabled = i === 0;
    right.disabled = i === read().order.length - 1;
  });
  return { chips, element: div("live-order", left, chips.row, right) };
}

/**
 * Words to drag, or to move by arrow keys, which call `place(from, to)`, and `marked(i)` for the
 * word that the arrows beside the row move; `put(names, order)` writes them.
 */
function chipRow(place, marked) {
  const row = make("div", {
    class: "live-chips",
    role: "group",
    "aria-label": "The words in their order",
  });
  let was = [];
  const choose = (i) => {
    row.dataset.chosen = i;
    marked(i);
    [...row.children].forEach((chip, k) => chip.classList.toggle("live-chosen", k === i));
  };
  dragWithin(row, place);
  const put = (names, order) => {
    const from = was.map((p, i) => [p, row.children[i].offsetLeft, row.children[i].offsetTop]);
    fitChips(row, order.length, place, choose);
    order.forEach((p, i) => writeChip(row.children[i], names[p], p, i, order.length));
    if (was.length === order.length && !calm()) flyChips(row, from, order);
    was = order;
    choose(Math.min(row.dataset.chosen || 0, order.length - 1));
  };
  return { row, put };
}

/** Lets a pointer drag words. The row listens to it, since it stays when words move. */
function dragWithin(row, place) {
  let held = -1;
  row.addEventListener("pointerdown", (event) => {
    held = event.button ? -1 : [...row.children].indexOf(event.target);
    if (held < 0) return;
    event.preventDefault();
    row.children[held].focus({ preventScroll: true });
    row.setPointerCapture(event.pointerId);
  });
  row.addEventListener("pointermove", (event) => {
    const to = held < 0 ? -1 : chipUnder(row, event, held);
    if (to < 0) return;
    place(held, to);
    held = to;
  });
  row.addEventListener("lostpointercapture", () => {
    held = -1;
  });
}

/** The place over which a pointer holds a word, if the word would stay under it there; else -1. */
function chipUnder(row, { clientX, clientY }, held) {
  const { left, top } = row.getBoundingClientRect();
  const x = clientX - left;
  const y = clientY - top;
  const { offsetWidth: width } = row.children[held];
  return [...row.children].findIndex((chip, i) => {
    const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = chip;
    const right = offsetLeft + offsetWidth;
    const inRow = Math.abs(y - offsetTop - offsetHeight / 2) < offsetHeight;
    if (!inRow || x < offsetLeft || x > right) return false;
    return i > held ? x > right - width : i < held && x < offsetLeft + width;
  });
}

/** Adds and removes words until there are `n`. */
function fitChips(row, n, place, choose) {
  while (row.children.length > n) row.lastChild.remove();
  for (let i = row.children.length; i < n; i++) {
    const look = { class: "live-chip", tabindex: 0, role: "slider", "aria-valuemin": 1 };
    const chip = make("span", { ...look, "aria-valuenow": i + 1, onfocus: () => choose(i) });
    arrows(chip, (dx, dy) => place(i, i + (dx || -dy)));
    row.append(chip);
  }
}

/** Writes word p into place i of `n`. */
function writeChip(chip, name, p, i, n) {
  write(chip, name);
  set(chip, {
    class: `live-chip ${TOKENS[p]}`,
    "aria-label": name,
    "aria-valuemax": n,
    "aria-valuetext": `position ${i + 1} of ${n}`,
  });
}

/** Lets each word fly from the place where it was. */
function flyChips(row, from, order) {
  for (const [p, left, top] of from) {
    const chip = row.children[order.indexOf(p)];
    const dx = left - chip.offsetLeft;
    const dy = top - chip.offsetTop;
    const way = { translate: [`${dx}px ${dy}px`, "0 0"] };
    if (dx || dy) chip.animate(way, { duration: 250, easing: "ease-out" });
  }
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw({ chips, typed, later, Y, laws, text }, state, result, { el, first, hidden }) {
  const names = namesOf(result.words);
  chips.put(names, state.order);
  const asked = hidden || state.text === first.text; // the question is about that text
  el.querySelector(".live-ask")?.style.setProperty("display", asked ? "" : "none");
  if (document.activeElement !== typed) typed.value = state.text;
  later.put(state.later);
  drawRows(Y, names, state.order, result, hidden);
  laws.replaceChildren(...(hidden || isHome(state) ? [] : lawsOf(result)));
  write(text, hidden ? HIDDEN : paragraph(ofTheRest(state), sentenceOf(state, result)));
}

const HIDDEN = "What becomes of the rows is hidden until you have answered.";
const DIGITS = "₁₂₃₄₅₆";

/** The words as they are shown: long ones cut, equal ones told apart by a number. */
const namesOf = (words) =>
  words.map((word, i) => {
    const short = word.length > 6 ? `${word.slice(0, 5)}…` : word;
    const isOnce = words.indexOf(word) === words.lastIndexOf(word);
    const before = words.slice(0, i).filter((other) => other === word).length;
    return isOnce ? short : short + DIGITS[before];
  });

/** The rows in the order of the words; while the answer is hidden, those of the sentence. */
function drawRows(Y, names, order, { before, after }, hidden) {
  const n = order.length;
  const shown = hidden ? range(n) : order;
  const old = [...shown.map((p) => before[p]), before[n]];
  const now = hidden ? old : after;
  const titles = [...shown.map((p) => names[p]), _("mean")];
  const changed = (i, j) => Math.abs(now[i][j] - old[i][j]) > EXACT;
  Y.put(now, titles, range(D).map((c) => c + 1), { changed, keys: [...shown, n] });
  [...Y.body.children].forEach((tr, i) => {
    tr.className = TOKENS[shown[i]] || "live-pooled";
  });
  write(
    Y.caption,
    hidden ? "Y(X): a row for each word, as written" : "Y(PX): a row for each word, in your order",
  );
}

/** Whether no word has moved: then every equation holds. */
const isHome = ({ order }) => order.every((p, i) => p === i);

/** The laws of the rows and of their mean. */
const lawsOf = ({ rowsGap, meanGap }) => [
  verdict("Y(PX)", "P Y(X)", rowsGap),
  verdict("mean of Y(PX)", "mean of Y(X)", meanGap),
];

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says aloud: the words in their order, and what it says of their rows. */
const speak = ({ order }, { words }, { text }) =>
  `${order.map((p) => namesOf(words)[p]).join(" ")}. ${text.textContent}`;

/** What is said of the words for which there is no place. */
function ofTheRest({ text }) {
  const left = split(text).slice(MOST).join(" ").slice(0, 20);
  return left && `Six words at most. Left out: ${left}.`;
}

/** What the figure says in words. */
function sentenceOf(state, { words, before, after, orders, survivors }) {
  const { order } = state;
  if (isHome(state)) return "The words are in the order of your sentence. Move one of them.";
  if (order.every((p, i) => words[p] === words[i])) {
    return "Equal words have changed places: it is the same sentence.";
  }
  const kept = order.filter((p, i) => largestDifference([before[p]], [after[i]]) <= EXACT).length;
  return paragraph(
    ofKept(kept, order.length),
    survivors === 1
      ? `Of all ${orders} orders, 1 keeps every row.`
      : `Of all ${orders} orders, ${survivors} keep every row.`,
  );
}

/** How many of n words keep their rows. */
function ofKept(kept, n) {
  if (kept === n) return "Every word keeps its row.";
  if (kept === 0) return "No word keeps its row.";
  return kept === 1 ? `1 of ${n} words keeps its row.` : `${kept} of ${n} words keep their rows.`;
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
