// `umpire run` from the first wave to the last verdict: every loop in every mode, and your own loops. Afterwards `decide` and `replay`
// judge each session again: the result is the same, and nothing is written.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { filesUnder } from './support/git-project.js';
import {
  GOOD_REVIEW,
  GOOD_RUN,
  LARGE,
  POOR_REVIEW,
  POOR_RUN,
  REST,
  SMALL,
  audit,
  challenge,
  review,
  testRun,
  validation,
  writer,
} from './support/run-evidence.js';
import { proseFiles, proseLoop, reading } from './support/run-loop-file.js';
import {
  cleanUpProjects,
  endOf,
  eventsOfType,
  makeProject,
  rowsOf,
  standingOf,
  textOf,
  verdictsOf,
  wavesRun,
} from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

interface Story {
  readonly loop: string;
  readonly mode: string;
  readonly answers: readonly unknown[];
  readonly flags?: readonly string[];
  readonly waves: readonly string[];
  readonly verdicts: readonly string[];
  readonly end?: string;
  /** The layer of the last verdict, if `decide` needs it. */
  readonly layer?: string;
}

const testers = [
  testRun('L1', POOR_RUN, { task: 'TESTRUN-001' }),
  testRun('L1', GOOD_RUN, { task: 'TESTRUN-fix-L1-1' }),
  testRun('L2', GOOD_RUN, { task: 'TESTRUN-002' }),
  testRun('L3', GOOD_RUN, { task: 'TESTRUN-003' }),
  writer('generator'),
  REST,
];
const payers = [validation(2, { task: 'TDVAL-001' }), validation(0), writer('executor'), REST];
const developers = [
  review(POOR_REVIEW, { task: 'REVIEW-001' }),
  review(GOOD_REVIEW),
  writer('developer', { task: 'DEV-*' }),
  writer('developer'),
  REST,
];
const designers = [audit('fix_required', { task: 'AUDIT-001' }), audit('audit_passed'), writer('designer'), writer('builder'), REST];
const thinkers = [challenge(LARGE, { task: 'CHALLENGE-001' }), challenge(SMALL), REST];

const STORIES: readonly Story[] = [
  {
    loop: 'design',
    mode: 'component',
    answers: designers,
    waves: ['RESEARCH-001', 'DESIGN-001', 'AUDIT-001', 'DESIGN-fix-001', 'AUDIT-re-001', 'BUILD-001'],
    verdicts: ['AUDIT-001 REVISION D7 1/3', 'AUDIT-re-001 CONVERGE D5 2/3'],
  },
  {
    loop: 'design',
    mode: 'system',
    answers: [audit('fix_required', { task: 'AUDIT-002' }), ...designers.slice(1)],
    waves: [
      'RESEARCH-001',
      'DESIGN-001',
      'AUDIT-001',
      'DESIGN-002 BUILD-001',
      'AUDIT-002',
      'DESIGN-fix-002-1',
      'AUDIT-re-002-1',
      'BUILD-002',
    ],
    verdicts: ['AUDIT-001 CONVERGE D5 1/3', 'AUDIT-002 REVISION D7 1/3', 'AUDIT-re-002-1 CONVERGE D5 2/3'],
  },
  {
    loop: 'design',
    mode: 'full-system',
    answers: [audit('audit_result', { task: 'AUDIT-001' }), ...designers.slice(1)],
    waves: ['RESEARCH-001', 'DESIGN-001', 'AUDIT-001', 'DESIGN-002 BUILD-001', 'AUDIT-002', 'BUILD-002', 'AUDIT-003'],
    verdicts: ['AUDIT-001 CONVERGE D6 1/3', 'AUDIT-002 CONVERGE D5 1/3', 'AUDIT-003 CONVERGE D5 1/3'],
  },
  {
    loop: 'testing',
    mode: 'targeted',
    answers: testers,
    layer: 'L1',
    waves: ['STRATEGY-001', 'TESTGEN-001', 'TESTRUN-001', 'TESTGEN-fix-L1-1', 'TESTRUN-fix-L1-1'],
    verdicts: ['TESTRUN-001 RETRY T3 0/3', 'TESTRUN-fix-L1-1 CONVERGE T2 1/3'],
  },
  {
    loop: 'testing',
    mode: 'standard',
    answers: testers,
    layer: 'L2',
    waves: [
      'STRATEGY-001',
      'TESTGEN-001',
      'TESTRUN-001',
      'TESTGEN-fix-L1-1',
      'TESTRUN-fix-L1-1',
      'TESTGEN-002',
      'TESTRUN-002',
      'TESTANA-001',
    ],
    verdicts: ['TESTRUN-001 RETRY T3 0/3', 'TESTRUN-fix-L1-1 CONVERGE T2 1/3', 'TESTRUN-002 CONVERGE T2 0/3'],
  },
  {
    loop: 'testing',
    mode: 'comprehensive',
    answers: testers,
    layer: 'L3',
    waves: [
      'STRATEGY-001',
      'TESTGEN-001 TESTGEN-002',
      'TESTRUN-001 TESTRUN-002',
      'TESTGEN-fix-L1-1',
      'TESTRUN-fix-L1-1',
      'TESTGEN-003',
      'TESTRUN-003',
      'TESTANA-001',
    ],
    verdicts: [
      'TESTRUN-001 RETRY T3 0/3',
      'TESTRUN-002 CONVERGE T2 0/3',
      'TESTRUN-fix-L1-1 CONVERGE T2 1/3',
      'TESTRUN-003 CONVERGE T2 0/3',
    ],
  },
  { loop: 'debt', mode: 'scan', answers: payers, waves: ['TDSCAN-001', 'TDEVAL-001'], verdicts: [], end: 'complete unverified' },
  {
    loop: 'debt',
    mode: 'remediate',
    answers: payers,
    flags: ['--yes'],
    waves: ['TDSCAN-001', 'TDEVAL-001', 'TDPLAN-001', 'TDFIX-001', 'TDVAL-001', 'TDFIX-fix-1', 'TDVAL-recheck-1'],
    verdicts: ['TDVAL-001 retry B4 0/3', 'TDVAL-recheck-1 pipeline_complete B3 1/3'],
  },
  {
    loop: 'debt',
    mode: 'targeted',
    answers: payers.slice(1),
    flags: ['--yes'],
    waves: ['TDPLAN-001', 'TDFIX-001', 'TDVAL-001'],
    verdicts: ['TDVAL-001 pipeline_complete B3 0/3'],
  },
  { loop: 'review', mode: 'patch', answers: developers, waves: ['DEV-001', 'VERIFY-001'], verdicts: [], end: 'complete unverified' },
  {
    loop: 'review',
    mode: 'sprint',
    answers: developers,
    waves: ['DESIGN-001', 'DEV-001', 'VERIFY-001 REVIEW-001', 'FIX-1-1', 'REVIEW-re-001'],
    verdicts: ['REVIEW-001 FIX R4 1/3', 'REVIEW-re-001 CONVERGE R1 2/3'],
  },
  {
    loop: 'review',
    mode: 'multi-sprint',
    answers: developers,
    waves: ['DESIGN-001', 'DEV-001', 'VERIFY-001 REVIEW-001', 'FIX-1-1', 'REVIEW-re-001', 'DESIGN-002', 'DEV-002', 'VERIFY-002 REVIEW-002'],
    verdicts: ['REVIEW-001 FIX R4 1/3', 'REVIEW-re-001 CONVERGE R1 2/3', 'REVIEW-002 CONVERGE R1 1/3'],
  },
  {
    loop: 'brainstorm',
    mode: 'quick',
    answers: thinkers,
    waves: ['IDEA-001', 'CHALLENGE-001', 'SYNTH-001'],
    verdicts: [],
    end: 'complete unverified',
  },
  {
    loop: 'brainstorm',
    mode: 'deep',
    answers: thinkers,
    waves: ['IDEA-001', 'CHALLENGE-001', 'IDEA-rev-1', 'CHALLENGE-rev-1', 'SYNTH-001', 'EVAL-001'],
    verdicts: ['CHALLENGE-001 REVISION C2 0/2', 'CHALLENGE-rev-1 CONVERGE C4 1/2'],
  },
  {
    loop: 'brainstorm',
    mode: 'full',
    answers: thinkers.slice(1),
    waves: ['IDEA-001 IDEA-002 IDEA-003', 'CHALLENGE-001', 'SYNTH-001', 'EVAL-001'],
    verdicts: ['CHALLENGE-001 CONVERGE C4 0/2'],
  },
];

/** Everything in the session folder, byte for byte. */
const everything = (session: string) => filesUnder(session);

async function judgeAgain(project: RunProject, loop: string, session: string, layer: string | undefined): Promise<void> {
  const before = everything(session);
  const last = eventsOfType(session, 'VerdictGiven').at(-1)?.verdict;
  const decided = await project.umpire('decide', loop, session, '--json', ...(layer === undefined ? [] : ['--layer', layer]));
  const verdict = JSON.parse(decided.out) as Record<string, unknown>;
  const { decision, outcome, rule, reason, round, maxRounds, unverified, counts } = last ?? {};
  expect(last?.role).toEqual({ path: expect.stringContaining(`roles/${loop}/judge.md`), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(verdict).toMatchObject({ decision, outcome, rule, reason, round, maxRounds, unverified, counts });
  expect(decided.err).toContain('already judged, nothing written');
  const replayed = await project.umpire('replay', session);
  expect({ exit: replayed.exit, err: replayed.err }).toMatchObject({ exit: 0 });
  expect(replayed.err).toContain('history unbroken');
  expect(everything(session)).toEqual(before);
}

for (const [at, { loop, mode, answers, flags = [], waves, verdicts, end = 'complete', layer }] of STORIES.entries()) {
  // The fast tests run one mode of the shorter loops.
  const options = ['debt', 'review', 'brainstorm'].includes(loop) && STORIES.findIndex((story) => story.loop === loop) === at ? {} : SOAK;
  it.concurrent(`${loop}, ${mode}: runs every task in its wave and judges every critic`, options, async () => {
    const project = makeProject({ answers });
    const { exit, err, session } = await project.umpire('run', loop, 'what is wanted', '--mode', mode, ...flags);
    expect({ exit, waves: wavesRun(session), verdicts: verdictsOf(session), end: endOf(session), err }).toEqual({
      exit: 0,
      waves,
      verdicts,
      end,
      err,
    });
    expect(standingOf(session).filter((one) => !one.endsWith(' completed'))).toEqual([]);
    expect(err).toMatch(new RegExp(`mode ${mode} \\(as requested\\)`));
    expect(err.includes('unverified')).toBe(end.endsWith('unverified'));
    expect(session).toMatch(new RegExp(`/\\.umpire/sessions/${loop}-what-is-wanted-\\d{4}-\\d\\d-\\d\\d$`));
    expect(project.git('status', '--porcelain')).toBe('');
    if (verdicts.length > 0) await judgeAgain(project, loop, session, layer);
  });
}

/** A goal, a change, the mode that the pipeline chooses for them, and a word of the reason. */
const CHOICES: readonly (readonly [loop: string, goal: string, changed: number, modules: number, mode: string, why: string])[] = [
  ['design', 'a button component', 0, 0, 'component', 'the goal says "component"'],
  ['design', 'tokens for the dark theme', 0, 0, 'system', 'the goal says'],
  ['design', 'a complete redesign', 0, 0, 'full-system', 'the goal says "complete"'],
  ['testing', 'tests', 3, 1, 'targeted', '3 files in 1 module changed'],
  ['testing', 'tests', 10, 3, 'standard', '10 files in 3 modules changed'],
  ['testing', 'tests', 11, 3, 'comprehensive', '11 files in 3 modules changed'],
  ['debt', 'audit the code', 0, 0, 'scan', 'the goal says "audit"'],
  ['debt', 'pay TD-07 back', 0, 0, 'targeted', 'TD-07 is named'],
  ['debt', 'less of it', 0, 0, 'remediate', ''],
  ['review', 'fix a typo', 0, 0, 'sprint', '-2'],
  ['review', 'refactor the cart', 1, 1, 'sprint', 'the goal says "refactor" +3'],
  ['review', 'refactor the cart', 4, 1, 'multi-sprint', '5 points'],
  ['brainstorm', 'quick names', 0, 0, 'deep', 'the goal says "quick" -2'],
  ['brainstorm', 'names', 0, 0, 'deep', 'default'],
  ['brainstorm', 'a novel architecture', 0, 0, 'full', '5 points'],
];

it('chooses the mode by goal and changes, and shows why', SOAK, async () => {
  const tried = CHOICES.map(async ([loop, goal, changed, modules, mode, why]) => {
    const project = makeProject();
    project.write(Object.fromEntries(Array.from({ length: changed }, (_, n) => [`m${n % modules}/f${n}.txt`, 'x\n'])));
    // The first agent fails: the test needs only the choice.
    const { err, session } = await project.umpire('run', loop, goal, ...project.sh('fail "not today"'), '--max-cost-usd', '1');
    const [started] = eventsOfType(session, 'SessionStarted');
    expect({ goal, mode: started?.mode, why: started?.why }).toEqual({ goal, mode, why: expect.stringContaining(why) });
    expect(err).toContain(`mode ${mode} (`);
    expect(err).toContain(started?.why.slice(`${mode}: `.length));
    expect(textOf(session, 'session-state.json')).toContain(`"mode": "${mode}"`);
  });
  await Promise.all(tried);
});

it('chooses the mode by the changes in the project’s folder of a repository', SOAK, async () => {
  const project = makeProject({ inner: 'packages/one' });
  project.write(Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`../other/f${n}.txt`, 'x\n'])));
  project.write({ 'm0/f.txt': 'x\n', 'm1/f.txt': 'x\n' });
  const { session } = await project.umpire('run', 'testing', 'cover it', '--project', '.', ...project.sh('fail "not today"'));
  expect(eventsOfType(session, 'SessionStarted')[0]?.why).toContain('2 files in 2 modules');
});

it('A12 --dry-run prints tasks, roles and the most agent runs, and starts nothing', async () => {
  const project = makeProject();
  const { exit, out, err } = await project.umpire('run', 'review', 'retry failed uploads', '--dry-run', ...project.sh('fail "never"'));
  expect({ exit, err }).toEqual({ exit: 0, err: 'Nothing was started.\n' });
  expect(out.split('\n').map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
    'review, mode sprint: default, 0 points',
    ' DESIGN-001 architect Design the sprint',
    ' DEV-001 developer Develop the sprint',
    ' VERIFY-001 verifier Verify the sprint',
    ' REVIEW-001 reviewer Review the sprint',
    expect.stringMatching(/^At most \d+ agent runs in 3 rounds, with findings in one file\.$/),
    '',
  ]);
  expect((await project.umpire('list')).out).toContain('No sessions here.');
});

it('refuses a mode that does not exist, with the list of modes', async () => {
  const project = makeProject({ answers: [REST] });
  const { exit, err } = await project.umpire('run', 'review', 'x', '--mode', 'sprnt');
  expect(exit).toBe(2);
  expect(err).toBe(
    'umpire: The review loop has no mode "sprnt".\nIts modes are patch, sprint, multi-sprint. Without --mode, Umpire chooses one.\n',
  );
  const { out } = await project.umpire('list');
  expect(out).toBe('No sessions here. Start one with: umpire run <loop> "<goal>"\n');
});

/** `umpire until` with an agent that fixes one of three things in each attempt. */
it('until: works until the exit status of the command is 0', async () => {
  const project = makeProject({ files: { 'n.txt': '0\n' } });
  const agent = project.sh('n=$(cat n.txt); echo $((n + 1)) > n.txt; complete "counted"');
  const { exit, session } = await project.umpire('until', 'test "$(cat n.txt)" -ge 2 || { echo "only $(cat n.txt)"; exit 7; }', ...agent);
  expect({ exit, verdicts: verdictsOf(session), waves: wavesRun(session), end: endOf(session) }).toEqual({
    exit: 0,
    waves: ['CHECK-001', 'WORK-1', 'CHECK-re-1', 'WORK-2', 'CHECK-re-2'],
    verdicts: ['CHECK-001 retry U8 0/5', 'CHECK-re-1 retry U8 1/5', 'CHECK-re-2 pass U5 2/5'],
    end: 'complete',
  });
  expect(JSON.parse(textOf(session, 'results', 'until.json'))).toMatchObject({ exit_status: 0, timed_out: false });
  expect(eventsOfType(session, 'VerdictGiven')[0]?.verdict.evidence[0]?.grade).toBe('measured');
  expect(rowsOf(session)['CHECK-001']?.['findings']).toContain('only 0');
  expect(textOf(project.root, 'n.txt')).toBe('0\n');
  await judgeAgain(project, 'until', session, undefined);
});

it('until: starts no worker if the command passes at once, and asks a person at the cap', SOAK, async () => {
  const project = makeProject();
  const passes = await project.umpire('until', 'true', ...project.sh('complete "never"'));
  expect({ exit: passes.exit, waves: wavesRun(passes.session) }).toEqual({ exit: 0, waves: ['CHECK-001'] });
  const report = `printf '# Report\\n\\n## Critical\\n\\n- A key is in the code (a.txt:1)\\n' > report.md`;
  const warned = await project.umpire('until', report, ...project.sh('complete "tried"'), '--max-rounds', '1', '--report', 'report.md');
  expect({ exit: warned.exit, verdicts: verdictsOf(warned.session) }).toEqual({
    exit: 4,
    verdicts: ['CHECK-001 retry U6 0/1', 'CHECK-re-1 escalate U6 1/1'],
  });
});

it('until: ends a command after its timeout and counts it as failed', SOAK, async () => {
  const project = makeProject({ config: { timeout_minutes: 0.005 } });
  const { exit, session } = await project.umpire('until', 'sleep 1000 & wait', ...project.sh('complete "tried"'), '--max-rounds', '1');
  expect({ exit, verdicts: verdictsOf(session) }).toEqual({
    exit: 4,
    verdicts: ['CHECK-001 retry U8 0/1', 'CHECK-re-1 escalate U9 1/1'],
  });
  expect(JSON.parse(textOf(session, 'results', 'until.json'))).toMatchObject({ timed_out: true });
});

const PIPELINES = `
pipelines:
  default: long
  writes: [writer]
  choose: { rules: [{ mode: short, words: [note] }] }
  modes:
    short: { title: A note., judged: false, tasks: [{ id: WRITE-001, title: Write, description: "{goal}", role: writer }] }
    long:
      title: Two chapters, then a reading.
      tasks:
        - { id: WRITE-001, title: One, description: "One of {goal}", role: writer }
        - { id: WRITE-002, title: Two, description: "Two of {goal}", role: writer }
        - { id: READ-001, title: Read, description: Read it., role: reader, deps: [WRITE-001, WRITE-002] }
`;

it('runs your own loop file by its frozen rules, with and without pipelines', async () => {
  const project = makeProject({
    answers: [reading(false, { role: 'reader', round: 1 }), reading(true), writer('writer')],
    files: { ...proseFiles(), 'prose.yaml': proseLoop() + PIPELINES, 'plain.yaml': proseLoop() },
  });
  const long = await project.umpire('run', './prose.yaml', 'a book');
  expect({ ...long, waves: wavesRun(long.session), verdicts: verdictsOf(long.session) }).toMatchObject({
    exit: 0,
    waves: ['WRITE-001 WRITE-002', 'READ-001', 'WRITE-re-1', 'READ-re-1'],
    verdicts: ['READ-001 AGAIN P3 1/2', 'READ-re-1 GOOD P2 2/2'],
  });
  expect(rowsOf(long.session)['WRITE-002']?.['description']).toBe('Two of a book');
  const note = await project.umpire('run', './prose.yaml', 'a note');
  expect({ exit: note.exit, waves: wavesRun(note.session), end: endOf(note.session) }).toEqual({
    exit: 0,
    waves: ['WRITE-001'],
    end: 'complete unverified',
  });
  const plain = await project.umpire('run', './plain.yaml', 'a page', '--max-rounds', '1', '--session', join(project.beside, 'elsewhere'));
  expect({ exit: plain.exit, verdicts: verdictsOf(plain.session), roles: eventsOfType(plain.session, 'TaskStarted').length }).toEqual({
    exit: 4,
    verdicts: expect.arrayContaining([expect.stringMatching(/ ASK P4 1\/1$/)]),
    roles: 2,
  });
  // A change of the loop file while a session waits does not affect the session.
  project.write({ 'plain.yaml': proseLoop().replace('id: P3', 'id: P9') });
  const more = await project.umpire('resolve', plain.session, 'extend', '--reason', 'fine', '--rounds', '1');
  expect(verdictsOf(more.session).filter((one) => one.includes('P9'))).toEqual([]);
  expect(verdictsOf(more.session).filter((one) => one.includes(' P3 '))).toHaveLength(1);
});
