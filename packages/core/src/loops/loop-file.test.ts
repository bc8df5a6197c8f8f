// Loops as people write them: accepted forms, and the error message of each mistake with its line.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isUmpireError } from '../model/errors.js';
import { builtinLoop, builtinLoops } from './builtin.js';
import { defineLoop } from './define-loop.js';
import { parseLoop } from './loop-file.js';
import type { LoopInput } from './define-loop.js';

const folder = import.meta.dirname;
const example = readFileSync(join(folder, '..', '..', '..', '..', 'examples', 'docs-review', 'docs-review.yaml'), 'utf8');

function complaintOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (isUmpireError(error)) return error.message;
    throw error;
  }
  return 'accepted';
}

/** The example with one thing changed, and what is said of it. */
function check(from: string | RegExp, to: string, expected: RegExp): void {
  const changed = example.replace(from, to);
  expect(changed, 'the example must hold what is to be changed').not.toBe(example);
  expect(complaintOf(() => parseLoop(changed, 'my-loop.yaml'))).toMatch(expected);
}

it('ships exactly the loops in the YAML files', () => {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => name.replace('.yaml', ''));
  expect(
    builtinLoops()
      .map((loop) => loop.loop)
      .toSorted(),
  ).toEqual(names.toSorted());
  for (const name of names) {
    expect(builtinLoop(name)).toEqual(parseLoop(readFileSync(join(folder, `${name}.yaml`), 'utf8'), name));
  }
  expect([builtinLoop('constructor'), builtinLoop('nothing')]).toEqual([null, null]);
});

it('accepts the same object in TypeScript, and nothing else', () => {
  const object = parse(example) as LoopInput;
  expect(defineLoop(object)).toEqual(parseLoop(example, 'x'));
  const clever = { ...object, table: [{ ...object.table[0], when: () => true }] } as unknown as LoopInput;
  expect(complaintOf(() => defineLoop(clever))).toMatch(/defineLoop: table/);
});

describe('mistakes', () => {
  it('names the line of broken YAML', () => {
    expect(complaintOf(() => parseLoop('loop: x\n  bad: [\n', 'my-loop.yaml'))).toMatch(/^my-loop\.yaml:\d+: /);
    expect(complaintOf(() => parseLoop('loop: a\nloop: b\n', 'my-loop.yaml'))).toMatch(/^my-loop\.yaml:2: .*unique/i);
    expect(complaintOf(() => parseLoop('a: { b: x-{c}.json }\n', 'my-loop.yaml'))).toMatch(/^my-loop\.yaml:1: .*put quotes around a value/);
    expect(complaintOf(() => parseLoop('why: Not done: see x\n', 'my-loop.yaml'))).toMatch(/^my-loop\.yaml:1: .*put quotes around a value/);
    expect(complaintOf(() => parseLoop('loop: a\n---\nloop: b\n', 'my-loop.yaml'))).toMatch(/^my-loop\.yaml:2: .*second document/);
    expect(complaintOf(() => parseLoop('', 'my-loop.yaml'))).toMatch(/my-loop\.yaml: it must be keys with values, and is empty/);
    expect(complaintOf(() => parseLoop('a: &x [*x, *x]\n', 'my-loop.yaml'))).not.toBe('accepted');
  });

  it('names an unknown key, and a missing one', () => {
    check(/^title:/m, 'titel:', /my-loop\.yaml:\d+: .*titel/);
    check(/^title:.*$/m, '', /title/);
  });

  it('names what does not fit', () => {
    check(/reader: json/, 'reader: jsonn', /no reader "jsonn"; there are audit/);
    check(/\{ state: results \}|state: \w+/, 'state: nowhere', /no evidence "nowhere"/);
    check(/then: revise/, 'then: retry', /then/);
    check(/recheck: true/, 'recheck: false', /exactly one task with "recheck: true"/);
    check(/escalate: \w+/, 'escalate: PUBLISH', /"PUBLISH" already means/);
    check(/file: \S+\.json/, 'file: ../outside.json', /inside the session folder/);
    check(/grade: testified/, 'grade: told', /grade must be one of measured, testified, not "told"/);
  });

  it('lists the accepted forms if none fits', () => {
    check(/^chain: session/m, 'chain: sesion', /chain must be one of session, id, or keys with values, not "sesion"\./);
    check('first: 1', 'first: 2', /round\.first must be one of 0, 1, not 2\.$/);
    check('file: artifacts', 'files: artifacts', /evidence\.review needs one of the keys row, file, folder, /);
    check('{ state: review }', '{}', /facts\.review needs one of the keys state, enum, number, /);
    check('number: [0, 10]', 'number: 10', /facts\.clarity\.number must be a list of two, not 10\.$/);
    check('cap: { default: 3 }', 'cap: 3', /cap must be keys with values, not 3\.$/);
    check('cap: { default: 3 }', 'cap: { default: 2.5 }', /cap\.default must be a whole number from 1 to 100, not 2\.5\.$/);
    check('cap: { default: 3 }', 'cap: {}', /cap\.default is missing\. It must be a whole number from 1 to 100\.$/);
  });
});

describe('the parts of a loop', () => {
  const base = JSON.parse(JSON.stringify(builtinLoop('review'))) as LoopInput;
  const told = (change: (loop: Mutable) => void): string => {
    const loop = JSON.parse(JSON.stringify(base)) as Mutable;
    change(loop);
    return complaintOf(() => defineLoop(loop as unknown as LoopInput));
  };
  type Any = Record<string, unknown>;
  interface Mutable {
    table: Any[];
    repairs: Any[];
    tasks: Any[];
    facts: Record<string, Any>;
    evidence: Record<string, Any>;
    agree?: Any;
    report: Any[];
    roles: Any;
    round: Any;
    columns: Any;
    target?: Any;
    progress?: Any;
    worse?: Any;
    planned?: Any;
    unwritable?: Any;
    ask: { options: Any[] };
  }

  it.each<[string, (loop: Mutable) => void, RegExp]>([
    ['a last row with a condition', (loop) => void (loop.table.at(-1)!['when'] = { score: '>1' }), /must not have a "when"/],
    ['a row that shadows all after it', (loop) => void delete loop.table[0]!['when'], /rows after it can never match/],
    ['a waiver that approves nothing', (loop) => void (loop.table[0]!['waiver'] = 'why not'), /cannot have a waiver/],
    ['an unknown fact', (loop) => void (loop.table[0]!['when'] = { mood: 'good' }), /this loop has no fact "mood"/],
    ['a word for a number', (loop) => void (loop.table[0]!['when'] = { score: 'high' }), /is a number: compare it/],
    ['an unknown word', (loop) => void (loop.table[0]!['when'] = { signal: 'MAYBE' }), /"signal" cannot be "MAYBE"/],
    ['a word misspelt', (loop) => void (loop.table[0]!['when'] = { signal: 'CONVERGD' }), /REVISION_NEEDED\. Did you mean "CONVERGED"\?$/],
    ['a word misspelt in a repair', (loop) => void (loop.repairs[2]!['set'] = { signal: 'CONVERGD' }), /Did you mean "CONVERGED"\?$/],
    ['a fact misspelt', (loop) => void (loop.table[0]!['when'] = { scroe: '>1' }), /"\. Did you mean "score"\?$/],
    ['evidence misspelt', (loop) => void (loop.facts['x'] = { counted: ['result'] }), /"\. Did you mean "results"\?$/],
    ['a reader misspelt', (loop) => void (loop.evidence['results']!['reader'] = 'jsn'), /Did you mean "json"\?$/],
    [
      'a reader by a name that every object knows',
      (loop) => void (loop.evidence['results']!['reader'] = 'constructor'),
      /no reader "constructor"/,
    ],
    [
      'evidence that stands in for itself',
      (loop) => {
        loop.evidence['other'] = { ...loop.evidence['results'], else: 'results' };
        loop.evidence['results']!['else'] = 'other';
        loop.facts['extra'] = { count: 'results.nothing' };
      },
      /would replace itself/,
    ],
    ['a key misspelt', (loop) => void ((loop as unknown as Any)['word'] = {}), /word: unknown key\. Did you mean "words"\?$/],
    ['a key misspelt in a row', (loop) => void (loop.table[0]!['wen'] = {}), /table\.0\.wen: .* Did you mean "when"\?$/],
    ['a key misspelt in evidence', (loop) => void (loop.evidence['results']!['grad'] = 1), /grad: .* Did you mean "grade"\?$/],
    ['a comparison of a word', (loop) => void (loop.table[0]!['when'] = { signal: '>3' }), /is a word: one of CONVERGED/],
    ['a word for the round', (loop) => void (loop.table[0]!['when'] = { round: 'late' }), /round needs a comparison/],
    ['a target where there is none', (loop) => void (loop.table[0]!['when'] = { score: '>=target' }), /no target to compare with/],
    ['a hole that nothing fills', (loop) => void (loop.table[0]!['why'] = 'Because {moon}.'), /\{moon\} is neither a fact/],
    ['a hole in the next step', (loop) => void (loop.table[0]!['next'] = 'Ask {moon}.'), /\{moon\}/],
    ['a repair of everything', (loop) => void (loop.repairs[0]!['when'] = {}), /would always apply/],
    ['a repair of no fact', (loop) => void (loop.repairs[2]!['set'] = { moon: 1 }), /this loop has no fact "moon"/],
    [
      'a step over no fact',
      (loop) => void (loop.repairs[2]!['set'] = { signal: { step: 'moon', at: 7, below: 'CONVERGED', else: 'REVISION_NEEDED' } }),
      /this loop has no fact "moon"/,
    ],
    [
      'a sum over no fact',
      (loop) => void (loop.repairs[2]!['set'] = { score: { linear: { moon: 1 }, base: 1, within: [0, 1] } }),
      /this loop has no fact "moon"/,
    ],
    ['an error text with a hole', (loop) => void (loop.repairs[0]!['error'] = { message: '{moon}', hint: 'x' }), /\{moon\}/],
    ['a fact with a name that is taken', (loop) => void (loop.facts['round'] = { flag: ['results.x'] }), /reserved name/],
    ['a value without its evidence', (loop) => void (loop.facts['x'] = { flag: ['results'] }), /must name a value of a source/],
    ['a repair with a strange word', (loop) => void (loop.repairs[2]!['set'] = { signal: 'MAYBE' }), /"signal" cannot be "MAYBE"/],
    [
      'a repair out of bounds',
      (loop) => void (loop.repairs[2]!['set'] = { score: 70 }),
      /set\.score: "score" must be between 0 and 10, not 70/,
    ],
    ['a comparison that never changes', (loop) => void (loop.table[0]!['when'] = { score: '>=50' }), /always gives the same answer/],
    ['a re-check that is not the last', (loop) => void (loop.tasks = loop.tasks.toReversed()), /must be the last/],
    ['a re-check that does not wait', (loop) => void (loop.tasks.at(-1)!['after'] = 'critic'), /tasks\.1\.after: it would judge before/],
    [
      'a second critic that does not wait',
      (loop) => {
        loop.evidence['law'] = { file: 'law.json', by: 'lawyer', reader: 'json', grade: 'testified', what: 'the opinion' };
        loop.tasks.splice(1, 0, { id: 'LAW-{next}', title: 'Ask', description: 'Ask.', role: 'lawyer', after: 'critic' });
      },
      /tasks\.1\.after: it would judge before the tasks above it are finished; set "after: previous"/,
    ],
    ['a fact in a task id', (loop) => void (loop.tasks.at(-1)!['id'] = 'REVIEW-{mend}-{score}'), /\{score\} is not allowed here/],
    ['a strange name in the report', (loop) => void (loop.report[0]!['blocks'] = ['{decisoin}']), /\{decisoin\}/],
    [
      'a strange list in the report',
      (loop) => void (loop.report[0]!['blocks'] = [{ when: ['revise'], lines: [{ list: 'moon.x', line: 'x' }] }]),
      /not a list of this loop/,
    ],
    ['a strange name in the history', (loop) => void (loop.report[0]!['blocks'] = [{ history: '{moon}' }]), /\{moon\}/],
    [
      'a strange name in a section',
      (loop) => void (loop.report[0]!['sections'] = [{ heading: 'x', blocks: ['{before.moon}'] }]),
      /\{before\.moon\}/,
    ],
    ['a number with its bounds turned', (loop) => void (loop.facts['score'] = { number: [10, 0], at: ['results.x'] }), /lower bound/],
    [
      'a flag compared',
      (loop) => void ((loop.facts['ok'] = { flag: ['results.gc_signal'] }), (loop.table[0]!['when'] = { ok: '>1' })),
      /is a flag/,
    ],
    ['a stand-in that is not there', (loop) => void (loop.evidence['results']!['else'] = 'moon'), /not another source/],
    ['a stand-in for itself', (loop) => void (loop.evidence['results']!['else'] = 'results'), /not another source/],
    ['agreement of nothing', (loop) => void (loop.agree = { sources: ['results', 'moon'], id: 'A1', why: 'x' }), /no evidence "moon"/],
    ['a fact without evidence', (loop) => void (loop.facts['x'] = { counted: ['moon'] }), /no evidence "moon"/],
    ['a count without evidence', (loop) => void (loop.facts['x'] = { count: 'moon.list' }), /no evidence "moon"/],
    ['a re-check of no chain', (loop) => void (loop.tasks.at(-1)!['copy'] = ['pipeline']), /not belong to the chain .* copy "sprint_num"/],
    [
      'a re-check of one chain for all',
      (loop) => void ((loop.tasks.at(-1)!['copy'] = []), (loop.tasks.at(-1)!['set'] = { sprint_num: '1' })),
      /or set it to "\{chain\}"/,
    ],
    ['a re-check by another', (loop) => void (loop.tasks.at(-1)!['role'] = 'developer'), /must be the critic's, "reviewer"/],
    ['a task a file without its number', (loop) => void (loop.tasks[0]!['id'] = 'FIX-{round}'), /the id needs \{n\}/],
    ['two tasks of one id', (loop) => void loop.tasks.unshift({ ...loop.tasks[0] }), /"FIX-\{round\}-\{n\}" is also the id of task 1/],
    ['an id with a semicolon', (loop) => void (loop.tasks.at(-1)!['id'] = 'REVIEW;{mend}'), /cannot contain a semicolon/],
    ["a fix by the critic's role", (loop) => void (loop.tasks[0]!['role'] = 'reviewer'), /only the recheck may have the critic's role/],
    ['one role for both', (loop) => void (loop.roles['critic'] = 'developer'), /must have another role/],
    ['a status set from the start', (loop) => void (loop.tasks[0]!['set'] = { status: 'completed' }), /fills in "status" itself/],
    ["a re-check with the critic's answer", (loop) => void (loop.tasks.at(-1)!['copy'] = ['gc_signal']), /would count as finished/],
    ['a strange name in a cell', (loop) => void (loop.tasks[0]!['set'] = { pipeline: '{moon}' }), /tasks\.0\.set\.pipeline: \{moon\}/],
    ["a task over Umpire's history", (loop) => void (loop.tasks[0]!['file'] = './journal.ndjson'), /journal\.ndjson belongs? to Umpire/],
    ['a task among the logs', (loop) => void (loop.tasks[0]!['file'] = 'logs/{id}.txt'), /logs belongs? to Umpire/],
    ['a task among the verdicts', (loop) => void (loop.tasks[0]!['file'] = 'verdicts/{id}.md'), /verdicts belongs? to Umpire/],
    ['one file for all tasks', (loop) => void (loop.tasks[0]!['file'] = 'tasks/{round}.json'), /its own file: put \{id\}/],
    ['a strange name in a file', (loop) => void (loop.tasks[0]!['file'] = 'tasks/{id}-{moon}.json'), /\{moon\}/],
    ['a common column handed back', (loop) => void (loop.columns['out'] = ['status']), /every task has the column "status"/],
    ['a column both given and handed back', (loop) => void (loop.columns['out'] = ['sprint_num']), /every row would count as finished/],
    ['a strange name in a path', (loop) => void (loop.evidence['results']!['file'] = 'run-{layer}.json'), /\{layer\} is not allowed here/],
    [
      'a strange name in a worker',
      (loop) =>
        void (loop.evidence['x'] = { discoveries: 'x', of: { worker: 'a-{moon}' }, reader: 'entries', grade: 'testified', what: 'x' }),
      /\{moon\} is not allowed here/,
    ],
    ['a value without its evidence', (loop) => void (loop.facts['x'] = { flag: ['approved'] }), /as in "results\.approved"/],
    [
      'a value that its reader never gives',
      (loop) => void (loop.facts['x'] = { flag: ['results.gc_sigal'] }),
      /has no value "gc_sigal".*"gc_signal"\?/,
    ],
    [
      'a column that no row hands back',
      (loop) => void (loop.facts['x'] = { flag: ['row.moon'] }),
      /"row" has no value "moon"; it has review_score, .* Values of the row are the columns under columns\.out/,
    ],
    [
      'a list that its reader never gives',
      (loop) => void (loop.facts['x'] = { count: 'results.failures' }),
      /has no list "failures"; it has unverified_checks/,
    ],
    [
      'a list of a report that its reader never gives',
      (loop) => void (loop.report[0]!['blocks'] = [{ list: 'results.failures', line: 'x' }]),
      /blocks\.0\.list: "results" has no list "failures"/,
    ],
    ['a pattern in place of a path', (loop) => void (loop.evidence['results']!['file'] = 'reviews/*.json'), /cannot contain \*/],
    ['an option twice', (loop) => void loop.ask.options.push({ ...loop.ask.options[0] }), /"force-approve" appears twice/],
    ['a column twice', (loop) => void (loop.columns['in'] = ['a', 'a']), /columns\.in: "a" appears twice/],
    ['progress by a word', (loop) => void (loop.progress = { signal: 'higher' }), /"signal" is not a number, so it cannot go up or down/],
    ['evidence by the maker', (loop) => void (loop.evidence['results']!['by'] = 'developer'), /does the work that is judged/],
    ['evidence by the critic', (loop) => void (loop.evidence['results']!['by'] = 'reviewer'), /this is the default; remove it/],
    ['evidence by nobody', (loop) => void (loop.evidence['results']!['by'] = 'lawyer'), /no task of a revision has the role "lawyer"/],
    ['a value without a name', (loop) => void (loop.facts['x'] = { flag: ['results.'] }), /must name a value of a source/],
    ['worse by no fact', (loop) => void (loop.worse = { moon: '>0' }), /worse\.moon: this loop has no fact "moon"/],
    ['worse without a test', (loop) => void (loop.worse = {}), /worse: without a test every round would be reverted/],
    ['progress of no fact', (loop) => void (loop.progress = { moon: 'higher' }), /this loop has no fact "moon"/],
    ['a target beyond all', (loop) => void (loop.target = { default: 500, column: 'goal', what: 'goal' }), /from 0 to 100/],
    ['finished tasks without their number', (loop) => void (loop.round['from'] = [{ finished: 'FIX-1' }]), /\{n\} is missing/],
    ['a strange name in a hint', (loop) => void (loop.repairs[0]!['error'] = { message: 'x', hint: '{moon}' }), /error\.hint: \{moon\}/],
    ['a strange name in an anomaly', (loop) => void (loop.table[0]!['anomaly'] = '{moon}'), /anomaly: \{moon\}/],
    [
      'a strange name in a notice',
      (loop) => void (loop.planned = { skip: '{moon}' }),
      /\{moon\} is not allowed here; this text may use \{rule\}/,
    ],
    [
      'a word that is also a test',
      (loop) =>
        void ((loop.facts['x'] = { enum: ['present', 'absent'], at: ['results.gc_signal'] }), (loop.table[0]!['when'] = { x: 'present' })),
      /"present" is also a word of "x"; write \[present\]/,
    ],
    ['a task id that repeats', (loop) => void (loop.tasks.at(-1)!['id'] = 'REVIEW-again'), /needs \{round\}, \{next\} or \{mend\}/],
  ])('%s', (_, change, expected) => {
    expect(told(change)).toMatch(expected);
  });

  it('accepts absent, present, flags and found sources', () => {
    expect(told((loop) => void (loop.table[0]!['when'] = { score: 'present', signal: 'absent', results: ['ok'] }))).toBe('accepted');
    expect(told((loop) => void ((loop.facts['seen'] = { found: ['results'] }), (loop.table[0]!['when'] = { seen: true })))).toBe(
      'accepted',
    );
  });
});
