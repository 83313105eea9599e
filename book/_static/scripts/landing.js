// Scripts put parts into a page after the browser has gone to the place that the address
// names, and move it. Go there again, unless the reader has gone elsewhere meanwhile.
{
  const [visit] = performance.getEntriesByType("navigation");
  let isMoved = visit.type !== "navigate"; // a reload and a step back keep their place
  for (const kind of ["wheel", "touchstart", "pointerdown", "keydown"])
    addEventListener(kind, () => (isMoved = true), { once: true, passive: true });

  addEventListener("load", async () => {
    await document.fonts.ready;
    await new Promise(requestAnimationFrame);
    if (!isMoved) document.querySelector(":target")?.scrollIntoView({ behavior: "instant" });
  });
}
