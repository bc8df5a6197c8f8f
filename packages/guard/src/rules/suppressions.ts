// What the rules about comments for tools have in common.

import type { Evidence, ReadFile } from '../evidence.js';
import type { Source } from '../syntax/nodes.js';
import { newSuppressions } from '../project/suppressions.js';
import type { Suppression, SuppressionKind } from '../project/suppressions.js';
import { spanOf } from '../findings/finding.js';
import type { Sighting } from '../findings/finding.js';

const WORDS: Readonly<Record<SuppressionKind, RegExp>> = {
  type: /@ts-|Flow|type:\s*ignore|pyright|pyre|mypy|pytype/,
  lint: /disable|ignore|noqa|nosec|NOSONAR|eslint/i,
  coverage: /ignore|pragma|coverage/i,
};

export function suppressed(
  evidence: Evidence,
  kind: SuppressionKind,
  isBreach: (file: ReadFile, found: Suppression, source: Source) => boolean,
): readonly Sighting[] {
  return evidence.files.flatMap((file): readonly Sighting[] => {
    const { change } = file;
    if (!WORDS[kind].test(evidence.addedText(change))) return [];
    const now = evidence.after.source(change.path);
    if (now === null) return [];
    const old = change.before === null ? null : evidence.before.source(change.renamedFrom ?? change.path);
    return newSuppressions(old, now, kind).map((found) => ({
      file: change.path,
      level: isBreach(file, found, now) ? 'breach' : 'note',
      before: null,
      after: spanOf(now, found.comment),
    }));
  });
}

/** The comment stands in a test that lost a check. */
export function isInWeakenedTest(evidence: Evidence, { comment }: Suppression, source: Source): boolean {
  return evidence.pairing.pairs.some((pair) => {
    if (pair.after.source.path !== source.path || comment.from < pair.after.from || comment.to > pair.after.to || !evidence.isTouched(pair))
      return false;
    const { losses, lost, gained } = evidence.compare(pair);
    return losses.length > 0 && gained < lost;
  });
}
