// Two training runs of one head: A with a scale, B without; the reader sets where B starts and how far it steps.
const RANGES = { scale: [0, 4], start: [-3, 0], step: [-5, 0] }, NAMES = Object.keys(RANGES);
const TOKENS = 4, WIDTH = 16, STEPS_TRAINED = 60, RATE = 2;

/** W_Q and W_K: fixed numbers between -1.75 and 1.75. */
function weights() {
  let x = 1;
  const next = () => { x = (75 * x + 74) % 65537; return (x / 65537 - 0.5) * 3.5; };
  return range(2).map(() => range(TOKENS).map(() => range(WIDTH).map(next)));
}

/** One step of descent of a matrix W whose gradient is G times the other matrix. */
function descended(W, G, other, rate) {
  const D = matmul(G, other);
  return W.map((row, i) => row.map((x, j) => x - rate * D[i][j]));
}

/** The losses before each step and after the last, the largest score at the start, and how many tokens end right. */
function train(c, alpha, sigma) {
  let [Q, K] = weights().map((W) => W.map((row) => row.map((x) => alpha * x)));
  const largest = c * Math.max(...matmul(Q, transpose(K)).flat().map(Math.abs));
  const losses = [];
  let A = [];
  for (let t = 0; t <= STEPS_TRAINED; t++) {
    A = matmul(Q.map((row) => row.map((x) => c * x)), transpose(K)).map(softmax);
    const missed = A.map((row, i) => row.map((a, j) => a - (i === j ? 1 : 0)));
    losses.push(missed.flat().reduce((sum, x) => sum + x * x, 0) / (2 * TOKENS));
    const G = A.map((row, i) => { // J (a - e), the gradient at the scores
      const mean = dot(row, missed[i]);
      return row.map((a, j) => a * (missed[i][j] - mean) / TOKENS);
    });
    [Q, K] = [descended(Q, G, K, RATE * sigma * c), descended(K, transpose(G), Q, RATE * sigma * c)];
  }
  const right = A.filter((row, i) => row[i] === Math.max(...row)).length;
  return { losses, largest, right };
}

/** Both runs, and how far their losses are apart. */
function compute({ scale, start, step }) {
  const [c, alpha, sigma] = [2 ** -scale, 2 ** start, 2 ** step];
  const runs = [train(c, 1, 1), train(1, alpha, sigma)];
  const losses = runs.map((run) => run.losses);
  const apart = largestDifference([losses[0]], [losses[1]]);
  return { c, alpha, sigma, losses, scores: runs.map((run) => run.largest), ends: losses.map((run) => run[STEPS_TRAINED]),
    right: runs.map((run) => run.right), apart, lossGap: apart };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = (state) => state.scale % 2 === 0 && NAMES.every((name) =>
  Number.isInteger(state[name]) && state[name] >= RANGES[name][0] && state[name] <= RANGES[name][1]);

// places: the losses in a drawing 340 wide and 216 high, on a logarithmic scale; the settings of B in one 180 by 234
const toX = (t) => 40 + 4.9 * t, toY = (loss) => 12 - 42.5 * Math.log10(loss);
const padX = (start) => 152 + 30 * start, padY = (step) => 36 - 28 * step; // room for the ring of the handle
const text = (x, y, words, anchor = "middle") =>
  make("text", { class: "live-label live-twins-text", x, y, "text-anchor": anchor }, words);
const line = (x1, y1, x2, y2) => make("line", { class: "live-grid", x1, y1, x2, y2 });
const power = (n) => (n ? `1/${2 ** -n}` : "1");

function render({ model, el }) {
  const [read, change] = stateOf(model), first = read();
  const put = (parts) => change(Object.fromEntries(Object.entries(parts).map(([name, x]) =>
    [name, clamp(Math.round(x), ...RANGES[name]) + 0])));

  // the losses
  const decades = ["1", "0.1", "0.01", "0.001", "10⁻⁴"].map((words, k) => {
    const y = toY(10 ** -k);
    return [line(toX(0), y, toX(STEPS_TRAINED), y), text(36, y + 4, words, "end")];
  });
  const ticks = [0, 20, 40, 60].map((t) => [line(toX(t), 12, toX(t), 182), text(toX(t), 197, String(t))]);
  const [runA, runB] = ["live-twins-a live-orange", "live-twins-b live-blue"].map((look) => make("polyline", { class: look }));
  const plot = make("svg", { viewBox: "0 0 340 216", role: "img", class: "live-twins", "aria-label":
    "The loss of both runs against the steps" }, decades, ticks, text(toX(30), 212, _("steps")), runA, runB);

  // the start and the step of B: a grid of powers of two
  const columns = range(4).map((k) => [line(padX(-k), 28, padX(-k), 184), text(padX(-k), 214, power(-k))]);
  const rows = range(6).map((k) => [line(54, padY(-k), 160, padY(-k)), text(34, padY(-k) + 4, power(-k), "end")]);
  const tried = new Map(), notes = range(24).map((k) => text(padX(-(k % 4)), padY(-(k >> 2)) + 4, "")); // the gaps that were found
  const pad = make("svg", { viewBox: "0 0 180 234", role: "group", class: "live-twins", "aria-label": "Start and step of B" },
    columns, rows, notes, text(4, 14, "step ×", "start"), text(107, 230, "start ×"));
  const drag = (x, y) => put({ start: (x - 152) / 30, step: (36 - y) / 28 });
  const steps = (dx, dy) => { const { start, step } = read(); put({ start: start + dx, step: step + dy }); };
  const move = handle(pad, "start and step of B", "live-blue", mark(1, 9), drag, steps);

  // controls and readings
  const scale = choice("A has the scale", { 0: "1", 2: "1/4", 4: "1/16" }, (k) => put({ scale: Number(k) }));
  const cells = ["scores", "ends", "right"].map((part) => range(2).map((i) => make("td", { "data-shows": `${part} ${i}` })));
  const heads = ["", "A", "B"].map((words) => make(words ? "th" : "td", words ? { scope: "col" } : {}, words));
  const names = ["largest |score| at the start", "loss at the end", "tokens right at the end, of 4"];
  const shown = [show, tiny, String];
  const table = make("table", { class: "live-table live-twins-table" }, make("thead", {}, make("tr", {}, heads)),
    make("tbody", {}, cells.map((pair, k) => make("tr", {}, make("th", { scope: "row" }, names[k]), pair))));
  const laws = make("ul", { class: "live-verdicts" }), message = make("p", { class: "live-verdict" });
  el.append(make("p", { class: "live-hint" }, "Where does the square have to stand so that B has the losses of A at every step? The numbers that it leaves are the largest gaps between the two."),
    make("div", { class: "live-planes live-lean" },
      make("div", { class: "live-twins-plot" }, make("div", { class: "live-title" }, "Losses: A solid, B dashed"), plot),
      make("div", { class: "live-twins-pad" }, make("div", { class: "live-title" }, "Start and step of B"), pad), table),
    make("div", { class: "live-controls" }, scale.element, button("Back to start", () => change(first))), laws, message);
  const speak = setUp(model, el, update);

  function update() {
    const state = read(), result = compute(state), hidden = el.classList.contains("live-asking");
    [runA, runB].forEach((run, k) => set(run, { visibility: hidden ? "hidden" : "visible",
      points: result.losses[k].map((loss, t) => `${hundredth(toX(t))},${hundredth(toY(loss))}`).join(" ") }));
    scale.put(String(state.scale));
    move([padX(state.start), padY(state.step)], `start times ${power(state.start)}, step times ${power(state.step)}`,
      { now: state.start, min: RANGES.start[0], max: RANGES.start[1] });
    cells.forEach((pair, k) => pair.forEach((cell, i) => write(cell, hidden ? "?" : shown[k](result[["scores", "ends", "right"][k]][i]))));
    const here = -state.start - 4 * state.step;
    if (!hidden) tried.set(`${state.scale} ${here}`, result.apart <= EXACT ? "0" : show(result.apart, 1));
    const match = (k) => ([0, 2, 4].some((scale) => tried.get(`${scale} ${k}`) === "0") ? "✓" : ""); // for another scale
    notes.forEach((note, k) => write(note, k === here ? "" : tried.get(`${state.scale} ${k}`) ?? match(k)));
    laws.replaceChildren(hidden ? "" : verdict("the losses of A", "the losses of B", result.lossGap));
    write(message, hidden ? "The losses are hidden until you have answered." : sentence(state));
    speak(message.textContent);
  }
  update();
}

/** What the figure says in words. */
function sentence({ scale, start, step }) {
  const [starts, steps] = [2 * start === -scale, step === -scale];
  if (starts && steps) return "Start and step do the work of the scale: two runs, the same losses.";
  const scores = starts ? "the scores of A" : 2 * start > -scale ? "larger scores than A" : "smaller scores than A";
  const [match, long, short] = ["steps that match the scale of A", "steps too long to match the scale of A",
    "steps too short to match the scale of A"];
  return `B starts with ${scores} and takes ${steps ? match : step > -scale ? long : short}.`;
}

export default { initialize, render, compute, valid };
