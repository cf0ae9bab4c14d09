// What the figures mirror, ablation and thread share: a trained encoder with two layers of three heads, and a row of six words.
// Its weights, in thousandths, are the constant `stored`, which files.py puts in front: each entry is what a stretch of
// training has added.
const WORDS = ["cat", "fish", "sees", "and"], N = 6, D = 12, H = 3, HIDDEN = 20, LAYERS = 2;
const SHOWN = { cat: _("cat"), fish: _("fish"), sees: _("sees"), and: _("and") }; // as a reader sees and hears them
const shownWords = (sentence) => sentence.split(" ").map((word) => SHOWN[word]);

/** A function that keeps its answers. */
function memoize(f) {
  const answers = new Map();
  return (...args) => {
    const key = args.join();
    if (!answers.has(key)) answers.set(key, f(...args));
    return answers.get(key);
  };
}

/** The weights of the model with or without positions after so many steps of training: matrices, row after row. */
const weightsOf = memoize((positions, step) => {
  const steps = stored.filter((m) => (m.model === "positions") === positions && m.step <= step);
  const weights = steps[0].weights.map((_, i) => total(steps.map((m) => m.weights[i])));
  let at = 0;
  const matrix = (rows, columns) => Float64Array.from(weights.slice(at, at += rows * columns), (x) => x / 1000);
  const heads = () => range(H).map(() => matrix(D, D / H));
  const layer = () => ({ Q: heads(), K: heads(), V: heads(), O: matrix(D, D), up: matrix(D, HIDDEN),
    down: matrix(HIDDEN, D) });
  return { embed: matrix(WORDS.length, D), layers: range(LAYERS).map(layer), read: matrix(D, 2) };
});

const WAVES = range(N).map((t) => range(D).map((c) => [Math.sin, Math.cos][c % 2](t * 10000 ** (-2 * (c >> 1) / D))));
const mean = (x) => x.reduce((a, b) => a + b) / x.length;

/** The product AB of matrices that are stored row after row: one call may hold the words of 480 sentences. Two columns of
 *  B at once take half the time; it has an even number of them. */
function product(A, B, inner) {
  const columns = B.length / inner, out = new Float64Array(A.length / inner * columns);
  for (let i = 0, at = 0; i < A.length; i += inner) for (let c = 0; c < columns; c += 2) {
    let one = 0, two = 0;
    for (let k = 0, b = c; k < inner; k++, b += columns) {
      one += A[i + k] * B[b];
      two += A[i + k] * B[b + 1];
    }
    out[at++] = one;
    out[at++] = two;
  }
  return out;
}

/** X + Y, each row then with mean 0 and variance 1. */
function addAndNorm(X, Y) {
  const out = X.map((x, i) => x + Y[i]);
  for (let i = 0; i < out.length; i += D) {
    let middle = 0, square = 0;
    for (let c = i; c < i + D; c++) middle += out[c] / D;
    for (let c = i; c < i + D; c++) square += (out[c] -= middle) ** 2 / D;
    for (let c = i, size = Math.sqrt(square + 1e-5); c < i + D; c++) out[c] /= size;
  }
  return out;
}

/** The map of a head for the sentence whose first row is `from`: softmax(q kᵀ / √d_k), its rows one after the other. */
function mapOf(q, k, from) {
  const A = new Float64Array(N * N), d = D / H;
  for (let i = 0; i < N; i++) {
    let sum = 0, largest = -Infinity;
    for (let j = 0; j < N; j++) {
      let score = 0;
      for (let c = 0; c < d; c++) score += q[(from + i) * d + c] * k[(from + j) * d + c];
      A[N * i + j] = score / Math.sqrt(d);
      largest = Math.max(largest, A[N * i + j]);
    }
    for (let j = N * i; j < N * i + N; j++) sum += A[j] = Math.exp(A[j] - largest);
    for (let j = N * i; j < N * i + N; j++) A[j] /= sum;
  }
  return A;
}

/** For several sentences at once: the maps of all heads, layer by layer, each with a map for every sentence; and the
 *  log-odds of "cat first", from the mean of the rows after both layers. The rows enter as X + αE. Head r looks with
 *  softmax(X Q_r (X K_r)ᵀ / √d_k) at X V_r; the heads stand side by side, times O. `instead(l, r)`, unless it is
 *  null, takes the place of the map of head r in layer l. */
function forward({ embed, layers, read }, sentences, alpha, instead = () => null) {
  const maps = [], d = D / H;
  let X = new Float64Array(sentences.length * N * D);
  sentences.forEach((sentence, s) => sentence.split(" ").forEach((word, t) => {
    const from = D * WORDS.indexOf(word), to = D * (N * s + t);
    for (let c = 0; c < D; c++) X[to + c] = embed[from + c] + alpha * WAVES[t][c];
  }));
  layers.forEach(({ Q, K, V, O, up, down }, l) => {
    const mixed = new Float64Array(X.length);
    for (let r = 0; r < H; r++) {
      const [q, k, v] = [Q, K, V].map((W) => product(X, W[r], D)), other = instead(l, r);
      maps.push(sentences.map((_, s) => {
        const A = other ?? mapOf(q, k, N * s);
        for (let i = 0; i < N; i++) for (let c = 0; c < d; c++) {
          let sum = 0;
          for (let j = 0; j < N; j++) sum += A[N * i + j] * v[(N * s + j) * d + c];
          mixed[(N * s + i) * D + r * d + c] = sum;
        }
        return A;
      }));
    }
    const Z = addAndNorm(X, product(mixed, O, D));
    X = addAndNorm(Z, product(product(Z, up, D).map((x) => Math.max(x, 0)), down, HIDDEN));
  });
  const scores = product(X, read, D), odds = (_, s) => range(N).reduce((sum, i) => // the mean comes last: it is linear
    sum + (scores[2 * (N * s + i) + 1] - scores[2 * (N * s + i)]) / N, 0);
  return { maps, odds: sentences.map(odds) };
}

const sigmoid = (x) => 1 / (1 + Math.exp(-x));
const catFirst = (sentence) => sentence.indexOf("cat") < sentence.indexOf("fish");

/** Whether a text is a sentence of six words, with cat and fish once each. */
function isSentence(text) {
  const words = text.split(" "), count = (word) => words.filter((other) => other === word).length;
  return words.length === N && words.every((word) => WORDS.includes(word)) && count("cat") === 1 && count("fish") === 1;
}

/** The sentence of a state as six tiles, which are dragged, moved by arrow keys, or, with `other`, tapped to change one
 *  word into another. `put(words)` writes them, and each flies from where it was; `reorder(order, rest)` gives position i word order[i]. */
function tileRow(read, change, other = { sees: "and", and: "sees" }) {
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
    tiles[there].focus({ preventScroll: true });
  };
  const swap = (i) => change({ sentence: wordsNow().map((word, k) => (k === i && other[word]) || word).join(" ") });
  const names = { class: "live-tiles", role: "group", "aria-label": "The words of the sentence" };
  const look = (i) => ({ class: "live-chip", tabindex: 0, role: "slider", "aria-valuemin": 1, "aria-valuenow": i + 1,
    "aria-valuemax": N });
  const tiles = range(N).map((i) => make("span", look(i))), row = make("div", names, tiles);
  let held = -1, moved = false;
  tiles.forEach((tile, i) => {
    arrows(tile, (dx, dy) => (dx || !other || Math.abs(dy) > 1 ? place(i, i + (dx || dy)) : swap(i)));
    tile.addEventListener("keydown", (event) => {
      if (!other || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      swap(i);
    });
  });
  row.addEventListener("pointerdown", (event) => { // the row listens: a word leaves its tile when it moves
    held = event.button ? -1 : tiles.indexOf(event.target);
    moved = false;
    if (held < 0) return;
    event.preventDefault();
    tiles[held].focus({ preventScroll: true });
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
  row.addEventListener("pointerup", () => { if (other && held >= 0 && !moved) swap(held); });
  row.addEventListener("lostpointercapture", () => { held = -1; });
  const put = (words) => {
    words.forEach((word, i) => {
      const name = SHOWN[word];
      write(tiles[i], name);
      set(tiles[i], { "data-word": word, "aria-label": name, "aria-valuetext": `${name}, position ${i + 1} of ${N}` });
      const dx = tiles[came[i]].offsetLeft - tiles[i].offsetLeft;
      if (dx && !calm()) tiles[i].animate({ translate: [`${dx}px 0`, "0 0"] }, { duration: 300, easing: "ease-out" });
    });
  };
  return { row, put, reorder };
}
