// The marking page: one answer after the other, by keyboard. What is marked stays in this browser, and goes into a
// file when the marker saves one.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const questions = new Map(data.questions.map((question) => [question.name, question]));
const $ = (id) => document.getElementById(id);
const FIRST_REMARK = 4; // its key; the keys below are those of the lines
const KEYS = 6; // of remarks
const HEADINGS = [
  "question",
  "answer",
  "first",
  "second",
  "third",
  "remark",
  "marker",
  "time",
  "settles",
  "rubric",
];

let marker = "";
let mine = new Map(); // place: this marker's mark
let saved = 0; // how many of them are in a file
let shown = []; // answers of this marker's part
let at = 0;

const placeOf = (entry) => `${entry.question} ${entry.answer ?? entry.code}`;

function theirs(place) {
  return data.marks.filter((mark) => placeOf(mark) === place && !isMine(mark));
}

function isMine(mark) {
  return mark.marker.toLowerCase() === marker.toLowerCase();
}

// Whether markers differ on an answer, and nobody who saw that has settled it.
function isOpen(place) {
  const all = data.marks.filter((mark) => placeOf(mark) === place);
  const own = mine.get(place);
  const settled = all.some((mark) => mark.settles) || own?.settles;
  return !settled && new Set(all.map((mark) => mark.ticks.join())).size > 1;
}

function isDone(place) {
  return !isOpen(place) && (mine.has(place) || theirs(place).length > 0);
}

function store() {
  return `marking/${data.place}/${marker.toLowerCase()}`;
}

function remember() {
  try {
    localStorage.setItem(store(), JSON.stringify([...mine.values()]));
  } catch {
    $("progress").title = "This browser remembers nothing: save a file before you close the page.";
  }
}

function recall() {
  let known = [];
  try {
    known = JSON.parse(localStorage.getItem(store()) ?? "[]");
  } catch {
    known = [];
  }
  mine = new Map();
  for (const mark of [...data.marks.filter(isMine), ...known]) {
    const older = mine.get(placeOf(mark));
    if (!older || older.time <= mark.time) mine.set(placeOf(mark), mark);
  }
  saved = data.marks.filter((mark) => mine.get(placeOf(mark)) === mark).length;
}

function begin() {
  marker = $("marker").value.trim();
  if (!marker) return $("marker").focus();
  recall();
  divide();
  document.querySelector("main").hidden = false;
  at = shown.findIndex((answer) => !isDone(placeOf(answer)));
  at = Math.max(at, 0);
  show();
}

// An answer belongs to the same part for everybody, also when more are handed in.
function divide() {
  const parts = Math.max(1, Number($("parts").value) || 1);
  const part = Math.min(parts, Math.max(1, Number($("part").value) || 1));
  const number = (code) => [...code].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 0);
  shown = data.answers.filter(({ code }) => number(code.slice(-4)) % parts === part - 1);
}

function show() {
  progress();
  const answer = shown[at];
  $("verdict").hidden = !answer;
  $("answer").textContent = answer ? answer.text : "There is no answer here.";
  if (!answer) return;
  const question = questions.get(answer.question);
  const asked = `${question.title} (${question.asks}, ${question.points} points)`;
  $("asked").textContent = `${asked}: answer ${at + 1} of ${shown.length}`;
  $("text").textContent = question.text;
  $("notes").textContent = question.notes;
  $("lines").replaceChildren(...question.lines.map(line));
  $("others").textContent = others(placeOf(answer));
  $("remark").value = current(placeOf(answer)).remark;
  showRemarks();
  $("answer").focus();
  globalThis.scrollTo(0, 0);
}

function line(text, number) {
  const label = document.createElement("label");
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = current(placeOf(shown[at])).ticks[number];
  box.addEventListener("change", () => {
    tick((ticks) => ticks.map((value, other) => (other === number ? box.checked : value)));
  });
  label.append(box, ` ${number + 1}. ${text}`);
  return label;
}

function others(place) {
  const all = data.marks.filter((mark) =>
    placeOf(mark) === place && (isOpen(place) || !isMine(mark))
  );
  if (!all.length) return "";
  const said = all.map((mark) => {
    const signs = mark.ticks.map((value) => (value ? "✓" : "–")).join("");
    return `${mark.marker}: ${signs}${mark.remark ? ` “${mark.remark}”` : ""}`;
  });
  const settle = isOpen(place)
    ? "Markers differ; what you say now settles it. "
    : "Marked already. ";
  return settle + said.join("; ");
}

function progress() {
  const done = shown.filter((answer) => isDone(placeOf(answer))).length;
  const open = data.answers.filter((answer) => isOpen(placeOf(answer))).length;
  const left = mine.size - saved;
  const parts = [`${done} of ${shown.length} marked`];
  if (open) parts.push(`${open} on which markers differ`);
  if (left) parts.push(`${left} not yet in a file`);
  $("progress").textContent = parts.join(", ") + ".";
}

// What stands on the screen: this marker's mark, else the newest of the others, else nothing.
function current(place) {
  const newest = theirs(place).sort((a, b) => a.time.localeCompare(b.time)).pop();
  return mine.get(place) ?? newest ?? { ticks: [false, false, false], remark: "", settles: false };
}

// Change the mark of the answer that is shown; there is one from now on. Who has seen what others say settles it.
function change(what) {
  const { question, code } = shown[at];
  const place = placeOf(shown[at]);
  const old = current(place);
  const inFile = mine.get(place) === old && data.marks.includes(old);
  const settles = old.settles || theirs(place).length > 0;
  const about = { question, answer: code, marker, rubric: questions.get(question).rubric };
  mine.set(place, { ...old, ...about, settles, time: new Date().toISOString(), ...what(old) });
  if (inFile) saved -= 1;
  remember();
}

function tick(ticksOf) {
  change((old) => ({ ticks: ticksOf(old.ticks) }));
  show();
}

function remarksUsed() {
  const name = shown[at].question;
  const all = [...data.marks, ...mine.values()].filter((mark) => mark.question === name);
  const lines = all.flatMap((mark) => mark.remark.split("\n")).map((text) => text.trim());
  return [...new Set(lines.filter(Boolean))].sort((a, b) => a.localeCompare(b));
}

function showRemarks() {
  const now = $("remark").value.split("\n").map((text) => text.trim());
  const buttons = keyed().map((text, number) => {
    const button = document.createElement("button");
    const key = number < KEYS ? `${FIRST_REMARK + number}. ` : "";
    button.textContent = key + text;
    button.setAttribute("aria-pressed", String(now.includes(text)));
    button.addEventListener("click", () => toggleRemark(text));
    return button;
  });
  $("remarks").replaceChildren(...buttons);
}

const keysOf = new Map(); // question: its remarks in the order of their keys, which do not change

function keyed() {
  const name = shown[at].question;
  const known = keysOf.get(name) ?? [];
  const used = remarksUsed();
  const order = [...known, ...used.filter((text) => !known.includes(text))];
  keysOf.set(name, order);
  return order;
}

function toggleRemark(text) {
  const now = $("remark").value.split("\n").map((line) => line.trim()).filter(Boolean);
  const next = now.includes(text) ? now.filter((line) => line !== text) : [...now, text];
  change(() => ({ remark: next.join("\n") }));
  show();
}

function keepRemark() {
  const text = $("remark").value.trim();
  if (text === current(placeOf(shown[at])).remark) return;
  change(() => ({ remark: text }));
}

function move(step) {
  at = Math.min(Math.max(at + step, 0), Math.max(shown.length - 1, 0));
  show();
}

// Enter keeps what stands on the screen, which may be no tick; the next answer that is not marked follows.
function finish() {
  const place = placeOf(shown[at]);
  if (!isDone(place)) change(() => ({}));
  const order = shown.map((_, step) => (at + 1 + step) % shown.length);
  at = order.find((number) => !isDone(placeOf(shown[number]))) ?? at;
  show();
}

function cell(value) {
  return `"${String(value).replaceAll('"', '""')}"`;
}

function save() {
  const yes = (value) => (value ? "yes" : "no");
  const rows = [...mine.values()].map((mark) => [
    mark.question,
    mark.answer,
    ...mark.ticks.map(yes),
    mark.remark,
    mark.marker,
    mark.time,
    yes(mark.settles),
    mark.rubric,
  ]);
  const text = [HEADINGS, ...rows].map((row) => row.map(cell).join(",")).join("\r\n");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(["\ufeff", text, "\r\n"], { type: "text/csv" }));
  link.download = `marks-${marker.replace(/[^\p{L}\p{N}]+/gu, "-")}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
  saved = mine.size;
  progress();
}

const COMMANDS = {
  j: () => move(1),
  ArrowRight: () => move(1),
  k: () => move(-1),
  ArrowLeft: () => move(-1),
  a: () => tick(() => [true, true, true]),
  0: () => tick(() => [false, false, false]),
  r: () => $("remark").focus(),
  q: () => $("question").toggleAttribute("open"),
  s: save,
  Enter: finish,
};

function command(key) {
  if (key in COMMANDS) return COMMANDS[key];
  const number = Number(key);
  if (number >= 1 && number < FIRST_REMARK) {
    return () => tick((ticks) => ticks.map((value, n) => (n === number - 1 ? !value : value)));
  }
  const remark = keyed()[number - FIRST_REMARK];
  return number >= FIRST_REMARK && remark ? () => toggleRemark(remark) : null;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || !marker || !shown.length) return;
  if (event.target.id === "remark") {
    if (event.key !== "Escape" && (event.key !== "Enter" || event.shiftKey)) return;
    event.preventDefault();
    keepRemark();
    show();
    return;
  }
  if (event.target.matches("input:not([type=checkbox])")) return;
  if (event.key === "Enter" && event.target.matches("button, summary")) return;
  const run = command(event.key);
  if (!run) return;
  event.preventDefault();
  run();
});
$("remark").addEventListener("change", () => {
  keepRemark();
  progress();
});
for (const id of ["marker", "part", "parts"]) $(id).addEventListener("change", begin);
$("save").addEventListener("click", save);
$("title").textContent = `Marking: ${data.title}`;
$("marker").focus();
