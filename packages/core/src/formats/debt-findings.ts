// Findings of two states held against each other: what is new, what is gone. A finding is known by its fingerprint, which lines and
// figures do not change; one in a renamed file by its rule and words.

import type { Finding } from '../model.js';
import { put } from './keyed-lists.js';

/** Which files came and went between the two states. */
export interface Moves {
  /** Was at the baseline and is not now. */
  readonly isGone: (path: string) => boolean;
  /** Is there now and was not at the baseline. */
  readonly isNew: (path: string) => boolean;
  /** Was one of these lines changed? Of several findings in the same words, those on changed lines are the new ones. */
  readonly isChanged: (path: string | null, line: number | null, endLine?: number) => boolean;
}

export interface FindingsDifference {
  readonly added: readonly Finding[];
  readonly removed: readonly Finding[];
}

export function differFindings(before: readonly Finding[], after: readonly Finding[], moves: Moves): FindingsDifference {
  const earlier = grouped(before);
  const later = grouped(after);
  const added = surplus(later, earlier, ({ artifact, line, endLine }) => moves.isChanged(artifact, line, endLine));
  const removed = surplus(earlier, later, () => false);
  return withoutMoved(added, removed, moves);
}

function grouped(findings: readonly Finding[]): ReadonlyMap<string, readonly Finding[]> {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    put(groups, finding.fingerprint, finding);
  }
  return groups;
}

/** Those that `these` has more of than `those`. */
function surplus(
  these: ReadonlyMap<string, readonly Finding[]>,
  those: ReadonlyMap<string, readonly Finding[]>,
  isLikely: (finding: Finding) => boolean,
): readonly Finding[] {
  return [...these].flatMap(([fingerprint, group]) => {
    const more = group.length - (those.get(fingerprint)?.length ?? 0);
    if (more <= 0) return [];
    const likely = group.filter(isLikely);
    const others = group.filter((finding) => !isLikely(finding)).toReversed();
    return [...likely, ...others].slice(0, more);
  });
}

/** What went with one file and came with another has only moved. */
function withoutMoved(added: readonly Finding[], removed: readonly Finding[], { isGone, isNew }: Moves): FindingsDifference {
  const gone = new Map<string, Finding[]>();
  for (const finding of removed) if (finding.artifact !== null && isGone(finding.artifact)) put(gone, wordsOf(finding), finding);
  const moved = new Set<Finding>();
  const isMoved = (finding: Finding): boolean => {
    const from = finding.artifact !== null && isNew(finding.artifact) ? gone.get(wordsOf(finding))?.pop() : undefined;
    if (from !== undefined) moved.add(from);
    return from !== undefined;
  };
  const left = added.filter((finding) => !isMoved(finding));
  return { added: left, removed: removed.filter((finding) => !moved.has(finding)) };
}

function wordsOf({ rule, message }: Finding): string {
  return `${rule ?? ''}|${message.replace(/\d+/g, '#')}`;
}
