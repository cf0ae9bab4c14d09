// What the figures mirror, ablation and thread share: a trained encoder with two layers of three
// heads, which reads six words. Its weights, in thousandths, are the constant `stored`, which
// files.py puts in front: each entry is what a stretch of training has added.
const WORDS = ["cat", "fish", "sees", "and"];
const N = 6;
const D = 12;
const H = 3;
const HIDDEN = 20;
const LAYERS = 2;

/** The words as a reader sees and hears them. */
const SHOWN = { cat: _("cat"), fish: _("fish"), sees: _("sees"), and: _("and") };
const SWAPS = { sees: "and", and: "sees" }; // a tap on the one makes it the other
const shownWords = (sentence) => sentence.split(" ").map((word) => SHOWN[word]);

/**
 * The weights of the model with or without positions after so many steps of training: matrices, row
 * after row.
 */
const weightsOf = memoize((positions, step) => {
  const steps = stored.filter((m) => (m.model === "positions") === positions && m.step <= step);
  const weights = steps[0].weights.map((_x, i) => total(steps.map((m) => m.weights[i])));
  let at = 0;
  const matrix = (rows, columns) => {
    const from = at;
    at += rows * columns;
    return Float64Array.from(weights.slice(from, at), (x) => x / 1000);
  };
  const heads = () => range(H).map(() => matrix(D, D / H));
  const layer = () => ({
    Q: heads(),
    K: heads(),
    V: heads(),
    O: matrix(D, D),
    up: matrix(D, HIDDEN),
    down: matrix(HIDDEN, D),
  });
  return { embed: matrix(WORDS.length, D), layers: range(LAYERS).map(layer), read: matrix(D, 2) };
});

const WAVES = range(N).map((t) =>
  range(D).map((c) => [Math.sin, Math.cos][c % 2](t * 10000 ** ((-2 * (c >> 1)) / D)))
);
const mean = (x) => x.reduce((a, b) => a + b) / x.length;

/**
 * The product AB of matrices that are stored row after row: one call may hold the words of 480
 * sentences. Two columns of B at once take half the time; it has an even number of them.
 */
function product(A, B, inner) {
  const columns = B.length / inner;
  const out = new Float64Array((A.length / inner) * columns);
  let at = 0;
  for (let i = 0; i < A.length; i += inner) {
    for (let c = 0; c < columns; c += 2) {
      let one = 0;
      let two = 0;
      let b = c;
      for (let k = 0; k < inner; k++) {
        one += A[i + k] * B[b];
        two += A[i + k] * B[b + 1];
        b += columns;
      }
      out[at++] = one;
      out[at++] = two;
    }
  }
  return out;
}

/** X + Y, each row then with mean 0 and variance 1. */
function addAndNorm(X, Y) {
  const out = X.map((x, i) => x + Y[i]);
  for (let i = 0; i < out.length; i += D) {
    let middle = 0;
    let square = 0;
    for (let c = i; c < i + D; c++) middle += out[c] / D;
    for (let c = i; c < i + D; c++) {
      out[c] -= middle;
      square += out[c] ** 2 / D;
    }
    const size = Math.sqrt(square + 1e-5);
    for (let c = i; c < i + D; c++) out[c] /= size;
  }
  return out;
}

/**
 * The map of a head for the sentence whose first row is `from`: softmax(q kᵀ / √d_k), its rows one
 * after the other.
 */
function mapOf(q, k, from) {
  const A = new Float64Array(N * N);
  const d = D / H;
  for (let i = 0; i < N; i++) {
    let sum = 0;
    let largest = -Infinity;
    for (let j = 0; j < N; j++) {
      let score = 0;
      for (let c = 0; c < d; c++) score += q[(from + i) * d + c] * k[(from + j) * d + c];
      A[N * i + j] = score / Math.sqrt(d);
      largest = Math.max(largest, A[N * i + j]);
    }
    for (let j = N * i; j < N * i + N; j++) {
      A[j] = Math.exp(A[j] - largest);
      sum += A[j];
    }
    for (let j = N * i; j < N * i + N; j++) A[j] /= sum;
  }
  return A;
}

/** Writes AV of head r into its columns of `mixed`, for the sentence whose first row is `from`. */
function mix(A, v, from, mixed, r) {
  const d = D / H;
  for (let i = 0; i < N; i++) {
    for (let c = 0; c < d; c++) {
      let sum = 0;
      for (let j = 0; j < N; j++) sum += A[N * i + j] * v[(from + j) * d + c];
      mixed[(from + i) * D + r * d + c] = sum;
    }
  }
}

/**
 * For several sentences at once: the maps of all heads, layer by layer, each with a map for every
 * sentence; and the log-odds of "cat first", from the mean of the rows after both layers. The rows
 * enter as X + αE. Head r looks with softmax(X Q_r (X K_r)ᵀ / √d_k) at X V_r; the heads stand side
 * by side, times O. `instead(l, r)`, unless it is null, takes the place of the map of head r in
 * layer l.
 */
function forward({ embed, layers, read }, sentences, alpha, instead = () => null) {
  const maps = [];
  let X = new Float64Array(sentences.length * N * D);
  sentences.forEach((sentence, s) =>
    sentence.split(" ").forEach((word, t) => {
      const from = D * WORDS.indexOf(word);
      const to = D * (N * s + t);
      for (let c = 0; c < D; c++) X[to + c] = embed[from + c] + alpha * WAVES[t][c];
    })
  );
  layers.forEach(({ Q, K, V, O, up, down }, l) => {
    const mixed = new Float64Array(X.length);
    for (let r = 0; r < H; r++) {
      const [q, k, v] = [Q, K, V].map((W) => product(X, W[r], D));
      const other = instead(l, r);
      const As = sentences.map((_x, s) => other ?? mapOf(q, k, N * s));
      As.forEach((A, s) => mix(A, v, N * s, mixed, r));
      maps.push(As);
    }
    const Z = addAndNorm(X, product(mixed, O, D));
    const hidden = product(Z, up, D).map((x) => Math.max(x, 0));
    X = addAndNorm(Z, product(hidden, down, HIDDEN));
  });
  const scores = product(X, read, D);
  const oddsOf = (row) => scores[2 * row + 1] - scores[2 * row];
  // the mean over the words comes last: it is linear
  const mean = (_x, s) => range(N).reduce((sum, i) => sum + oddsOf(N * s + i) / N, 0);
  return { maps, odds: sentences.map(mean) };
}

const sigmoid = (x) => 1 / (1 + Math.exp(-x));
const catFirst = (sentence) => sentence.indexOf("cat") < sentence.indexOf("fish");

/** Whether a text is a sentence of six words, with cat and fish once each. */
function isSentence(text) {
  const words = text.split(" ");
  const count = (word) => words.filter((other) => other === word).length;
  return (
    words.length === N &&
    words.every((word) => WORDS.includes(word)) &&
    count("cat") === 1 &&
    count("fish") === 1
  );
}
