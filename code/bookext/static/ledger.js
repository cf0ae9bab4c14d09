// The filter above the ledger of claims. Without a script all claims are shown, so the form is made
// here.
(() => {
  const claims = [...document.querySelectorAll("ul.claims > li.claim")];
  const sources = [...document.querySelectorAll("section:has(> ul.claims)")];

  // The verdict on a claim is its class `is-…`, such as `is-wrong`.
  function verdictsOf(items) {
    const classes = items.flatMap((li) => [...li.classList]);
    return [...new Set(classes.filter((name) => name.startsWith("is-")))].sort();
  }

  const option = (value, text) => `<option value="${value}">${text}</option>`;
  const labelled = (label, control) => `<label>${label} ${control}</label>`;

  function menu(name, label, options) {
    const all = [option("", "all"), ...options].join("");
    return labelled(label, `<select name="${name}">${all}</select>`);
  }

  function buildForm() {
    const form = document.createElement("form");
    form.className = "claims-filter";
    form.setAttribute("role", "search");
    form.setAttribute("aria-label", "Claims");
    const ofSources = sources.map(({ id }) => option(id, id.toUpperCase()));
    const ofVerdicts = verdictsOf(claims).map((name) => option(name, name.slice("is-".length)));
    form.innerHTML = [
      menu("source", "Source", ofSources),
      menu("verdict", "Verdict", ofVerdicts),
      labelled("Words", `<input type="search" name="words">`),
      `<output aria-live="polite"></output>`,
    ].join("");
    return form;
  }

  const form = buildForm();
  document.querySelector(".claims-place").append(form);

  function isChosen(li, { verdict, source }, words) {
    const text = li.textContent.toLowerCase();
    return (!verdict || li.classList.contains(verdict)) &&
      (!source || li.closest("section").id === source) &&
      words.every((word) => text.includes(word));
  }

  // Show the claims that the form asks for, and the sources that have one.
  function update() {
    const chosen = Object.fromEntries(new FormData(form));
    const words = chosen.words.toLowerCase().split(/\s+/).filter(Boolean);
    for (const li of claims) li.hidden = !isChosen(li, chosen, words);
    for (const section of sources) {
      section.hidden = !section.querySelector("li.claim:not([hidden])");
    }
    const shown = claims.filter((li) => !li.hidden).length;
    form.querySelector("output").textContent = `${shown} of ${claims.length} claims`;
  }

  // An address may ask for anything: what the form does not have, or a menu does not offer, is left
  // out.
  function readAddress() {
    for (const [name, value] of new URLSearchParams(location.search)) {
      const control = form.elements.namedItem(name);
      const offered = control?.options && [...control.options].some((one) => one.value === value);
      if (control?.matches("input") || offered) control.value = value;
    }
  }

  function writeAddress() {
    const address = new URL(location.href);
    address.search = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    history.replaceState(null, "", address);
  }

  readAddress();
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    update();
    writeAddress();
  });
  update();
})();
