// The library as a program calls it: it checks arguments first, calls the program's functions, follows its signal, and runs its own loops
// and tasks.

import { getEventListeners } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import * as library from '@umpire/umpire/index.js';
import { builtinLoop, check, critique, defineLoop, guard, list, report, resolve, resume, run, status } from '@umpire/umpire/index.js';
import type { AgentFunction, LoopInput, RunReport, RunRequest } from '@umpire/umpire/index.js';
import { resolveLoop } from '@umpire/umpire/sessions/resolve-loop.js';
import { gitIn } from './support/git-project.js';

const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'umpire-library-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let projects = 0;
function project(): string {
  const place = join(folder, `project-${(projects += 1)}`);
  mkdirSync(place);
  return place;
}

/** Converges at the first challenge. */
const content: AgentFunction = ({ role }) => ({
  kind: 'completed',
  findings: role.name,
  ...(role.name === 'challenger' ? { outputs: { severity_summary: 'HIGH:0 MEDIUM:0 LOW:1' } } : {}),
});

const thinking = (more: Partial<RunRequest> = {}): RunRequest => ({
  loop: 'brainstorm',
  mode: 'deep',
  goal: 'g',
  project: project(),
  agent: 'mine',
  agents: { mine: content },
  ...more,
});

const tiny = (more: Partial<LoopInput> = {}): LoopInput => ({
  loop: 'tiny',
  title: 'One writes, one reads.',
  roles: { generator: 'writer', critic: 'reader', judge: 'judge' },
  words: { converge: 'DONE', revise: 'AGAIN', accept: 'ACCEPT', escalate: 'ASK' },
  chain: 'session',
  round: { first: 1, counts: 'readings, from 1' },
  cap: { default: 2 },
  columns: { out: ['good'] },
  evidence: { row: { row: 'critic', grade: 'testified', what: "the reader's row" } },
  facts: { good: { flag: 'row.good' } },
  repairs: [],
  table: [
    { id: 'T1', when: { good: true }, then: 'converge', why: 'It is good.', next: 'Nothing.' },
    { id: 'T2', when: { round: '<cap' }, then: 'revise', why: 'It is not.', next: 'Execute {tasks}.' },
    { id: 'T3', then: 'escalate', why: 'Not good after {round} readings.', next: 'A person decides: {options}.' },
  ],
  tasks: [
    { id: 'FIX-{round}', title: 'Mend', description: 'Mend it.', role: 'writer', after: 'critic' },
    { id: 'READ-{next}', title: 'Read', description: 'Read it again.', role: 'reader', after: 'previous', recheck: true },
  ],
  report: [{ heading: 'Verdict', blocks: ['{verdict}'] }],
  ask: {
    question: 'What now?',
    options: [
      { id: 'extend', means: 'more' },
      { id: 'abort', means: 'stop' },
    ],
  },
  ...more,
});

const reader: AgentFunction = ({ role }) => ({ kind: 'completed', outputs: role.name === 'reader' ? { good: true } : {} });

describe('arguments', () => {
  const doors = library as unknown as Record<string, (...given: readonly unknown[]) => Promise<unknown>>;
  const here = project();
  const good = { ...thinking(), project: here };
  it.each<readonly [door: string, given: unknown, said: string]>([
    ['run', undefined, 'run: pass an object: run({ loop }).'],
    ['run', {}, 'run: loop is missing; it must be'],
    ['run', { ...good, loop: 5 }, 'run: loop must be'],
    ['run', { ...good, goal: null }, 'run: goal must be a string, not null.'],
    ['run', { ...good, session: '' }, 'run: session must be the path of a folder, not an empty string.'],
    ['run', { ...good, maxRound: 1 }, 'run: there is no argument "maxRound". Did you mean "maxRounds"?'],
    ['run', { ...good, maxCostUsd: '5' }, 'run: maxCostUsd must be a number from 0.001 to 1000000, not the string "5".'],
    ['run', { ...good, agent: [5] }, 'run: agent must be a string or a list of strings, not a list.'],
    ['run', { ...good, agents: [content] }, 'run: agents must be an object, not a list.'],
    ['run', { ...good, agents: { mine: {} } }, 'run: agents.mine must be a function, or an object with a run function.'],
    ['run', { ...good, signal: {} }, 'run: signal must be an AbortSignal, not an object.'],
    ['run', { ...good, now: new Date() }, 'run: now must be a function, not an object.'],
    ['run', { ...good, now: () => new Date(Number.NaN) }, 'run: the result of now() must be a valid Date'],
    ['resume', {}, 'resume: session is missing'],
    ['resolve', { session: here, answer: 'maybe' }, 'resolve: answer must be one of force-approve,'],
    ['decide', { loop: 'review' }, 'decide: session is missing'],
    [
      'decide',
      { loop: 'review', session: here, deadlineMs: -1 },
      'decide: deadlineMs must be a whole number from 0 to 1000000000, not -1.',
    ],
    ['check', undefined, 'check: loop must be'],
    ['replay', undefined, 'replay: pass an object'],
    ['replayAll', { project: 5 }, 'replayAll: project must be'],
    ['readReports', { reports: 'a.xml' }, 'readReports: reports must be a list of strings'],
    ['apply', undefined, 'apply: session must be'],
    ['clean', '', 'clean: session must be'],
    ['diff', 5, 'diff: session must be'],
    ['status', null, 'status: session must be'],
    ['report', {}, 'report: session must be'],
    ['list', { projects: '.' }, 'list: there is no argument "projects". Did you mean "project"?'],
    ['guard', { scope: 'all' }, 'guard: scope must be one of testing, any, not the string "all".'],
    ['guard', { staged: true, revert: true }, 'guard: use revert or staged, not both'],
    ['critique', {}, 'critique: loop is missing'],
  ])('%s(%j) is refused before anything is done', async (door, given, said) => {
    const error = await doors[door]?.(given).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(library.UmpireError);
    expect(error).toMatchObject({
      code: 'argument',
      message: expect.stringContaining(said),
      hint: expect.stringContaining('docs/library.md'),
    });
    expect(readdirSync(here)).toEqual([]);
  });

  it('may be undefined, which means the default', async () => {
    const given = { ...thinking(), signal: undefined, session: undefined, maxRounds: undefined } as unknown as RunRequest;
    expect(await run(given)).toMatchObject({ status: 'complete' });
  });

  it('a command, report or target that the loop cannot use is refused', async () => {
    for (const more of [{ command: 'true' }, { report: 'a.xml' }, { target: 5 }])
      await expect(run(thinking(more))).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringMatching(/no target|no command|needs a command/),
      });
  });

  it('an object that is not a loop is refused as by defineLoop; a built-in loop is accepted', async () => {
    const broken = { ...builtinLoop('review'), table: [] } as unknown as library.Loop;
    for (const use of [check(broken), run(thinking({ loop: broken })), library.decide({ loop: broken, session: folder })])
      await expect(use).rejects.toMatchObject({ code: 'loop-invalid' });
    expect((await check(builtinLoop('review') as library.Loop)).proof.result).toBe('proven');
  });
});

describe('agents that are functions', () => {
  it('are called by their name, as methods of their object', async () => {
    class Counter {
      calls = 0;
      run: AgentFunction = async (assignment) => {
        await Promise.resolve();
        this.calls += 1;
        return content(assignment, { signal: new AbortController().signal, log: () => undefined });
      };
    }
    const counter = new Counter();
    const { session, verdicts } = await run(thinking({ agent: ['other', 'challenger=mine'], agents: { mine: content, other: counter } }));
    const started = (await status(session)).history.flatMap((event) => (event.type === 'TaskStarted' ? [event.data.agent] : []));
    expect(new Set(started)).toEqual(new Set(['mine', 'other']));
    expect(counter.calls).toBe(started.filter((name) => name === 'other').length);
    expect(verdicts.map(({ outcome }) => outcome)).toEqual(['converge']);
  });

  it('may change the request that they get', async () => {
    const careless: AgentFunction = (assignment, watch) => {
      const told = assignment as unknown as { outputs: string[]; rules: string[]; task: Record<string, unknown> };
      const ending = content(assignment, watch);
      told.outputs.length = 0;
      told.rules.reverse();
      told.task['id'] = 'another';
      return ending;
    };
    const first = await run(thinking({ agents: { mine: careless } }));
    const second = await run(thinking());
    // Rules that do not match their hash would break the journal.
    for (const { session, verdicts } of [first, second]) {
      expect(verdicts.map(({ outcome }) => outcome)).toEqual(['converge']);
      expect(await status(session)).toMatchObject({ state: 'complete', brokenAt: null });
    }
  });

  it('get the time limit of the request', async () => {
    const { status: ended, question } = await run(
      thinking({ timeoutMinutes: 0.001, agents: { mine: () => new Promise(() => undefined) } }),
    );
    expect({ ended, question }).toEqual({
      ended: 'awaiting',
      question: expect.objectContaining({ detail: expect.stringContaining('The agent "mine" timed out after 0.06 seconds') }),
    });
  });

  it('are named as missing if a session is resumed without them', async () => {
    const aborted = await run(thinking({ signal: AbortSignal.abort() }));
    expect(aborted.status).toBe('interrupted');
    await expect(resume({ session: aborted.session })).rejects.toMatchObject({
      code: 'agent-unknown',
      hint: expect.stringContaining('docs/library.md'),
    });
    expect(await resume({ session: aborted.session, agents: { mine: content } })).toMatchObject({ status: 'complete' });
  });
});

describe('functions and the signal of the program', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('mine');
      },
    ],
    ['rejects', () => Promise.reject(new Error('mine'))],
  ] as const)('an onEvent that %s stops the run in good order, and is what it rejects with', async (_, fault) => {
    let place = '';
    const onEvent: RunRequest['onEvent'] = (event, _state, session) => {
      place = session;
      return event.type === 'TaskStarted' ? fault() : undefined;
    };
    const idle = vi.fn<AgentFunction>(content);
    await expect(run(thinking({ onEvent, agents: { mine: idle } }))).rejects.toThrow('mine');
    expect(idle).not.toHaveBeenCalled();
    expect((await status(place)).state).toBe('interrupted');
    expect(await resume({ session: place, agents: { mine: content } })).toMatchObject({ status: 'complete', session: place });
  });

  it('a session that is stopped during its setup command is interrupted, and the same call continues it', async () => {
    const place = project();
    const mark = join(folder, 'set-up-runs');
    writeFileSync(
      join(place, 'umpire.config.yaml'),
      JSON.stringify({ workspace: { setup: `touch ${mark}; exec sleep 100`, home: '../trees' } }),
    );
    gitIn(place, 'init', '-q', '-b', 'main');
    gitIn(place, 'add', '-A');
    gitIn(place, 'commit', '-q', '-m', 'start');
    const stop = new AbortController();
    const request: RunRequest = { loop: 'until', command: 'true', project: place, agent: 'mine', agents: { mine: content } };
    const stopped = run({ ...request, signal: stop.signal });
    await vi.waitFor(() => expect(existsSync(mark)).toBe(true), 20_000);
    stop.abort();
    const { status: ended, session, verdicts } = await stopped;
    expect({ ended, verdicts }).toEqual({ ended: 'interrupted', verdicts: [] });
    await expect(resume({ session })).rejects.toMatchObject({ code: 'not-begun' });
    writeFileSync(join(place, 'umpire.config.yaml'), JSON.stringify({ workspace: { home: '../trees' } }));
    expect(await run({ ...request, session })).toMatchObject({ status: 'complete', session });
  });

  it('the library awaits the promise that onEvent returns', async () => {
    let open = 0;
    let seen = 0;
    const onEvent = async () => {
      open += 1;
      seen += 1;
      for (let turns = 0; turns < 500; turns += 1) await new Promise((done) => setImmediate(done));
      open -= 1;
    };
    await run(thinking({ onEvent }));
    expect({ open, isSeen: seen > 5 }).toEqual({ open: 0, isSeen: true });
  });

  it('one signal serves many sessions, and no listener stays on it', async () => {
    const warned = vi.fn<(warning: Error) => void>();
    process.on('warning', warned);
    const { signal } = new AbortController();
    const shared = { ...thinking(), signal };
    const counts: number[] = [];
    const onEvent = () => void counts.push(getEventListeners(signal, 'abort').length);
    const sessions = await Promise.all(Array.from({ length: 15 }, () => run({ ...shared, onEvent })));
    process.off('warning', warned);
    expect(new Set(sessions.map(({ session }) => session)).size).toBe(15);
    expect({ most: Math.max(...counts), left: getEventListeners(signal, 'abort').length }).toEqual({ most: 1, left: 0 });
    expect(warned).not.toHaveBeenCalled();
  });
});

describe('loops and tasks of the program', () => {
  it('a loop from defineLoop starts with its own pipelines', async () => {
    const task = (id: string, role: string) => ({ id, title: id, description: id, role });
    const pipelines = { modes: { only: { title: 'Read only.', tasks: [task('READ-001', 'reader')] } } };
    const shared = { project: project(), agent: 'mine', agents: { mine: reader } };
    const tasksOf = ({ state }: RunReport) => state.run?.tasks.map(({ id }) => id);
    expect(tasksOf(await run({ ...shared, loop: defineLoop(tiny({ pipelines })) }))).toEqual(['READ-001']);
    expect(tasksOf(await run({ ...shared, loop: defineLoop(tiny()) }))).toHaveLength(2);
    expect(tasksOf(await run({ ...shared, loop: defineLoop(tiny()), pipeline: pipelines }))).toEqual(['READ-001']);
    const strange = { modes: { only: { title: 'x', tasks: [task('READ-001', 'nobody')], turn: 2 } } } as unknown as typeof pipelines;
    await expect(run({ ...shared, loop: defineLoop(tiny()), pipeline: strange })).rejects.toMatchObject({ code: 'loop-invalid' });
  });

  it('the file of a loop is found from any folder when the session is resumed', async () => {
    const place = project();
    mkdirSync(join(place, 'loops'));
    writeFileSync(join(place, 'loops', 'tiny.yaml'), JSON.stringify(tiny()));
    const loop = relative(process.cwd(), join(place, 'loops', 'tiny.yaml'));
    const { session } = await run({ loop, project: place, agent: 'mine', agents: { mine: reader } });
    const [first] = (await status(session)).history;
    expect(first?.type === 'SessionStarted' && first.data.loopFolder).toBe(join(place, 'loops'));
    expect((await resolveLoop(loop)).folder).toBe(join(place, 'loops'));
  });

  it('a question comes with its text and its answers', async () => {
    const place = project();
    const mine: AgentFunction = ({ role }) => ({ kind: 'completed', outputs: role.name === 'reader' ? { good: false } : {} });
    const asked = await run({ loop: defineLoop(tiny()), project: place, agent: 'mine', agents: { mine } });
    expect(asked).toMatchObject({ status: 'awaiting', reason: '', verdicts: [{ rule: 'T2' }, { rule: 'T3' }] });
    const { question, session } = asked;
    expect(question).toMatchObject({
      kind: 'escalation',
      asks: 'your decision (rule T3)',
      detail: 'Not good after 2 readings.',
      answers: ['extend', 'abort'],
    });
    await expect(resolve({ session, answer: 'force-approve', reason: 'in a hurry', agents: { mine } })).rejects.toMatchObject({
      code: 'answer-refused',
      message: 'Answer not accepted: the loop tiny does not offer "force-approve" (see `ask` in its file).',
    });
    expect((await list({ project: place })).map(({ path, state }) => ({ path, state }))).toEqual([{ path: session, state: 'awaiting' }]);
    const ended = await resolve({ session, answer: 'extend', rounds: 1, agents: { mine: reader } });
    expect(ended).toMatchObject({ status: 'complete', question: null, reason: 'The work was approved.' });
    expect(ended.verdicts.map(({ rule }) => rule)).toEqual(['T2', 'T3', 'T2', 'T1']);
    const looked = await status(session);
    expect(looked).toMatchObject({ state: 'complete', path: session, brokenAt: null, verdicts: ended.verdicts });
    expect(looked.history).toHaveLength(looked.events);
    expect(await report(session)).toContain('DONE');
  });
});

it('critique measures, and rejects with an error of onOutput', async () => {
  const place = project();
  writeFileSync(join(place, 'package.json'), JSON.stringify({ scripts: { test: 'node --test' } }));
  writeFileSync(join(place, 'sum.test.mjs'), "import { test } from 'node:test';\ntest('adds', () => undefined);\n");
  const chunks: Uint8Array[] = [];
  const { outcome, session } = await critique({ loop: 'testing', project: place, onOutput: (chunk) => chunks.push(chunk) });
  expect({ outcome, printed: chunks.length > 0 }).toEqual({ outcome: 'pass', printed: true });
  const fault = () => {
    throw new Error('mine');
  };
  await expect(critique({ loop: 'testing', project: place, session, onOutput: fault })).rejects.toThrow('mine');
});

it('guard checks a change, and reverts it on request', async () => {
  const place = project();
  const test = (mark: string) => `import { it, expect } from 'vitest';\nit${mark}('adds', () => expect(1 + 1).toBe(2));\n`;
  const write = (text: string) => writeFileSync(join(place, 'sum.test.ts'), text);
  write(test(''));
  gitIn(place, 'init', '-q', '-b', 'main');
  gitIn(place, 'add', '-A');
  gitIn(place, 'commit', '-q', '-m', 'start');
  expect((await guard({ project: place })).findings).toEqual([]);
  write(test('.skip'));
  expect((await guard({ project: place })).findings).toMatchObject([{ rule: 'test-skipped', file: 'sum.test.ts', line: 2 }]);
  expect((await guard({ project: place, revert: true })).reverted?.left).toEqual([]);
  expect((await guard({ project: place })).findings).toEqual([]);
});
