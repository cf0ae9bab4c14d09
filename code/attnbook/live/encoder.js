// What the figures mirror and ablation share: a trained encoder with two layers of three heads, and a row of six words.
// Its weights, in thousandths, are the constant `stored`, which files.py puts in front.
const WORDS = ["cat", "fish", "sees", "and"], N = 6, D = 12, H = 3, HIDDEN = 20, LAYERS = 2;

/** A function that keeps its answers. */
function memoize(f) {
  const answers = new Map();
  return (...args) => {
    const key = args.join();
    if (!answers.has(key)) answers.set(key, f(...args));
    return answers.get(key);
  };
}

/** The weights of a model, "positions" or "no positions", after so many steps of training, as matrices. */
const weightsOf = memoize((name, step) => {
  const { weights } = stored.find((m) => m.model === name && m.step === step);
  let at = 0;
  const row = (columns) => weights.slice(at, at += columns).map((x) => x / 1000);
  const matrix = (rows, columns) => range(rows).map(() => row(columns));
  const heads = () => range(H).map(() => matrix(D, D / H));
  const layer = () => ({ Q: heads(), K: heads(), V: heads(), O: matrix(D, D), up: matrix(D, HIDDEN),
    down: matrix(HIDDEN, D) });
  return { embed: matrix(WORDS.length, D), layers: range(LAYERS).map(layer), read: matrix(D, 2) };
});

const wave = (t) => range(D).map((c) => [Math.sin, Math.cos][c % 2](t * 10000 ** (-2 * (c >> 1) / D)));
const WAVES = range(N).map(wave);
const plus = (A, B) => A.map((row, i) => row.map((x, c) => x + B[i][c]));
const mean = (x) => x.reduce((a, b) => a + b) / x.length;

/** The product AB, with loops: the scoreboard asks for eighty forward passes at once. */
const product = (A, B) => A.map((row) => {
  const sums = B[0].map(() => 0);
  for (let k = 0; k < row.length; k++) for (let c = 0; c < sums.length; c++) sums[c] += row[k] * B[k][c];
  return sums;
});

/** Each row with mean 0 and variance 1. */
const norm = (X) => X.map((row) => {
  const middle = mean(row), centred = row.map((x) => x - middle);
  const size = Math.sqrt(mean(centred.map((x) => x * x)) + 1e-5);
  return centred.map((x) => x / size);
});

/** The maps of all heads for a sentence, layer by layer, and P(cat first): both layers, the mean of the rows, softmax of
 *  the two answers. Head r looks with softmax(X Q_r (X K_r)ᵀ / √d_k) at X V_r; the heads stand side by side, times O.
 *  `instead(l, r)`, unless it is null, takes the place of the map of head r in layer l. */
function forward({ embed, layers, read }, sentence, positions, instead = () => null) {
  const T = sentence.split(" ").map((word) => embed[WORDS.indexOf(word)]), maps = [];
  let X = positions ? plus(T, WAVES) : T;
  layers.forEach(({ Q, K, V, O, up, down }, l) => {
    const heads = range(H).map((r) => {
      const [q, k, v] = [Q, K, V].map((W) => product(X, W[r]));
      maps.push(instead(l, r) ?? q.map((u) => softmax(k.map((row) => dot(u, row) / Math.sqrt(D / H)))));
      return product(maps.at(-1), v);
    });
    const Z = norm(plus(X, product(X.map((_, i) => heads.flatMap((Y) => Y[i])), O)));
    const hidden = product(Z, up).map((row) => row.map((x) => Math.max(x, 0)));
    X = norm(plus(Z, product(hidden, down)));
  });
  return { maps, p: softmax(product([transpose(X).map(mean)], read)[0])[1] };
}

const catFirst = (sentence) => sentence.indexOf("cat") < sentence.indexOf("fish");
const other = { sees: "and", and: "sees" };

/** Whether a text is a sentence of six words, with cat and fish once each. */
function isSentence(text) {
  const words = text.split(" "), count = (word) => words.filter((other) => other === word).length;
  return words.length === N && words.every((word) => WORDS.includes(word)) && count("cat") === 1 && count("fish") === 1;
}

/** The sentence of a state as six tiles, which are dragged, moved by arrow keys, or tapped to change sees and and.
 *  `put(words)` writes them, and each flies from where it was; `reorder(order, rest)` gives position i word order[i]. */
function tileRow(read, change) {
  const still = range(N), wordsNow = () => read().sentence.split(" ");
  let came = still; // where each word was before the change that is being drawn
  const reorder = (order, rest = {}) => {
    const words = wordsNow();
    came = order;
    change({ sentence: order.map((p) => words[p]).join(" "), ...rest });
    came = still;
  };
  const place = (from, to) => {
    const there = clamp(to, 0, N - 1);
    if (there !== from) reorder(shifted(still, from, there));
    tiles[there].focus();
  };
  const swap = (i) => change({ sentence: wordsNow().map((word, k) => (k === i && other[word]) || word).join(" ") });
  const names = { class: "live-tiles", role: "group", "aria-label": "The words of the sentence" };
  const look = (i) => ({ class: "live-chip", tabindex: 0, role: "slider", "aria-valuemin": 1, "aria-valuenow": i + 1,
    "aria-valuemax": N });
  const tiles = range(N).map((i) => make("span", look(i))), row = make("div", names, tiles);
  let held = -1, moved = false;
  tiles.forEach((tile, i) => {
    arrows(tile, (dx, dy) => (dx ? place(i, i + dx) : Math.abs(dy) > 1 ? place(i, i + dy) : swap(i)));
    tile.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      swap(i);
    });
  });
  row.addEventListener("pointerdown", (event) => { // the row listens: a word leaves its tile when it moves
    held = event.button ? -1 : tiles.indexOf(event.target);
    moved = false;
    if (held < 0) return;
    event.preventDefault();
    tiles[held].focus();
    row.setPointerCapture(event.pointerId);
  });
  row.addEventListener("pointermove", ({ clientX }) => {
    if (held < 0) return;
    const { left, width } = row.getBoundingClientRect();
    const to = clamp(Math.floor((N * (clientX - left)) / width), 0, N - 1);
    if (to === held) return;
    moved = true;
    place(held, to);
    held = to;
  });
  row.addEventListener("pointerup", () => { if (held >= 0 && !moved) swap(held); });
  row.addEventListener("lostpointercapture", () => { held = -1; });
  const put = (words) => {
    words.forEach((word, i) => {
      write(tiles[i], word);
      set(tiles[i], { "data-word": word, "aria-label": word, "aria-valuetext": `${word}, position ${i + 1} of ${N}` });
      const dx = tiles[came[i]].offsetLeft - tiles[i].offsetLeft;
      if (dx && !calm()) tiles[i].animate({ translate: [`${dx}px 0`, "0 0"] }, { duration: 300, easing: "ease-out" });
    });
  };
  return { row, put, reorder };
}
