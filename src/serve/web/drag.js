// Drag and drop with mouse, pen or touch.

import { icon } from "./dom.js";

/** Pointer movement that starts a drag, in pixels. */
const SLACK = 6;

/** Makes the pieces of a board draggable. */
export function makeDraggable(board) {
  let held = null;
  const { grid } = board;

  grid.addEventListener("pointerdown", (event) => {
    end();
    const at = board.at(event.target);
    if (at === null || event.button !== 0 || !board.cells[at].classList.contains("movable")) return;
    held = { at, id: event.pointerId, x: event.clientX, y: event.clientY, ghost: null };
  });

  grid.addEventListener("pointermove", (event) => {
    if (event.pointerId !== held?.id) return;
    // It was released outside of the grid before the drag.
    if (!(event.buttons & 1)) return end();
    const far = Math.hypot(event.clientX - held.x, event.clientY - held.y) > SLACK;
    if (!held.ghost && far) lift(event);
    if (held.ghost) follow(event);
  });

  grid.addEventListener("pointerup", (event) => {
    if (event.pointerId !== held?.id) return;
    const { at, ghost } = held;
    if (ghost) {
      drop(at, board.at(document.elementFromPoint(event.clientX, event.clientY)));
      // Ignore the click after a drag.
      board.isDropping = true;
      setTimeout(() => { board.isDropping = false; });
    }
    end();
  });

  grid.addEventListener("pointercancel", end);

  function lift(event) {
    const cell = board.cells[held.at];
    grid.setPointerCapture(event.pointerId);
    if (board.shown.mode === "play" && board.selected !== held.at) board.select(held.at);
    held.ghost = icon(`piece-${board.shown.position.cells[held.at]}`);
    held.ghost.classList.add("ghost");
    held.half = cell.offsetWidth / 2;
    held.ghost.style.width = `${cell.offsetWidth}px`;
    cell.classList.add("lifted");
    document.body.append(held.ghost);
  }

  function follow(event) {
    const [x, y] = [event.clientX - held.half, event.clientY - held.half];
    held.ghost.style.transform = `translate(${x}px, ${y}px)`;
  }

  function drop(from, to) {
    if (board.shown.mode === "edit") board.handlers.ondrop?.(from, to);
    else if (to === null || !board.go(to)) board.select(null);
  }

  function end() {
    if (!held) return;
    board.cells[held.at]?.classList.remove("lifted");
    held.ghost?.remove();
    held = null;
  }
}
