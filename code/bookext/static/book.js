// A page in a folder may not read its neighbours, so the search shows titles there and no excerpts.
if (location.protocol === "file:") { DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false; }

// What scrolls sideways must be reachable by keyboard, and what does not scroll must not be a stop on the way.
(function () {
  function update() {
    document.querySelectorAll("div.math, .figures-table, .pst-scrollable-table-container, pre").forEach(function (box) {
      if (box.scrollWidth > box.clientWidth) { box.tabIndex = 0; } else { box.removeAttribute("tabindex"); }
    });
  }
  update();
  window.addEventListener("resize", update);
  if (document.fonts) { document.fonts.ready.then(update); }
})();
