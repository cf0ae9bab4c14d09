// The filter above the ledger of claims. Without a script all claims are shown, so the form is made
// here.
(() => {
  const claims = [...document.querySelectorAll("ul.claims > li.claim")];
  const form = document.createElement("form");
  form.className = "claims-filter";
  form.setAttribute("role", "search");
  form.setAttribute("aria-label", "Claims");
  const verdicts = [
    ...new Set(claims.flatMap((li) => [...li.classList].filter((c) => c.startsWith("is-")))),
  ].sort();
  const option = (value, label) => `<option value="${value}">${label}</option>`;
  const select = (name, label, options) =>
    `<label>${label} <select name="${name}">${option("", "all")}${
      options.join("")
    }</select></label>`;
  const sources = [...document.querySelectorAll("section:has(> ul.claims)")];
  form.innerHTML = select(
    "source",
    "Source",
    sources.map((section) => option(section.id, section.id.toUpperCase())),
  ) +
    select(
      "verdict",
      "Verdict",
      verdicts.map((c) => option(c, c.slice(3))),
    ) +
    `<label>${"Words"} <input type="search" name="words"></label> <output aria-live="polite"></output>`;
  document.querySelector(".claims-place").append(form);

  function update() {
    const chosen = Object.fromEntries(new FormData(form));
    const words = chosen.words.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    claims.forEach((li) => {
      const text = li.textContent.toLowerCase();
      const keep = (!chosen.verdict || li.classList.contains(chosen.verdict)) &&
        (!chosen.source || li.closest("section").id === chosen.source) &&
        words.every((word) => text.includes(word));
      li.hidden = !keep;
      shown += keep;
    });
    sources.forEach((section) => {
      section.hidden = !section.querySelector("li.claim:not([hidden])");
    });
    form.querySelector("output").textContent = `${shown} of ${claims.length} claims`;
  }

  // An address may ask for anything: what the form does not have, or a menu does not offer, is left
  // out.
  new URLSearchParams(location.search).forEach((value, name) => {
    const control = form.elements.namedItem(name);
    const offered = control?.options && [...control.options].some((one) => one.value === value);
    if (control?.matches("input") || offered) {
      control.value = value;
    }
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    update();
    const address = new URL(location.href);
    address.search = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    history.replaceState(null, "", address);
  });
  update();
})();
