// The filter above the ledger of claims. Without a script all claims are shown, so the form is made here.
(function () {
  const claims = [...document.querySelectorAll("ul.claims > li.claim")];
  const names = { verdict: "is-", source: "of-" };
  const form = document.createElement("form");
  form.className = "claims-filter";
  form.setAttribute("role", "search");
  form.setAttribute("aria-label", "Claims");
  const values = (prefix) => [...new Set(claims.flatMap((li) => [...li.classList].filter((c) => c.startsWith(prefix))))].sort();
  const option = (value, label) => `<option value="${value}">${label}</option>`;
  const select = (name, label, options) =>
    `<label>${label} <select name="${name}">${option("", "all")}${options.join("")}</select></label>`;
  const chapters = [...document.querySelectorAll("section:has(> ul.claims)")];
  const title = (section) => section.querySelector("h2").firstChild.textContent;
  form.innerHTML =
    select("chapter", "Chapter", chapters.map((section) => option(section.id, title(section)))) +
    Object.entries(names).map(([name, prefix]) => select(name, name[0].toUpperCase() + name.slice(1),
      values(prefix).map((c) => option(c, prefix === "of-" ? c.slice(3).toUpperCase() : c.slice(3))))).join("") +
    '<label>Words <input type="search" name="words"></label> <output aria-live="polite"></output>';
  chapters[0].before(form);

  function update() {
    const chosen = Object.fromEntries(new FormData(form));
    const words = chosen.words.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    claims.forEach((li) => {
      const text = li.textContent.toLowerCase();
      const keep = [chosen.verdict, chosen.source].every((c) => !c || li.classList.contains(c)) &&
        (!chosen.chapter || li.closest("section").id === chosen.chapter) && words.every((word) => text.includes(word));
      li.hidden = !keep;
      shown += keep;
    });
    chapters.forEach((section) => { section.hidden = !section.querySelector("li.claim:not([hidden])"); });
    form.querySelector("output").textContent = `${shown} of ${claims.length} claims`;
  }

  const asked = new URLSearchParams(location.search);
  asked.forEach((value, name) => { if (form.elements[name]) { form.elements[name].value = value; } });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    update();
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value)).toString();
    history.replaceState(null, "", location.pathname + (query ? "?" + query : "") + location.hash);
  });
  update();
})();
