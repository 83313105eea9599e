// Figures that can move: their script is fetched where there is one, and not before it is
// near.

const NEAR = "400px";

/** Let the recorded loops in an element move; one that cannot keeps its still. */
export async function move(root) {
  if (!root.querySelector(".loop-player")) return;
  try {
    const { upgrade } = await import("./player/player.js");
    upgrade(root);
  } catch {
    // Without its script a figure stands still, and says the same.
  }
}

/** The same for the figures of the built page, as a reader comes near them. */
export function moveWhenNear(root) {
  const watch = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        watch.unobserve(target);
        move(target.parentElement);
      }
    },
    { rootMargin: NEAR },
  );
  for (const figure of root.querySelectorAll(".loop-player")) watch.observe(figure);
}
