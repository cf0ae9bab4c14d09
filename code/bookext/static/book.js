// A page in a folder may not read its neighbours, so the search shows titles there and no excerpts.
if (location.protocol === "file:") { DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false; }

// What scrolls sideways must be reachable by keyboard, and what does not scroll must not be a stop on the way. A box is
// looked at whenever its own size changes, and once more when the font of formulas is there.
(function () {
  var boxes = document.querySelectorAll("div.math, .figures-table, .pst-scrollable-table-container, pre");
  function update(box) {
    if (box.scrollWidth > box.clientWidth) { box.tabIndex = 0; } else { box.removeAttribute("tabindex"); }
  }
  var observer = new ResizeObserver(function (entries) { entries.forEach(function (entry) { update(entry.target); }); });
  boxes.forEach(function (box) { observer.observe(box); });
  document.fonts.ready.then(function () { boxes.forEach(update); });
})();
