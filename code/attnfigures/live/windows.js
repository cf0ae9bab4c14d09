// Attention through windows, in a stack of layers. Query i sees key j if j ≤ i and (i − j < w or
// j < s): itself, the w − 1 tokens before it, and s sinks, which are the first tokens. Through L
// layers of windows an output sees L(w − 1) tokens back. The reader drags the output and the window,
// sets L and s, and sees which inputs reach the output, over which edges, and how much of each.
//
// This figure is the model for others. Its five parts are `compute`, `valid`, `build`, `draw` and
// `speak`, in this order. The page asks `valid(state)` about a state that comes from an address; the
// others are joined by `composed`, at the end. `TOKENS`, `RANGES` and `compute` have a twin each in
// windows.py: change both. `composed` calls once
//
//   parts = build(stage)
//
// and at first, after every change, and when the reader has answered the question of the figure:
//
//   result = compute(state)
//   draw(parts, state, result, stage)
//   speak(state, result, { ...stage, ...parts })
//
// What `speak` returns is written into `parts.message`: a text, or two, [what is so now, what the
// reader has found]. The stage has:
// - `el`, the element that holds the figure,
// - `read()`, which returns the state: the numbers that `compute` takes,
// - `change(part)`, which changes some of them, as in `change({ query: 3 })`,
// - `first`, the state at the beginning,
// - `hidden`, whether the reader has still to answer; not yet set in `build`.
//
// Functions that are not defined here stand in kit/core.js and kit/parts.js: all that a figure shows
// is made by `make`, whose children may be lists of lists. Texts are translated whole, so they are
// written whole, even where two are nearly the same; `_` marks one that the search for texts misses.

const TOKENS = 16;
const LAST = TOKENS - 1;
// The numbers of a state: L, w, s, and the token whose output is shown.
const RANGES = { layers: [1, 4], window: [1, 8], sinks: [0, 2], query: [0, LAST] };
const tokens = range(TOKENS);

// ---- compute -------------------------------------------------------------------------------------

/** The mask M: 1 where query i (row) sees key j (column), else 0. */
const maskOf = (window, sinks) =>
  tokens.map((i) => tokens.map((j) => Number(j <= i && (i - j < window || j < sinks))));

/** The weights of a query that attends equally to all keys that it sees. */
const equalWeights = (row) => row.map((sees) => sees / total(row));

/** The tokens at which a row has a 1. */
const marked = (row) => tokens.filter((j) => row[j]);

/** 1 for each token that one of the queries sees under the mask M, else 0. */
const seenBy = (queries, M) => tokens.map((j) => Number(queries.some((i) => M[i][j])));

/**
 * What reaches the output under the mask M: for each level, 1 for a token that does, else 0. Levels
 * are counted by their `depth`, from the output, 0, down to the inputs, L.
 */
function reachedUnder(M, layers, query) {
  const reached = [tokens.map((j) => Number(j === query))];
  for (let depth = 0; depth < layers; depth++) reached.push(seenBy(marked(reached[depth]), M));
  return reached;
}

/** The edges that lead to the output: [depth, query, key], from a level to the next one down. */
const edgesOf = (reached, M) =>
  reached.slice(0, -1).flatMap((row, depth) =>
    marked(row).flatMap((i) => marked(M[i]).map((j) => [depth, i, j]))
  );

/** The law: how many tokens back an output sees through windows, at most to where the text begins. */
const backByLaw = ({ layers, window, query }) => Math.min(query, layers * (window - 1));

/**
 * What reaches the output of the token `query`, if every query attends equally to all keys that it
 * sees:
 * - `reached`: as `reachedUnder` returns it,
 * - `shares`: what each input contributes to the output,
 * - `largest`: the largest of these shares,
 * - `inputs`: how many inputs reach the output,
 * - `edges`: over how many edges they do,
 * - `back`: how many tokens back the output sees through windows alone,
 * - `backGap`: how far `back` is from the law: 0 in every state, which `verdict` shows.
 */
function compute(state) {
  const { layers, window, sinks, query } = state;
  const M = maskOf(window, sinks);
  const A = M.map(equalWeights);
  const reached = reachedUnder(M, layers, query);
  let shares = reached[0]; // the row of the output in A⁰, and after the loop in the power L of A
  for (let depth = 0; depth < layers; depth++) shares = matmul([shares], A)[0];
  const reachedByWindows = reachedUnder(maskOf(window, 0), layers, query);
  const back = query - reachedByWindows.at(-1).indexOf(1);
  return {
    reached,
    shares,
    largest: Math.max(...shares),
    inputs: total(reached.at(-1)),
    edges: edgesOf(reached, M).length,
    back,
    backGap: Math.abs(back - backByLaw(state)),
  };
}

// ---- valid ---------------------------------------------------------------------------------------

/** Whether a state from outside, such as an address, can be drawn. */
const valid = (state) =>
  Object.entries(RANGES).every(([name, [least, most]]) => {
    const x = state[name];
    return Number.isInteger(x) && x >= least && x <= most;
  });

// ---- build ---------------------------------------------------------------------------------------
// The drawing has a column for each token, a row for each level, and bars below.

const WIDTH = 340;
const HEIGHT = 260;
const LEFT = 20; // where token 0 stands
const SPACING = 20; // from one token to the next
const OUTPUTS_Y = 20; // the row of the last layer
const INPUTS_Y = 156; // the row of the inputs
const BARS_Y = 236; // where the bars stand
const NUMBERS_Y = 250; // the row of the numbers below the bars
const BAR_WIDTH = 14;
const BAR_HEIGHT = 54; // the height of the highest bar
const LABEL_END = 42; // the label "w = 8" ends no further left, or it would leave the drawing
const toX = (j) => LEFT + SPACING * j;
const toToken = (x) => (x - LEFT) / SPACING;
const toY = (depth, layers) => hundredth(OUTPUTS_Y + ((INPUTS_Y - OUTPUTS_Y) * depth) / layers);

/** Puts all elements into `el`, and returns those that change. */
function build({ el, read, change, first }) {
  // Sets one number to the nearest value in its range.
  const choose = (name, x) => change({ [name]: clamp(Math.round(x), ...RANGES[name]) });
  const plot = buildPlot(read, choose);
  const sliders = buildSliders(choose);
  const table = buildTable();
  const laws = verdictList();
  const message = messageLine();
  const controls = Object.values(sliders).map(({ element }) => element);
  const reset = button("Back to start", () => change(first)); // last, where the kit looks for it
  el.append(
    hintLine(
      `Drag the window, add layers or sinks: let output ${LAST} see input 0 over as few edges as you can.`,
    ),
    div(
      "live-planes live-lean",
      div("live-windows-plot", div("live-title", "What reaches the output"), plot.svg),
      div(
        "live-reading",
        div("live-controls", controls, reset),
        table.element,
        laws,
        message,
      ),
    ),
  );
  return { plot, sliders, cells: table.cells, laws, message };
}

/** The drawing: the edges that lead to the output, the dots of all levels, a bar for each input. */
function buildPlot(read, choose) {
  const paths = buildPaths();
  // A row for each level of the most layers: `draw` shows those that are there.
  const dots = range(RANGES.layers[1] + 1).map(() => tokens.map(buildDot));
  const chart = buildChart();
  const look = {
    class: "live-windows",
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    role: "group",
    "aria-label":
      "Tokens from left to right, layers from the inputs up, and the edges that lead to one output",
  };
  const svg = make("svg", look, Object.values(paths), dots, Object.values(chart));
  const putOutput = buildOutputHandle(svg, read, choose);
  const windowHandle = buildWindowHandle(svg, read, choose);
  return { svg, paths, dots, chart, putOutput, windowHandle };
}

/** The edges to keys in windows, those to sinks before them, and the longest way back. */
const buildPaths = () => ({
  toWindow: make("path", { class: "live-windows-edge live-blue" }),
  toSink: make("path", { class: "live-windows-edge live-windows-to-sink live-ink" }),
  wayBack: make("polyline", { class: "live-windows-way-back live-blue" }),
});

/** The dot of token j on one of the levels. */
const buildDot = (j) => make("circle", { class: "live-windows-dot live-blue", cx: toX(j), r: 4.5 });

/**
 * An axis with a bar for each input, the number of the largest, and the numbers of the inputs.
 * `data-shows` tells tests which number of the result an element shows.
 */
function buildChart() {
  const text = { class: "live-label live-windows-text", "text-anchor": "middle" };
  const bar = { class: "live-windows-bar live-blue", width: BAR_WIDTH };
  const ends = { x1: toX(-0.5), x2: toX(LAST + 0.5), y1: BARS_Y, y2: BARS_Y };
  return {
    axis: make("line", { class: "live-axis", ...ends }),
    bars: tokens.map((j) => make("rect", { ...bar, x: toX(j) - BAR_WIDTH / 2 })),
    largestLabel: make("text", { ...text, "data-shows": "largest" }),
    numbers: tokens.map((j) => make("text", { ...text, x: toX(j), y: NUMBERS_Y }, String(j))),
  };
}

/** The handle of the output. Arrow up moves it to the right, too. */
function buildOutputHandle(svg, read, choose) {
  const onDrag = (x) => choose("query", toToken(x));
  const onStep = (dx, dy) => choose("query", read().query + dx + dy);
  return handle(svg, "the output", "live-orange", shapeOf("diamond", 8), onDrag, onStep);
}

/** The handle at the first key of the window. */
function buildWindowHandle(svg, read, choose) {
  const label = make("text", { class: "live-label live-windows-text", "text-anchor": "end" });
  svg.append(label);
  // Further left is further back: a larger window.
  const onDrag = (x) => choose("window", read().query - toToken(x) + 1);
  const onStep = (dx, dy) => choose("window", read().window - dx + dy);
  const put = handle(svg, "window w", "live-orange", shapeOf("square", 6), onDrag, onStep);
  return { label, put };
}

/** A slider for each number of the state that is not dragged in the drawing. */
function buildSliders(choose) {
  const sliderOf = (name, label) => {
    const [min, max] = RANGES[name];
    return slider(label, { min, max, step: 1, text: String }, (x) => choose(name, x));
  };
  return {
    layers: sliderOf("layers", "layers L"),
    sinks: sliderOf("sinks", _("sinks")), // a single word looks like a name in code
  };
}

/** The table of what is counted. */
function buildTable() {
  const cell = (name) => make("td", { "data-shows": name });
  const cells = { inputs: cell("inputs"), edges: cell("edges") };
  const row = (name, td) => make("tr", {}, make("th", { scope: "row" }, name), td);
  const body = make(
    "tbody",
    {},
    row("inputs that reach the output", cells.inputs),
    row("edges that lead to the output", cells.edges),
  );
  return { element: make("table", { class: "live-table live-windows-table" }, body), cells };
}

// ---- draw ----------------------------------------------------------------------------------------

/** Writes a state and what `compute` returns for it into the elements. */
function draw({ plot, sliders, cells, laws }, state, result, { first, hidden }) {
  drawLevels(plot, state, result, hidden);
  drawChart(plot, result, hidden);
  drawOutput(plot, state, result, hidden);
  drawWindowHandle(plot, state);
  for (const [name, { put }] of Object.entries(sliders)) put(state[name]);
  for (const [name, td] of Object.entries(cells)) write(td, hidden ? "?" : String(result[name]));
  // Readers find out what L and w do by changing them; then the law puts it into symbols.
  const isLawShown = !hidden && (state.layers !== first.layers || state.window !== first.window);
  laws.replaceChildren(isLawShown ? verdictOf(state, result) : "");
}

/** The dots of all levels, the edges that lead to the output, and the longest way back. */
function drawLevels({ paths, dots }, state, result, hidden) {
  const { layers } = state;
  const reached = hidden ? [] : result.reached; // hidden: nothing reaches the output yet
  const { toWindow, toSink } = linesOf(state, reached);
  set(paths.toWindow, { d: toWindow });
  set(paths.toSink, { d: toSink });
  set(paths.wayBack, { points: hidden ? "" : pointsBack(state).join(" ") });
  dots.forEach((row, depth) => {
    const look = { cy: toY(depth, layers), display: depth <= layers ? null : "none" };
    row.forEach((circle, j) => {
      set(circle, look);
      circle.classList.toggle("live-windows-reached", reached[depth]?.[j] === 1);
    });
  });
}

/**
 * Lines along the edges that lead to the output: to keys in a window, and to sinks before it. They
 * are made anew: `compute`, like its twin, returns only how many edges there are.
 */
function linesOf({ layers, window, sinks }, reached) {
  const lines = { toWindow: "", toSink: "" };
  for (const [depth, i, j] of edgesOf(reached, maskOf(window, sinks))) {
    const kind = i - j < window ? "toWindow" : "toSink";
    lines[kind] += `M${toX(i)} ${toY(depth, layers)}L${toX(j)} ${toY(depth + 1, layers)}`;
  }
  return lines;
}

/** The longest way back that the law allows through windows: a point for each level. */
const pointsBack = (state) =>
  range(state.layers + 1).map((depth) => {
    const j = state.query - backByLaw({ ...state, layers: depth });
    return `${toX(j)},${toY(depth, state.layers)}`;
  });

/** A bar for what each input contributes, and the number of the largest. */
function drawChart({ chart }, { shares, largest }, hidden) {
  chart.bars.forEach((bar, j) => {
    const height = hidden ? 0 : hundredth((BAR_HEIGHT * shares[j]) / largest);
    set(bar, { y: hundredth(BARS_Y - height), height });
  });
  set(chart.largestLabel, { x: toX(shares.indexOf(largest)), y: BARS_Y - BAR_HEIGHT - 4 });
  write(chart.largestLabel, hidden ? "" : show(largest));
}

/** The handle of the output, and what it says. */
function drawOutput({ putOutput }, { layers, query }, { inputs }, hidden) {
  const counted = inputs === 1
    ? `token ${query}: 1 input of ${query + 1}`
    : `token ${query}: ${inputs} inputs of ${query + 1}`;
  const spoken = hidden ? `token ${query}` : counted;
  putOutput([toX(query), toY(0, layers)], spoken, { now: query, min: 0, max: LAST });
}

/** The handle at the first key of the window, and the width of the window. */
function drawWindowHandle({ windowHandle: { label, put } }, { layers, window, query }) {
  const [least, most] = RANGES.window;
  const firstKey = (size) => query - (size - 1);
  const x = toX(Math.max(firstKey(window), 0));
  const y = toY(1, layers);
  // As a slider it is the place of the first key, which grows to the right as sliders do.
  const numbers = { now: firstKey(window), min: firstKey(most), max: firstKey(least) };
  put([x, y], window === 1 ? "1 key" : `${window} keys`, numbers);
  set(label, { x: Math.max(x, LABEL_END), y: y - 12 });
  write(label, `w\u00a0=\u00a0${window}`);
}

/** The verdict on the law: how far back the output sees, and how far it should. */
function verdictOf({ layers, window, query }, { back, backGap }) {
  const product = `L(w − 1) = ${layers} · ${window - 1}`;
  const isCut = query < layers * (window - 1);
  return verdict(
    `farthest back ${back}`,
    isCut ? `${query}, where the text begins` : product,
    backGap,
  );
}

// ---- speak ---------------------------------------------------------------------------------------

/** All values that a number of the state may have. */
const valuesOf = ([least, most]) => range(most - least + 1).map((n) => least + n);

/** All states in which the last token is the output, with sinks or without. */
function statesOfLast(withSinks) {
  const sinkCounts = valuesOf(RANGES.sinks).filter((sinks) => (sinks > 0) === withSinks);
  return valuesOf(RANGES.layers).flatMap((layers) =>
    valuesOf(RANGES.window).flatMap((window) =>
      sinkCounts.map((sinks) => ({ layers, window, sinks, query: LAST }))
    )
  );
}

/** Whether the output sees input 0. */
const seesFirst = ({ reached }) => reached.at(-1)[0] === 1;

/** Over how few edges the last output can see input 0: with sinks, or without. */
const fewestEdges = memoize((withSinks) => {
  const results = statesOfLast(withSinks).map(compute);
  return Math.min(...results.filter(seesFirst).map(({ edges }) => edges));
});

/**
 * What the figure says in words: which inputs are lost, and whether the last output sees the first
 * one. Where it returns two texts, the second is what the reader was to find, and is marked as found.
 */
function speak(state, result, { hidden }) {
  if (hidden) return "The inputs are hidden until you have answered.";
  const now = lostText(state, result);
  if (state.query < LAST || !seesFirst(result)) return now;
  const withSinks = state.sinks > 0;
  if (result.edges > fewestEdges(withSinks)) {
    return paragraph(now, `Output ${LAST} sees input 0 over ${result.edges} edges.`);
  }
  const found = withSinks
    ? `Over ${result.edges} edges: no fewer will do. Can you do it without a sink?`
    : `Over ${result.edges} edges: without a sink no fewer will do.`;
  return [now, found];
}

/**
 * Which inputs never reach the output. They stand side by side: what reaches it is a run of tokens
 * that ends with its own, by windows, and a run from token 0 on, by sinks.
 */
function lostText({ sinks, query }, { reached }) {
  if (query === 0) return "Token 0 sees only itself.";
  const lost = range(query + 1).filter((j) => !reached.at(-1)[j]);
  if (!lost.length) return `All ${query + 1} tokens up to token ${query} reach its output.`;
  const from = lost[0];
  const to = lost.at(-1);
  if (from === to) {
    return sinks
      ? `Input ${from} never reaches output ${query}, and no sink brings it back: a sink sees only sinks.`
      : `Input ${from} never reaches output ${query}.`;
  }
  return sinks
    ? `Inputs ${from} to ${to} never reach output ${query}, and no sink brings them back: a sink sees only sinks.`
    : `Inputs ${from} to ${to} never reach output ${query}.`;
}

// What a page and a notebook ask of a figure: `initialize` is the same for all.
const render = composed({ compute, build, draw, speak });

export default { initialize, render, compute, valid };
