// Deliberate faults in the journal, the fold, the verdicts, the agents and the run, each with the properties that must find it.
// They show that the checks of a simulation can fail.

import type { SessionState } from '@umpire/core/decider/evolve.js';
import type { Event } from '@umpire/core/decider/events.js';
import { isOver } from '@umpire/core/decider/run-state.js';
import type { RunState } from '@umpire/core/decider/run-state.js';
import type { CriticJudgment } from '@umpire/umpire/sessions/judge-round.js';
import type { Fault } from './sim-session.js';

export interface KnownFault {
  readonly what: string;
  readonly fault: Fault;
  /** The properties that may find it. */
  readonly found: readonly string[];
  /** It shows in few sessions, so only the soak looks for it. */
  readonly isRare?: true;
}

const STRAY: Event = { type: 'StrayChanges', data: { wave: 1, files: ['a.txt'] } };

function onRun(act: (run: RunState, event: Event) => void): (state: SessionState, event: Event) => void {
  return (state, event) => {
    if (state.run !== null) act(state.run, event);
  };
}

/** Sets every finished task back to pending. */
function undo(run: RunState): void {
  for (const task of run.tasks) {
    if (task.status !== 'completed') continue;
    task.status = 'pending';
    run.open[task.wave] = (run.open[task.wave] ?? 0) + 1;
  }
  run.wave = run.front = 1;
  run.cursor = 0;
  while (run.wave < run.open.length && run.open[run.wave] === 0) run.front = ++run.wave;
}

type Given = Extract<CriticJudgment, { readonly ok: true }>['given'];

/** Changes the verdict on a round. */
function given(change: (given: Given) => Given): (judgment: CriticJudgment) => CriticJudgment {
  return (judgment) => {
    if (!judgment.ok) return judgment;
    const changed = change(judgment.given);
    return {
      ...judgment,
      given: changed,
      events: judgment.events.map((event) => (event.type === 'VerdictGiven' ? { type: 'VerdictGiven', data: changed } : event)),
    };
  };
}

function recording<T extends Event['type']>(type: T, change: (event: Extract<Event, { readonly type: T }>) => readonly Event[]): Fault {
  return { record: (event) => (event.type === type ? change(event as Extract<Event, { readonly type: T }>) : [event]) };
}

const JOURNAL_FAULTS: readonly KnownFault[] = [
  {
    what: 'a journal that loses the last line it reported',
    fault: { append: (text) => text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1) },
    found: ['lost', 'journal'],
  },
  { what: 'a journal that reports a line before it is durable', fault: { tellsEarly: true }, found: ['lost'] },
  { what: 'a journal that appends to an incomplete line', fault: { keepsTorn: true }, found: ['journal'] },
  {
    what: 'a run that continues on a full disk',
    fault: {
      flush: (flush) => {
        try {
          flush();
        } catch (error) {
          if (!(error instanceof Error && error.name === 'UmpireError')) throw error;
        }
      },
    },
    found: ['undurable'],
  },
  { what: 'a run that flushes nothing by itself', fault: { flush: () => undefined }, found: ['undurable'] },
];

const FOLD_FAULTS: readonly KnownFault[] = [
  {
    what: 'a fold that forgets attempts',
    fault: {
      state: onRun((run, event) => {
        if (event.type === 'RunBegun') for (const task of run.tasks) task.attempt = 0;
      }),
    },
    found: ['attempts'],
  },
  {
    what: 'a fold that runs finished tasks again',
    fault: {
      state: onRun((run, event) => {
        if (event.type === 'RunBegun') undo(run);
      }),
    },
    found: ['ran-again'],
  },
  {
    what: 'a fold that merges the last task first',
    fault: {
      state: onRun((run) => {
        run.waves = run.waves.map((wave) => wave.toSorted((a, b) => b - a));
      }),
    },
    found: ['merge-order'],
  },
  {
    what: 'a process that resets the number of retries',
    fault: {
      state: onRun((run, event) => {
        if (event.type === 'RunBegun') for (const task of run.tasks) task.postponed = 0;
      }),
    },
    found: ['retries'],
  },
  {
    what: 'a fold that ignores pauses',
    fault: { state: onRun((run) => run.waiting.clear()) },
    found: ['hurried'],
  },
  {
    what: 'a fold that forgets what a person dismissed',
    fault: { state: (state) => void ((state as { rulings: SessionState['rulings'] }).rulings = new Map()) },
    found: ['dismissed'],
  },
  { what: 'a fold that asks no questions', fault: { state: onRun((run) => void run.questions.splice(0)) }, found: ['person'] },
  {
    what: 'a fold that asks, but continues tasks that need the answer',
    fault: {
      state: onRun((run) => {
        run.held.clear();
        run.heldIn = [];
        run.front = run.wave;
      }),
    },
    found: ['person', 'early'],
  },
  {
    what: 'a fold that makes all tasks wait for an answer',
    fault: {
      state: onRun((run) => {
        if (run.questions.length === 0) return;
        for (const task of run.tasks) if (!isOver(task.status)) run.held.add(task.id);
        run.heldIn = [...run.open];
        run.front = run.open.length;
      }),
    },
    found: ['idle'],
  },
  {
    what: 'a fold that forgets how often a critic left no evidence',
    fault: { state: onRun((run) => run.unjudgeable.clear()) },
    found: ['person', 'ran-again'],
  },
  {
    what: 'a fold that ignores the budget',
    fault: {
      state: onRun((run) => {
        run.costUsd = 0;
        run.tokens = 0;
      }),
    },
    found: ['budget'],
  },
  {
    what: 'a fold that starts too many tasks at once',
    fault: {
      state: onRun((run) => {
        run.settings = { ...run.settings, concurrency: 9 };
      }),
    },
    found: ['concurrency'],
  },
  { what: 'a fold that forgets failed tasks', fault: { state: onRun((run) => run.unsuccessful.clear()) }, found: ['early'] },
  {
    what: 'a live state that differs from the journal',
    fault: {
      live: onRun((run) => {
        run.tokens += 1;
      }),
    },
    found: ['replay'],
  },
];

const VERDICT_FAULTS: readonly KnownFault[] = [
  {
    what: 'a cap that is not applied',
    fault: {
      critic: (critic) => {
        const frozen = new Map([...critic.state.frozen].map(([loop, rules]) => [loop, { ...rules, cap: rules.cap + 3 }]));
        return { ...critic, state: { ...critic.state, frozen } };
      },
    },
    found: ['cap'],
  },
  {
    what: 'a verdict that approves despite Critical findings',
    fault: {
      judgment: given((one) =>
        one.verdict.counts.critical > 0 ? { ...one, verdict: { ...one.verdict, outcome: 'converge', unverified: false } } : one,
      ),
    },
    found: ['unmarked'],
  },
  {
    what: 'a verdict that replay cannot repeat',
    fault: {
      judgment: given((one) => {
        const anomalies = [...one.verdict.anomalies, { rule: 'E5', message: 'The rules changed.' }];
        return { ...one, verdict: { ...one.verdict, anomalies } };
      }),
    },
    found: ['rejudged'],
  },
  {
    what: 'a verdict that holds back no task',
    fault: { judgment: given((one) => ({ ...one, effects: { ...one.effects, set: {} } })) },
    found: ['early'],
  },
  {
    what: 'a verdict without kept evidence',
    fault: { judgment: (judgment) => (judgment.ok ? { ...judgment, blobs: new Map() } : judgment) },
    found: ['rejudged'],
  },
];

const RUN_FAULTS: readonly KnownFault[] = [
  { what: 'a process that does not record that it resumed the session', fault: { forgetsRunBegun: true }, found: ['hangs'] },
  { what: 'a process that counts the time before its start', fault: { first: STRAY }, found: ['minutes'] },
  {
    what: 'an agent that is called twice',
    fault: {
      agent: (agent) => ({
        ...agent,
        run: (assignment, watch) => {
          void agent.run(assignment, watch);
          return agent.run(assignment, watch);
        },
      }),
    },
    found: ['ran-again'],
  },
  {
    what: 'an end that is recorded twice',
    fault: recording('TaskFinished', (event) => [event, event]),
    found: ['ran-again'],
  },
  {
    what: 'an agent that changes the definition of its task',
    fault: recording('TaskFinished', (event) => [
      { ...event, data: { ...event.data, outputs: { ...event.data.outputs, description: 'Nothing.' } } },
    ]),
    found: ['cells'],
  },
  {
    what: 'a skip without a reason',
    fault: recording('TaskSkipped', (event) => [{ ...event, data: { ...event.data, reason: '' } }]),
    found: ['unskipped'],
  },
  {
    what: 'an end that is not marked as unverified',
    fault: recording('SessionEnded', (event) => [{ ...event, data: { ...event.data, unverified: false } }]),
    found: ['unmarked'],
  },
  {
    what: 'a run that retries failed tasks without end',
    fault: recording('TaskFinished', (event) => {
      const { task, attempt, status } = event.data;
      return status === 'completed' ? [event] : [{ type: 'TaskInterrupted', data: { task, attempt, why: 'again' } }];
    }),
    found: ['endless'],
  },
  {
    what: 'an answer that is ignored',
    isRare: true,
    fault: recording('PersonAnswered', () => []),
    found: ['endless', 'hangs'],
  },
];

export const FAULTS: readonly KnownFault[] = [...JOURNAL_FAULTS, ...FOLD_FAULTS, ...VERDICT_FAULTS, ...RUN_FAULTS];
