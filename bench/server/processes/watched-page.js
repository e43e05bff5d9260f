// Runs in the page, before its own script: keeps how long each entry took to show, and how long each frame took.
globalThis.watchPage = () => {
  const watched = { delays: [], frames: [], nodes: 0 };
  const seen = new Set([...document.querySelectorAll('a.entry')].map((link) => link.href));
  new MutationObserver(() => {
    for (const link of document.querySelectorAll('.virtual-list a.entry')) {
      if (seen.has(link.href)) continue;
      seen.add(link.href);
      watched.delays.push(Date.now() - Date.parse(link.querySelector('time').dateTime));
    }
    watched.nodes = Math.max(watched.nodes, document.querySelectorAll('*').length);
  }).observe(document.body, { childList: true, subtree: true, attributes: true });
  let last = performance.now();
  requestAnimationFrame(function frame(time) {
    watched.frames.push(time - last);
    last = time;
    requestAnimationFrame(frame);
  });
  return watched;
};
