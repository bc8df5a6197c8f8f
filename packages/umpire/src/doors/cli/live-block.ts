// A block of lines that stays at the end of a terminal and is drawn again in place, while finished lines scroll above it. One write for each
// change, a few a second at most. Own code, since log-update needs Node 22 and leaves rests where a terminal gets narrower.

import { columnsOf } from '../../views/safe-text.js';
import { splitAtColors } from '../../views/colors.js';

export interface LiveBlock {
  /** Prints lines above the block. */
  readonly print: (text: string) => void;
  /** Removes the block until the returned function is called. */
  readonly pause: () => () => void;
  /** Removes the block for good. */
  readonly close: () => void;
}

interface BlockTerminal {
  /** Writes a text as it is, with its control sequences. */
  readonly write: (text: string) => void;
  readonly columns: () => number;
  /** Calls the function whenever the width changes; returns a function that ends this. */
  readonly onResize: (act: () => void) => () => void;
}

const REDRAW_MS = 500;
const LEAST_PAUSE_MS = 100;

const ESC = String.fromCharCode(27);
const ERASE_LINE_END = `${ESC}[K`;
const ERASE_BELOW = `${ESC}[J`;

/** `draw`: the lines now, none wider than the terminal. */
export function openLiveBlock(terminal: BlockTerminal, draw: () => readonly string[]): LiveBlock {
  let shown: readonly string[] = [];
  let width = 0;
  let drawnMs = 0;
  let pauses = 0;
  /** The start of the block. Lines that a narrower terminal has wrapped take more rows. */
  const toStart = () => {
    const rows = shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / terminal.columns())), 0);
    return rows === 0 ? '' : `${ESC}[${rows}A\r`;
  };
  const redraw = (above = '') => {
    const lines = pauses > 0 ? [] : draw();
    drawnMs = performance.now();
    if (above === '' && lines.length === shown.length && lines.every((line, at) => line === shown[at])) return;
    const block = lines.map((line) => `${line}${ERASE_LINE_END}\n`).join('');
    // Lines that were wrapped stay marked as such in some terminals until they are erased.
    const isResized = width !== terminal.columns();
    terminal.write(`${toStart()}${isResized ? ERASE_BELOW : ''}${above}${block}${ERASE_BELOW}`);
    width = terminal.columns();
    shown = lines;
  };
  const print = (text: string) => {
    const above = text
      .split('\n')
      .map((line) => `${line}${ERASE_LINE_END}\n`)
      .join('');
    if (performance.now() - drawnMs >= LEAST_PAUSE_MS || shown.length === 0) return redraw(above);
    // In a burst of lines the block comes back with the next regular drawing.
    terminal.write(`${toStart()}${ERASE_BELOW}${above}`);
    shown = [];
  };
  const timer = setInterval(() => redraw(), REDRAW_MS);
  const endResize = terminal.onResize(() => redraw());
  // After Ctrl-Z and `fg`, the shell's lines are below the block.
  const onContinue = () => void (shown = []);
  process.on('SIGCONT', onContinue);
  return {
    print,
    pause: () => {
      pauses++;
      redraw();
      return () => void pauses--;
    },
    close: () => {
      clearInterval(timer);
      endResize();
      process.off('SIGCONT', onContinue);
      pauses++;
      redraw();
    },
  };
}

function widthOf(line: string): number {
  return splitAtColors(line).reduce((sum, part, at) => sum + (at % 2 === 1 ? 0 : columnsOf(part)), 0);
}
