// The open findings of a session with short fingerprints, for `umpire dismiss`.

import type { OpenFinding } from '@umpire/core/decider/rulings.js';
import type { FindingRuled } from '@umpire/core/decider/events.js';
import { describeFinding } from '@umpire/core/formats/finding-text.js';
import { lineOf } from './safe-text.js';

const SHORTEST = 8;

export function findingsPage(open: readonly OpenFinding[], rulings: ReadonlyMap<string, FindingRuled>): string {
  // The first characters of each fingerprint, long enough to tell them all apart.

  const all = [...new Set(open.map(({ finding }) => finding.fingerprint))];
  let length = SHORTEST;
  while (length < 64 && new Set(all.map((one) => one.slice(0, length))).size < all.length) length += 1;
  const short = new Map(all.map((one) => [one, one.slice(0, length)]));
  const lines = open.flatMap(({ finding, refusal }) => [
    `${short.get(finding.fingerprint) ?? ''}  ${finding.severity.padEnd('critical'.length)}  ${lineOf(describeFinding(finding), 300)}`,
    ...(refusal === null ? [] : [`${' '.repeat(SHORTEST + 2)}cannot be dismissed: ${lineOf(refusal, 200)}`]),
  ]);
  const dismissed = [...rulings.values()].map(
    ({ finding, reason }) => `  ${finding.severity}: ${lineOf(describeFinding(finding), 300)} (${lineOf(reason, 200)})`,
  );
  return `${[...(open.length === 0 ? ['No open finding.'] : lines), ...(dismissed.length === 0 ? [] : ['Dismissed:', ...dismissed])].join(
    '\n',
  )}\n`;
}
