// The agents of a simulation: honest, failing, hanging, late, lying, chatty, strange. The seed decides how one behaves in a call.
// The process of the run may be dead when an agent finishes: then only its files show that it ran.

import type { Agent, Assignment, Ending, Usage, Watch } from '@umpire/core/model/ports.js';
import type { SeededRandom } from './sim-random.js';
import { leave } from './sim-evidence.js';
import type { Left, Mood } from './sim-evidence.js';
import { MOST_THROWS } from './sim-plan.js';
import type { SimPlan } from './sim-plan.js';
import type { Repository } from './sim-workspace.js';
import { Broken } from './sim-world.js';
import type { Process, World } from './sim-world.js';

/** Everything that happened to agents, in all processes. */
export class Backstage {
  /** `TASK#attempt`, each once. */
  readonly called = new Set<string>();
  readonly kinds = new Map<string, number>();
  throwsLeft = MOST_THROWS;
  /** Tasks whose model is unavailable for a while. */
  readonly outages = new Set<string>();

  count(kind: string): void {
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
  }
}

export interface Cast {
  readonly plan: SimPlan;
  readonly world: World;
  readonly process: Process;
  readonly repository: Repository;
  readonly backstage: Backstage;
  readonly chance: SeededRandom;
  /** Called with every assignment before anything is done. */
  readonly onCall: (assignment: Assignment) => void;
}

type Manner = 'honest' | 'late' | 'fails' | 'broken' | 'busy' | 'hangs' | 'twice' | 'asks' | 'blocked' | 'strange' | 'gives-up' | 'throws';

const MISCHIEF: Readonly<Record<Exclude<Manner, 'honest'>, number>> = {
  late: 2,
  fails: 2,
  broken: 2,
  busy: 3,
  hangs: 1,
  twice: 2,
  asks: 1,
  blocked: 1,
  strange: 3,
  'gives-up': 1,
  throws: 0.5,
};

export function castAgent(role: string, cast: Cast): Agent {
  return { name: `simulated ${role}`, run: (assignment, watch) => play(assignment, watch, cast) };
}

function play(assignment: Assignment, watch: Watch, cast: Cast): Promise<Ending> {
  const { world, process, backstage, chance, plan } = cast;
  const { task, attempt } = assignment;
  cast.onCall(assignment);
  const call = `${task.id}#${attempt}`;
  if (backstage.called.has(call)) throw new Broken('ran-again', `the agent of ${call} was called twice`);
  backstage.called.add(call);
  if (process.atWork >= plan.settings.concurrency)
    throw new Broken('concurrency', `${call} is called while ${process.atWork} others are at work`);
  process.atWork++;
  const manner = mannerOf(cast, assignment);
  backstage.count(manner);
  watch.log('stdout', new Uint8Array([10]));
  return new Promise<Ending>((resolve, reject) => {
    const end = (act: () => void) => {
      process.atWork--;
      watch.signal.removeEventListener('abort', onAbort);
      if (process.isAlive) act();
    };
    const onAbort = () => {
      if (isOver || manner === 'late' || !process.isAlive) return;
      isOver = true;
      cancel();
      world.after(chance.below(2000), () => end(() => resolve({ kind: 'interrupted' })));
    };
    let isOver = false;
    const takes = chance.within(1, 300) * 1000;
    if (manner === 'throws') {
      world.after(takes, () => end(() => reject(new Error('An agent has a bug.'))));
      return;
    }
    const ms = manner === 'hangs' ? assignment.timeoutMs : takes;
    const cancel = world.after(ms, () => {
      if (isOver) return;
      isOver = true;
      // A child that outlived its process may still write.
      if (process.isAlive || chance.hits(0.5)) end(() => resolve(endingOf(manner, assignment, cast)));
    });
    watch.signal.addEventListener('abort', onAbort);
  });
}

function mannerOf({ chance, plan, backstage }: Cast, assignment: Assignment): Manner {
  if (plan.stubborn !== null && plan.turmoil.mischief > 0 && assignment.role.name === plan.stubborn.role) return plan.stubborn.manner;
  if (assignment.interactive && assignment.turns.length < 4 && chance.hits(0.4)) return 'asks';
  if (backstage.outages.has(assignment.task.id) && chance.hits(0.7)) return 'busy';
  if (!chance.hits(plan.turmoil.mischief)) return 'honest';
  const manner = chance.weigh(MISCHIEF);
  if (manner === 'busy') backstage.outages.add(assignment.task.id);
  if (manner !== 'throws') return manner;
  return backstage.throwsLeft-- > 0 ? 'throws' : 'broken';
}

function endingOf(manner: Exclude<Manner, 'throws'>, assignment: Assignment, cast: Cast): Ending {
  const { chance, plan } = cast;
  const usage: Usage = { tokens: chance.below(200), costUsd: chance.below(100) / 100 };
  switch (manner) {
    case 'hangs':
      return { kind: 'broken', reason: 'It did not end in time.', usage };
    case 'asks':
      return { kind: 'asked', question: 'Which one?', usage };
    case 'blocked':
      if (chance.hits(0.5)) work(assignment, cast);
      return { kind: 'blocked', reason: 'The test contradicts the documentation.', usage };
    case 'busy':
      // The server of its model is overloaded; some of its work is done by then.
      if (chance.hits(0.5)) work(assignment, cast);
      return { kind: 'broken', reason: 'Overloaded.', usage, passing: { afterMs: chance.pick([null, 5000, 600_000, 7_200_000, -1]) } };
    case 'gives-up':
      // Reports that it was stopped although nobody stopped it.
      return { kind: 'interrupted' };
    case 'fails':
    case 'broken': {
      if (chance.hits(0.5)) work(assignment, cast);
      const error = chance.pick(['It could not be done.', '']);
      return manner === 'broken'
        ? { kind: 'broken', reason: error, usage }
        : { kind: 'failed', findings: 'Tried.', error, outputs: {}, usage };
    }
    case 'honest':
    case 'late':
    case 'twice':
    case 'strange': {
      const { findings, outputs } = work(assignment, cast);
      if (manner === 'twice') cast.world.after(chance.within(0, 600) * 1000, () => void work(assignment, cast));
      const ending = { kind: 'completed', findings: findings || `Did ${assignment.task.id}.`, error: '', outputs, usage } as const;
      return manner === 'strange' ? strange(ending, chance, plan) : ending;
    }
  }
}

/** Changes files, and writes the evidence of a critic in this mood. */
function work(
  assignment: Assignment,
  cast: Cast,
): Left | { readonly findings: string; readonly outputs: Readonly<Record<string, string>> } {
  const { world, chance, plan, repository } = cast;
  if (assignment.writes) {
    const tree = repository.lent.get(assignment.workdir);
    if (tree !== undefined && chance.hits(0.85))
      for (let n = chance.within(1, 2); n > 0; n--) tree.files.add(`src/${chance.pick(['a', 'b', 'c', 'd'])}.ts`);
  } else if (chance.hits(0.1)) repository.stray.add('notes.txt');
  if (assignment.role.name !== plan.loop.roles.critic) return { findings: '', outputs: {} };
  const left = leave(plan.loop.loop, moodOf(cast), assignment, chance, world);
  for (const [path, text] of Object.entries(left.files)) world.files.set(path, text);
  world.board.push(...left.entries);
  return left;
}

function moodOf({ chance, plan }: Cast): Mood {
  if (chance.hits(plan.goodness)) return 'praise';
  if (!chance.hits(plan.turmoil.mischief * 2)) return 'complaint';
  return chance.weigh({ complaint: 1, lie: 2, muddle: 2, garbage: 2, empty: 1, silence: 2, praise: 0 });
}

type Completed = Extract<Ending, { readonly kind: 'completed' | 'failed' }>;

/** The result of a careless program: cells of other columns, invalid numbers, too much text. */
function strange(ending: Completed, chance: SeededRandom, { loop }: SimPlan): Ending {
  const outputs: Record<string, string> = { ...ending.outputs };
  switch (chance.below(6)) {
    case 0:
      Object.assign(outputs, {
        id: 'OTHER-1',
        role: 'boss',
        description: '',
        deps: 'NOWHERE-1',
        status: 'pending',
        exec_mode: 'sometimes',
      });
      return { ...ending, outputs };
    case 1:
      for (const column of loop.columns.in) outputs[column] = '9';
      return { ...ending, outputs: { ...outputs, context_from: 'NOWHERE-1', wave: '1', error: 'none' } };
    case 2:
      return { ...ending, findings: 'All of it. '.repeat(3000) };
    case 3:
      return {
        ...ending,
        findings: '"a",\r\n;\u2028\ud800 =1+1\u0000',
        outputs: Object.fromEntries(loop.columns.out.map((name) => [name, '"\ud800,\n;'])),
      };
    case 4:
      return {
        ...ending,
        usage: chance.pick([
          { tokens: Number.NaN, costUsd: -5 },
          { tokens: -1000, costUsd: Number.POSITIVE_INFINITY },
          { tokens: -0, costUsd: -0 },
        ]),
      };
    default:
      return { ...ending, outputs: { ...outputs, ['__proto__']: 'x', constructor: 'y', '': 'z' } };
  }
}
