// `umpire guard` for a terminal: each finding with its reason, an honest alternative and both versions, side by side if the
// terminal is wide enough. Also as JSON.

import type { RetrialRecord, RetrialRun } from '@umpire/core/decider/events.js';
import type { GuardAllowance } from '@umpire/guard/findings/allowances.js';
import type { GuardFinding } from '@umpire/guard/findings/finding.js';
import type { Correction } from '@umpire/guard/revert/revert-breaches.js';
import { paint } from './colors.js';
import type { Color } from './colors.js';
import { clip, columnsOf, lineOf, showHidden, wrap } from './safe-text.js';
import { count } from './words.js';
import { RULE_GROUPS } from '@umpire/guard/findings/rule-names.js';
import { RULE_WORDS } from '@umpire/guard/rules/all.js';
import type { Severity } from '@umpire/core/model/vocabulary.js';

export interface GuardPage {
  readonly findings: readonly GuardFinding[];
  readonly notes: readonly GuardFinding[];
  readonly allowed: readonly { readonly finding: GuardFinding; readonly allowance: GuardAllowance }[];
  readonly expired: readonly GuardAllowance[];
  readonly cleared?: readonly GuardFinding[];
  readonly newAllowances: readonly GuardAllowance[];
  readonly problems: readonly { readonly file: string; readonly message: string }[];
  /** Files in languages that the guard does not read. */
  readonly unread: readonly string[];
  readonly isBlind: boolean;
  /** Rewritten test files, with their numbers of exact checks before and after. */
  readonly against: string;
  readonly scope: string;
  readonly files: number;
  /** Only where it was asked for. */
  readonly retrial?: RetrialRecord;
  readonly reverted?: { readonly corrections: readonly Correction[]; readonly left: readonly GuardFinding[]; readonly kept: string };
}

export interface Terminal {
  readonly columns: number;
  readonly color: boolean;
}

/** From this width on, both versions are shown side by side. */
const SIDE_BY_SIDE_COLUMNS = 100;
const MAX_LINES = 12;

export function guardPage(page: GuardPage, terminal: Terminal): string {
  const { findings, notes, allowed, expired, newAllowances, problems, retrial, reverted } = page;
  const parts = [
    ...findings.map((finding) => {
      const { rule, severity, file, line, test, message, honest } = finding;
      const tone = severity === 'critical' || severity === 'high' ? 'red' : 'yellow';
      // Side by side only if every line fits: a wide terminal shows no less than a narrow one.
      const { before, after } = finding;
      const [left, right] = [versionLines(before), versionLines(after)];
      const width = Math.floor((terminal.columns - 5) / 2);
      const fits = terminal.columns >= SIDE_BY_SIDE_COLUMNS && [...left, ...right].every((line) => columnsOf(line) <= width);
      const room = Math.max(80, terminal.columns);
      const drawSide = (sign: string, tone: Color, lines: readonly string[], others: readonly string[]): readonly string[] =>
        lines.map((line, at) => paint(tone, clip(`  ${sign} ${fromDifference(line, others[at] ?? '', room - 4)}`, room), terminal.color));
      return [
        `${paint('bold', rule, terminal.color)}  ${paint(tone, severity, terminal.color)}  ${lineOf(file)}:${line}`,
        ...(test === undefined ? [] : [clip(`  in ${lineOf(test)}`, Math.max(80, terminal.columns))]),
        ...wrap(lineOf(message, 400), '  '),
        ...wrap(`Instead: ${honest}`, '  '),
        ...(fits
          ? beside(before === null ? ['(none)'] : left, after === null ? ['(gone)'] : right, width, terminal)
          : [...drawSide('-', 'red', left, right), ...drawSide('+', 'green', right, left)]),
      ];
    }),
    drawList(
      'Notes: for a person to look at',
      notes.flatMap((finding) => noteLines(finding)),
    ),
    drawList(
      'Allowed',
      [...new Set(allowed.map(({ allowance }) => allowance))].flatMap((one) => allowedLines(one, page)),
    ),
    drawList(
      'Expired allowances',
      expired.flatMap((one) => wrap(`${allowanceWords(one)} ended on ${one.until}: ${lineOf(one.reason)}`, '    ', '  ')),
    ),
    drawList(
      'Not read',
      problems.flatMap(({ file, message }) => wrap(`${lineOf(file)}: ${lineOf(message, 300)}`, '    ', '  ')),
    ),
    retrial === undefined ? [] : drawList('Retrial', retrialPart(retrial)),
    reverted === undefined ? [] : revertedLines(reverted),
    sumLines(page, newAllowances.length, terminal),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function noteLines({ rule, file, line, test, message }: GuardFinding): readonly string[] {
  return wrap(`${rule}  ${lineOf(file)}:${line}${test === undefined ? '' : ` in ${lineOf(test)}`}: ${lineOf(message, 400)}`, '    ', '  ');
}

/** The lines of a version without their common indent. */
function versionLines(version: GuardFinding['before']): readonly string[] {
  if (version === null) return [];
  const all = showHidden(version.text).replaceAll('\t', '  ').split('\n');
  const indents = all.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const common = indents.length === 0 ? 0 : Math.min(...indents);
  const lines = all.map((line) => line.slice(common).trimEnd());
  while (lines.length > 1 && lines.at(-1) === '') lines.pop();
  const more = lines.length - MAX_LINES;
  return more > 1 ? [...lines.slice(0, MAX_LINES), `... and ${more} more lines`] : lines;
}

const CONTEXT_CHARACTERS = 20;

/** If a line would be cut before its difference, it starts shortly before that. */
function fromDifference(line: string, other: string, room: number): string {
  if (line === other || columnsOf(line) <= room || clip(line, room) !== clip(other, room)) return line;
  let at = 0;
  while (at < line.length && line[at] === other[at]) at += 1;
  // Drops half a surrogate pair.
  return `...${line.slice(Math.max(0, at - CONTEXT_CHARACTERS)).replace(/^[\uDC00-\uDFFF]/, '')}`;
}

function beside(left: readonly string[], right: readonly string[], width: number, terminal: Terminal): readonly string[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at) => {
    const one = clip(left[at] ?? '', width);
    const two = clip(right[at] ?? '', width);
    const gap = ' '.repeat(width - columnsOf(one));
    return `  ${paint('red', one, terminal.color)}${gap} | ${paint('green', two, terminal.color)}`.trimEnd();
  });
}

function drawList(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines];
}

function allowanceWords({ rule, path, test }: GuardAllowance): string {
  return `${rule} in ${lineOf(path)}${test === null ? '' : ` (${lineOf(test)})`}`;
}

function allowedLines(allowance: GuardAllowance, { allowed, newAllowances }: GuardPage): readonly string[] {
  const places = allowed.filter((one) => one.allowance === allowance).map(({ finding }) => `${finding.file}:${finding.line}`);
  const isNew = newAllowances.includes(allowance) ? ', added by this change' : '';
  return wrap(
    `${allowanceWords(allowance)} until ${allowance.until}${isNew}: ${lineOf(allowance.reason)}. Used at ${lineOf(places.join(', '), 300)}`,
    '    ',
    '  ',
  );
}

function retrialPart(record: RetrialRecord): readonly string[] {
  return record.runs.length === 0 && record.problem === null
    ? ['  The change touches no tests, fixtures or runner settings, so nothing ran.']
    : retrialLines(record).flatMap((line) => wrap(line, '    ', '  '));
}

function revertedLines({ corrections, kept }: NonNullable<GuardPage['reverted']>): readonly string[] {
  return drawList('Reverted', [
    ...corrections.map((one) => `  ${lineOf(one.path)}: ${describeCorrection(one)}`),
    ...(kept === ''
      ? []
      : wrap(`Your versions are kept in ${lineOf(kept)}. If you staged them, stage the reverted files again with git add.`, '  ', '  ')),
  ]);
}

function describeCorrection({ how, text, renamedFrom }: Correction): string {
  if (how === 'hunk') return 'some hunks';
  if (text === null) return 'removed (it was new)';
  return renamedFrom === undefined ? 'the whole file' : `the whole file, renamed back to ${lineOf(renamedFrom)}`;
}

export function countBreaches(number: number): string {
  return number === 1 ? '1 breach' : `${number} breaches`;
}

function sumLines(page: GuardPage, fresh: number, terminal: Terminal): readonly string[] {
  const { findings, notes, against, scope, files, allowed, isBlind, unread, cleared = [], reverted } = page;
  const read = files - unread.length;
  const changed = count(files, 'changed file');
  const where = `against ${lineOf(against)} (scope ${scope})`;
  const spared = allowed.length === 0 ? '' : ` ${allowed.length} allowed${fresh === 0 ? '' : `, by ${count(fresh, 'new allowance')}`}.`;
  const proven = cleared.length === 0 ? '' : ` ${count(cleared.length, 'suspicion')} cleared by running the tests.`;
  const blind = isBlind ? ' Unreadable tests were not checked.' : '';
  const breaches = findings.length === 0 ? 'No breach' : countBreaches(findings.length);
  const word = notes.length === 0 ? breaches : `${breaches} and ${count(notes.length, 'note')}`;
  const left = reverted === undefined ? '' : reverted.left.length === 0 ? ' All reverted.' : ` ${reverted.left.length} left.`;
  const tone = findings.length > 0 || isBlind ? 'red' : unread.length > 0 ? 'yellow' : 'green';
  const isNothingRead = unread.length > 0 && read === 0 && findings.length + notes.length === 0;
  const result = isNothingRead
    ? `Checked none of ${changed}, ${where}.`
    : `${word} in ${unread.length === 0 ? '' : `${read} of `}${changed}, ${where}.`;
  return wrap(`${result}${spared}${proven}${blind}${unreadWords(unread)}${left}`, '').map((line) => paint(tone, line, terminal.color));
}

const MOST_UNREAD_NAMED = 5;

/** ` Not read: 3 files (.ex, .kt): lib/a.ex, lib/b.ex, c.kt.` */
function unreadWords(unread: readonly string[]): string {
  if (unread.length === 0) return '';
  const endings = [...new Set(unread.map((path) => path.slice(path.lastIndexOf('.'))))].toSorted();
  const more = unread.length > MOST_UNREAD_NAMED ? ` and ${unread.length - MOST_UNREAD_NAMED} more` : '';
  const names = unread.slice(0, MOST_UNREAD_NAMED).map((path) => lineOf(path));
  return ` Not read: ${count(unread.length, 'file')} (${endings.join(', ')}): ${names.join(', ')}${more}.`;
}

interface GuardObject extends GuardPage {
  readonly base: string;
}

export function guardJson(run: GuardObject): Readonly<Record<string, unknown>> {
  const { findings, notes, allowed, expired, problems, unread, base, scope, newAllowances, cleared = [], retrial, reverted } = run;
  return {
    findings: [...findings, ...notes],
    allowed: allowed.map(({ finding, allowance }) => ({ ...finding, allowance: { ...allowance, new: newAllowances.includes(allowance) } })),
    expired,
    problems,
    unread,
    base,
    scope,
    ...(retrial === undefined ? {} : { cleared, retrial }),
    ...(reverted === undefined
      ? {}
      : { reverted: reverted.corrections.map(({ path, how }) => ({ file: path, how })), left: reverted.left, kept: reverted.kept }),
  };
}

const SECOND_MS = 1000;

/** `failed, 1 test passed, 1 failed, 0 skipped, 0.9 s, vitest` */
function retrialRunWords({ passed, tests, exit_status: status, command, duration_ms: ms, problem }: RetrialRun): string {
  const how = passed === null ? `no result (${lineOf(problem ?? 'it broke off', 200)})` : passed ? 'passed' : 'failed';
  const counts = tests === null ? '' : `, ${count(tests.passed, 'test')} passed, ${tests.failed} failed, ${tests.skipped} skipped`;
  const exit = tests !== null || status === null ? '' : ` (exit status ${status})`;
  return `${how}${exit}${counts}, ${(ms / SECOND_MS).toFixed(1)} s, ${lineOf(command, 100)}`;
}

export function retrialLines({ runs, problem, mutants }: RetrialRecord): readonly string[] {
  const ms = runs.reduce((sum, run) => sum + run.duration_ms, 0) + (mutants?.duration_ms ?? 0);
  const tried = mutants === undefined ? '' : `, ${count(mutants.tried, 'small defect')}`;
  return [
    ...(runs.length === 0
      ? []
      : [`in all: the tests ran ${runs.length === 1 ? 'once' : `${runs.length} times`}${tried}, ${(ms / SECOND_MS).toFixed(1)} s`]),
    ...runs.map((run) => `${run.tree}: ${retrialRunWords(run)}`),
    // `defects: 12 of 40 tried, both versions notice 10, only the old one 1, 8.1 s`
    ...(mutants === undefined
      ? []
      : [
          `defects: ${mutants.tried} of ${mutants.found} tried, both versions notice ${mutants.kept}, only the old one ${mutants.lost}, ${(mutants.duration_ms / SECOND_MS).toFixed(1)} s`,
        ]),
    ...(problem === null ? [] : [`incomplete: ${lineOf(problem, 300)}`]),
  ];
}

// The guard's findings as SARIF 2.1.0, for code hosts and editors. Allowed findings are marked as suppressed.

export type GuardLog = Pick<GuardPage, 'findings' | 'notes' | 'allowed' | 'problems' | 'unread' | 'isBlind' | 'retrial'>;

export const SARIF_LEVELS: Readonly<Record<Severity, string>> = { critical: 'error', high: 'error', medium: 'warning', low: 'note' };
const RULES = [...RULE_WORDS.values()];
const ORDER: ReadonlyMap<string, number> = new Map(RULES.map(({ name }, index) => [name, index]));

export function guardSarif({ findings, notes, allowed, problems, unread, isBlind, retrial }: GuardLog, version: string): string {
  return sarifLog([
    {
      tool: {
        driver: {
          name: 'umpire guard',
          version,
          rules: RULES.map(({ name, severity, message, honest }) => ({
            id: name,
            shortDescription: { text: message },
            help: { text: honest },
            defaultConfiguration: { level: SARIF_LEVELS[severity] },
            properties: { tags: [RULE_GROUPS[name]] },
          })),
        },
      },
      columnKind: 'utf16CodeUnits',
      ...(retrial === undefined ? {} : { properties: { retrial } }),
      invocations: [
        {
          executionSuccessful: !isBlind,
          toolExecutionNotifications: [
            ...problems.map(({ file, message }) => ({ level: 'warning', message: { text: `${lineOf(file)}: ${lineOf(message, 300)}` } })),
            ...unread.map((file) => ({
              level: 'note',
              message: { text: `${lineOf(file)}: not read, because the guard has no reader for it` },
            })),
          ],
        },
      ],
      results: [
        ...[...findings, ...notes].map(toSarifResult),
        ...allowed.map(({ finding, allowance }) => ({
          ...toSarifResult(finding),
          suppressions: [{ kind: 'external', status: 'accepted', justification: `${allowance.reason} (until ${allowance.until})` }],
        })),
      ],
    },
  ]);
}

export function sarifLog(runs: readonly object[]): string {
  return `${JSON.stringify({ $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs })}\n`;
}

export function sarifPlace(file: string, line: number | null): object {
  return { physicalLocation: { artifactLocation: { uri: encodeURI(file) }, ...(line === null ? {} : { region: { startLine: line } }) } };
}

/** SARIF levels have no `critical`. */
export function sarifSeverity(severity: Severity): object {
  return severity === 'critical' ? { 'security-severity': '9.5' } : {};
}

function toSarifResult(finding: GuardFinding) {
  const { rule, level, severity, file, line, message, honest, before, after, test, fingerprint } = finding;
  return {
    ruleId: rule,
    ruleIndex: ORDER.get(rule) ?? -1,
    level: level === 'note' ? 'note' : SARIF_LEVELS[severity],
    message: { text: `${message} ${honest}` },
    locations: [sarifPlace(file, line)],
    partialFingerprints: { 'umpireGuard/v1': fingerprint },
    properties: {
      ...sarifSeverity(severity),
      ...(test === undefined ? {} : { test }),
      before: before?.text ?? null,
      after: after?.text ?? null,
    },
  };
}
