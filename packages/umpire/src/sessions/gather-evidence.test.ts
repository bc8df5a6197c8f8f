// Evidence is read from the store once, even if two rounds are asked about.

import { expect, it } from 'vitest';
import { BUILTIN_NAMES, builtinLoop } from '@umpire/core/loops/builtin.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { gatherEvidence } from './gather-evidence.js';
import type { EvidenceStore } from './gather-evidence.js';

function countingStore(): { readonly store: EvidenceStore; readonly reads: string[] } {
  const reads: string[] = [];
  const store: EvidenceStore = {
    isReached: () => true,
    read: (path) => {
      reads.push(path);
      return { kind: 'bytes', bytes: Buffer.from('{}') };
    },
    gradeOf: () => 'testified',
    list: () => ['report.md'],
    board: (name, type) => {
      reads.push(name);
      return { state: 'ok', entries: [1, 2].map((round) => ({ ts: '', worker: 'CRITIC-1', type, data: { round } })) };
    },
  };
  return { store, reads };
}

function gatherRounds(loop: Loop) {
  const { store, reads } = countingStore();
  const round = { loop, chain: 'L1', tasks: [], waves: new Int32Array(), critic: null };
  const first = gatherEvidence(store, { ...round, round: 1 });
  const once = reads.length;
  const second = gatherEvidence(store, { ...round, round: 2 }, first);
  const anew = gatherEvidence(store, { ...round, round: 2 });
  return { once, again: reads.slice(once, reads.length - once), second, anew };
}

it.each(BUILTIN_NAMES)('reads the evidence of the %s loop once for two rounds, and finds the same as a fresh read', (name) => {
  const loop = builtinLoop(name) as Loop;
  const { again, second, anew } = gatherRounds(loop);
  const byRound = Object.entries(loop.evidence).filter(([, source]) => 'discoveries' in source && source.of !== 'all');
  expect([...new Set(again)]).toEqual(byRound.map(([source]) => source));
  expect(second).toEqual(anew);
});
