// Reader `text`: the output of a program, kept as evidence for people. It draws nothing from it but its length.

import type { ReadResult } from '../model.js';
import { readable, refuseText } from './reader.js';

export function readText(text: string): ReadResult {
  const refused = refuseText(text, 'the output of a program');
  if (refused !== null) return refused;
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return readable({ values: [['lines', lines]] });
}
