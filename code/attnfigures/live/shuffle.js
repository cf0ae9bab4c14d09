// Shuffle the words: the rows that attention gives to the words of a sentence, in any order that the reader drags.
const D = 4, MOST = 6;
const TOKENS = [1, 2, 0, 3, 4, 5].map((k) => HUES[k]); // cat and fish as in the preface

const tokens = (text) => split(text).slice(0, MOST);

/** Numbers of variance 1 that depend on the word alone: FNV-1a over its UTF-8 bytes seeds the generator mulberry32. */
function wordVector(word) {
  let seed = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(word)) seed = Math.imul(seed ^ byte, 0x01000193) >>> 0;
  return range(D).map(() => {
    seed = (seed + 0x6d2b79f5) >>> 0;
    let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return Math.sqrt(3) * (2 * (((t ^ (t >>> 14)) >>> 0) / 2 ** 32) - 1);
  });
}

const W = ["W_Q", "W_K", "W_V"].map((name) => range(D).map((i) => wordVector(`${name} ${i}`).map((x) => x / 2)));
const mean = (Y) => transpose(Y).map((column) => total(column) / Y.length);

/** A layer of attention with fixed W. What comes later than a word weighs `later` of what it would: 0 is a causal mask. */
function layer(X, later) {
  const [Q, K, V] = W.map((w) => matmul(X, w));
  return matmul(Q.map((q, i) => softmax(K.map((k, j) => dot(q, k) / Math.sqrt(D) + (j > i ? Math.log(later) : 0)))), V);
}

/** Position i receives word order[i]. Y(X) and Y(PX) with the mean of their rows below; in how many orders rows travel. */
function compute({ text, order, later }) {
  const words = tokens(text), X = words.map(wordVector), Y = layer(X, later);
  const moved = (p) => layer(p.map((i) => X[i]), later), gap = (p, Z) => largestDifference(Z, p.map((i) => Y[i]));
  const all = ordersOf(range(words.length)), Z = moved(order);
  return { words, before: [...Y, mean(Y)], after: [...Z, mean(Z)], orders: all.length,
    survivors: all.filter((p) => gap(p, moved(p)) <= EXACT).length, rowsGap: gap(order, Z),
    meanGap: largestDifference([mean(Y)], [mean(Z)]) };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ text, order, later }) => !/\p{Surrogate}/u.test(text) && isPermutation(order, tokens(text).length)
  && later >= 0 && later <= 1;

/** Words to drag, or to move by arrow keys, which call `place(from, to)`, and `marked(i)` for the word that the arrows
 *  beside the row move; `put(names, order)` writes them. The row listens to the pointer, since it stays when words move. */
function chipRow(place, marked) {
  const row = make("div", { class: "live-chips", role: "group", "aria-label": "The words in their order" });
  let held = -1, was = [];
  const choose = (i) => { // the word that the arrows beside the row move
    row.dataset.chosen = i;
    marked(i);
    [...row.children].forEach((chip, k) => chip.classList.toggle("live-chosen", k === i));
  };
  row.addEventListener("pointerdown", (event) => {
    held = event.button ? -1 : [...row.children].indexOf(event.target);
    if (held < 0) return;
    event.preventDefault();
    row.children[held].focus({ preventScroll: true });
    row.setPointerCapture(event.pointerId);
  });
  row.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (held < 0) return;
    const { left, top } = row.getBoundingClientRect(), x = clientX - left, y = clientY - top;
    const width = row.children[held].offsetWidth; // a word moves on where it would stay under the pointer
    const to = [...row.children].findIndex(({ offsetLeft: l, offsetTop: t, offsetWidth: w, offsetHeight: h }, i) =>
      Math.abs(y - t - h / 2) < h && x >= l && x <= l + w
      && (i > held ? x > l + w - width : i < held && x < l + width));
    if (to >= 0) { place(held, to); held = to; }
  });
  row.addEventListener("lostpointercapture", () => { held = -1; });
  const put = (names, order) => {
    const n = names.length, from = was.map((p, i) => [p, row.children[i].offsetLeft, row.children[i].offsetTop]);
    while (row.children.length > n) row.lastChild.remove();
    for (let i = row.children.length; i < n; i++) {
      row.append(make("span", { class: "live-chip", tabindex: 0, role: "slider", "aria-valuemin": 1,
        "aria-valuenow": i + 1, onfocus: () => choose(i) }));
      arrows(row.lastChild, (dx, dy) => place(i, i + (dx || -dy)));
    }
    order.forEach((p, i) => {
      write(row.children[i], names[p]);
      set(row.children[i], { class: `live-chip ${TOKENS[p]}`, "aria-label": names[p], "aria-valuemax": n, "aria-valuetext": `position ${i + 1} of ${n}` });
    });
    for (const [p, left, top] of calm() || was.length !== n ? [] : from) {
      const element = row.children[order.indexOf(p)], [dx, dy] = [left - element.offsetLeft, top - element.offsetTop];
      if (dx || dy) element.animate({ translate: [`${dx}px ${dy}px`, "0 0"] }, { duration: 250, easing: "ease-out" });
    }
    was = order;
    choose(Math.min(row.dataset.chosen || 0, n - 1));
  };
  return { row, put };
}

/** What the figure says in words. */
function sentence({ order }, { words, before, after, orders, survivors }) {
  if (order.every((p, i) => p === i)) return "The words are in the order of your sentence. Move one of them.";
  if (order.every((p, i) => words[p] === words[i])) return "Equal words have changed places: it is the same sentence.";
  const n = order.length, kept = order.filter((p, i) => largestDifference([before[p]], [after[i]]) <= EXACT).length;
  const rows = kept === n ? "Every word keeps its row." : kept === 1 ? `1 of ${n} words keeps its row.`
    : kept ? `${kept} of ${n} words keep their rows.` : "No word keeps its row.";
  return paragraph(rows, survivors === 1 ? `Of all ${orders} orders, 1 keeps every row.` : `Of all ${orders} orders, ${survivors} keep every row.`);
}

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read();
  const place = (from, to) => {
    const { order } = read(), there = clamp(to, 0, order.length - 1);
    if (there !== from) change({ order: shifted(order, from, there) });
    chips.row.children[there].focus({ preventScroll: true });
  };
  const chips = chipRow(place, (i) => [left, right].forEach((arrow, side) => { arrow.disabled = i === (side ? read().order.length - 1 : 0); })), chosen = () => Number(chips.row.dataset.chosen);
  const step = (sign, name, by) => set(button(sign, () => place(chosen(), chosen() + by)), { "aria-label": name });
  const left = step("◀", "Move the marked word left", -1), right = step("▶", "Move the marked word right", 1);
  const mix = () => {
    const { order: old } = read(), key = old.map(Math.random), order = range(old.length);
    order.sort((a, b) => key[a] - key[b]);
    if (old.length > 1 && String(order) === String(old)) mix(); else change({ order });
  };
  const later = slider("later words heard", { min: 0, max: 1, step: 0.05, text: (x) => `${Math.round(100 * x)} %` },
    (x) => change({ later: x }));
  const typed = make("input", { type: "text", id: newId(), class: "live-text", maxlength: 120, autocomplete: "off",
    oninput: () => change({ text: typed.value, order: range(tokens(typed.value).length) }) });
  const own = set(control("your sentence", typed, typed.id), { class: "live-control live-wide" });
  const Y = matrix("", "after"), text = make("p", { class: "live-verdict" }), laws = make("ul", { class: "live-verdicts" });
  el.append(make("p", { class: "live-hint" }, fillIn("Drag a word, and follow its row. *Underlined*: the word did not have this number in the sentence as written.", {},
    (word) => make("span", { class: "live-new" }, word))),
  make("div", { class: "live-order" }, left, chips.row, right),
  make("div", { class: "live-planes live-lean" }, Y.element, make("div", { class: "live-reading" },
    make("div", { class: "live-controls" }, own, later.element, button("Shuffle", mix), button("Back to start", () => change(first))),
    text, laws)));
  const speak = setUp(model, el, update);

  function update() {
    const state = read(), { order } = state, result = compute(state), n = order.length, { words } = result;
    const twice = (word) => words.indexOf(word) !== words.lastIndexOf(word); // equal words are told apart by a number
    const names = words.map((word, i) => (word.length > 6 ? `${word.slice(0, 5)}…` : word)
      + (twice(word) ? "₁₂₃₄₅₆"[words.slice(0, i).filter((other) => other === word).length] : ""));
    const asking = el.classList.contains("live-asking"), shown = asking ? range(n) : order;
    const { before, after } = result, old = [...shown.map((p) => before[p]), before[n]], now = asking ? old : after;
    chips.put(names, order);
    el.querySelector(".live-ask")?.style.setProperty("display", asking || state.text === first.text ? "" : "none"); // of that text
    if (document.activeElement !== typed) typed.value = state.text;
    later.put(state.later);
    write(Y.caption, asking ? "Y(X): a row for each word, as written" : "Y(PX): a row for each word, in your order");
    Y.put(now, [...shown.map((p) => names[p]), _("mean")], range(D).map((c) => c + 1),
      { changed: (i, j) => Math.abs(now[i][j] - old[i][j]) > EXACT, keys: [...shown, n] });
    [...Y.body.children].forEach((tr, i) => { tr.className = TOKENS[shown[i]] || "live-pooled"; });
    const home = order.every((p, i) => p === i); // nothing has moved: every equation holds
    laws.replaceChildren(...(asking || home ? [] : [verdict("Y(PX)", "P Y(X)", result.rowsGap),
      verdict("mean of Y(PX)", "mean of Y(X)", result.meanGap)]));
    const left = split(state.text).slice(MOST).join(" ").slice(0, 20);
    write(text, asking ? "What becomes of the rows is hidden until you have answered."
      : paragraph(left && `Six words at most. Left out: ${left}.`, sentence(state, result)));
    speak(`${order.map((p) => names[p]).join(" ")}. ${text.textContent}`);
  }
  update();
}

export default { initialize, render, compute, valid };
