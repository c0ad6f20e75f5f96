import type { TextStream } from './text-stream.js';

/** How often it is drawn at most, in milliseconds. */
const drawMs = 100;
const cells = 24;
const clearLine = '\r\x1b[2K';

/** A bar at a terminal; nothing anywhere else. */
export interface Progress {
  /** Shows that so much of so much is done. */
  show(done: number, total: number, text: string): void;
  /** Takes the bar away, so that other text can be written. */
  clear(): void;
}

/** Makes a bar. */
export function createProgress(stream: TextStream): Progress {
  let drawnMs = Number.NEGATIVE_INFINITY;
  let isShown = false;
  return {
    show(done, total, text) {
      if (stream.isTTY !== true || performance.now() - drawnMs < drawMs) return;
      drawnMs = performance.now();
      isShown = true;
      const part = total === 0 ? 0 : Math.min(done / total, 1);
      const bar = '#'.repeat(Math.round(part * cells)).padEnd(cells, '.');
      const percent = String(Math.floor(part * 100)).padStart(3);
      stream.write(`${clearLine}[${bar}] ${percent}% ${text.replace(/\p{Cc}/gu, '\u{fffd}').slice(0, 40)}`);
    },
    clear() {
      if (isShown) stream.write(clearLine);
      isShown = false;
      drawnMs = Number.NEGATIVE_INFINITY;
    },
  };
}
