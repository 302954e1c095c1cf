// Sounds of moves, off at first. They are synthesised: there are no files.

import { keep, setting } from "./settings.js";

export const areSoundsOn = () => setting("sound") === "on";

/** Notes of each kind: frequency in hertz, begin and length in seconds. */
const NOTES = {
  move: [[190, 0, 0.07]],
  capture: [[190, 0, 0.07], [120, 0.06, 0.12]],
  end: [[262, 0, 0.18], [330, 0.12, 0.18], [392, 0.24, 0.4]],
};

let context = null;

function play(notes) {
  context ??= new AudioContext();
  // A browser lets a page be heard only once it has been used.
  context.resume();
  for (const [frequency, begin, length] of notes) {
    const [from, to] = [context.currentTime + begin, context.currentTime + begin + length];
    const [tone, volume] = [context.createOscillator(), context.createGain()];
    tone.type = "triangle";
    tone.frequency.setValueAtTime(frequency, from);
    // Wood on wood: the pitch falls while the tone dies away.
    if (length < 0.15) tone.frequency.exponentialRampToValueAtTime(frequency / 2, to);
    volume.gain.setValueAtTime(0.3, from);
    volume.gain.exponentialRampToValueAtTime(0.001, to);
    tone.connect(volume).connect(context.destination);
    tone.start(from);
    tone.stop(to);
  }
}

/** The sound of a move. */
export function sound(move) {
  if (areSoundsOn()) play(NOTES[/\+\+$|--$/.test(move) ? "end" : move.includes("x") ? "capture" : "move"]);
}

/** Turns the sounds on, with an example, or off. */
export function setSounds(isOn) {
  keep("sound", isOn ? "on" : null);
  if (isOn) play(NOTES.move);
}
