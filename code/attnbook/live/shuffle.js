// Shuffle the words: P, PX, attention and output of a sentence that the reader types and puts in another order.
const D = 4, POSITIONS = ["none", "sinusoidal", "rope"];
const POOLINGS = {
  mean: (Y) => transpose(Y).map((column) => column.reduce((a, b) => a + b) / Y.length),
  max: (Y) => transpose(Y).map((column) => Math.max(...column)),
  last: (Y) => Y.at(-1),
};

/** Words and signs between spaces, Chinese characters one by one. What is space in Python or here is space in both. */
const split = (text) => text.match(/[\u3400-\u9fff]|[^\s\x1c-\x1f\x85\ufeff\u3400-\u9fff]+/g) || ["…"];
const tokens = (text) => split(text).slice(0, 8);

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
const FREQUENCIES = range(D / 2).map((k) => 10000 ** (-2 * k / D));
const wave = (t) => FREQUENCIES.flatMap((w) => [Math.sin(w * t), Math.cos(w * t)]);
const sinusoidal = (X) => X.map((row, t) => wave(t).map((p, c) => row[c] + p));
const turn = ([a, b], [s, c]) => [a * c - b * s, a * s + b * c];
const rotate = (X) => X.map((row, t) => FREQUENCIES.flatMap((_, k) => turn(row.slice(2 * k), wave(t).slice(2 * k))));

/** Weights A and output Y of a layer of attention with fixed W, for words in the order of the rows of X. */
function layer(X, { positions, mask }) {
  const Z = positions === "sinusoidal" ? sinusoidal(X) : X, [Q, K, V] = W.map((w) => matmul(Z, w));
  const [q, k] = positions === "rope" ? [rotate(Q), rotate(K)] : [Q, K];
  const masked = (i, j) => mask === "causal" && j > i;
  const A = q.map((u, i) => softmax(k.map((v, j) => (masked(i, j) ? -Infinity : dot(u, v) / Math.sqrt(D)))));
  return { A, Y: matmul(A, V) };
}

/** Position i receives word order[i]. Y(X) and Y(PX) have the pooled row below them, if there is one. */
function compute(state) {
  const words = tokens(state.text), { order } = state, pool = POOLINGS[state.pooling], X = words.map(wordVector);
  const P = order.map((p) => words.map((_, j) => (j === p ? 1 : 0))), PX = order.map((p) => X[p]);
  const { A, Y } = layer(X, state), moved = layer(PX, state);
  const PAPt = order.map((p) => order.map((r) => A[p][r])), PY = order.map((p) => Y[p]);
  const [before, after] = [Y, moved.Y].map((M) => (pool ? [...M, pool(M)] : M));
  return { words, P, PX, A: moved.A, PAPt, PY, before, after, weightsGap: largestDifference(moved.A, PAPt),
    rowsGap: largestDifference(moved.Y, PY), pooledGap: pool ? largestDifference([pool(Y)], [pool(moved.Y)]) : null };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = ({ text, order, positions, mask, pooling }) => !/\p{Surrogate}/u.test(text)
  && isPermutation(order, tokens(text).length) && POSITIONS.includes(positions) && ["none", "causal"].includes(mask)
  && (pooling === "none" || Object.hasOwn(POOLINGS, pooling));

/** Every order of the numbers `rest`, after those that are `taken`. */
function* everyOrder(rest, taken = []) {
  if (!rest.length) yield taken;
  for (const i of rest) yield* everyOrder(rest.filter((j) => j !== i), [...taken, i]);
}

/** The largest |Y(PX) - P Y(X)| over all orders, 30 ms at a time, while `going()`; then calls `done(worst, count)`. */
function tryOrders(state, going, done) {
  const X = tokens(state.text).map(wordVector), { Y } = layer(X, state), orders = everyOrder(range(X.length));
  let worst = 0, count = 0;
  (function some() {
    for (const end = performance.now() + 30; performance.now() < end; count++) {
      const { value: order } = orders.next();
      if (!order) return done(worst, count);
      worst = Math.max(worst, largestDifference(layer(order.map((p) => X[p]), state).Y, order.map((p) => Y[p])));
    }
    if (going()) setTimeout(some);
  })();
}

/** Words to drag, or to move by arrow keys, which call `place(from, to)`; `put(names, order)` writes them. The row
 *  listens to the pointer, since it stays when words change positions. */
function chipRow(place) {
  const row = make("div", { class: "live-chips", role: "group", "aria-label": "The words in their order" });
  let held = -1, was = [];
  const choose = (i) => { // the word that the arrows beside the row move
    row.dataset.chosen = i;
    [...row.children].forEach((chip, k) => chip.classList.toggle("live-chosen", k === i));
  };
  row.addEventListener("pointerdown", (event) => {
    held = event.button ? -1 : [...row.children].indexOf(event.target);
    if (held < 0) return;
    event.preventDefault();
    row.children[held].focus();
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
      set(row.children[i], { "aria-label": names[p], "aria-valuemax": n, "aria-valuetext": `position ${i + 1} of ${n}` });
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
function sentence({ order, positions, mask, pooling }, { words, PY, after, pooledGap }) {
  const both = positions === "none" ? "" : " Both outputs are now computed with positions.";
  if (order.every((p, i) => p === i)) return `The words are in the order of your sentence. Move one of them.${both}`;
  if (order.every((p, i) => words[p] === words[i])) return `Equal words have changed places: attention reads the same sentence.${both}`;
  const n = order.length, kept = PY.filter((row, i) => largestDifference([row], [after[i]]) <= EXACT).length;
  const by = [positions === "none" ? [] : "positions", mask === "none" ? [] : "a causal mask"].flat().join(" and ");
  const rows = kept === n ? "Every word keeps its row" : kept === 1 ? `Only 1 of ${n} words keeps its row`
    : kept ? `Only ${kept} of ${n} words keep their rows`
    : "No word keeps its row";
  const rest = pooledGap === null ? "" : `; the ${pooling === "last" ? "last row" : pooling} ${pooledGap <= EXACT ? "does not move" : "changes"}`;
  return `${rows}${rest}${kept < n ? `: with ${by}, attention sees the order` : ""}.`;
}

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read(), { small } = first;
  const place = (from, to) => {
    const { order } = read(), there = clamp(to, 0, order.length - 1);
    if (there !== from) change({ order: shifted(order, from, there) });
    chips.row.children[there].focus();
  };
  const chips = chipRow(place), chosen = () => Number(chips.row.dataset.chosen);
  const step = (sign, name, by) => set(button(sign, () => place(chosen(), chosen() + by)), { "aria-label": name });
  const mix = () => {
    const { order: old } = read(), key = old.map(Math.random), order = range(old.length);
    order.sort((a, b) => key[a] - key[b]);
    if (old.length > 1 && String(order) === String(old)) mix(); else change({ order });
  };
  const moves = [button("Shuffle", mix), button("Reverse", () => change({ order: [...read().order].reverse() })),
    button("Back to start", () => change(first))];
  const part = (name, options) => choice(name, { none: "none", ...options }, (value) => change({ [name]: value }));
  const choices = [part("positions", { sinusoidal: "sinusoidal", rope: "rotary" }), part("mask", { causal: "causal" }),
    part("pooling", { mean: "mean", max: "max", last: "row of the last word" })];
  const seen = button("With positions", () => change({ positions: read().positions === "none" ? "sinusoidal" : "none" }));
  const typed = make("input", { type: "text", id: newId(), class: "live-text", maxlength: 120, autocomplete: "off",
    oninput: () => change({ text: typed.value, order: range(tokens(typed.value).length) }) });
  const spare = make("span", { role: "status" });
  const own = set(control("your sentence, up to 8 words", typed, typed.id, spare), { class: "live-control live-wide" });
  const all = make("span", { role: "status" }), tryAll = button("Try every order", () => {
    const asked = read(), same = () => read() === asked; // or else the reader has gone on
    write(all, "…");
    tryOrders(asked, same, (worst, count) =>
      same() && write(all, `${count} orders: Y(PX) and P Y(X) differ by at most ${tiny(worst)}.`));
  });
  const P = matrix("P, the order", "P"), PX = matrix("PX, the words", "PX"), A = matrix("A(PX), the weights", "A");
  const before = matrix("", "before"), after = matrix("", "after");
  const pair = make("div", { class: "live-pair" }, before.element, after.element), speak = speaker(el);
  const fresh = make("p", { class: "live-new" }, make("span", {}, "Underlined"),
    " numbers are new: they did not travel with their words.");
  const text = make("p", { class: "live-verdict" }), laws = make("ul", { class: "live-verdicts" });
  const watch = first.pooling === "none" ? "follow its row of numbers" : "watch the last row";
  const hint = `Drag a word to another position and ${watch}, first without positions, then with them.`;
  const row = make("div", { class: "live-order" }, step("◀", "Move the marked word left", -1), chips.row, step("▶", "Move the marked word right", 1));
  const controls = [small ? seen : [...choices.map(({ element }) => element), own], moves];
  el.append(make("p", { class: "live-hint" }, hint), row, make("div", { class: "live-controls" }, controls),
    small ? "" : make("p", {}, tryAll, " ", all),
    make("div", { class: "live-results live-words" }, small ? [] : [P.element, PX.element, A.element], pair),
    fresh, text);
  if (!small) el.append(laws);
  function update() {
    const state = read(), { order } = state, result = compute(state), n = order.length, { words } = result;
    const twice = (word) => words.indexOf(word) !== words.lastIndexOf(word); // equal words are told apart by a number
    const names = words.map((word, i) => (word.length > 6 ? `${word.slice(0, 5)}…` : word)
      + (twice(word) ? "₁₂₃₄₅₆₇₈"[words.slice(0, i).filter((other) => other === word).length] : ""));
    const moved = order.map((p) => names[p]), dims = range(D).map((c) => c + 1);
    const asking = el.classList.contains("live-asking"), pool = state.pooling === "none" ? [] : [state.pooling];
    const far = (M, N) => (i, j) => Math.abs(M[i][j] - N[i][j]) > EXACT;
    chips.put(names, order);
    if (document.activeElement !== typed) typed.value = state.text;
    const left = split(state.text).slice(8).join(" ");
    write(spare, left && `Eight words at most. Left out: ${left.length > 20 ? `${left.slice(0, 20)}…` : left}`);
    set(seen, { "aria-pressed": state.positions !== "none" });
    choices.forEach(({ put }, i) => put([state.positions, state.mask, state.pooling][i]));
    P.put(result.P, moved, names, { digits: 0, keys: order });
    PX.put(result.PX, moved, dims, { keys: order });
    fresh.hidden = asking;
    A.element.hidden = pair.hidden = tryAll.disabled = asking;
    laws.hidden = asking || order.every((p, i) => p === i); // nothing has moved: every equation holds
    A.put(result.A, moved, moved, { changed: far(result.A, result.PAPt), keys: order, columnKeys: order });
    const how = state.positions === "none" ? "" : " with positions";
    [[before, "X", "as written"], [after, "PX", "your order"]].forEach(([{ caption }, input, order]) =>
      write(caption, `${small ? "Output" : `Y(${input})`}${how}, ${order}`));
    before.put(result.before, [...names, ...pool], dims);
    const changed = far(result.after, [...result.PY, result.before[n]]);
    after.put(result.after, [...moved, ...pool], dims, { changed, keys: [...order, ...pool] });
    for (const { body } of [before, after]) body.lastChild.classList.toggle("live-pooled", pool.length > 0);
    laws.replaceChildren(verdict("A(PX)", "P A(X) Pᵀ", result.weightsGap), verdict("Y(PX)", "P Y(X)", result.rowsGap),
      ...pool.map((name) => verdict(`${name} of Y(PX)`, `${name} of Y(X)`, result.pooledGap)));
    write(text, asking ? "The output is hidden until you have answered." : sentence(state, result));
    write(all, "");
    speak(`${moved.join(" ")}. ${text.textContent}`);
  }
  model.on("change:state", update);
  predictFirst(el, model.get("ask"), update);
  update();
}

export default { initialize, render, compute, valid, shape: ({ small }) => small };
