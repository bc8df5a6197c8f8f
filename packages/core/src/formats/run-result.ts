// The reader `run-json`: results/run-{layer}.json of the testing loop, with its failed tests by class. If counts contradict each other,
// the worse one counts. A run without tests or with impossible numbers is unreadable, never a pass.

import type { Scalar, Finding, Severity } from '../model/vocabulary.js';
import { describeValue, firstOf, isObject, nameOf, numberOf, own, parseReport } from './json-text.js';
import { regressionsMeasured } from './regressions-measured.js';
import type { JsonObject } from './json-text.js';
import { quote, readable, refuseText, unreadable } from './reader.js';
import type { Reader, ReaderInput } from './reader.js';
import { readPrintedFailures } from './listed-failures.js';
import type { PrintedFailure } from './listed-failures.js';
import { findFigures } from './unknown-keys.js';
import { countFindings } from './severity.js';
import { WordList, wordsOf } from './word-lists.js';
import { makeFinding } from './finding.js';
import { parseReference } from './file-reference.js';

/** The rule of a finding for a new test that still fails after a fix cycle, and its `dimension` if the test was deleted before it passed. */
export const SUSPECTED_BUG = 'suspected bug';
export const TEST_GONE = 'test gone';
/** The rule of a finding for such a test whose own fault it is: it is left out of the work. */
export const DROPPED_TEST = 'dropped test';
/** The `dimension` of a finding for a test that failed at the base already, and its rule if that is not known to be its own fault. */
export const KNOWN_FAILURE = 'known failure';
/** The rule of a finding for a test that ran at the base and does not run now. */
const LOST_TEST = 'lost test';
const WEAK_TEST = 'weak test';
/** The `dimension` of a finding for a new test that fails and had no fix cycle yet. */
export const NEW_TEST = 'new test';

/** `apply` leaves them out. */
export function isFailingNewTest({ rule, dimension }: Pick<Finding, 'rule' | 'dimension'>): boolean {
  return dimension === NEW_TEST || rule === DROPPED_TEST || (rule === SUSPECTED_BUG && dimension !== TEST_GONE);
}

const NOT_TO_MEND: ReadonlySet<string> = new Set([SUSPECTED_BUG, DROPPED_TEST, KNOWN_FAILURE]);

/** Listed for people: a generator asked to fix them would change the tests until they pass. */
export function isToMend({ rule }: Pick<Finding, 'rule'>): boolean {
  return rule === undefined || !NOT_TO_MEND.has(rule);
}

const EXPECTED = 'a JSON object with pass_rate, coverage, total, passed, failed and failures';

/** Stops the reading with a problem, written as a sentence. */
class UnreadableRun {
  constructor(readonly problem: string) {}
}

interface RunCounts {
  readonly total: number | null;
  readonly passed: number | null;
  readonly failed: number | null;
}

export const readRun: Reader = (text, about) => {
  const refused = refuseText(text, EXPECTED);
  if (refused !== null) return refused;
  const json = parseReport(text);
  if (!json.ok) return unreadable(json.problem, json.line);
  if (!isObject(json.value)) return unreadable(`it is ${nameOf(json.value)}; expected ${EXPECTED}`);
  const run = json.value;
  const notes: string[] = [];
  const stated = failuresOf(own(run, 'failures'), notes);
  const failures = addPrinted(stated, numberOf(own(run, 'failed')), about, notes);
  const counted = countsOf(run, stated.length, notes);
  if (counted instanceof UnreadableRun) return unreadable(counted.problem);
  const broken = brokenRun(run, counted) ?? otherLayer(own(run, 'layer'), about.path, notes);
  if (broken !== null) return unreadable(broken);
  const rate = rateOf(run, counted, notes);
  if (rate instanceof UnreadableRun) return unreadable(rate.problem);
  const coverage = coverageOf(own(run, 'coverage'), notes);
  if (coverage instanceof UnreadableRun) return unreadable(coverage.problem);
  const hidden = coverage === null ? findFigures(run, /coverage/i, ['coverage', 'not_in_coverage', 'packages']) : [];
  if (hidden.length > 0) return unreadable(`coverage is absent, but it has ${hidden.join(', ')}; write the percentage as coverage`);
  const regressions = regressionsMeasured(run);
  if (typeof regressions === 'string') return unreadable(regressions);
  const blind = own(run, 'coverage_problem');
  if (coverage === null && typeof blind === 'string' && blind.trim() !== '') notes.push(`coverage was not measured: ${quote(blind)}`);
  const layer = own(run, 'layer');
  const values: (readonly [string, Scalar | null])[] = [
    ['layer', typeof layer === 'string' && layer.trim() !== '' ? layer.trim() : null],
    ['pass_rate', rate],
    ['coverage', coverage],
    ['total', counted.total],
    ['passed', counted.passed],
    ['failed', counted.failed],
  ];
  const listed = (key: string) => failuresOf(own(run, key), notes);
  const [suspected, dropped, known, lost, weak] = [
    listed('suspected_bugs'),
    listed('dropped_tests'),
    listed('known_failures'),
    listed('lost_tests'),
    listed('weak_tests'),
  ];
  const findings = [
    ...lost.map(lostFinding),
    ...failures.map(findingOf),
    ...weak.map((test) => namedFinding(test, 'high', WEAK_TEST)),
    ...suspected.map((test) => namedFinding(test, 'medium', SUSPECTED_BUG)),
    ...known.map(knownFinding),
    ...dropped.map((test) => namedFinding(test, 'low', DROPPED_TEST)),
  ];
  return readable({
    values: values.filter((value): value is readonly [string, Scalar] => value[1] !== null),
    findings,
    counts: countFindings(findings),
    lists: [
      ['failures', failures],
      // T6: a new test that fails is no harm to what was there.
      ['old_failures', failures.filter(({ was }) => was !== 'new')],
      ['lost_tests', lost],
      ['weak_tests', weak],
      ['remaining', describeRemaining({ failures, lost, weak, suspected, known, dropped })],
      ['regressions_measured', regressions],
    ],
    notes,
  });
};

function countsOf(run: JsonObject, listed: number, notes: string[]): RunCounts | UnreadableRun {
  const said: (number | null)[] = [];
  for (const key of ['total', 'passed', 'failed']) {
    const value = own(run, key);
    const count = numberOf(value);
    if (value !== undefined && value !== null && (count === null || !Number.isSafeInteger(count) || count < 0)) {
      return new UnreadableRun(`${key} is ${describeValue(value)}; expected a whole number, 0 or more`);
    }
    said.push(count);
  }
  const [statedTotal = null, statedPassed = null, plainFailed = null] = said;
  const errored = erroredOf(run);
  const statedFailed = withErrored(plainFailed, errored, statedPassed, statedTotal);
  if (errored > 0) notes.push(`${errored} errored ${errored === 1 ? 'test counts' : 'tests count'} as failed`);
  if (statedTotal === 0) return new UnreadableRun('total is 0: no test ran, so there is nothing to judge');
  if (statedFailed !== null && listed > statedFailed)
    notes.push(`failed is ${statedFailed} but failures lists ${listed}; counted ${listed}`);
  let failed = statedFailed === null ? (listed > 0 ? listed : null) : Math.max(statedFailed, listed);
  let total = statedTotal ?? (statedPassed === null && failed === null ? null : (statedPassed ?? 0) + (failed ?? 0));
  if (total === 0) return new UnreadableRun('it counts no tests: no test ran, so there is nothing to judge');
  if (total === null) return { total, passed: null, failed };
  if (statedTotal === null) notes.push(`total is missing; read as ${total}, the sum of passed and failed`);
  if (failed !== null && failed > total) {
    notes.push(`failed is ${failed} but total is ${total}; total counted as ${failed}`);
    total = failed;
  }
  failed ??= statedPassed === null ? null : Math.max(total - statedPassed, 0);
  const most = total - (failed ?? 0);
  if (statedPassed !== null && statedPassed > most)
    notes.push(`passed is ${statedPassed}, failed ${failed ?? 0} and total ${total}, which is impossible; passed counted as ${most}`);
  return { total, failed, passed: failed === null ? null : Math.min(statedPassed ?? most, most) };
}

/** Tests or suites without a result. */
function erroredOf(run: JsonObject): number {
  const figures = ['errored', 'errors', 'suites_failed', 'failed_suites'].map((key) => {
    const value = own(run, key);
    const count = Array.isArray(value) ? value.length : (numberOf(value) ?? 0);
    return Number.isSafeInteger(count) && count > 0 ? count : 0;
  });
  return Math.max(...figures);
}

/** Added to the failed tests if the total leaves room for both. Else they are among them. */
function withErrored(failed: number | null, errored: number, passed: number | null, total: number | null): number | null {
  if (errored === 0) return failed;
  const both = (failed ?? 0) + errored;
  return total !== null && passed !== null && passed + both > total ? Math.max(failed ?? 0, errored) : both;
}

/** A run that did not end, or that failed without naming a failed test. */
function brokenRun(run: JsonObject, counted: RunCounts): string | null {
  const status = firstOf(run, ['status', 'state', 'result']);
  const word = typeof status === 'string' ? status.trim().toLowerCase() : '';
  const problem = own(run, 'problem');
  const why = typeof problem === 'string' && problem.trim() !== '' ? ` (${quote(problem, 160)})` : '';
  if (BROKEN.has(word)) return `status is ${quote(word)}: the run broke, so its numbers prove nothing${why}`;
  const code = numberOf(firstOf(run, ['exit_code', 'exitCode']));
  if (code === null || code === 0 || (counted.failed ?? 0) > 0) return null;
  return `exit_code is ${code} but no test failed: the run broke, so its numbers prove nothing`;
}

/** `run-L1.json` must be about L1. Other layer names may have been renamed: noted, not refused. */
function otherLayer(layer: unknown, path: string, notes: string[]): string | null {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).toLowerCase();
  if (typeof layer !== 'string' || layer.trim() === '' || !name.startsWith('run-') || !name.endsWith('.json')) return null;
  const wanted = name.slice('run-'.length, -'.json'.length);
  const found = layer.trim().toLowerCase();
  if (found === wanted) return null;
  const problem = `layer is ${quote(layer.trim())}, but the file is named for ${quote(wanted.toUpperCase())}`;
  if (LAYERS.has(found) && LAYERS.has(wanted)) return `${problem}: it is the result of another layer`;
  notes.push(problem);
  return null;
}

function rateOf(run: JsonObject, counted: RunCounts, notes: string[]): number | null | UnreadableRun {
  const stated = statedRate(own(run, 'pass_rate'), notes);
  if (stated instanceof UnreadableRun) return stated;
  const computed = counted.total === null || counted.passed === null ? null : counted.passed / counted.total;
  if (stated === null && computed === null) {
    const found = findFigures(run, /pass(?:ed|ing|es)?|fail(?:ed|ing|ures)?/i, ['pass_rate', 'passed', 'failed', 'failures', 'packages']);
    const instead = found.length === 0 ? '' : `, but ${found.join(', ')}`;
    return new UnreadableRun(`it has neither pass_rate nor passed and total${instead}; expected ${EXPECTED}`);
  }
  if (computed === null) {
    notes.push('passed and total are missing; only pass_rate shows that tests ran');
    return stated;
  }
  if (stated === null) {
    notes.push(`pass_rate is missing; computed from passed and total as ${rounded(computed)}`);
    return computed;
  }
  // Agents round. Half a percent is no contradiction, but the worse value still counts.
  if (Math.abs(stated - computed) > 0.005) notes.push(`pass_rate is ${stated} but passed/total is ${rounded(computed)}; using the worse`);
  return Math.min(stated, computed);
}

function statedRate(value: unknown, notes: string[]): number | null | UnreadableRun {
  if (value === undefined || value === null || value === '') return null;
  const percent = typeof value === 'string' && value.trim().endsWith('%') ? numberOf(value.trim().slice(0, -1).trim()) : null;
  const rate = percent === null ? numberOf(value) : percent / 100;
  if (rate === null || rate < 0 || rate > 100)
    return new UnreadableRun(`pass_rate is ${describeValue(value)}; expected a number from 0 to 1`);
  if (rate > 1 && percent !== null) return new UnreadableRun(`pass_rate is ${describeValue(value)}; expected at most 100%`);
  if (rate > 1) {
    notes.push(`pass_rate is ${rate}, above 1; read as ${rate} percent`);
    return rate / 100;
  }
  return rate;
}

const LAYERS = new WordList('l0 l1 l2 l3 l4 l5');
const BROKEN = new WordList(
  'timeout|timed_out|timed out|timedout|error|errored|crashed|crash|aborted|killed|cancelled|canceled|interrupted|incomplete|missing',
  '|',
);
const UNAVAILABLE = new WordList(
  'unavailable|n/a|na|none|null|unknown|not available|not measured|not collected|not run|no coverage|no coverage tool|missing|-|\u2014',
  '|',
);

/** Null if coverage was not measured. An impossible value is refused: without it, the pass rate alone would decide. */
function coverageOf(value: unknown, notes: string[]): number | null | UnreadableRun {
  if (value === undefined || value === null) return null;
  if (isObject(value)) {
    const inner = ['lines', 'line', 'pct', 'percent', 'percentage', 'total', 'overall', 'statements']
      .map((key) => own(value, key))
      .find((each) => each !== undefined && each !== null);
    if (inner === undefined) return new UnreadableRun('coverage is an object without lines or pct; expected a percentage or null');
    return coverageOf(inner, notes);
  }
  const text = typeof value === 'string' ? value.trim() : '';
  if (typeof value === 'string' && (text === '' || UNAVAILABLE.has((text.endsWith('.') ? text.slice(0, -1) : text).toLowerCase())))
    return null;
  const percent = numberOf(text.endsWith('%') ? text.slice(0, -1).trim() : value);
  if (percent === null || percent < 0 || percent > 100)
    return new UnreadableRun(`coverage is ${describeValue(value)}; expected a percentage from 0 to 100, or null`);
  if (percent > 0 && percent <= 1 && !text.endsWith('%'))
    notes.push(`coverage is ${percent}, read as ${percent} percent; if a fraction was meant, write ${rounded(percent * 100)}`);
  return percent;
}

/** For notes only. Rules never see rounded numbers. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** A type instead of an interface, so that it can be an Item of a list. */
type Failure = {
  readonly name: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly class: FailureClass;
  readonly message: string;
  /** At the base; `gone`: a suspected bug whose test was deleted. */
  readonly was?: string;
};

function failuresOf(value: unknown, notes: string[]): readonly Failure[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    if (typeof value !== 'number') notes.push(`failures is ${nameOf(value)}; expected a list of failed tests`);
    return [];
  }
  return value.map((entry: unknown, index) => failureOf(entry, index + 1));
}

function findingOf(failure: Failure): Finding {
  const { file, line, was } = failure;
  return makeFinding({
    // V2: it passed at the base.
    severity: was === 'passed' ? 'critical' : 'high',
    message: describeFailure(failure),
    artifact: file,
    line,
    rule: failure.class,
    dimension: was === 'new' ? NEW_TEST : null,
  });
}

/** A test that fails by its own fault is work for whoever writes tests, also where it failed at the base already. */
function knownFinding(failure: Failure): Finding {
  if (!isFaultOfTest(failure.class)) return namedFinding(failure, 'low', KNOWN_FAILURE);
  const { file, line } = failure;
  const message = describeFailure(failure);
  return makeFinding({ severity: 'medium', message, artifact: file, line, rule: failure.class, dimension: KNOWN_FAILURE });
}

function lostFinding({ name, file }: Failure): Finding {
  const message = `${name}: it ran at the base and does not run now`;
  return makeFinding({ severity: 'critical', message, artifact: file, rule: LOST_TEST });
}

/** What a layer still has, as lines of its report. */
function describeRemaining(tests: Readonly<Record<'failures' | 'lost' | 'weak' | 'suspected' | 'known' | 'dropped', readonly Failure[]>>) {
  const named = (kind: string) => (test: Failure) => ({ kind, text: `${test.name} (${placeOf(test)})` });
  return [
    ...tests.failures.map(({ name, class: failure, message }, index) => ({
      kind: `Issue ${index + 1}`,
      text: `${name} (${failure})${message === '' ? '' : `: ${message}`}`,
    })),
    ...tests.lost.map(named('Lost test')),
    ...tests.weak.map(named('Weak test')),
    ...tests.suspected.map(named('Suspected bug')),
    ...tests.known.map(named('Known failure')),
    ...tests.dropped.map(named('Dropped test')),
  ];
}

function placeOf({ file, line }: Failure): string {
  return file === null ? 'no file' : line === null ? file : `${file}:${line}`;
}

/** A16: what the list leaves out, or only names, is read from the output of the run. */
function addPrinted(listed: readonly Failure[], failed: number | null, { beside }: ReaderInput, notes: string[]): readonly Failure[] {
  const isShort = failed !== null && listed.length < failed;
  if (beside === undefined || !(isShort || listed.some(({ name, message }) => message === '' || message === name))) return listed;
  const printed = readPrintedFailures(beside() ?? '').map(printedFailure);
  const found = (failure: Failure) => printed.find(({ name }) => isSameTest(name, failure.name));
  const whole = listed.map((failure) => {
    const own = failure.message === '' || failure.message === failure.name ? found(failure) : undefined;
    return own === undefined
      ? failure
      : { ...failure, message: own.message, class: own.class, file: failure.file ?? own.file, line: failure.line ?? own.line };
  });
  if (!isShort) return whole;
  const more = printed.filter(({ name }) => !listed.some((failure) => isSameTest(name, failure.name))).slice(0, failed - listed.length);
  if (more.length > 0)
    notes.push(`failures lists ${listed.length} of ${failed} failed tests; read ${more.length} more from the output of the run`);
  return [...whole, ...more];
}

function printedFailure({ name, file, line, text }: PrintedFailure): Failure {
  const said = file === null ? parseReference(text) : { artifact: file, line: line ?? findLine(text, file) };
  return { name, file: said.artifact, line: said.line, class: classifyFailure(text), message: text };
}

/** The first line of this file that a stack names. */
function findLine(text: string, file: string): number | null {
  for (let at = text.indexOf(`${file}:`); at >= 0; at = text.indexOf(`${file}:`, at + 1)) {
    const digits = /^\d{1,7}/.exec(text.slice(at + file.length + 1))?.[0];
    if (digits !== undefined && !/[\w.-]/.test(text.charAt(at - 1))) return Number(digits);
  }
  return null;
}

/** Runners put suites before the title, agents leave them out. */
function isSameTest(one: string, other: string): boolean {
  return (
    one === other || one.endsWith(` > ${other}`) || other.endsWith(` > ${one}`) || one.endsWith(` ${other}`) || other.endsWith(` ${one}`)
  );
}

/** By its name alone: what a failing test prints may differ from run to run, and the bug is the same. */
function namedFinding({ name, file, line, was }: Failure, severity: Severity, rule: string): Finding {
  const dimension = was === 'gone' ? TEST_GONE : rule === KNOWN_FAILURE ? KNOWN_FAILURE : null;
  return makeFinding({ severity, message: name, artifact: file, line, rule, dimension });
}

const LONGEST_REASON = 500;
/** Lines of source around a failure, as Jest prints them. */
const CODE_FRAME = /^>?\s*\d*\s*\|(?:\s|$)/;

/** The name and what was expected and received, without the lines of the stack. */
function describeFailure({ name, message }: Failure): string {
  const lines = message.split('\n');
  const stack = lines.findIndex((line) => STACK.test(line));
  const reason = (stack > 0 ? lines.slice(0, stack) : lines)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !CODE_FRAME.test(line))
    .join(' ');
  const shown = reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON - 1)}\u2026` : reason;
  return shown === '' || shown === name ? name : `${name}: ${shown}`;
}

/** An entry that is not an object is still a failed test, kept by its text or number. */
function failureOf(entry: unknown, number: number): Failure {
  if (typeof entry === 'string') {
    const pointed = parseReference(entry);
    return {
      name: pointed.message || `failure ${number}`,
      file: pointed.artifact,
      line: pointed.line,
      class: classifyFailure(entry),
      message: pointed.message,
    };
  }
  const failure: JsonObject = isObject(entry) ? entry : {};
  const message = messageOf(failure);
  const name = findText(failure, ['name', 'fullName', 'test', 'test_name', 'testName', 'title', 'id']);
  const place = parseReference(findText(failure, ['file', 'test_file', 'testFile', 'path', 'filePath', 'location']));
  const line = own(failure, 'line');
  const file = place.artifact ?? (place.message === '' ? null : place.message);
  return {
    name: name || (message.split('\n')[0] ?? '').trim() || `failure ${number}`,
    file,
    line: file !== null && typeof line === 'number' && Number.isSafeInteger(line) && line >= 1 ? line : place.line,
    class: classOf(failure, message),
    message,
    ...wasOf(failure),
  };
}

function wasOf(failure: JsonObject): Pick<Failure, 'was'> {
  if (own(failure, 'gone') === true) return { was: 'gone' };
  const was = own(failure, 'was');
  return typeof was === 'string' ? { was } : {};
}

/** The class of the message. If it has none, the class given by the executor, if known. */
function classOf(failure: JsonObject, message: string): FailureClass {
  const drawn = classifyFailure(message);
  if (drawn !== 'other') return drawn;
  const given = findText(failure, ['class', 'type', 'category', 'failure_type', 'kind'])
    .toLowerCase()
    .replaceAll('_', ' ')
    .replaceAll('-', ' ');
  return FAILURE_CLASSES.find((name) => name === given || (given !== '' && name.startsWith(given))) ?? 'other';
}

function messageOf(failure: JsonObject): string {
  const said = firstOf(failure, ['message', 'error', 'reason', 'failureMessage', 'failure_message', 'failureMessages', 'details', 'stack']);
  const first: unknown = Array.isArray(said) ? said[0] : said;
  if (isObject(first)) return findText(first, ['message', 'stack', 'name']).trim();
  return typeof first === 'string' ? first.trim() : '';
}

function findText(object: JsonObject, keys: readonly string[]): string {
  for (const key of keys) {
    const value = own(object, key);
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
  }
  return '';
}

const FAILURE_CLASSES = ['assertion mismatch', 'missing import', 'null reference', 'async', 'mock', 'type error', 'other'] as const;

export type FailureClass = (typeof FAILURE_CLASSES)[number];

const OF_TEST: ReadonlySet<FailureClass> = new Set(['missing import', 'async', 'mock', 'type error']);

/** By its message alone: such a failure lies in the test, not in what it tests. */
export function isFaultOfTest(failure: FailureClass): boolean {
  return OF_TEST.has(failure);
}

interface FailurePattern {
  readonly class: FailureClass;
  /** Found anywhere in the lower-case message, separated by `|`. */
  readonly pieces: string;
  /** Found as whole words. */
  readonly words?: WordList;
  /** Found at the start of a word. */
  readonly starts?: readonly string[];
  /** A test that no list can express, on the lower-case message. */
  readonly further?: (text: string, words: readonly string[]) => boolean;
}

/** In this order: "expected mock to be called" is about a mock before it is an assertion. */
const SIGNS: readonly FailurePattern[] = [
  {
    class: 'missing import',
    pieces:
      'cannot find module|cannot find package|module not found|modulenotfounderror|importerror|failed to resolve import|cannot resolve|' +
      'unable to resolve|is not exported|does not provide an export|no module named|unresolved import',
  },
  {
    class: 'type error',
    pieces: "is not assignable|does not exist on type|has no exported member|implicitly has a 'any'|implicitly has an 'any'|type mismatch",
    further: (text, words) =>
      words.some((word) => word.startsWith('ts') && /^ts\d{4,5}$/.test(word)) ||
      (text.includes('incompatible') && /incompatible types?\b/.test(text)),
  },
  {
    class: 'null reference',
    pieces:
      'cannot read propert|cannot set propert|nonetype|nullpointer|null pointer|nullreference|nil pointer|undefined is not an object|null is not an object',
    further: isNullError,
  },
  {
    class: 'mock',
    pieces: 'tohavebeencalled|not called|been called|called with|number of calls',
    words: new WordList('spy spies'),
    starts: ['mock', 'stub'],
    further: (text) => text.includes('.fn') && /\b(?:jest|vi)\.fn/.test(text),
  },
  { class: 'assertion mismatch', pieces: '', further: isAssertion },
  {
    class: 'async',
    pieces:
      'timeout|time out|time-out|timedout|timed out|timed-out|not resolved|unresolved promise|unhandled rejection|unhandled promise rejection|' +
      'done()|deadlock|never settled',
    words: new WordList('promise async await'),
  },
  {
    class: 'assertion mismatch',
    pieces: 'not equal|!=|mismatch',
    words: new WordList('expected received'),
    starts: ['assert'],
    further: (_, words) => words.some((word) => ['tobe', 'toequal', 'tomatch', 'tocontain'].some((matcher) => word.endsWith(matcher))),
  },
  { class: 'type error', pieces: 'is not a function|is not iterable|is not a constructor', words: new WordList('typeerror') },
];

/** A line of a stack. Its words, such as "async Promise.all", say nothing of the failure. */
const STACK = /^\s*(?:at|\u276f) /;

export function classifyFailure(message: string): FailureClass {
  const lines = message.slice(0, 4000).toLowerCase().split('\n');
  const text = lines.filter((line) => !STACK.test(line)).join('\n');
  const words = wordsOf(text);
  return SIGNS.find((signs) => matchesPattern(signs, text, words))?.class ?? 'other';
}

function matchesPattern(signs: FailurePattern, text: string, words: readonly string[]): boolean {
  if (signs.pieces !== '' && signs.pieces.split('|').some((piece) => text.includes(piece))) return true;
  if (signs.words?.hasAny(words)) return true;
  if (signs.starts?.some((start) => words.some((word) => word.startsWith(start)))) return true;
  return signs.further?.(text, words) ?? false;
}

/** "properties of null", "x is not defined", but not "expected what is undefined to be 1". */
function isNullError(text: string): boolean {
  if (!text.includes('null') && !text.includes('defined')) return false;
  return /of (?:null|undefined)\b|is (?:null|undefined|not defined)\b(?! to )/.test(text);
}

function isAssertion(text: string): boolean {
  if (text.includes('assertionerror') && /^\s{0,5}(?:\w{1,40}\.)?assertionerror/.test(text)) return true;
  if (text.includes('expect(') && /expect\(.{0,200}\)\./.test(text)) return true;
  return (
    text.includes('expected ') &&
    /expected .{0,400}\b(?:received|but got|to (?:be|equal|have|match|contain|include|deep|strictly))\b/.test(text)
  );
}
