// What scrolls sideways must be reachable by keyboard, and what does not scroll must not be a stop on the way. A formula
// within a line cannot be broken: where it is wider than its paragraph it scrolls by itself. A section is looked at when
// its size changes, which it also does when a long page lays it out, and once more when the font of formulas is there.
// Until then all that may scroll in it is a stop, and what has the focus stays one.
(function () {
  var boxes = "div.math, .figures-table, .pst-scrollable-table-container, pre";
  var blocks = "p, li, td, th, dd, dt, h1, h2, h3, div";
  function look(section) {
    var child = section.firstElementChild;
    if (!child || (child.checkVisibility && !child.checkVisibility({ contentVisibilityAuto: true }))) {
      section.querySelectorAll(boxes).forEach(function (box) { box.tabIndex = 0; });
      return;
    }
    var scrolling = Array.from(section.querySelectorAll(boxes), function (box) {
      return [box, box.scrollWidth > box.clientWidth];
    });
    var formulas = Array.from(section.querySelectorAll("span.math"), function (span) {
      var block = span.closest(blocks), math = span.firstElementChild;
      return [span, block.clientWidth > 0 && math.getBoundingClientRect().width > block.clientWidth];
    });
    formulas.forEach(function (pair) { pair[0].classList.toggle("wide", pair[1]); });
    scrolling.concat(formulas).forEach(function (pair) {
      if (pair[1]) { pair[0].tabIndex = 0; }
      else if (pair[0] !== document.activeElement) { pair[0].removeAttribute("tabindex"); }
    });
  }
  var sections = document.querySelectorAll("article > section > *");
  var observer = new ResizeObserver(function (entries) { entries.forEach(function (entry) { look(entry.target); }); });
  sections.forEach(function (section) { observer.observe(section); });
  document.fonts.ready.then(function () { sections.forEach(look); });
})();

// What an address names after its #. Whoever types or cuts it may leave a % that begins no sign: then it is read as it is.
function fragment() {
  const text = location.hash.slice(1);
  try { return decodeURIComponent(text); } catch { return text; }
}

// The entries of the package once stood on the page that now lists them: their addresses lead on, that of a method by the
// name of its class, and that of a module by its own.
(function () {
  var names = Array.from(document.querySelectorAll(".modules a"));
  var entry = fragment().replace(/^module-/, "");
  for (var name = names.length ? entry : ""; name; name = name.replace(/\.?[^.]*$/, "")) {
    var page = name.replace(/^(attnbook\.)?/, "").replace("-", ".") + ".html";
    var link = names.find(function (one) { return one.hash === "#" + name || one.pathname.endsWith(page); });
    if (link) { location.replace(link.pathname + location.hash); return; }
  }
})();

// What nobody has come to yet is laid out while the browser is idle: then the page is as long as it will be, and the bar
// at its side stays where it is. The first seconds belong to what the reader sees.
addEventListener("load", () => setTimeout(function next() {
  const section = document.querySelector(".lazy-layout");
  section?.classList.remove("lazy-layout");
  if (section) { (window.requestIdleCallback || setTimeout)(next); }
}, 6000));

// A link to something folded opens what it lies in; not every browser does this by itself.
(function () {
  function open() {
    var target = document.getElementById(fragment());
    var box = target && target.closest("details:not([open])");
    if (!box) { return; }
    for (; box; box = target.closest("details:not([open])")) { box.open = true; }
    target.scrollIntoView();
  }
  addEventListener("hashchange", open);
  open();
})();

// On paper the answers to what a page asks stand at its end, each under the number that its question gets.
(function () {
  const undo = [];
  const line = (text) => Object.assign(document.createElement("p"), { className: "to-answer", textContent: text });
  addEventListener("beforeprint", () => {
    const asked = document.querySelectorAll("article :is(details.solution, .predict details, .live-answer, fieldset.quiz)");
    const end = Object.assign(document.createElement("section"), { className: "answers", hidden: !asked.length });
    end.append(Object.assign(document.createElement("h2"), { textContent: document.body.dataset.answers }));
    asked.forEach((box, i) => {
      const quiz = box.matches("fieldset"), place = line(`→ ${i + 1}`), answer = document.createElement("div");
      box[quiz ? "append" : "before"](place);
      undo.push(() => place.remove());
      end.append(answer);
      answer.append(line(i + 1), ...Array.from(quiz ? box.querySelectorAll(".quiz-reason") : [box], (part) => {
        const hole = document.createComment(""), { open } = part;
        part.replaceWith(hole);
        undo.push(() => hole.replaceWith(Object.assign(part, { open })));
        return Object.assign(part, { open: true });
      }));
    });
    document.querySelector("article > section")?.append(end);
    undo.push(() => end.remove());
  });
  addEventListener("afterprint", () => undo.splice(0).forEach((back) => back()));
})();
