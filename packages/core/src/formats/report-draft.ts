// Collects the contents of a report: findings, scores, stated counts. If the report contradicts itself, the worse value counts and a
// note says so.

import { SEVERITIES } from '../model/vocabulary.js';
import type { Counts, Finding, Severity } from '../model/vocabulary.js';
import { makeFinding, parseReference } from './finding.js';
import { dedupe, reconcile } from './findings-json.js';
import { hasDigit, hasLetter } from './characters.js';
import { isNoFinding } from './no-finding.js';
import { quote } from './reader.js';
import { plainText, unreadNote } from './report-lines.js';
import { parseThreshold, toTen, type Score } from './score-text.js';
import { countFindings } from './severity.js';
import { carriedSeverity, stripOrnament } from './severity-tag.js';
import { WordList } from './word-lists.js';

export interface DraftOptions {
  /** Classifies a finding without a severity by its kind. */
  readonly classify: ((text: string, dimension: string, category: string) => Severity | null) | null;
  /** The severity of unclassified findings. Null: they do not count. */
  readonly fallback: 'high' | null;
}

export interface Claim {
  readonly text: string;
  readonly severity: Severity | null;
  /** The place of the finding: a file, `file:line`, a component. */
  readonly place?: string;
  readonly line?: number | null;
  readonly dimension?: string;
  readonly rule?: string;
  /** The declared topic of the finding. */
  readonly category?: string;
  /** From a summary or a recommendation. Counts only if no other finding of its severity is listed. */
  readonly aside?: boolean;
}

/** On a scale of 0 to 10. A type instead of an interface, so that it can be an Item of a list. */
export type Dimension = { readonly name: string; readonly score: number; readonly threshold: number | null };

export interface DraftResult {
  readonly findings: readonly Finding[];
  readonly counts: Counts;
  /** The report has a count: a finding, a total, or a statement that there are none. */
  readonly counted: boolean;
  readonly dimensions: readonly Dimension[];
  readonly score: number | null;
  readonly signal: string | null;
  /** A7: lines that carry a severity and were not read. */
  readonly unread: readonly string[];
  readonly notes: readonly string[];
}

/** More lines add nothing. */
const MOST_LEFT = 100;
const SIGNALS = new WordList('audit_passed audit_result fix_required');
/** In a label such as `Finding #12:`, the number starts before this offset. */
const MAX_LABEL = 14;
const NUMBERED_THINGS = new WordList('finding issue problem challenge critique violation');

interface LeftLine {
  readonly severity: Severity;
  readonly text: string;
}

export class ReportDraft {
  private readonly listed: Finding[] = [];
  private readonly repeats: Finding[] = [];
  private readonly dimensions = new Map<string, Dimension>();
  private readonly scores: number[] = [];
  private readonly signals = new Set<string>();
  private readonly stated = new Map<Severity, number>();
  private readonly notes: string[] = [];
  private resolved = 0;
  private statesNone = false;
  private readonly denied = new Set<Severity>();
  private readonly left: LeftLine[] = [];
  private readonly unclear: LeftLine[] = [];

  constructor(private readonly options: DraftOptions) {}

  addFinding(claim: Claim): void {
    const headline = stripNumber(stripOrnament(plainText(claim.text)));
    if (isNoFinding(headline)) return this.stateNone(claim.severity);
    const severity = claim.severity ?? this.classify(headline, claim);
    if (severity === null) return;
    const said = parseReference(headline);
    const place = parsePlace(claim.place ?? '');
    const pointed = place.artifact === null || place.artifact === said.artifact ? said : { ...place, message: headline };
    const line = claim.line ?? place.line ?? pointed.line;
    const finding = makeFinding({ severity, ...pointed, line, rule: claim.rule ?? null, dimension: claim.dimension ?? null });
    (claim.aside === true ? this.repeats : this.listed).push(finding);
  }

  /** The report states that there are no findings, of this severity or at all. */
  stateNone(severity: Severity | null): void {
    this.statesNone = true;
    if (severity !== null) this.denied.add(severity);
  }

  /** A7: a line that nothing took. If it carries a severity as a tag, the report is unclear; a Critical one is a finding. */
  leave(line: string): void {
    const severity = carriedSeverity(line);
    if (severity !== null) this.left.push({ severity, text: line.trim() });
  }

  /** A line that denies the severity of its heading and says more. */
  leaveUnclear(severity: Severity, line: string): void {
    this.unclear.push({ severity, text: line.trim() });
  }

  /** The severity of the finding by its kind. */
  severityByKind(text: string, dimension: string): Severity | null {
    return this.options.classify?.(text, dimension, '') ?? null;
  }

  /** The report calls the finding resolved. */
  skipResolved(): void {
    this.resolved += 1;
  }

  stateCount(severity: Severity, count: number): void {
    this.stated.set(severity, Math.max(this.stated.get(severity) ?? 0, count));
  }

  addNote(text: string): void {
    this.notes.push(text);
  }

  addScore(score: Score): void {
    const ten = toTen(score);
    if (ten === null) this.notes.push(`the score ${score.value} is not between 0 and ${score.outOf ?? 10}; ignored`);
    else this.scores.push(ten);
  }

  addDimension(name: string, score: Score, threshold: Score | null = null): void {
    const plain = name.trim();
    const ten = toTen(score);
    if (ten === null) {
      this.notes.push(`the score ${score.value} of ${quote(plain)} is not between 0 and ${score.outOf ?? 10}; ignored`);
      return;
    }
    const key = plain.toLowerCase();
    const before = this.dimensions.get(key);
    if (before !== undefined && before.score !== ten) {
      this.notes.push(`${quote(plain)} is scored twice, ${before.score} and ${ten}; using the lower`);
    }
    const least = Math.min(before?.score ?? ten, ten);
    this.dimensions.set(key, {
      name: before?.name ?? plain,
      score: least,
      threshold: (threshold === null ? null : toTen(threshold)) ?? before?.threshold ?? null,
    });
  }

  /** The threshold of a dimension, given after its score. */
  setThreshold(name: string, text: string): void {
    const dimension = this.dimensions.get(name.toLowerCase());
    const score = parseThreshold(text, null);
    if (dimension !== undefined && score !== null) this.dimensions.set(name.toLowerCase(), { ...dimension, threshold: toTen(score) });
  }

  addSignal(text: string): void {
    const lower = text.toLowerCase();
    const words = SIGNALS.has(underscored(lower)) ? [lower] : lower.match(/\b(?:audit[_ -]passed|audit[_ -]result|fix[_ -]required)\b/g);
    const known = new Set(words?.map(underscored));
    if (known.size === 1) for (const word of known) this.signals.add(word);
    else if (known.size === 0 && /^[\w -]{1,40}$/.test(text)) this.signals.add(underscored(lower));
  }

  finish(): DraftResult {
    const { findings, unread } = this.withLeftLines(this.allFindings());
    const { counts, notes } = reconcile(findings, Object.fromEntries(this.stated));
    return {
      findings,
      counts,
      counted: findings.length > 0 || this.stated.size > 0 || this.statesNone,
      dimensions: [...this.dimensions.values()],
      score: this.lowestScore(),
      signal: this.singleSignal(),
      unread,
      notes: [...this.notes, ...notes, ...this.resolvedNote(), ...unreadNote(unread)],
    };
  }

  /** Lines repeat what is listed, unless they carry a worse severity than every finding. */
  private withLeftLines(listed: readonly Finding[]): { readonly findings: readonly Finding[]; readonly unread: readonly string[] } {
    const worst = Math.min(...listed.map(({ severity }) => SEVERITIES.indexOf(severity)), SEVERITIES.length);
    const isNew = ({ severity }: LeftLine): boolean => SEVERITIES.indexOf(severity) < worst && (this.stated.get(severity) ?? 0) === 0;
    const left = this.left.filter(isNew).slice(0, MOST_LEFT);
    const critical = left.filter(({ severity }) => severity === 'critical');
    const unread = [...left.filter(({ severity }) => severity !== 'critical'), ...this.unclear.filter(isNew)];
    return {
      findings: dedupe([...listed, ...critical.map(({ severity, text }) => makeFinding({ severity, ...parseReference(plainText(text)) }))]),
      unread: unread.map(({ text }) => text),
    };
  }

  private classify(headline: string, claim: Claim): Severity | null {
    const kind = this.options.classify?.(`${headline} ${claim.rule ?? ''}`, claim.dimension ?? '', claim.category ?? '') ?? null;
    if (kind === null && this.options.fallback !== null && claim.aside !== true)
      this.notes.push(`a finding has no severity; counted as High: ${quote(headline)}`);
    return kind ?? this.options.fallback;
  }

  /** Findings from summaries count only for severities that are listed nowhere else. */
  private allFindings(): readonly Finding[] {
    const listed = countFindings(this.listed);
    const asides = this.repeats.filter(({ severity }) => listed[severity] === 0 && !this.isDenied(severity));
    return [...this.listed, ...asides];
  }

  private isDenied(severity: Severity): boolean {
    return this.denied.has(severity) || this.stated.get(severity) === 0;
  }

  private lowestScore(): number | null {
    if (this.scores.length === 0) return null;
    const least = this.scores.reduce((a, b) => Math.min(a, b));
    const others = [...new Set(this.scores)].filter((score) => score !== least);
    if (others.length > 0) this.notes.push(`the report gives several scores, ${[least, ...others].join(', ')}; using the lowest`);
    return least;
  }

  private singleSignal(): string | null {
    const [first, ...others] = [...this.signals];
    if (others.length > 0) this.notes.push(`the report gives several signals: ${[...this.signals].join(', ')}; ignored`);
    return first === undefined || others.length > 0 ? null : first;
  }

  private resolvedNote(): readonly string[] {
    if (this.resolved === 0) return [];
    return [
      `${this.resolved === 1 ? 'one finding that the report calls resolved was' : `${this.resolved} findings that the report calls resolved were`} not counted`,
    ];
  }
}

function parsePlace(text: string): { readonly artifact: string | null; readonly line: number | null } {
  const plain = plainText(text).replaceAll('`', '');
  if (plain === '' || plain.length > 200 || isNoFinding(plain)) return { artifact: null, line: null };
  const pointed = parseReference(plain);
  return { artifact: pointed.artifact ?? plain, line: pointed.line };
}

function underscored(text: string): string {
  return text.replaceAll(' ', '_').replaceAll('-', '_');
}

/** `1.`, `C1:`, `F-001:`, `Finding 2 —` before the finding itself. */
export function stripNumber(text: string): string {
  const stripped = text.slice(numberLength(text));
  return hasLetter(stripped) ? stripped : text;
}

export function isNumbered(text: string): boolean {
  return numberLength(text) > 0;
}

function numberLength(text: string): number {
  if (!hasDigit(text.slice(0, MAX_LABEL))) return 0;
  const thing = /^[A-Za-z]+/.exec(text)?.[0] ?? '';
  const label = NUMBERED_THINGS.has(thing.toLowerCase())
    ? /^[A-Za-z]+\s*#?\d{1,3}/.exec(text)
    : /^(?:[A-Z]{1,6}-?\d{1,4}|#?\d{1,3})/.exec(text);
  if (label === null) return 0;
  const after = /^\s*[.):\u2014\u2013-]{1,2}\s+(?=\S)/.exec(text.slice(label[0].length));
  return after === null ? 0 : label[0].length + after[0].length;
}
