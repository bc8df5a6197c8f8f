// A loop as a Mermaid state diagram: its rounds, the rows between them, and its ends.

import type { Outcome } from '@umpire/core/model/vocabulary.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import type { Proof } from '@umpire/core/proof/check.js';
import type { ReachableEnd } from '@umpire/core/proof/refutation.js';

/** More rounds are drawn as one state. */
const MAX_DRAWN_ROUNDS = 6;

export function loopGraph(loop: Loop, proof: Proof): string {
  const stages = stagesOf(loop);
  const ends = new Map<string, string>();
  const edges: string[] = [`  [*] --> ${stages[0]?.id ?? ''}`];
  stages.forEach((stage, index) => {
    const here = proof.ways.filter((way) => way.rounds.some((round) => round >= stage.from && round <= stage.to));
    // Rows by their result: an outcome (approvals by waiver separately) or an error.

    const groups = new Map<string, ReachableEnd[]>();
    for (const way of here) {
      const to = way.outcome === null ? 'error' : way.waived ? `${way.outcome}_unverified` : way.outcome;
      const group = groups.get(to);
      if (group === undefined) groups.set(to, [way]);
      else if (!group.some((one) => one.id === way.id)) group.push(way);
    }
    for (const [to, rows] of groups) {
      const ids = rows.map((row) => row.id).join(', ');
      if (to !== 'revise') {
        ends.set(to, readStageTitle(loop, to));
        edges.push(`  ${stage.id} --> ${to} : ${ids}`);
        continue;
      }
      const words = `${ids} ${quoteLabel(loop.words.revise)}`;
      if (stage.to > stage.from) edges.push(`  ${stage.id} --> ${stage.id} : ${words}`);
      edges.push(`  ${stage.id} --> ${stages[index + 1]?.id ?? stage.id} : ${words}`);
    }
  });
  return [
    'stateDiagram-v2',
    ...stages.map(({ id, title }) => `  state "${title}" as ${id}`),
    ...[...ends].map(([id, title]) => `  state "${title}" as ${id}`),
    ...edges,
    ...[...ends.keys()].map((id) => `  ${id} --> [*]`),
    '',
  ].join('\n');
}

/** One round, or several drawn as one. */
interface Stage {
  readonly id: string;
  readonly title: string;
  readonly from: number;
  readonly to: number;
}

function stagesOf({ round: { first }, cap: { default: cap } }: Loop): readonly Stage[] {
  if (cap - first > MAX_DRAWN_ROUNDS) {
    return [
      { id: 'before', title: `Rounds ${first} to ${cap - 1} of ${cap}`, from: first, to: cap - 1 },
      { id: 'last', title: `Round ${cap} of ${cap}`, from: cap, to: cap },
    ];
  }
  return Array.from({ length: cap - first + 1 }, (_, index) => {
    const round = first + index;
    return { id: `round${round}`, title: `Round ${round} of ${cap}`, from: round, to: round };
  });
}

/** Removes characters with a meaning in Mermaid. */
function quoteLabel(words: string): string {
  return words.replace(/["#:;<>{}\s\p{Cc}]+/gu, ' ').trim();
}

function readStageTitle(loop: Loop, to: string): string {
  if (to === 'error') return 'error, no verdict';
  const [outcome = '', mark] = to.split('_');
  return `${quoteLabel(loop.words[outcome as Outcome])} (${mark ?? outcome})`;
}
