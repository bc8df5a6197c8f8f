// The open findings of a session with short fingerprints, for `umpire dismiss`.

import type { OpenFinding } from '@umpire/core/decider/rulings.js';
import type { FindingRuled } from '@umpire/core/decider/events.js';
import { describeFinding } from '@umpire/core/formats/finding-text.js';
import { lineOf } from './safe-text.js';

const SHORTEST = 8;

/** The first characters of each fingerprint, long enough to tell them all apart. */
function shortFingerprints(fingerprints: readonly string[]): ReadonlyMap<string, string> {
  const all = [...new Set(fingerprints)];
  let length = SHORTEST;
  while (length < 64 && new Set(all.map((one) => one.slice(0, length))).size < all.length) length += 1;
  return new Map(all.map((one) => [one, one.slice(0, length)]));
}

export function findingsPage(open: readonly OpenFinding[], rulings: ReadonlyMap<string, FindingRuled>): string {
  const short = shortFingerprints(open.map(({ finding }) => finding.fingerprint));
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
