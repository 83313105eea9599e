// Links to edited cells: made for a reader to pass on, and opened as a stranger's.

import { differences } from "./diff.js";
import { make, unfold } from "./dom.js";
import { LinkError, makeLink, readLink } from "./link.js";
import { fingerprint, tab } from "./memory.js";

export class Links {
  constructor(page) {
    this.page = page;
  }

  /** Make a link to a cell's edit and give it to the reader. */
  async share(cell) {
    cell.message("share", null);
    let fragment;
    try {
      fragment = await makeLink(cell.id, cell.source);
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      cell.message("share", error.message);
      this.page.say(error.message);
      return;
    }
    const address = location.href.replace(/#.*$/, "") + fragment;
    const show = make("a", { href: fragment }, "Put it into this page's address");
    try {
      await navigator.clipboard.writeText(address);
      cell.message("share", "The link is on the clipboard. ", show);
      this.page.say("The link is on the clipboard.");
    } catch {
      const field = make("input", {
        type: "text",
        className: "livecell-link",
        readOnly: true,
        value: address,
        "aria-label": `Link to your edit of cell ${cell.number}`,
      });
      field.addEventListener("focus", () => field.select());
      cell.message("share", "Copy this link:", field, show);
      this.page.say("The link is below the cell, to be copied.");
      field.focus({ preventScroll: true });
      field.select();
    }
  }

  /** Show the edit that the page's address carries, if it does, without running it. */
  async open({ again = false } = {}) {
    const fragment = location.hash;
    // After a reload the reader's own later edit counts, not the link it began with.
    if (again && tab.get(this.#linkKey()) === fingerprint(fragment)) return;
    let link;
    try {
      link = await readLink(fragment);
      if (!link) return;
      if (!this.page.byId.has(link.id)) {
        throw new LinkError(
          "The link's edit is for a cell that this page does not have.",
        );
      }
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      this.page.say(`${error.message} The link was ignored; the cells are unchanged.`);
      return;
    }
    const cell = this.page.byId.get(link.id);
    unfold(cell.input);
    if (cell.isBusy) {
      this.page.say(
        `The link is for cell ${cell.number}, which runs. Open it again later.`,
      );
    } else if (link.source !== cell.source) {
      if (!cell.link) cell.beforeLink = cell.source;
      const text =
        "This code came with the link: somebody else wrote it, and it has not been run. " +
        "What differs from the book's cell:";
      const decide = (name, label, source) =>
        cell.choice(name, label, () => {
          if (source !== null) cell.setSource(source);
          this.settle(cell);
          this.page.say(
            source === null ? "The edit is kept." : "The edit is discarded.",
          );
        });
      cell.setSource(link.source, { keep: false });
      cell.link = fragment;
      cell.element.toggleAttribute("data-livecell-linked", true);
      cell.message(
        "link",
        text,
        differences(cell.builtSource, link.source),
        decide("keep", "Keep the edit", null),
        decide("discard", "Discard the edit", cell.beforeLink),
      );
      this.page.say(
        `Cell ${cell.number} shows code from a link, which has not been run.`,
      );
    }
    cell.element.scrollIntoView({ block: "start" });
  }

  /** The cell of a link runs: it is still a stranger's, and is not kept for the reader. */
  ran(cell) {
    const line = cell.messages.querySelector('[data-kind="link"] > p');
    if (!cell.link || !line) return;
    line.textContent =
      "This code came with the link: somebody else wrote it. " +
      "What differs from the book's cell:";
  }

  /** The reader has dealt with the link of `cell`: its edit is now theirs, or gone. */
  settle(cell) {
    if (!cell.link) return;
    cell.message("link", null);
    cell.keep();
    tab.set(this.#linkKey(), fingerprint(cell.link));
    cell.link = null;
    cell.element.toggleAttribute("data-livecell-linked", false);
  }

  #linkKey() {
    return `livecells ${location.pathname} link`;
  }
}
