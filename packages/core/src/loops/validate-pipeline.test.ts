// The key `pipelines` of a loop file: accepted forms, the error message of each mistake with its line, and that the rules do not depend
// on it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isUmpireError } from '../model/errors.js';
import { builtinLoop, builtinLoops } from './builtin.js';
import { parseLoop, parsePipelineFile, parsePipelines } from './loop-file.js';
import type { Loop } from './loop.js';
import { buildPipeline } from './pipeline.js';
import { defaultPipeline } from './validate-pipeline.js';

const example = readFileSync(join(import.meta.dirname, '..', '..', '..', '..', 'examples', 'docs-review', 'docs-review.yaml'), 'utf8');

const OWN = `pipelines:
  default: short
  writes: [writer]
  choose:
    points:
      - { words: [large], add: 2 }
    rules:
      - { mode: long, points: ">=2" }
  modes:
    short:
      title: Written and edited.
      tasks:
        - { id: WRITE-001, title: Write it, description: "Write {goal}", role: writer }
        - { id: EDIT-001, title: Edit it, description: Edit it, role: editor, deps: [WRITE-001] }
    long:
      title: Page by page.
      turns: 3
      tasks:
        - { id: "WRITE-{turn}", title: "Page {turn}", description: "{goal}", role: writer, deps: ["EDIT-{previous}"] }
        - { id: "EDIT-{turn}", title: Edit it, description: Edit it, role: editor, deps: ["WRITE-{turn}"], context_from: [] }
`;
const withOwn = `${example}\n${OWN}`;

function complaintOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (isUmpireError(error)) return error.message;
    throw error;
  }
  return 'accepted';
}

/** The pipelines with one thing changed, and what is said of it, on the line where it stands. */
function check(from: string, to: string, expected: string): void {
  expect(withOwn).toContain(from);
  const changed = withOwn.replace(from, () => to);
  const line = withOwn.slice(0, withOwn.indexOf(from)).split('\n').length;
  const told = `x.yaml:${line}: ${expected}${expected.endsWith('?') ? '' : '.'}`;
  expect(complaintOf(() => parsePipelines(changed, 'x.yaml'))).toBe(told);
  expect(complaintOf(() => parseLoop(changed, 'x.yaml'))).toBe(told);
}

it('reads the pipelines of a loop file, and keeps them out of the loop', () => {
  const pipeline = parsePipelines(withOwn, 'x.yaml');
  expect(pipeline).toMatchObject({ loop: 'docs-review', default: 'short', writes: ['writer'], target: null });
  expect(
    buildPipeline(pipeline, 'long', { goal: 'g' }).rows.map((row) => [row['id'], row['deps'], row['context_from'], row['wave']]),
  ).toEqual([
    ['WRITE-001', '', '', '1'],
    ['EDIT-001', 'WRITE-001', '', '2'],
    ['WRITE-002', 'EDIT-001', 'EDIT-001', '3'],
    ['EDIT-002', 'WRITE-002', '', '4'],
    ['WRITE-003', 'EDIT-002', 'EDIT-002', '5'],
    ['EDIT-003', 'WRITE-003', '', '6'],
  ]);
  expect(JSON.stringify(parseLoop(withOwn, 'x.yaml'))).toBe(JSON.stringify(parseLoop(example, 'x.yaml')));
});

describe('mistakes', () => {
  it.each<[string, string, string, string]>([
    [
      'a default that is not there',
      'default: short',
      'default: shorter',
      'pipelines.default: there is no mode "shorter"; there are short, long',
    ],
    [
      'a mode that is not there',
      'mode: long,',
      'mode: longer,',
      'pipelines.choose.rules.0.mode: there is no mode "longer"; there are short, long',
    ],
    [
      'a comparison that is none',
      '">=2"',
      '"about 2"',
      'pipelines.choose.rules.0.points must be a comparison with a whole number, such as "<=3", or a list of such, not "about 2"',
    ],
    [
      'a rule that always holds',
      '{ mode: long, points: ">=2" }',
      '{ mode: long }',
      'pipelines.choose.rules.0: a rule without a test would always hold; set that mode as default instead',
    ],
    [
      'an idle writer',
      'writes: [writer]',
      'writes: [writer, author]',
      'pipelines.writes.1: no task has the role "author"; there are writer, editor',
    ],
    [
      'outputs of a role that no task has',
      'writes: [writer]',
      'outputs: { author: {} }\n  writes: [writer]',
      'pipelines.outputs.author: no task has the role "author"; there are writer, editor',
    ],
    [
      'an output that is no column',
      'writes: [writer]',
      'outputs: { editor: { grade: number } }\n  writes: [writer]',
      'pipelines.outputs.editor.grade: "grade" is not an output column of this loop: it has verdict, clarity',
    ],
    [
      'a key that is not known',
      'title: Written and edited.',
      'titel: Written and edited.',
      'pipelines.modes.short.titel: unknown key. Did you mean "title"?',
    ],
    [
      'waiting for nobody',
      'deps: [WRITE-001]',
      'deps: [WRIT-001]',
      'pipelines.modes.short.tasks.1.deps: "WRIT-001" must be above "EDIT-001", which depends on it',
    ],
    [
      'waiting for itself',
      'deps: [WRITE-001]',
      'deps: [EDIT-001]',
      'pipelines.modes.short.tasks.1.deps: "EDIT-001" must be above "EDIT-001", which depends on it',
    ],
    [
      'told by one that runs beside',
      'deps: [WRITE-001]',
      'context_from: [WRITE-001]',
      'pipelines.modes.short.tasks.1.context_from: "WRITE-001" does not end before "EDIT-001" starts; add it to deps as well',
    ],
    ['an id that is there twice', 'id: EDIT-001', 'id: WRITE-001', 'pipelines.modes.short.tasks.1.id: the id "WRITE-001" appears twice'],
    [
      'an id that is none',
      'id: EDIT-001',
      'id: "EDIT 001"',
      'pipelines.modes.short.tasks.1.id: "EDIT 001" is not a valid id: use letters, digits, . _ and -',
    ],
    [
      'an id that a verdict gives',
      'id: EDIT-001',
      'id: EDIT-re-1',
      'pipelines.modes.short.tasks.1.id: a verdict of this loop may create a task "EDIT-re-1" (EDIT-re-{round}), and rounds are read from such ids; choose another id',
    ],
    [
      'a hole that nothing fills',
      '"Write {goal}"',
      '"Write {moon}"',
      'pipelines.modes.short.tasks.0.description: {moon} is not allowed here; this text may use {goal}, {mode}, {target}, {turn}, {turns}',
    ],
    [
      'a turn where there is one',
      'id: WRITE-001',
      'id: "WRITE-{turn}"',
      'pipelines.modes.short.tasks.0.id: {turn} is not allowed here; placeholders need `turns`',
    ],
    [
      'one id for every turn',
      '"EDIT-{turn}", title',
      'EDIT-1, title',
      'pipelines.modes.long.tasks.1.id: in a mode with turns an id needs {turn}, so that each turn has its own ids',
    ],
    [
      'a column that is none',
      'role: writer }',
      'role: writer, columns: { moon: full } }',
      'pipelines.modes.short.tasks.0.columns.moon: "moon" is not an input column of this loop: it has page',
    ],
    [
      'work that nobody judges',
      '- { id: WRITE-001, title: Write it, description: "Write {goal}", role: writer }',
      '- { id: WRITE-000, title: Beside it, description: "Write {goal}", role: writer }\n        - { id: WRITE-001, title: Write it, description: "Write {goal}", role: writer }',
      'pipelines.modes.short.tasks.0: no critic judges "WRITE-000"; add it to the deps of a task with the role "editor"',
    ],
    ['too many turns', 'turns: 3', 'turns: 100', 'pipelines.modes.long.turns must be a whole number from 2 to 20, not 100'],
  ])('%s', (_, from, to, expected) => {
    check(from, to, expected);
  });

  it('needs a critic in a judged mode', () => {
    const unjudged = withOwn.replace('role: editor, deps: [WRITE-001]', 'role: reader, deps: [WRITE-001]');
    expect(parsePipelines(unjudged, 'x.yaml').modes['short']?.judged).toBe(false);
    const judged = unjudged.replace('title: Written and edited.', 'judged: true\n      title: Written and edited.');
    expect(complaintOf(() => parsePipelines(judged, 'x.yaml'))).toMatch(
      /short\.judged: no task has the critic's role "editor", so there is nothing/,
    );
  });

  it('accepts work before or after a critic, also through other tasks', () => {
    const { tasks } = parsePipelines(withOwn, 'x.yaml').modes['short']!;
    const more = (deps: string) => withOwn.replace('deps: [WRITE-001] }', `deps: [WRITE-001] }\n        - ${deps}`);
    const after = more('{ id: WRITE-009, title: Polish it, description: Polish it, role: writer, deps: [EDIT-001] }');
    expect(parsePipelines(after, 'x.yaml').modes['short']!.tasks).toHaveLength(tasks.length + 1);
    const beside = more('{ id: WRITE-009, title: Polish it, description: Polish it, role: writer, deps: [WRITE-001] }');
    expect(complaintOf(() => parsePipelines(beside, 'x.yaml'))).toMatch(/tasks\.2: no critic judges "WRITE-009"/);
  });

  it('needs a number for a target', () => {
    const columns = (wanted: string) => `columns: { layer: L1, coverage_target: ${wanted} }`;
    const text = (wanted: string) =>
      `modes: { a: { title: A, tasks: [{ id: T-1, title: a, description: a, role: executor, ${columns(wanted)} }] } }\nwrites: []`;
    const told = (wanted: string) => complaintOf(() => parsePipelineFile(text(wanted), 'p.yaml', builtinLoop('testing') as Loop));
    expect(['"90"', '"62.5 %"', '"{target}"', '"100"'].map(told)).toEqual(Array(4).fill('accepted'));
    expect(told('most')).toMatch(
      /columns\.coverage_target: "most" is not a valid coverage target: use a number from 0 to 100 in quotes, or "\{target\}"/,
    );
    expect(told('"101"')).toMatch(/"101" is not a valid coverage target/);
  });

  it('needs at least one mode, and points if a rule compares them', () => {
    const loop = builtinLoop('debt') as Loop;
    expect(complaintOf(() => parsePipelineFile('modes: {}', 'p.yaml', loop))).toMatch(/p\.yaml:1: modes: there must be at least one mode/);
    const points =
      'modes: { a: { title: A, judged: false, tasks: [{ id: A-1, title: a, description: a, role: scanner }] } }\nwrites: []\nchoose: { rules: [{ mode: a, points: ">1" }] }';
    expect(complaintOf(() => parsePipelineFile(points, 'p.yaml', loop))).toMatch(
      /p\.yaml:3: choose\.rules\.0\.points: no test adds points/,
    );
    expect(complaintOf(() => parsePipelineFile('- a', 'p.yaml', loop))).toMatch(/p\.yaml:1: it must be keys with values, not \["a"\]/);
    expect(complaintOf(() => parsePipelineFile('a: [', 'p.yaml', loop))).toMatch(/^p\.yaml:1: /);
  });

  it("wants the critic's task to name its chain", () => {
    const text = 'modes: { a: { title: A, tasks: [{ id: T-1, title: a, description: a, role: executor }] } }\nwrites: []';
    expect(complaintOf(() => parsePipelineFile(text, 'p.yaml', builtinLoop('testing') as Loop))).toMatch(
      /modes\.a\.tasks\.0: rounds are counted by the column "layer", so the critic's task must set it under columns/,
    );
  });
});

describe('a loop without pipelines', () => {
  it("gets the generator's task and the critic's after it", () => {
    const pipeline = parsePipelines(example, 'x.yaml');
    expect(pipeline).toEqual(defaultPipeline(parseLoop(example, 'x.yaml')));
    expect(pipeline).toMatchObject({ default: 'default', writes: ['writer'], choose: { points: [], rules: [] } });
    const { rows, gates, judged } = buildPipeline(pipeline, 'default', { goal: 'Explain it' });
    expect({ gates, judged }).toEqual({ gates: [], judged: true });
    expect(rows.map((row) => [row['id'], row['role'], row['deps'], row['context_from'], row['description']])).toEqual([
      ['WRITER-001', 'writer', '', '', 'Explain it'],
      ['EDITOR-001', 'editor', 'WRITER-001', 'WRITER-001', 'Judge WRITER-001: Explain it'],
    ]);
  });

  it.each(builtinLoops().map((loop) => [loop.loop, loop] as const))('%s would get a default pipeline too', (_, loop) => {
    const { rows } = buildPipeline(defaultPipeline(loop), 'default', { goal: 'g' });
    expect(rows.map((row) => [row['role'], row['wave']])).toEqual([
      [loop.roles.generator, '1'],
      [loop.roles.critic, '2'],
    ]);
  });

  it('uses unique ids that no verdict can create', () => {
    const loop = builtinLoop('debt') as Loop;
    const ids = (roles: Loop['roles'], pattern: string, first: 0 | 1) =>
      buildPipeline(
        defaultPipeline({
          ...loop,
          roles,
          round: { ...loop.round, first },
          tasks: loop.tasks.slice(-1).map((task) => ({ ...task, id: pattern })),
        }),
        'default',
        { goal: 'g' },
      ).rows.map((row) => row['id']);
    const roles = { generator: 'a b', critic: 'check', judge: 'judge' };
    expect(ids(roles, 'CHECK-{next}', 0)).toEqual(['A-B-001', 'CHECK-FIRST-001']);
    expect(ids(roles, 'CHECK-{next}', 1)).toEqual(['A-B-001', 'CHECK-001']);
    expect(ids(roles, 'CHECK-{mend}', 1)).toEqual(['A-B-001', 'CHECK-FIRST-001']);
    expect(ids({ ...roles, generator: '\u00e4', critic: '\u00f6' }, 'X-{next}', 0)).toEqual(['TASK-001', 'TASK-001-JUDGED']);
  });
});
