// Shuffle the words: each is a card with the four numbers that attention gives to it, in any order
// that the reader drags.
const D = 4;
const MOST = 6;
const OWN = { cat: HUES[1], fish: HUES[0] }; // everywhere in the book
const OTHERS = [2, 3, 4, 5, 1, 0].map((k) => HUES[k]);

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

/** A hue for each word: cat and fish have their own, the others what is left. */
function huesOf(words) {
  const left = OTHERS.filter((hue) => !words.some((word) => OWN[word] === hue));
  return words.map((word) => OWN[word] ?? left.shift());
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
 * Position i receives word order[i]. Y(X) and Y(PX) with the mean of their rows below; in which
 * orders every row goes with its word.
 */
function compute({ text, order, later }) {
  const words = tokens(text);
  const X = words.map(wordVector);
  const Y = layer(X, later);
  const moved = (rows, p) => p.map((i) => rows[i]);
  const gap = (p, Z) => largestDifference(Z, moved(Y, p));
  const Z = layer(moved(X, order), later);
  const orders = ordersOf(range(words.length));
  const keeps = orders.map((p) => gap(p, layer(moved(X, p), later)) <= EXACT);
  return {
    words,
    before: [...Y, mean(Y)],
    after: [...Z, mean(Z)],
    orders: orders.length,
    survivors: keeps.filter(Boolean).length,
    keeps,
    rowsGap: gap(order, Z),
    meanGap: largestDifference([mean(Y)], [mean(Z)]),
  };
}

// ---- valid ---------------------------------------------------------------------------------------

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ text, order, later }) =>
  isReadable(text) &&
  isPermutation(order, tokens(text).length) &&
  later >= 0 &&
  later <= 1;

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const parts = { cards: buildCards(read, change), tries: buildTries(change) };
  parts.typed = make("input", {
    type: "text",
    id: newId(),
    class: "live-text",
    maxlength: 120,
    autocomplete: "off",
    oninput: () =>
      change({ text: parts.typed.value, order: range(tokens(parts.typed.value).length) }),
  });
  parts.later = buildLater(change);
  parts.Y = matrix("", "after");
  parts.digits = toggle("Digits", (open) => parts.Y.element.hidden = !open);
  parts.Y.element.hidden = true;
  parts.text = messageLine();
  parts.laws = verdictList();
  const controls = div(
    "live-controls",
    set(control("your sentence", parts.typed, parts.typed.id), { class: "live-control" }),
    button("Shuffle", () => change({ order: mixed(read().order) })),
    parts.digits,
    button("Back to start", () => change(first)),
  );
  const { cards, tries, later, text, laws, Y } = parts;
  const reading = div(
    "live-reading live-shuffle-reading",
    tries.element,
    text,
    laws,
  );
  el.append(
    hintLine("Drag a card. A dashed outline is what the word got in the sentence as written."),
    div("live-shuffle-all", div("live-shuffle-hand", cards.element, later.element), reading),
    controls,
    Y.element,
  );
  return parts;
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

/** The cards of the words, and one of their mean, which stays. */
function buildCards(read, change) {
  const place = (from, to) => {
    const { order } = read();
    const there = clamp(to, 0, order.length - 1);
    if (there !== from) change({ order: shifted(order, from, there) });
    row.children[there].focus({ preventScroll: true });
  };
  const row = make("div", {
    class: "live-shuffle-cards",
    role: "group",
    "aria-label": "The words in their order",
  });
  dragWithin(row, place);
  const mean = buildCard(make("div", { class: "live-shuffle-card live-ink" }));
  let was = [];
  const put = (names, order, write) => {
    const from = was.map((p, i) => [p, row.children[i].offsetLeft]);
    fitCards(row, order.length, place);
    order.forEach((p, i) => write(row.children[i].card, names[p], p, i));
    if (was.length === order.length && !calm()) flyCards(row, from, order);
    was = order;
  };
  return { element: div("live-shuffle-row", row, mean.element), mean, put };
}

const CARD = { viewBox: "0 0 60 90", preserveAspectRatio: "none" }; // as high for six words as for three

/** The name of a word, its numbers as bars over those that it had, and whether they are the same. */
function buildCard(element) {
  const name = div("live-shuffle-name");
  const bars = range(D).map((c) => make("rect", { x: 5 + 13 * c, width: 11 }));
  const old = range(D).map((c) =>
    make("rect", { class: "live-shuffle-old", x: 5 + 13 * c, width: 11 })
  );
  const zero = make("line", { class: "live-axis", x1: 0, x2: 60, y1: 45, y2: 45 });
  const svg = make("svg", { ...CARD, "aria-hidden": "true" }, bars, zero, old);
  const sign = make("span");
  const gap = make("span", { class: "live-shuffle-gap" });
  const foot = div("live-shuffle-sign", sign, gap);
  element.append(name, svg, foot);
  return { element, name, bars, old, foot, sign, gap };
}

/** Lets a pointer drag cards. The row listens to it, since it stays when cards move. */
function dragWithin(row, place) {
  let held = -1;
  let grip = 0; // how far from the left edge of its card the pointer holds it
  const left = (card) => card.offsetLeft + row.getBoundingClientRect().left - row.offsetLeft;
  const release = (card) => {
    card?.classList.remove("live-shuffle-held");
    if (card) card.style.translate = "";
  };
  row.addEventListener("pointerdown", (event) => {
    held = event.button ? -1 : [...row.children].indexOf(event.target.closest(".live-chip"));
    if (held < 0) return;
    event.preventDefault();
    row.children[held].focus({ preventScroll: true });
    row.setPointerCapture(event.pointerId);
    grip = event.clientX - left(row.children[held]);
  });
  row.addEventListener("pointermove", ({ clientX }) => {
    if (held < 0) return;
    const n = row.children.length;
    const across = clientX - row.getBoundingClientRect().left;
    const to = clamp(Math.floor((n * across) / row.offsetWidth), 0, n - 1);
    if (to !== held) {
      release(row.children[held]);
      place(held, to);
      held = to;
    }
    const card = row.children[held]; // it goes with the hand
    card.classList.add("live-shuffle-held");
    card.style.translate = `${clientX - grip - left(card)}px`;
  });
  row.addEventListener("lostpointercapture", () => {
    release(row.children[held]);
    held = -1;
  });
}

/** Adds and removes cards until there are `n`. */
function fitCards(row, n, place) {
  while (row.children.length > n) row.lastChild.remove();
  for (let i = row.children.length; i < n; i++) {
    const look = { tabindex: 0, role: "slider", "aria-valuemin": 1, "aria-valuenow": i + 1 };
    const element = make("div", look);
    element.card = buildCard(element);
    arrows(element, (dx, dy) => place(i, i + (dx || -dy)));
    row.append(element);
  }
}

/** Lets each card fly from the place where it was. */
function flyCards(row, from, order) {
  for (const [p, left] of from) {
    const card = row.children[order.indexOf(p)];
    const way = { translate: [`${left - card.offsetLeft}px 0`, "0 0"] };
    const isHeld = card === document.activeElement && row.matches(":active");
    if (left !== card.offsetLeft && !isHeld) {
      card.animate(way, { duration: 250, easing: "ease-out" });
    }
  }
}

/**
 * Every order of up to four words as a button: a bar a word, and whether all rows go along. More
 * words have too many orders: a part of one field is green, as large as the share of theirs.
 */
function buildTries(change) {
  const count = make("b", { "data-shows": "survivors" });
  const all = make("b", { "data-shows": "orders" });
  const title = div("live-title");
  const list = make("div", { class: "live-shuffle-tries" });
  const share = make("div", { "aria-hidden": "true" }, div("live-kept"));
  let tries = [];
  let drawn = "";
  const put = ({ words, orders, survivors, keeps }, order, hidden) => {
    const n = words.length;
    write(count, hidden ? "?" : String(survivors));
    write(all, String(orders));
    tell(title, "All rows go along in {count} of {all} orders", { count, all });
    title.classList.toggle("live-found", !hidden && orders > 1 && survivors === orders);
    set(list, { "data-words": n });
    const hues = huesOf(words);
    if (drawn !== String(hues)) {
      tries = n < 5 ? ordersOf(range(n)).map((p) => tryOf(p, hues)) : [];
      list.replaceChildren(...(tries.length ? tries : [share]));
    }
    drawn = String(hues);
    share.className = `live-shuffle-share ${hidden ? "" : "live-lost"}`;
    set(share.firstChild, { style: `width: ${(100 * survivors) / orders}%` });
    share.firstChild.toggleAttribute("data-away", hidden);
    tries.forEach((one, k) => {
      const p = one.order;
      const names = p.map((i) => words[i]).join(" ");
      const kept = keeps[k] ? _("all rows go along") : _("some row changes");
      one.className = `live-shuffle-try ${hidden ? "" : keeps[k] ? "live-kept" : "live-lost"}`;
      write(one.lastChild, hidden ? "?" : keeps[k] ? "✓" : "≠");
      set(one, {
        "aria-pressed": String(p) === String(order),
        "aria-label": hidden ? names : `${names}: ${kept}`,
      });
    });
  };
  const tryOf = (p, hues) => {
    const bars = p.map((i) => make("span", { class: `live-shuffle-tick ${hues[i]}` }));
    const act = () => change({ order: p });
    const one = make("button", { type: "button", onclick: act }, bars, make("span"));
    return Object.assign(one, { order: p });
  };
  return { element: div("live-shuffle-orders", title, list), put };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw(parts, state, result, { hidden }) {
  const names = namesOf(result.words);
  if (document.activeElement !== parts.typed) parts.typed.value = state.text;
  parts.later.put(state.later);
  drawCards(parts.cards, names, state.order, result, hidden);
  parts.tries.put(result, state.order, hidden);
  drawRows(parts.Y, names, state.order, result, hidden);
  parts.laws.replaceChildren(...lawsOf(result));
  parts.laws.toggleAttribute("data-away", hidden || isHome(state));
  write(parts.text, hidden ? HIDDEN : paragraph(ofTheRest(state), sentenceOf(state, result)));
}

const HIDDEN = "Whether the rows go along is hidden until you have answered.";
const DIGITS = "₁₂₃₄₅₆";

/** The words as they are shown: long ones cut, equal ones told apart by a number. */
const namesOf = (words) =>
  words.map((word, i) => {
    const short = clipped(word, 9);
    const isOnce = words.indexOf(word) === words.lastIndexOf(word);
    const before = words.slice(0, i).filter((other) => other === word).length;
    return isOnce ? short : short + DIGITS[before];
  });

/**
 * The cards in their order. While the answer is hidden, each has its numbers only as long as the
 * words stand as written.
 */
function drawCards({ mean, put }, names, order, { words, before, after }, hidden) {
  const n = order.length;
  const hues = huesOf(words);
  const unknown = hidden && !isHome({ order });
  const most = Math.max(...before.flat().map(Math.abs), ...after.flat().map(Math.abs), 0.1);
  const fill = (card, now, old) => {
    const gap = largestDifference([now], [old]);
    const same = gap <= EXACT;
    putBars(card.bars, now, most);
    putBars(card.old, old, most);
    card.bars.forEach((bar) => set(bar, { visibility: unknown ? "hidden" : null }));
    write(card.sign, hidden ? "?" : same ? "✓" : "≠");
    write(card.gap, hidden || same ? "" : ` ${tiny(gap)}`);
    card.foot.className = `live-shuffle-sign ${hidden ? "" : same ? "live-holds" : "live-fails"}`;
    return same;
  };
  put(names, order, (card, name, p, i) => {
    const same = fill(card, after[i], before[p]);
    write(card.name, name);
    set(card.name, { style: `--letters: ${name.length}` });
    const tells = same ? _("its row goes along") : _("its row changes");
    set(card.element, {
      class: `live-chip live-shuffle-card ${hues[p]}`,
      "aria-label": name,
      "aria-valuemax": n,
      "aria-valuetext": `position ${i + 1} of ${n}${hidden ? "" : `, ${tells}`}`,
    });
  });
  write(mean.name, _("mean"));
  fill(mean, after[n], before[n]);
}

/** Bars from the middle of a card. */
function putBars(bars, row, most) {
  bars.forEach((bar, c) => {
    const high = (40 * row[c]) / most;
    set(bar, { y: (45 - Math.max(high, 0)).toFixed(2), height: Math.abs(high).toFixed(2) });
  });
}

/** The digits of the rows, in the order of the words; while the answer is hidden, as written. */
function drawRows(Y, names, order, { before, after }, hidden) {
  const n = order.length;
  const shown = hidden ? range(n) : order;
  const old = [...shown.map((p) => before[p]), before[n]];
  const now = hidden ? old : after;
  const titles = [...shown.map((p) => names[p]), _("mean")];
  const changed = (i, j) => Math.abs(now[i][j] - old[i][j]) > EXACT;
  Y.put(now, titles, range(D).map((c) => c + 1), { changed, keys: [...shown, n] });
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
function sentenceOf(state, { words, before, after }) {
  const { order } = state;
  if (isHome(state)) return "The cards are in the order of your sentence. Move one of them.";
  if (order.every((p, i) => words[p] === words[i])) {
    return "Equal words have changed places: it is the same sentence.";
  }
  const kept = order.filter((p, i) => largestDifference([before[p]], [after[i]]) <= EXACT).length;
  return ofKept(kept, order.length);
}

/** How many of n words keep their rows. */
function ofKept(kept, n) {
  if (kept === n) return "Every word keeps its row.";
  if (kept === 0) return "No word keeps its row.";
  return kept === 1 ? `1 of ${n} words keeps its row.` : `${kept} of ${n} words keep their rows.`;
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
