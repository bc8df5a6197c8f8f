// One hearing: the evidence of a chain's round is gathered and judged. The same for a session that is judged now and for a
// verdict that is judged again from its record. Also what of it is recorded.

import type { Anomaly, RoleRef, Task } from '@umpire/core/model.js';
import { findParallelCritics } from '@umpire/core/decider/chains.js';
import type { PlacedTask } from '@umpire/core/decider/chains.js';
import { decidedVerdicts, verdictsOnCurrentWork } from '@umpire/core/decider/evolve.js';
import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { TrendInputs, RecordedContext, VerdictGiven } from '@umpire/core/decider/events.js';
import { findTask } from '@umpire/core/decider/run-state.js';
import { decideVerdict } from '@umpire/core/decider/decide-verdict.js';
import type { VerdictDraft, VerdictInput } from '@umpire/core/decider/decide-verdict.js';
import { compileLoop } from '@umpire/core/loops/compile.js';
import type { PastLists } from '@umpire/core/loops/facts.js';
import type { Refusal } from '@umpire/core/loops/judge.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { verdictPage } from '../report/verdict-page.js';
import { gather } from './gather.js';
import type { Gathering } from './gather.js';
import { sha256 } from './hash.js';
import type { Place } from './place.js';
import { isInJournal, isOfTasks } from './recorded-place.js';
import type { Scene } from './round-context.js';

/** What is needed to gather the evidence of a round. */
export interface Summons {
  readonly place: Place;
  readonly loop: Loop;
  readonly chain: string;
  readonly round: number;
  readonly tasks: readonly Task[];
  readonly waves: Int32Array;
  readonly critic: PlacedTask | null;
}

export interface Hearing extends Summons {
  readonly cap: number;
  readonly target: number;
  readonly strict: boolean;
  /** The lists of the revision that the evidence is compared with. */
  readonly past: PastLists;
  readonly role: RoleRef;
  /** Noticed before the evidence was read. */
  readonly anomalies: readonly Anomaly[];
  readonly course: VerdictInput['course'];
  readonly isOfOne?: boolean;
}

export function summon({ place, loop, chain, round, tasks, waves, critic }: Summons): Gathering {
  return gather({ place, loop, chain, round, critic: critic?.task ?? null, peers: findParallelCritics(loop, tasks, waves, critic) });
}

export function hear(hearing: Hearing): { readonly gathering: Gathering; readonly draft: VerdictDraft | Refusal } {
  const { loop, chain, round, cap, target, strict, tasks, waves, critic, past, role, anomalies, course, isOfOne = false } = hearing;
  const gathering = summon(hearing);
  const params = { round, cap, target, strict };
  const { exhibits } = gathering;
  return {
    gathering,
    draft: decideVerdict({
      compiled: compileLoop(loop),
      chain,
      params,
      tasks,
      waves,
      critic,
      exhibits,
      past,
      role,
      anomalies,
      course,
      isOfOne,
    }),
  };
}

/** What a verdict is given by, beside what was drafted. */
export interface Grounds {
  readonly loop: Loop;
  readonly state: SessionState;
  readonly chain: string;
  readonly target: number;
  readonly strict: boolean;
  readonly key: string;
  readonly course: TrendInputs | null;
}

/** The verdict as the journal keeps it, with its page. */
export function giveVerdict(grounds: Grounds, draft: VerdictDraft, gathering: Gathering, scene: RecordedContext): VerdictGiven {
  const { loop, state, chain, target, strict, key, course } = grounds;
  const { verdict, facts, lists, effects } = draft;
  const past = decidedVerdicts(state, loop.loop, chain);
  const standing = verdictsOnCurrentWork(state, loop.loop, chain);
  const before = standing.findLast((one) => one.verdict.round < verdict.round) ?? standing.at(-1);
  const report = verdictPage({ loop, verdict, facts, target, gathered: gathering.exhibits, past, before });
  const held = loop.target === undefined ? null : target;
  if (course === null) return { key, strict, target: held, verdict, facts, lists, report, effects, scene };
  const { stop, touched, against } = course;
  const told = against === undefined ? { stop, touched } : { stop, touched, against };
  return { key, strict, target: held, verdict, facts, lists, report, effects, scene, course: told };
}

/** The rounds of a chain so far, as its course is told by. */
export function courseOf(state: SessionState, loop: string, chain: string, course: TrendInputs): NonNullable<VerdictInput['course']> {
  const history = decidedVerdicts(state, loop, chain).map(({ verdict, facts, course: then }) => {
    const { round, findings, counts } = verdict;
    return { round, findings, counts, facts, touched: then?.touched ?? null };
  });
  const { stop, touched, against } = course;
  return { stop, touched, ...(against === undefined ? {} : { against }), history };
}

/** E6: every run of a critic is new evidence, whatever its bytes. Null for sessions that others run. */
export function keyOfRun({ run }: SessionState, critic: string, cap: number): string | null {
  const task = run === null ? undefined : findTask(run, critic);
  return task === undefined ? null : sha256(JSON.stringify({ run: task.id, attempt: task.attempt, cap }));
}

/** A longer tasks.csv is kept as a blob, not in every line of the journal. */
const MOST_INLINE = 16 * 1024;

/** What is kept by content: all of it, but for rows that the journal's own lines tell. */
function evidenceIn({ blobs, record }: Gathering, tasks: RecordedContext['tasks']): Gathering['blobs'] {
  if (blobs.size === 0 || !isInJournal({ tasks })) return blobs;
  const kept = new Map<string, string | Uint8Array>();
  for (const { path, sha256: hash } of Object.values(record)) {
    const blob = hash === undefined || isOfTasks(path) ? undefined : blobs.get(hash);
    if (hash !== undefined && blob !== undefined) kept.set(hash, blob);
  }
  return kept;
}

/** What a verdict keeps of its scene, and the blobs that go with it. */
export function recordScene(
  scene: Pick<Scene, 'critic' | 'anomalies' | 'loop' | 'state'> & { readonly tasks: string | { readonly journal: true } | null },
  gathering: Gathering,
  unwritable: string | null,
  isPartial: boolean,
): { readonly scene: RecordedContext; readonly blobs: Gathering['blobs'] } {
  const { tasks } = scene;
  const hash = typeof tasks === 'string' && Buffer.byteLength(tasks) > MOST_INLINE ? sha256(tasks) : null;
  const isFrozen = scene.state.frozen.has(scene.loop.loop);
  return {
    scene: {
      critic: scene.critic?.task.id ?? null,
      tasks: hash === null ? tasks : { sha256: hash },
      anomalies: scene.anomalies,
      exhibits: gathering.record,
      unwritable,
      rules: isPartial && !isFrozen ? scene.loop : null,
      voices: true,
    },
    blobs: hash === null || typeof tasks !== 'string' ? evidenceIn(gathering, tasks) : new Map([...gathering.blobs, [hash, tasks]]),
  };
}
