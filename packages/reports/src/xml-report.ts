// How a report in XML ends on its sheet: whole, cut off or broken, in the same words for every format.

import type { Sheet } from './sheet.js';
import type { XmlStream } from './xml-stream.js';

/** `count` and `noun` say how far it was read: `12 tests`. `root` is what it should have begun with. */
export function endXml(stream: XmlStream, sheet: Sheet, count: number, noun: string, root: string): void {
  const end = stream.end();
  const read = `${count} ${noun}${count === 1 ? ' was' : 's were'} read before that`;
  if (end.kind === 'empty') sheet.fail(`there is nothing in it; expected ${root}`);
  if (end.kind === 'cut') {
    const { inside, line, byte } = end;
    sheet.fail(`it ends in the middle of ${inside}: ${read}; the report was cut off or is still being written`, { line, byte });
  }
  if (end.kind === 'broken') sheet.fail(count === 0 ? end.message : `${end.message}; ${read}`, { line: end.line, byte: end.byte });
}
