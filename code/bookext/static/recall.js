// The page that asks again: one question at a time, mixed over the chapters, those that are due first.
// Below it the list of all questions is folded. What was answered is kept by answers.js.
(() => {
  const sections = [...document.querySelectorAll("section.asks")];
  const language = document.documentElement.lang;
  const AGAIN = 4; // questions between a wrong answer and the same question
  let without = new Set(answers.without());
  const waits = new Map(); // names of questions, each with the turn before which it is not asked
  let turn = 0;
  let now = null; // the question that is asked
  let isAnswered = false;

  // A question of each chapter in a random order, then a second of each, and so on.
  const questions = sections.flatMap((section) =>
    [...section.querySelectorAll(".collected")]
      .map((unit) => ({ unit, random: Math.random() }))
      .sort((a, b) => a.random - b.random)
      .map(({ unit, random }, place) => ({
        unit,
        name: unit.firstElementChild.id.replace(/^recall-/, ""),
        chapter: section.id,
        order: place + random,
      }))
  );

  // ---- what stands on the page ----
  function make(tag, attributes, ...children) {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...children);
    return element;
  }
  function button(text, onclick) {
    return make("button", { type: "button", className: "practice-button", onclick }, text);
  }

  const state = make("p", { className: "practice-state", tabIndex: -1 });
  const place = make("div", { className: "practice-asked" });
  const said = make("p", { className: "practice-said", role: "status" });
  const onward = button("", ask);
  const chosen = make("summary", {});
  const boxes = sections.map((section) => {
    const text = section.querySelector("h2").firstChild.textContent;
    const checked = !without.has(section.id);
    const box = make("input", { type: "checkbox", name: section.id, checked, autocomplete: "off" });
    return make("label", {}, box, " ", text);
  });
  const chapters = make(
    "details",
    { className: "practice-chapters", onchange: choose },
    chosen,
    make("fieldset", {}, make("legend", {}, "Chapters that you have read"), ...boxes),
  );
  const keeps = make("p", { className: "practice-keeps" });
  const forget = button("Forget all answers", forgetAll);
  const panel = make("section", { className: "practice" }, state, place, said, onward, chapters);
  panel.setAttribute("aria-label", "Practice");
  panel.append(keeps, forget);
  const list = make("details", { className: "practice-list" });
  sections[0]?.before(panel, list);
  list.append(make("summary", {}, "All questions, chapter by chapter"), ...sections);

  // ---- which question is next ----
  const isChosen = ({ chapter }) => !without.has(chapter);
  const isNew = ({ name }) => !answers.find(name);
  const isDue = ({ name }) => answers.find(name)?.due <= answers.today();
  const wait = ({ name }) => Math.max((waits.get(name) ?? 0) - turn, 0);
  const step = ({ name }) => answers.find(name)?.step ?? 0;

  // Those to be asked today: first the due, of these first the wrong, and the new last.
  function waiting() {
    const keys = (q) => [wait(q), isNew(q) ? 1 : 0, step(q), q.order];
    return questions
      .filter((q) => isChosen(q) && (isNew(q) || isDue(q)))
      .map((q) => ({ q, keys: keys(q) }))
      .sort((a, b) => a.keys.map((key, i) => key - b.keys[i]).find((gap) => gap) ?? 0)
      .map(({ q }) => q);
  }

  // ---- what is said ----
  const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const when = (day) => relative.format(day - answers.today(), "day");

  // The days on which questions come back that are not asked today, the next first.
  function later() {
    return questions
      .filter((q) => isChosen(q) && !isNew(q) && !isDue(q))
      .map(({ name }) => answers.find(name).due)
      .sort((a, b) => a - b);
  }

  function count() {
    const open = questions.filter(isChosen);
    const fresh = open.filter(isNew).length;
    const due = open.filter(isDue).length;
    const days = later();
    const back = days.filter((day) => day === days[0]).length;
    state.textContent = `Due today: ${due} · new: ${fresh}`;
    if (back) state.append(` · ${when(days[0])}: ${back}`);
    const asked = sections.filter(({ id }) => !without.has(id)).length;
    const all = sections.length;
    chosen.textContent = `Chapters: ${asked} of ${all}`;
    keeps.textContent = answers.isDenied()
      ? "This browser lets the page keep nothing: what you answer is forgotten when you leave."
      : "What you answer is kept in this browser, on your machine, and sent nowhere.";
  }

  // What is said where nothing is left to ask.
  function ending() {
    if (!questions.some(isChosen)) return "Choose a chapter that you have read.";
    const day = when(later()[0]);
    return `That is all for today. Come back ${day}.`;
  }

  function ask() {
    if (now && !isAnswered) waits.set(now.name, turn + questions.length); // passed over
    show();
    const question = place.querySelector("legend, .admonition-title") ?? state;
    question.tabIndex = -1;
    question.focus({ preventScroll: true });
    if (panel.getBoundingClientRect().top < 0) panel.scrollIntoView();
  }

  function show() {
    [now = null] = waiting();
    turn += 1;
    isAnswered = false;
    place.replaceChildren(...(now ? [copyOf(now.unit)] : []));
    place.classList.remove("is-answered");
    onward.hidden = !now;
    onward.textContent = "Pass over";
    said.textContent = now ? "" : ending();
    count();
  }

  // The question under names of its own, for it stands in the list as well.
  function copyOf(unit) {
    const copy = unit.cloneNode(true);
    for (const part of copy.querySelectorAll("[id], [name], [for]")) {
      for (const key of ["id", "name", "for"]) {
        const value = part.getAttribute(key);
        if (value) part.setAttribute(key, value.replace("recall-", "practice-"));
      }
    }
    copy.querySelectorAll("input").forEach((input) => {
      input.checked = false;
    });
    const fold = copy.querySelector(".predict > details");
    if (fold) fold.after(judge(fold));
    return copy;
  }

  // What a reader predicted no script can judge.
  function judge(fold) {
    fold.open = false;
    const choice = (text, isRight) =>
      button(text, ({ target }) => {
        for (const one of box.children) one.disabled = true;
        target.setAttribute("aria-pressed", "true");
        answers.mark(now.name, isRight);
        onward.focus({ preventScroll: true });
      });
    const box = make(
      "p",
      { className: "practice-judge", hidden: true },
      choice("I said so", true),
      choice("Not quite", false),
    );
    fold.addEventListener("toggle", () => {
      box.hidden = false;
    });
    return box;
  }

  addEventListener("answered", () => {
    const isOurs = place.querySelector("input:checked, [aria-pressed]");
    if (isOurs && !isAnswered) {
      isAnswered = true;
      const { due } = answers.find(now.name);
      if (due <= answers.today()) waits.set(now.name, turn + AGAIN);
      const day = when(due);
      said.textContent = `This one comes back ${day}.`;
      onward.textContent = "Next question";
      place.classList.add("is-answered");
    }
    count();
  });

  function choose() {
    const open = boxes.map((label) => label.firstElementChild).filter((box) => !box.checked);
    without = new Set(open.map((box) => box.name));
    answers.leaveOut([...without]);
    if (!now || (!isAnswered && !isChosen(now))) show();
    else count();
  }

  function forgetAll() {
    if (!confirm("Forget every answer, and which chapters you chose?")) return;
    answers.forget();
    without = new Set();
    waits.clear();
    for (const label of boxes) label.firstElementChild.checked = true;
    show();
  }

  show();
})();
