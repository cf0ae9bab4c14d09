// For how long, in ms, a page that is there leaves undone what nobody has come to or asked for.
const PATIENCE = 6000;

// What scrolls sideways must be reachable by keyboard, and what does not scroll must not be a stop
// on the way. A formula within a line cannot be broken: where it is wider than its paragraph it
// scrolls by itself. A part of the page is looked at when its size changes, and that is also when the
// reader comes to it: before, it is not laid out (see `.lazy-layout` in book.css), and all that may
// scroll in it is a stop. What has the focus stays one. All is looked at again when the fonts are there.
(() => {
  const boxSelector = "div.math, .figures-table, .pst-scrollable-table-container, pre";
  const blockSelector = "p, li, td, th, dd, dt, h1, h2, h3, div";
  const isLaidOut = (element) =>
    !element.checkVisibility || element.checkVisibility({ contentVisibilityAuto: true });
  // How a section is to be: each element of it that may scroll, and whether it does. To measure what
  // is not laid out, such as a fold that is closed, would lay it out.
  function measure(section) {
    const boxes = [...section.querySelectorAll(boxSelector)];
    const scrolling = boxes.map((element) => {
      const scrolls = !isLaidOut(element) || element.scrollWidth > element.clientWidth;
      return { element, scrolls };
    });
    const seen = [...section.querySelectorAll("span.math")].filter(isLaidOut);
    const formulas = seen.map((element) => {
      const room = element.closest(blockSelector).clientWidth;
      const { width } = element.firstElementChild.getBoundingClientRect();
      return { element, scrolls: room > 0 && width > room };
    });
    return { scrolling, formulas };
  }
  function mark({ scrolling, formulas }) {
    for (const { element, scrolls } of formulas) element.classList.toggle("wide", scrolls);
    for (const { element, scrolls } of [...scrolling, ...formulas]) {
      if (scrolls) element.tabIndex = 0;
      else if (element !== document.activeElement) element.removeAttribute("tabindex");
    }
  }
  // All is measured before anything is changed: else each change lays the page out anew.
  const look = (some) => some.map(measure).forEach(mark);
  const sections = [...document.querySelectorAll("article > section > *")];
  // Other observers may change sizes in the same frame, so what changed is measured after it.
  const changed = new Set();
  function lookAfterFrame() {
    look([...changed]);
    changed.clear();
  }
  const observer = new ResizeObserver((entries) => {
    if (!changed.size) setTimeout(lookAfterFrame);
    for (const { target } of entries) changed.add(target);
  });
  // To ask for the fonts lays out the page, so it waits until this is done anyway.
  function begin() {
    for (const section of sections) observer.observe(section);
    if (document.fonts.status !== "loaded") document.fonts.ready.then(() => look(sections));
  }
  requestAnimationFrame(() => setTimeout(begin));
})();

// What an address names after its #. Whoever types or cuts it may leave a % that begins no sign:
// then it is read as it is.
function fragment() {
  const text = location.hash.slice(1);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// The entries of the package once stood on the page that now lists them (`.modules`): an address such
// as #attnbook.laws.softmax leads on, to the page of the method, or else of its class or its module.
(() => {
  const links = Array.from(document.querySelectorAll(".modules a"));
  if (!links.length) return;
  const fileOf = (name) => `${name.replace(/^attnbook\./, "").replace("-", ".")}.html`;
  const isPageOf = ({ pathname }, name) =>
    [".", "/"].some((before) => pathname.endsWith(before + fileOf(name)));
  const without = (name) => name.replace(/\.?[^.]*$/, ""); // its last part
  for (let name = fragment().replace(/^module-/, ""); name; name = without(name)) {
    const link = links.find((one) => one.hash === `#${name}` || isPageOf(one, name));
    if (link) {
      location.replace(link.pathname + location.hash);
      return;
    }
  }
})();

// Before the page goes to one of its places, all of it is laid out. An address that is typed says so
// only afterwards.
(() => {
  const { dataset } = document.documentElement;
  const layOut = () => delete dataset.lazy;
  addEventListener("click", ({ target }) => target.closest("a[href*='#']") && layOut(), true);
  addEventListener("hashchange", () => {
    if (!("lazy" in dataset)) return;
    layOut();
    document.querySelector(":target")?.scrollIntoView();
  });
})();

// What nobody has come to yet is laid out while the browser is idle: then the page is as long as it
// will be, and the bar at its side stays where it is. The first seconds belong to what the reader
// sees.
addEventListener("load", () =>
  setTimeout(function next() {
    const section = document.querySelector(".lazy-layout");
    section?.classList.remove("lazy-layout");
    if (section) (window.requestIdleCallback || setTimeout)(next);
  }, PATIENCE));

// What nobody wants before they have looked around, the buttons that copy code, is a script of its
// own: it comes when the reader first does something, or after a while.
(() => {
  const { src, dataset } = document.currentScript;
  const script = Object.assign(document.createElement("script"), {
    src: new URL(dataset.later, src),
  });
  const load = () => script.isConnected || document.head.append(script);
  const options = { once: true, passive: true };
  for (const act of ["pointermove", "pointerdown", "keydown", "scroll"]) {
    addEventListener(act, load, options);
  }
  addEventListener("load", () => setTimeout(load, PATIENCE));
})();

// A link to something folded opens what it lies in; not every browser does this by itself.
(() => {
  function open() {
    const target = document.getElementById(fragment());
    const folded = () => target?.closest("details:not([open])");
    if (!folded()) return;
    for (let box = folded(); box; box = folded()) box.open = true;
    target.scrollIntoView();
  }
  addEventListener("hashchange", open);
  open();
})();

// On paper the answers to what a page asks stand at its end, each under the number that its
// question gets.
(() => {
  const answerSelector = "details.solution, .predict details, .live-answer, fieldset.quiz";
  const askedSelector = `article :is(${answerSelector}):not(.practice *)`; // what is practised stands in the list as well
  const undo = [];
  const make = (tag, attributes) => Object.assign(document.createElement(tag), attributes);
  const line = (textContent) => make("p", { className: "to-answer", textContent });

  // A part moves away, opened, and leaves a hole to which it comes back as it was.
  function taken(part) {
    const hole = document.createComment("");
    const { open } = part;
    part.replaceWith(hole);
    undo.push(() => hole.replaceWith(Object.assign(part, { open })));
    return Object.assign(part, { open: true });
  }

  function answerTo(box, number) {
    const quiz = box.matches("fieldset");
    const place = line(`→ ${number}`);
    box[quiz ? "append" : "before"](place);
    undo.push(() => place.remove());
    const answer = document.createElement("div");
    const parts = quiz ? [...box.querySelectorAll(".quiz-reason")] : [box];
    answer.append(line(number), ...parts.map(taken));
    return answer;
  }

  addEventListener("beforeprint", () => {
    const asked = [...document.querySelectorAll(askedSelector)];
    const end = make("section", { className: "answers", hidden: !asked.length });
    end.append(make("h2", { textContent: document.body.dataset.answers }));
    asked.forEach((box, i) => end.append(answerTo(box, i + 1)));
    document.querySelector("article > section")?.append(end);
    undo.push(() => end.remove());
  });
  addEventListener("afterprint", () => undo.splice(0).forEach((back) => back()));
})();
