// Starts the scripts of a page once all of it is read. They are preloaded while it is read, and each
// runs in a task of its own: deferred ones would all run in the task that reads the end of the page,
// and a reader could do nothing meanwhile.
for (const link of document.querySelectorAll("link[rel='preload'][as='script']")) {
  const script = Object.assign(document.createElement("script"), { src: link.href, async: false });
  Object.assign(script.dataset, link.dataset);
  document.head.append(script);
}
