// Two training runs of one head: A with a scale, B without; the reader sets where B starts and how
// far it steps.
const RANGES = { scale: [0, 4], start: [-3, 0], step: [-5, 0] };
const NAMES = Object.keys(RANGES);
const TOKENS = 4;
const WIDTH = 16;
const STEPS_TRAINED = 60;
const RATE = 2;

/** W_Q and W_K: fixed numbers between -1.75 and 1.75. */
function weights() {
  let x = 1;
  const next = () => {
    x = (75 * x + 74) % 65537;
    return (x / 65537 - 0.5) * 3.5;
  };
  return range(2).map(() => range(TOKENS).map(() => range(WIDTH).map(next)));
}

/** One step of descent of a matrix W whose gradient is G times the other matrix. */
function descended(W, G, other, rate) {
  const D = matmul(G, other);
  return W.map((row, i) => row.map((x, j) => x - rate * D[i][j]));
}

/**
 * The losses before each step and after the last, the largest score at the start, and how many
 * tokens end right.
 */
function train(c, alpha, sigma) {
  let [Q, K] = weights().map((W) => W.map((row) => row.map((x) => alpha * x)));
  const largest = c * Math.max(...matmul(Q, transpose(K)).flat().map(Math.abs));
  const losses = [];
  let A = [];
  for (let t = 0; t <= STEPS_TRAINED; t++) {
    A = matmul(
      Q.map((row) => row.map((x) => c * x)),
      transpose(K),
    ).map(softmax);
    const missed = A.map((row, i) => row.map((a, j) => a - (i === j ? 1 : 0)));
    losses.push(missed.flat().reduce((sum, x) => sum + x * x, 0) / (2 * TOKENS));
    const G = A.map((row, i) => {
      // J (a - e), the gradient at the scores
      const mean = dot(row, missed[i]);
      return row.map((a, j) => (a * (missed[i][j] - mean)) / TOKENS);
    });
    [Q, K] = [
      descended(Q, G, K, RATE * sigma * c),
      descended(K, transpose(G), Q, RATE * sigma * c),
    ];
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
  return {
    c,
    alpha,
    sigma,
    losses,
    scores: runs.map((run) => run.largest),
    ends: losses.map((run) => run[STEPS_TRAINED]),
    right: runs.map((run) => run.right),
    apart,
    lossGap: apart,
  };
}

/** Whether a state from outside, such as an address, can be drawn. */
const valid = (state) =>
  state.scale % 2 === 0 &&
  NAMES.every(
    (name) =>
      Number.isInteger(state[name]) &&
      state[name] >= RANGES[name][0] &&
      state[name] <= RANGES[name][1],
  );

// places: the losses in a drawing 340 wide and 216 high, on a logarithmic scale; the settings of B
// in one 180 by 234
const toX = (t) => 40 + 4.9 * t;
const toY = (loss) => 12 - 42.5 * Math.log10(loss);
const padX = (start) => 152 + 30 * start;
const padY = (step) => 36 - 28 * step; // room for the ring of the handle
const text = (x, y, words, anchor = "middle") =>
  make("text", { class: "live-label live-twins-text", x, y, "text-anchor": anchor }, words);
const line = (x1, y1, x2, y2) => make("line", { class: "live-grid", x1, y1, x2, y2 });
const power = (n) => (n ? `1/${2 ** -n}` : "1");

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const put = (parts) => {
    const whole = ([name, x]) => [name, clamp(Math.round(x), ...RANGES[name]) + 0];
    change(Object.fromEntries(Object.entries(parts).map(whole)));
  };
  const plot = buildPlot();
  const pad = buildPad(read, put);
  const table = buildTable();
  const scales = { 0: "1", 2: "1/4", 4: "1/16" };
  const scale = choice("A has the scale", scales, (k) => put({ scale: Number(k) }));
  const laws = verdictList();
  const message = messageLine();
  el.append(
    hintLine(
      "Where does the square have to stand so that B has the losses of A at every step? The numbers that it leaves are the largest gaps between the two.",
    ),
    div(
      "live-planes live-lean",
      div("live-twins-plot", div("live-title", "Losses: A solid, B dashed"), plot.svg),
      div("live-twins-pad", div("live-title", "Start and step of B"), pad.svg),
      table.element,
    ),
    div("live-controls", scale.element, button("Back to start", () => change(first))),
    laws,
    message,
  );
  return { plot, pad, table, scale, laws, message };
}

/** The losses of both runs. */
function buildPlot() {
  const decades = ["1", "0.1", "0.01", "0.001", "10⁻⁴"].map((words, k) => {
    const y = toY(10 ** -k);
    return [line(toX(0), y, toX(STEPS_TRAINED), y), text(36, y + 4, words, "end")];
  });
  const ticks = [0, 20, 40, 60].map((t) => [
    line(toX(t), 12, toX(t), 182),
    text(toX(t), 197, String(t)),
  ]);
  const runs = ["live-twins-a live-orange", "live-twins-b live-blue"].map((look) =>
    make("polyline", { class: look })
  );
  const look = {
    viewBox: "0 0 340 216",
    role: "img",
    class: "live-twins",
    "aria-label": "The loss of both runs against the steps",
  };
  const svg = make("svg", look, decades, ticks, text(toX(30), 212, _("steps")), runs);
  return { svg, runs };
}

/** The start and the step of B: a grid of powers of two, with the gaps that were found. */
function buildPad(read, put) {
  const columns = range(4).map((k) => [
    line(padX(-k), 28, padX(-k), 184),
    text(padX(-k), 214, power(-k)),
  ]);
  const rows = range(6).map((k) => [
    line(54, padY(-k), 160, padY(-k)),
    text(34, padY(-k) + 4, power(-k), "end"),
  ]);
  const notes = range(24).map((k) => text(padX(-(k % 4)), padY(-(k >> 2)) + 4, ""));
  const names = [text(4, 14, "step ×", "start"), text(107, 230, "start ×")];
  const look = {
    viewBox: "0 0 180 234",
    role: "group",
    class: "live-twins",
    "aria-label": "Start and step of B",
  };
  const svg = make("svg", look, columns, rows, notes, names);
  const drag = (x, y) => put({ start: (x - 152) / 30, step: (36 - y) / 28 });
  const step = (dx, dy) => put({ start: read().start + dx, step: read().step + dy });
  const move = handle(svg, "start and step of B", "live-blue", mark(1, 9), drag, step);
  return { svg, notes, move, tried: new Map() };
}

/** What both runs begin and end with. */
function buildTable() {
  const rows = [
    ["scores", "largest |score| at the start", show],
    ["ends", "loss at the end", tiny],
    ["right", "tokens right at the end, of 4", String],
  ].map(([part, title, shown]) => {
    const cells = range(2).map((i) => make("td", { "data-shows": `${part} ${i}` }));
    const element = make("tr", {}, make("th", { scope: "row" }, title), cells);
    return { element, part, shown, cells };
  });
  const heads = ["", "A", "B"].map((words) =>
    make(words ? "th" : "td", words ? { scope: "col" } : {}, words)
  );
  const element = make(
    "table",
    { class: "live-table live-twins-table" },
    make("thead", {}, make("tr", {}, heads)),
    make("tbody", {}, rows.map((row) => row.element)),
  );
  return { element, rows };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw({ plot, pad, table, scale, laws }, state, result, { hidden }) {
  drawPlot(plot, result, hidden);
  drawPad(pad, state, result, hidden);
  for (const { part, shown, cells } of table.rows) {
    cells.forEach((cell, i) => write(cell, hidden ? "?" : shown(result[part][i])));
  }
  scale.put(String(state.scale));
  laws.replaceChildren(
    hidden ? "" : verdict("the losses of A", "the losses of B", result.lossGap),
  );
}

function drawPlot({ runs }, { losses }, hidden) {
  const point = (loss, t) => `${hundredth(toX(t))},${hundredth(toY(loss))}`;
  runs.forEach((run, k) => {
    const points = losses[k].map(point).join(" ");
    set(run, { visibility: hidden ? "hidden" : "visible", points });
  });
}

/** The handle, and at every place that was tried the gap; ✓ where another scale had none. */
function drawPad({ notes, move, tried }, { scale, start, step }, { apart }, hidden) {
  const [min, max] = RANGES.start;
  const spoken = `start times ${power(start)}, step times ${power(step)}`;
  move([padX(start), padY(step)], spoken, { now: start, min, max });
  const here = -start - 4 * step;
  if (!hidden) tried.set(`${scale} ${here}`, apart <= EXACT ? "0" : show(apart, 1));
  const matches = (k) => [0, 2, 4].some((other) => tried.get(`${other} ${k}`) === "0");
  notes.forEach((note, k) => {
    const found = tried.get(`${scale} ${k}`) ?? (matches(k) ? "✓" : "");
    write(note, k === here ? "" : found);
  });
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words. */
function speak({ scale, start, step }, _result, { hidden }) {
  if (hidden) return "The losses are hidden until you have answered.";
  if (2 * start === -scale && step === -scale) {
    return "Start and step do the work of the scale: two runs, the same losses.";
  }
  const scores = scoresOf(2 * start + scale);
  const steps = stepsOf(step + scale);
  return `B starts with ${scores} and takes ${steps}.`;
}

function scoresOf(excess) {
  if (excess === 0) return "the scores of A";
  return excess > 0 ? "larger scores than A" : "smaller scores than A";
}

function stepsOf(excess) {
  if (excess === 0) return "steps that match the scale of A";
  return excess > 0
    ? "steps too long to match the scale of A"
    : "steps too short to match the scale of A";
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
