// What test_live.py does in the page of live figures: a function for each probe, which takes one
// argument and returns what the test asserts. What serves one probe alone follows it.

const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const figureOf = (id) => document.getElementById(id).figure;
const modelOf = (id) => figureOf(id).model;
const handlesOf = (id) => all(`#${id} [role=slider]`);

// What a figure computes in states.
function compute([id, states]) {
  return states.map((state) => figureOf(id).compute(state));
}

// What an address brings to a figure that begins with the state `first`.
function arrives([id, first, attempts]) {
  return attempts.map((text) => {
    const address = `#${id}?${encodeURIComponent(text)}`;
    return figureOf(id).fromLink(address, first);
  });
}

// What the elements of a figure show in states: [the name of a number or a matrix of `compute`, its
// text or its rows of texts].
function shown([id, states]) {
  return states.map((state) => {
    modelOf(id).set("state", state);
    const elements = all(`#${id} [data-shows]`).filter((e) => !e.closest("[hidden]"));
    return elements.map((e) => [e.dataset.shows, textsOf(e)]);
  });
}

function textsOf(element) {
  if (!element.querySelector(".live-cell")) return element.textContent;
  const rows = all("tbody tr:not([hidden])", element);
  return rows.map((row) => all(".live-cell", row).map((cell) => cell.textContent));
}

// Put the page into a theme, with the ground and the ink that the book has in it.
function theme(name) {
  const dark = { background: "#14181e", color: "#ced6dd" };
  const light = { background: "#fff", color: "#222832" };
  document.documentElement.dataset.theme = name;
  Object.assign(document.body.style, name === "dark" ? dark : light);
}

// Press keys on every handle, and name the handle that does not go two ways, scrolls the page or
// says nothing.
function keys(id) {
  const arrows = ["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"].map((key) => ({ key }));
  const withShift = { key: "ArrowRight", shiftKey: true };
  const far = ["Home", "End", "PageUp", "PageDown"].map((key) => ({ key }));
  const model = modelOf(id);
  const start = model.get("state");
  const problems = new Set();
  for (let i = 0; i < handlesOf(id).length; i++) {
    const handle = () => handlesOf(id)[i]; // it may be drawn anew
    const name = handle().ariaLabel;
    if (!name) problems.add(`handle ${i} has no name`);
    const states = new Set([JSON.stringify(start)]);
    for (const key of [...arrows, withShift, ...far]) {
      handle().focus();
      const event = new KeyboardEvent("keydown", { ...key, bubbles: true, cancelable: true });
      const scrolls = handle().dispatchEvent(event);
      if (scrolls) problems.add(`${name}: ${key.key} scrolls the page`);
      states.add(JSON.stringify(model.get("state")));
      const held = document.activeElement;
      const speaks = held.role === "slider" && held.ariaValueText;
      if (!speaks) problems.add(`${name}: ${key.key} loses it or its text`);
      model.set("state", start);
    }
    if (states.size < 3) problems.add(`${name}: no two ways to go from where it is`);
  }
  return [...problems];
}

// The names of the handles of a figure.
function labels(id) {
  return handlesOf(id).map((handle) => handle.ariaLabel);
}

// Where the page and a handle are, and the state; before that a state is set, unless it is null,
// and the handle brought into sight.
function grasp([id, label, state]) {
  const model = modelOf(id);
  if (state) model.set("state", state);
  const handle = handlesOf(id).find((e) => e.ariaLabel === label);
  if (state) handle.scrollIntoView({ block: "center", behavior: "instant" });
  const { x, y, width, height } = handle.getBoundingClientRect();
  const middle = [x + width / 2, y + height / 2];
  return [scrollY, middle, model.get("state")];
}

// Press *Back to start*; the states before and after.
function back(id) {
  const model = modelOf(id);
  const before = model.get("state");
  const button = all(`#${id} button`).find((e) => e.textContent === "Back to start");
  button.click();
  return [before, model.get("state")];
}

// Choose every option of every list, then go back to the start. For each list: [[value, what is
// chosen, state], …] and the state at the end.
function choose(id) {
  return all(`#${id} select`).map((_, i) => {
    const list = () => all(`#${id} select`)[i]; // it may be drawn anew
    const chosen = [...list().options].map((option) => {
      list().value = option.value;
      list().dispatchEvent(new Event("change", { bubbles: true }));
      return [option.value, list().value, JSON.stringify(modelOf(id).get("state"))];
    });
    const [, after] = back(id);
    return [chosen, after];
  });
}

// Press and type into what is no slider, and name what does nothing, neither from the start nor
// after all others in the other order: a word at the left end cannot be moved further left.
async function press(id) {
  const figure = document.querySelector(`#${id} .live-figure`);
  const model = modelOf(id);
  const start = model.get("state");
  const restart = () => model.set("state", start);
  const goOn = () => {};
  const first = await idle(figure, model, (controls) => controls, restart);
  if (!first.length) return [];
  const last = await idle(figure, model, (controls) => controls.reverse(), goOn);
  return last.filter((name) => first.includes(name));
}

// Use every control of a figure once, in an order, and name those that change nothing. `after` is
// called after each.
async function idle(figure, model, ordered, after) {
  const css = "button, [role=checkbox], [role=button], input:not([type=range])";
  const names = [];
  const tried = new Set();
  const next = () => ordered(all(css, figure)).find((e) => !tried.has(e) && isOffered(e));
  const sight = () => JSON.stringify(model.get("state")) + figure.className + partsOf(figure);
  for (let control = next(); control; control = next()) {
    tried.add(control);
    if (isChosen(control)) continue;
    const before = sight();
    use(control);
    for (let wait = 0; sight() === before && wait < 20; wait++) {
      await new Promise((done) => setTimeout(done, 50));
    }
    if (sight() === before) names.push(nameOf(control));
    after();
  }
  return names;
}

function isOffered(control) {
  if (control.disabled || !control.checkVisibility()) return false;
  return !/^(Back to|Link to)/.test(control.textContent);
}

// What is chosen already may stay as it is.
function isChosen(control) {
  if (control.matches("[role=checkbox]")) return false;
  return (control.ariaPressed ?? control.ariaChecked) === "true";
}

// The parts of a figure as text, without the sentence for screen readers, which comes late.
function partsOf(figure) {
  return [...figure.children].map((part) => part.matches(".live-spoken") || part.outerHTML);
}

function nameOf(control) {
  return control.getAttribute("aria-label") || control.textContent || control.outerHTML;
}

function use(control) {
  if (control.tagName !== "INPUT") {
    control.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    return;
  }
  control.value = another(control);
  control.dispatchEvent(new Event("input", { bubbles: true }));
  control.dispatchEvent(new Event("change", { bubbles: true }));
}

// Another value for a field: a text, or the end of its range that is further away.
function another(field) {
  if (field.type !== "number") return "an ox";
  const middle = (+field.min + +field.max) / 2;
  return +field.value > middle ? field.min : field.max;
}

// Move every slider, list and handle of all figures of the page to its ends. Name what outgrows the
// height that is kept for its figure, and what moves away from under the hand.
async function hold() {
  const problems = new Set();
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  for (const place of all(".live")) {
    const { model } = place.figure;
    const start = model.get("state");
    const height = place.offsetHeight;
    for (const [css, actsOn] of HELD) {
      for (let i = 0; i < all(css, place).length; i++) {
        const find = () => all(css, place)[i]; // it may be drawn anew
        const name = find().ariaLabel || find().labels?.[0].textContent;
        const found = unrest(place, height, find, actsOn(find()));
        found.forEach((problem) => problems.add(`${place.id}, ${name}: ${problem}`));
        model.set("state", start);
      }
    }
  }
  return [...problems];
}

// What a hand can hold, and what it does with it, as functions of the element.
const HELD = [
  ["input[type=range]", (slider) => endsAndMiddle(slider).map((value) => enter(value, "input"))],
  ["select", (list) => [...list.options].map((option) => enter(option.value, "change"))],
  ["[role=slider]", () => ["Home", "ArrowRight", "ArrowUp", "End", "PageDown"].map(strike)],
];

function endsAndMiddle({ min, max }) {
  return [min, max, (+min + +max) / 2];
}

function enter(value, kind) {
  return (element) => {
    element.value = value;
    element.dispatchEvent(new Event(kind));
  };
}

function strike(key) {
  return (element) => element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
}

// Do one thing after the other with what is held, and tell each time that its figure outgrows a
// height or that what is held moves within the figure.
function unrest(place, height, find, acts) {
  const around = () => find().closest("svg") || find().parentElement;
  const top = () => around().getBoundingClientRect().top - place.getBoundingClientRect().top;
  const problems = [];
  for (const act of acts) {
    if (!find()) break;
    const before = top();
    act(find());
    const grown = place.offsetHeight - height;
    if (grown) problems.push(`the figure grows by ${grown} px`);
    const moved = find() ? top() - before : 0;
    if (Math.abs(moved) > 1) problems.push(`what is held moves by ${Math.round(moved)} px`);
  }
  return problems;
}

// The height of what is seen together: without a question, and without the product below the
// sentence that answers.
function tallest() {
  const heights = all(".live-figure").map((figure) => {
    const aside = ":is(.live-ask, .live-tools)"; // before the hand, and signs that stick out
    const parts = [...figure.children].filter((e) => e.offsetHeight > 1 && !e.matches(aside));
    const { top } = parts[0].getBoundingClientRect();
    const { bottom } = parts.at(-1).getBoundingClientRect();
    return bottom - top;
  });
  return Math.max(...heights);
}

// Texts of drawings, and of elements that hide what does not fit, that are cut off.
function cut() {
  const drawn = all(".live-figure svg text").filter(leavesItsDrawing);
  const written = ":is(button, p, li, label, output, td, th, select)";
  const hidden = all(`.live-figure ${written}`).filter(hidesItsEnd);
  return [...drawn, ...hidden].map((e) => e.textContent);
}

function isSeen(element) {
  return element.checkVisibility({ visibilityProperty: true });
}

// A drawing that hides nothing may be left, but not the window.
function leavesItsDrawing(text) {
  if (!isSeen(text) || !text.textContent) return false;
  const svg = text.ownerSVGElement;
  const inner = text.getBoundingClientRect();
  const outer = svg.getBoundingClientRect();
  const hides = getComputedStyle(svg).overflow !== "visible";
  const [left, right] = hides ? [outer.left, outer.right] : [0, innerWidth];
  return inner.left + 2 < left || inner.right - 2 > right;
}

function hidesItsEnd(element) {
  if (!isSeen(element) || !element.clientWidth) return false;
  if (element.scrollWidth <= element.clientWidth + 1) return false;
  return getComputedStyle(element).overflow !== "visible";
}

// What a figure shows in states besides its question, as text that can be compared: without numbers
// of ids.
function look([id, states]) {
  return states.map((state) => {
    modelOf(id).set("state", state);
    const copy = document.querySelector(`#${id} .live-figure`).cloneNode(true);
    const left = all(".live-ask, .live-spoken, [hidden], [visibility=hidden]", copy);
    left.forEach((e) => e.remove());
    for (const element of all("*", copy)) {
      element.removeAttribute("id");
      element.removeAttribute("for");
    }
    return copy.innerHTML;
  });
}
