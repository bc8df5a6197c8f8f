// The first tasks of each mode of each built-in loop: the graph of SPEC section 5, and rows that tasks.csv accepts.

import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chainsOf } from '../decider/chains.js';
import { checkGraph } from '../decider/waves.js';
import { parseTasks, printTasks, tasksColumns } from '../formats/tasks-csv.js';
import { builtinLoop, builtinLoops } from './builtin.js';
import { parsePipelineFile } from './loop-file.js';
import type { Loop } from './loop.js';
import { NO_GOAL, buildPipeline, keepChains } from './pipeline.js';
import type { Pipeline } from './pipeline.js';
import { builtinPipeline } from './builtin-pipelines.js';

const loopOf = (name: string) => builtinLoop(name) as Loop;
const pipelineOf = (name: string) => builtinPipeline(name) as Pipeline;

/** `wave id(dep;dep)`, task by task, as the graph reads. */
function graphOf(loop: string, mode: string, turns?: number): readonly string[] {
  const { rows } = buildPipeline(pipelineOf(loop), mode, { goal: 'g', ...(turns === undefined ? {} : { turns }) });
  return rows.map((row) => `${row['wave']} ${row['id']}(${row['deps']})`);
}

const MODES = builtinLoops().flatMap(({ loop }) => Object.keys(pipelineOf(loop).modes).map((mode) => [loop, mode] as const));

it('has the modes of SPEC section 5, and says which are judged', () => {
  const modes = builtinLoops().map(({ loop }) => [
    loop,
    ...Object.entries(pipelineOf(loop).modes).map(([name, mode]) => (mode.judged ? name : `${name} (unjudged)`)),
  ]);
  expect(modes.filter(([loop]) => loop !== 'until')).toEqual([
    ['design', 'component', 'system', 'full-system'],
    ['testing', 'targeted', 'standard', 'comprehensive'],
    ['debt', 'scan (unjudged)', 'remediate', 'targeted'],
    ['review', 'patch (unjudged)', 'sprint', 'multi-sprint'],
    ['brainstorm', 'quick (unjudged)', 'deep', 'full'],
  ]);
});

it('matches the YAML files, one for each loop', () => {
  const folder = join(import.meta.dirname, 'pipelines');
  const names = readdirSync(folder).map((name) => basename(name, '.yaml'));
  expect(names.toSorted()).toEqual(
    builtinLoops()
      .map(({ loop }) => loop)
      .toSorted(),
  );
  for (const name of names)
    expect(pipelineOf(name)).toEqual(parsePipelineFile(readFileSync(join(folder, `${name}.yaml`), 'utf8'), name, loopOf(name)));
  expect([builtinPipeline('nothing'), builtinPipeline('constructor')]).toEqual([null, null]);
});

describe('graphs', () => {
  it.each<[string, string, readonly string[]]>([
    ['design', 'component', ['1 RESEARCH-001()', '2 DESIGN-001(RESEARCH-001)', '3 AUDIT-001(DESIGN-001)', '4 BUILD-001(AUDIT-001)']],
    [
      'design',
      'system',
      [
        '1 RESEARCH-001()',
        '2 DESIGN-001(RESEARCH-001)',
        '3 AUDIT-001(DESIGN-001)',
        '4 DESIGN-002(AUDIT-001)',
        '4 BUILD-001(AUDIT-001)',
        '5 AUDIT-002(DESIGN-002;BUILD-001)',
        '6 BUILD-002(AUDIT-002)',
      ],
    ],
    ['design', 'full-system', [...graphOf('design', 'system'), '7 AUDIT-003(BUILD-002)']],
    ['testing', 'targeted', ['1 STRATEGY-001()', '2 TESTGEN-001(STRATEGY-001)', '3 TESTRUN-001(TESTGEN-001)']],
    [
      'testing',
      'standard',
      [...graphOf('testing', 'targeted'), '4 TESTGEN-002(TESTRUN-001)', '5 TESTRUN-002(TESTGEN-002)', '6 TESTANA-001(TESTRUN-002)'],
    ],
    [
      'testing',
      'comprehensive',
      [
        '1 STRATEGY-001()',
        '2 TESTGEN-001(STRATEGY-001)',
        '2 TESTGEN-002(STRATEGY-001)',
        '3 TESTRUN-001(TESTGEN-001)',
        '3 TESTRUN-002(TESTGEN-002)',
        '4 TESTGEN-003(TESTRUN-001;TESTRUN-002)',
        '5 TESTRUN-003(TESTGEN-003)',
        '6 TESTANA-001(TESTRUN-003)',
      ],
    ],
    ['debt', 'scan', ['1 TDSCAN-001()', '2 TDEVAL-001(TDSCAN-001)']],
    [
      'debt',
      'remediate',
      ['1 TDSCAN-001()', '2 TDEVAL-001(TDSCAN-001)', '3 TDPLAN-001(TDEVAL-001)', '4 TDFIX-001(TDPLAN-001)', '5 TDVAL-001(TDFIX-001)'],
    ],
    ['debt', 'targeted', ['1 TDPLAN-001()', '2 TDFIX-001(TDPLAN-001)', '3 TDVAL-001(TDFIX-001)']],
    ['review', 'patch', ['1 DEV-001()', '2 VERIFY-001(DEV-001)']],
    ['review', 'sprint', ['1 DESIGN-001()', '2 DEV-001(DESIGN-001)', '3 VERIFY-001(DEV-001)', '3 REVIEW-001(DEV-001)']],
    [
      'review',
      'multi-sprint',
      [
        ...graphOf('review', 'sprint'),
        '4 DESIGN-002(VERIFY-001;REVIEW-001)',
        '5 DEV-002(DESIGN-002)',
        '6 VERIFY-002(DEV-002)',
        '6 REVIEW-002(DEV-002)',
      ],
    ],
    ['brainstorm', 'quick', ['1 IDEA-001()', '2 CHALLENGE-001(IDEA-001)', '3 SYNTH-001(CHALLENGE-001)']],
    ['brainstorm', 'deep', [...graphOf('brainstorm', 'quick'), '4 EVAL-001(SYNTH-001)']],
    [
      'brainstorm',
      'full',
      [
        '1 IDEA-001()',
        '1 IDEA-002()',
        '1 IDEA-003()',
        '2 CHALLENGE-001(IDEA-001;IDEA-002;IDEA-003)',
        '3 SYNTH-001(CHALLENGE-001)',
        '4 EVAL-001(SYNTH-001)',
      ],
    ],
  ])('%s, %s', (loop, mode, expected) => {
    expect(graphOf(loop, mode)).toEqual(expected);
  });

  it('plans the requested number of sprints', () => {
    const rows = graphOf('review', 'multi-sprint', 12);
    expect(rows).toHaveLength(48);
    expect(rows.slice(44)).toEqual([
      '34 DESIGN-012(VERIFY-011;REVIEW-011)',
      '35 DEV-012(DESIGN-012)',
      '36 VERIFY-012(DEV-012)',
      '36 REVIEW-012(DEV-012)',
    ]);
    expect(graphOf('review', 'sprint', 5), 'a mode of one turn has one').toHaveLength(4);
  });
});

describe('rows', () => {
  it.each(MODES)('%s, %s: tasks.csv accepts the rows', (name, mode) => {
    const loop = loopOf(name);
    const { rows } = buildPipeline(pipelineOf(name), mode, { goal: 'Say "hello", {goal} and\nmore; $& $1' });
    const columns = tasksColumns(loop.columns.in, loop.columns.out);
    expect(rows.flatMap(Object.keys).filter((column) => !columns.includes(column))).toEqual([]);
    const { tasks } = parseTasks(printTasks(columns, rows));
    expect([...checkGraph(tasks)]).toEqual(rows.map((row) => Number(row['wave'])));
    expect(tasks.map((task) => task.status)).toEqual(rows.map(() => 'pending'));
    expect(tasks.every((task) => task.execMode === 'csv-wave')).toBe(true);
    const texts = rows.flatMap((row) => [row['title'], row['description']]).join('\n');
    expect(texts.replaceAll('{goal}', '')).not.toMatch(/\{\w+\}/);
    expect(texts).toContain('Say "hello", {goal} and\nmore; $& $1');
  });

  it.each(MODES)('%s, %s: every role has a prompt, and no id clashes with those of verdicts', (name, mode) => {
    const roles = new Set(
      readdirSync(join(import.meta.dirname, '..', '..', '..', '..', 'roles', name)).map((file) => basename(file, '.md')),
    );
    const { rows } = buildPipeline(pipelineOf(name), mode, { goal: '' });
    expect(rows.map((row) => row['role'] ?? '').filter((role) => !roles.has(role))).toEqual([]);
    expect(rows.every((row) => /^[A-Z]+-\d{3}$/.test(row['id'] ?? ''))).toBe(true);
    expect(rows[0]?.['description']).toContain(NO_GOAL);
  });

  it.each<[string, string, readonly string[]]>([
    ['design', 'full-system', ['AUDIT-001', 'AUDIT-002', 'AUDIT-003']],
    ['testing', 'comprehensive', ['L1', 'L2', 'L3']],
    ['review', 'multi-sprint', ['1', '2']],
    ['brainstorm', 'full', ['session']],
    ['debt', 'remediate', ['session']],
  ])('%s, %s: the chains that are judged', (name, mode, chains) => {
    const loop = loopOf(name);
    const { rows } = buildPipeline(pipelineOf(name), mode, { goal: 'g' });
    const { tasks } = parseTasks(printTasks(tasksColumns(loop.columns.in, loop.columns.out), rows));
    expect(chainsOf(loop, tasks)).toEqual(chains);
  });

  it('asks a person to approve the plan of the debt loop, and nothing else', () => {
    const gates = MODES.map(([loop, mode]) => [loop, mode, ...buildPipeline(pipelineOf(loop), mode, { goal: '' }).gates]);
    expect(gates.filter((row) => row.length > 2)).toEqual([
      ['debt', 'remediate', 'TDPLAN-001'],
      ['debt', 'targeted', 'TDPLAN-001'],
    ]);
  });

  it("gives tests the target: the person's, else the loop's", () => {
    const targets = (target?: number) =>
      buildPipeline(pipelineOf('testing'), 'targeted', { goal: 'g', ...(target === undefined ? {} : { target }) }).rows.map(
        (row) => row['coverage_target'],
      );
    expect([targets(), targets(92.5)]).toEqual([
      ['80', '80', '80'],
      ['92.5', '92.5', '92.5'],
    ]);
  });

  it('V13 gives each layer its own target, and tasks of no layer all of them', () => {
    const target = { column: 'layer', targets: { L1: 90 } };
    const { rows } = buildPipeline(pipelineOf('testing'), 'standard', { goal: 'g', target });
    const cells = rows.map((row) => `${row['id'] ?? ''} ${row['coverage_target'] ?? ''}`.trim());
    expect(cells).toEqual(['STRATEGY-001 L1=90', 'TESTGEN-001 90', 'TESTRUN-001 90', 'TESTGEN-002 80', 'TESTRUN-002 80', 'TESTANA-001']);
  });

  it('fills the columns of the loop', () => {
    const [review] = buildPipeline(pipelineOf('review'), 'multi-sprint', { goal: 'Pay by card' }).rows.slice(-1);
    expect(review).toEqual({
      id: 'REVIEW-002',
      title: 'Review sprint 2',
      description:
        'Review the changes of sprint 2 against its design. Write artifacts/review-results.json. Goal of all sprints: Pay by card',
      role: 'reviewer',
      pipeline: 'multi-sprint',
      sprint_num: '2',
      gc_round: '1',
      deps: 'DEV-002',
      context_from: 'DESIGN-002;DEV-002',
      exec_mode: 'csv-wave',
      wave: '6',
      status: 'pending',
    });
    const angles = buildPipeline(pipelineOf('brainstorm'), 'full', { goal: 'g' }).rows.map((row) => row['angle'] ?? '');
    expect(new Set(angles.slice(0, 3)).size).toBe(3);
    expect(angles.slice(3)).toEqual(['', '', '']);
  });

  it('A12: leaves out tasks of layers that do not exist, and what waited for them waits for what they waited for', () => {
    const planned = (mode: string, ...layers: readonly string[]) =>
      buildPipeline(keepChains(pipelineOf('testing'), 'layer', layers), mode, { goal: 'g' }).rows.map(
        (row) => `${row['id']} after ${row['deps']}, context ${row['context_from']}, wave ${row['wave']}`,
      );
    expect(planned('comprehensive', 'L1')).toEqual([
      'STRATEGY-001 after , context , wave 1',
      'TESTGEN-001 after STRATEGY-001, context STRATEGY-001, wave 2',
      'TESTRUN-001 after TESTGEN-001, context STRATEGY-001;TESTGEN-001, wave 3',
      'TESTANA-001 after TESTRUN-001, context STRATEGY-001;TESTRUN-001, wave 4',
    ]);
    expect(planned('standard', 'L1', 'L2')).toEqual(
      buildPipeline(pipelineOf('testing'), 'standard', { goal: 'g' }).rows.map(
        (row) => `${row['id']} after ${row['deps']}, context ${row['context_from']}, wave ${row['wave']}`,
      ),
    );
  });

  it('says which roles change the project', () => {
    expect(builtinLoops().map(({ loop }) => [loop, ...pipelineOf(loop).writes])).toEqual([
      ['design', 'designer', 'builder'],
      ['testing', 'generator'],
      ['debt', 'executor'],
      ['review', 'developer'],
      ['brainstorm'],
      ...(builtinLoop('until') === null ? [] : [['until', 'worker']]),
    ]);
    const { tasks } = pipelineOf('design').modes['component'] ?? { tasks: [] };
    expect(tasks.map((task) => [task.role, task.writes])).toEqual([
      ['researcher', false],
      ['designer', true],
      ['reviewer', false],
      ['builder', true],
    ]);
  });

  it('refuses an unknown mode and lists the known ones', () => {
    for (const mode of ['Sprint', '', 'constructor'])
      expect(() => buildPipeline(pipelineOf('review'), mode, { goal: '' })).toThrow(`The review loop has no mode "${mode}".`);
  });
});
