// A loop as a Mermaid state diagram: its rounds, the rows that lead from one to the next, and where it ends.

import type { Outcome } from '../model.js';
import type { Loop } from '../loops/loop.js';
import type { Proof } from '../proof/check.js';
import type { Way } from '../proof/refutation.js';

/** More rounds than this are drawn as one. */
const MOST_ROUNDS = 6;

export function loopGraph(loop: Loop, proof: Proof): string {
  const { first } = loop.round;
  const cap = loop.cap.default;
  const below = Math.max(0, cap - first);
  const stages: Stage[] =
    below <= MOST_ROUNDS
      ? rounds(first, cap)
      : [
          { id: 'below', title: `Rounds ${first} to ${cap - 1}`, spent: false },
          { id: 'spent', title: `Round ${cap}, the cap`, spent: true },
        ];
  const lines = ['stateDiagram-v2', ...stages.map(({ id, title }) => `  state "${title}" as ${id}`)];
  const ends = new Map<string, string>();
  const edges: string[] = [`  [*] --> ${stages[0]?.id ?? 'spent'}`];
  stages.forEach((stage, index) => {
    for (const [to, rows] of grouped(proof.ways.filter((way) => (stage.spent ? way.spent : way.below)))) {
      const words = rows.map((row) => row.id).join(', ');
      if (to === 'revise') {
        const next = stages[index + 1]?.id ?? stage.id;
        if (stage.id === 'below') edges.push(`  below --> below : ${words} ${loop.words.revise}`);
        edges.push(`  ${stage.id} --> ${next} : ${words} ${loop.words.revise}`);
        continue;
      }
      ends.set(to, titleOf(loop, to));
      edges.push(`  ${stage.id} --> ${to} : ${words}${rows.some((row) => row.waived) ? ' (waived)' : ''}`);
    }
  });
  for (const [id, title] of ends) lines.push(`  state "${title}" as ${id}`);
  return [...lines, ...edges, ...[...ends.keys()].map((id) => `  ${id} --> [*]`), ''].join('\n');
}

interface Stage {
  readonly id: string;
  readonly title: string;
  readonly spent: boolean;
}

function rounds(first: number, cap: number): Stage[] {
  const from = Math.min(first, cap);
  return Array.from({ length: cap - from + 1 }, (_, index) => ({
    id: `round${from + index}`,
    title: `Round ${from + index} of ${cap}`,
    spent: from + index >= cap,
  }));
}

/** Rows by where they lead: an outcome, approvals by waiver apart, or an error. */
function grouped(ways: readonly Way[]): ReadonlyMap<string, readonly Way[]> {
  const groups = new Map<string, Way[]>();
  for (const way of ways) {
    const to = way.outcome === null ? 'error' : way.waived ? `${way.outcome}_unverified` : way.outcome;
    const group = groups.get(to);
    if (group === undefined) groups.set(to, [way]);
    else if (!group.some((one) => one.id === way.id)) group.push(way);
  }
  return groups;
}

function titleOf(loop: Loop, to: string): string {
  if (to === 'error') return 'no verdict, an error';
  const [outcome = '', mark] = to.split('_');
  return `${loop.words[outcome as Outcome]} (${mark ?? outcome})`;
}
