// Two training runs of one head: A with a scale, B without; the reader brings B into the tracks of A.
const RANGES = { scale: [0, 4], start: [-3, 0], step: [-5, 0] };
const NAMES = Object.keys(RANGES);
const TOKENS = 4;
const WIDTH = 16;
const STEPS_TRAINED = 60;
const RATE = 2;
const HOMES = [[-1, 1], [1, 1], [1, -1], [-1, -1]]; // where the four values stand in the square
const SCALES = [0, 2, 4];

/** W_Q and W_K: fixed numbers between -1.75 and 1.75. */
function weights() {
  let x = 1;
  const next = () => {
    x = (75 * x + 74) % 65537;
    return (x / 65537 - 0.5) * 3.5;
  };
  return range(2).map(() => range(TOKENS).map(() => range(WIDTH).map(next)));
}

const scaled = (W, factor) => W.map((row) => row.map((x) => factor * x));

/** One step of descent of a matrix W whose gradient is G times the other matrix. */
function descended(W, G, other, rate) {
  const D = matmul(G, other);
  return W.map((row, i) => row.map((x, j) => x - rate * D[i][j]));
}

/** The weights and the losses before each step and after the last. */
function train(c, alpha, sigma) {
  let [Q, K] = weights().map((W) => scaled(W, alpha));
  const rows = [];
  const losses = [];
  for (let t = 0; t <= STEPS_TRAINED; t++) {
    const A = matmul(scaled(Q, c), transpose(K)).map(softmax);
    const missed = A.map((row, i) => row.map((a, j) => a - (i === j ? 1 : 0)));
    rows.push(A);
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
  return { rows, losses };
}

const isHome = (row, i) => (row[i] === Math.max(...row) ? 1 : 0);

/** Both runs, where their outputs walk, and how far their losses are apart. */
function compute({ scale, start, step }) {
  const [c, alpha, sigma] = [2 ** -scale, 2 ** start, 2 ** step];
  const runs = [train(c, 1, 1), train(1, alpha, sigma)];
  const losses = runs.map((run) => run.losses);
  const home = runs.map(({ rows }) => rows[STEPS_TRAINED].map(isHome));
  const apart = largestDifference([losses[0]], [losses[1]]);
  return {
    c,
    alpha,
    sigma,
    losses,
    paths: runs.map(({ rows }) => rows.map((A) => matmul(A, HOMES))),
    home,
    right: home.map(total),
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

// ---- places --------------------------------------------------------------------------------------

const MIDDLE = 170; // the square is drawn 340 wide and high
const SIDE = 142; // from its middle to a corner, along an axis
const HELD = 2; // the token whose start is the handle
const DISC = 25; // from one disc to the next at least: none lies under another
const place = ([x, y]) => [MIDDLE + SIDE * x, MIDDLE - SIDE * y].map(hundredth);
const toX = (t) => 44 + 4.8 * t; // the losses, in a drawing 340 wide and 150 high, on a logarithmic scale
const toY = (loss) => 12 - 27 * Math.log10(loss);
const power = (n) => (n ? `1/${2 ** -n}` : "1");

/** Places as far from their middle as it takes to have discs beside each other. */
function apart(places) {
  const middle = transpose(places).map((column) => total(column) / places.length);
  const gaps = places.flatMap((p, i) =>
    places.slice(i + 1).map((q) => Math.hypot(p[0] - q[0], p[1] - q[1]))
  );
  const factor = Math.max(1, DISC / Math.min(...gaps));
  return places.map((p) => p.map((x, c) => hundredth(middle[c] + factor * (x - middle[c]))));
}

/** Where the discs of B stand at each of its starts: 1, 1/2, 1/4, 1/8. */
const STOPS = range(4).map((k) => {
  const [Q, K] = weights().map((W) => scaled(W, 2 ** -k));
  return apart(matmul(matmul(Q, transpose(K)).map(softmax), HOMES).map(place));
});

const line = (x1, y1, x2, y2) => make("line", { class: "live-grid", x1, y1, x2, y2 });
const text = (x, y, words, anchor = "middle") =>
  make("text", { class: "live-label live-twins-text", x, y, "text-anchor": anchor }, words);

// ---- build ---------------------------------------------------------------------------------------

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  const put = (parts) => {
    const whole = ([name, x]) => [name, clamp(Math.round(x), ...RANGES[name]) + 0];
    change(Object.fromEntries(Object.entries(parts).map(whole)));
  };
  const square = buildSquare(read, put);
  const plot = buildPlot();
  const step = slider(
    "step of B ×",
    { min: RANGES.step[0], max: 0, step: 1, text: power },
    (x) => put({ step: x }),
  );
  const start = make("span");
  const found = new Map([[0, [0, 0]]]); // without a scale A is its own twin
  const goals = SCALES.map((scale) => buildGoal(scale, put, found));
  const laws = verdictList();
  const remark = messageLine();
  const [a, b] = [0, 1].map((k) => make("span", { "data-shows": `right ${k}` }));
  const count = make(
    "p",
    {},
    fillIn(
      "Largest weight on its own corner after 60 steps: {a} of 4 tokens in A, {b} of 4 in B.",
      { a, b },
    ),
  );
  el.append(
    hintLine(
      "Bring B onto the tracks of A: drag a blue dot along its line, and set the step.",
    ),
    div(
      "live-planes live-lean",
      div(
        "live-plane live-twins-square",
        div("live-title", "Outputs of four tokens: tracks of A, steps of B"),
        square.svg,
        div(
          "live-row",
          make("span", {}, fillIn("start of B × {start}", { start })),
          step.element,
        ),
      ),
      div(
        "live-twins-side",
        div("live-twins-losses", div("live-title", "Loss: A wide, B dashed"), plot.svg),
        count,
        div("live-title", "Twins of A, one for each scale"),
        div("live-twins-goals", goals.map(({ element }) => element)),
        laws,
        remark,
      ),
    ),
    div("live-controls", button("Back to start", () => change(first))),
  );
  return {
    square,
    plot,
    start,
    step,
    goals,
    right: [a, b],
    count,
    laws,
    remark,
    found,
    shown: "",
  };
}

/** The square of the four values, which the outputs of both runs cross. */
function buildSquare(read, put) {
  const [left, top] = place([-1, 1]);
  const frame = make("rect", {
    class: "live-twins-frame",
    x: left,
    y: top,
    width: 2 * SIDE,
    height: 2 * SIDE,
  });
  const homes = HOMES.map((corner, i) => {
    const [x, y] = place(corner);
    const box = make("rect", { x: x - 15, y: y - 15, width: 30, height: 30, rx: 4 });
    const name = make("text", { y: y + 5, x, "text-anchor": "middle" }, i + 1);
    return make("g", { class: "live-twins-home" }, box, name);
  });
  const each = (act) => range(TOKENS).map(act);
  const tracks = each(() => make("polyline", { class: "live-twins-track" }));
  const ways = each(() => make("polyline", { class: "live-twins-way", pathLength: 1 }));
  const steps = each(() => make("path", { class: "live-twins-steps" }));
  const stops = each((i) =>
    make("polyline", { class: "live-twins-stops", points: STOPS.map((at) => at[i]).join(" ") })
  );
  const marks = STOPS.flatMap((at) =>
    at.map(([cx, cy]) => make("circle", { class: "live-twins-stop", cx, cy, r: 4 }))
  );
  const rings = each(() => make("circle", { class: "live-twins-ring", r: 15 }));
  const look = {
    viewBox: "0 0 340 340",
    role: "group",
    "aria-label": "Outputs of four tokens, in A and in B",
  };
  const svg = make("svg", look, frame, tracks, stops, marks, homes, ways, steps, rings);
  const nearest = (i) => (x, y) => {
    const far = STOPS.map((at) => Math.hypot(at[i][0] - x, at[i][1] - y));
    put({ start: -far.indexOf(Math.min(...far)) });
  };
  const starts = each((i) => {
    const shape = badge(i + 1);
    if (i === HELD) {
      const by = (dx, dy) => put({ start: read().start + dx + dy });
      return handle(svg, "start of B", "live-blue", shape, nearest(i), by);
    }
    const other = make("g", { class: "live-handle live-blue" }, shape);
    draggable(other, svg, nearest(i));
    svg.append(other);
    return ([x, y]) => set(other, { transform: `translate(${x} ${y})` });
  });
  return { svg, homes, tracks, ways, steps, rings, starts };
}

/** The losses of both runs. */
function buildPlot() {
  const decades = ["1", "0.1", "0.01", "0.001", "10⁻⁴"].map((words, k) => {
    const y = toY(10 ** -k);
    return [line(toX(0), y, toX(STEPS_TRAINED), y), text(38, y + 4, words, "end")];
  });
  const ticks = [0, 20, 40, 60].map((t) =>
    text(toX(t), 136, t === 60 ? "60 steps" : String(t), t === 60 ? "end" : "middle")
  );
  const runs = ["live-twins-track", "live-twins-b"].map((look) =>
    make("polyline", { class: look })
  );
  const look = {
    viewBox: "0 0 340 142",
    role: "img",
    class: "live-twins",
    "aria-label": "The loss of both runs against the steps",
  };
  return { svg: make("svg", look, decades, ticks, runs), runs };
}

/**
 * A scale of A, and the start and the step with which B has its losses, once they are found: then B
 * takes them when the scale is chosen.
 */
function buildGoal(scale, put, twins) {
  const found = make("span", { class: "live-twins-found" });
  const choose = () => {
    const [start, step] = twins.get(scale) ?? [];
    put(twins.has(scale) ? { scale, start, step } : { scale });
  };
  const element = button([make("b", {}, `A: scale ${power(-scale)}`), found], choose);
  element.classList.add("live-twins-goal");
  return { element, found, scale };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw(parts, state, result, { el, hidden }) {
  const { square, plot, step, goals, right, laws, remark, found } = parts;
  el.toggleAttribute("data-hidden", hidden);
  drawSquare(square, state, result, hidden);
  result.losses.forEach((run, k) => {
    const point = (loss, t) => `${hundredth(toX(t))},${hundredth(toY(loss))}`;
    set(plot.runs[k], { points: run.map(point).join(" ") });
  });
  const twins = !hidden && result.lossGap <= EXACT;
  write(parts.start, power(state.start));
  step.put(state.step);
  if (twins) found.set(state.scale, [state.start, state.step]);
  goals.forEach((goal) => drawGoal(goal, state, found.get(goal.scale)));
  right.forEach((span, k) => write(span, hidden ? "?" : String(result.right[k])));
  laws.replaceChildren(
    twins ? verdict("the losses of A", "the losses of B", result.lossGap) : "",
  );
  write(remark, hidden ? "" : comparison(state));
  const now = JSON.stringify(state);
  if (parts.shown && parts.shown !== now) replay(square);
  parts.shown = now;
}

function drawSquare(
  { homes, tracks, ways, steps, rings, starts },
  { scale, start },
  { paths, home },
  hidden,
) {
  const met = 2 * start === -scale; // B starts where A does
  const [a, b] = paths.map((run) => transpose(run).map((way) => way.map(place)));
  range(TOKENS).forEach((i) => {
    set(tracks[i], { points: a[i].join(" ") });
    set(ways[i], { points: b[i].join(" ") });
    set(steps[i], { d: b[i].map(([x, y]) => `M${x} ${y}h0`).join("") });
    const [cx, cy] = STOPS[scale / 2][i];
    set(rings[i], { cx, cy });
    rings[i].toggleAttribute("data-met", met);
    homes[i].toggleAttribute("data-reached", !hidden && home[1][i]);
    starts[i](STOPS[-start][i], `× ${power(start)}`, { now: start, min: RANGES.start[0], max: 0 });
  });
}

/** Lets B walk its way again. */
function replay({ ways, steps }) {
  if (calm()) return;
  const time = { duration: 900, easing: "ease-out" };
  for (const way of ways) way.animate({ strokeDasharray: ["0 1", "1 0"] }, time);
  for (const dots of steps) dots.animate({ opacity: [0, 0, 1] }, time);
}

function drawGoal({ element, found, scale }, state, twin) {
  set(element, { "aria-pressed": scale === state.scale });
  const [start, step] = twin ? twin.map(power) : ["?", "?"];
  const text = `start × ${start}, step × ${step}`;
  write(found, text.replaceAll("× ", "×\u00a0")); // no line ends before a number
  found.toggleAttribute("data-found", Boolean(twin));
}

// ---- speak ---------------------------------------------------------------------------------------

/** What the figure says in words: its two sentences. */
const speak = (_state, _result, { count, remark, hidden }) =>
  hidden
    ? "The ways and losses are hidden until you have answered."
    : `${remark.textContent} ${count.textContent}`;

/** How B differs from A. */
function comparison({ scale, start, step }) {
  if (2 * start === -scale && step === -scale) {
    return "Start and step do the work of the scale: two runs, the same losses.";
  }
  return `B ${startsOf(2 * start + scale)} and ${stepsOf(step + scale)}.`;
}

function startsOf(excess) {
  if (excess === 0) return "starts where A does";
  return excess > 0 ? "starts with larger scores than A" : "starts with smaller scores than A";
}

function stepsOf(excess) {
  if (excess === 0) return "takes steps that match the scale of A";
  return excess > 0
    ? "takes steps too long to match the scale of A"
    : "takes steps too short to match the scale of A";
}

const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
