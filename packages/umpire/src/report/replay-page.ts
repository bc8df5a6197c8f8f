// A replay for people: what was judged again, what came of it, and whether the history is whole. Markdown.

import type { Outcome } from '@umpire/core/model.js';
import { plain } from './words.js';

export type ChainCheck =
  /** `torn`: a last line that a crash cut off, by number; it is left out. */
  | { readonly unbroken: true; readonly lines: number; readonly torn: number | null }
  /** The first line that does not hold, and why. */
  | { readonly unbroken: false; readonly line: number; readonly detail: string };

interface FieldChange {
  readonly field: string;
  readonly was: unknown;
  readonly is: unknown;
}

/** What other rules make of the recorded evidence. */
export interface OtherVerdict {
  /** `refused`: they give no verdict on it. */
  readonly status: 'same' | 'differs' | 'refused';
  readonly decision: string | null;
  readonly outcome: Outcome | null;
  readonly rule: string;
  readonly unverified: boolean;
  readonly reason: string;
  /** The rules under which something odd was noted. */
  readonly anomalies: readonly string[];
  readonly differences: readonly FieldChange[];
  /** Evidence that they ask for and the session did not keep. */
  readonly notKept: readonly string[];
}

export interface ReplayedVerdict {
  /** Its line in the journal. */
  readonly seq: number;
  readonly ts: string;
  readonly loop: string;
  readonly chain: string;
  readonly round: number;
  readonly maxRounds: number;
  readonly decision: string;
  readonly outcome: Outcome;
  readonly rule: string;
  readonly unverified: boolean;
  readonly partial: boolean;
  /** `lost`: it cannot be judged again; the note says why. */
  readonly status: 'same' | 'differs' | 'lost';
  readonly differences: readonly FieldChange[];
  /** `endedAt`: the line after which the other rules would have stopped, so that this round would not have happened. */
  readonly other?: OtherVerdict & { readonly endedAt: number | null };
  readonly note?: string;
}

/** What weighs most: a history that does not hold, then a difference, then what cannot be judged again. */
export type ReplayResult = 'same' | 'differs' | 'lost' | 'broken';

export interface ReplayCounts {
  readonly verdicts: number;
  readonly same: number;
  readonly differs: number;
  readonly lost: number;
  /** Those that the other rules were asked about, and those on which they say something else. */
  readonly asked: number;
  readonly other: number;
}

export interface Replay {
  readonly session: string;
  readonly state: 'replayed';
  readonly result: ReplayResult;
  readonly counts: ReplayCounts;
  readonly chain: ChainCheck;
  /** Pages in verdicts/ whose verdict the journal does not hold. Not asked where the chain is broken. */
  readonly unknownPages: readonly string[];
  readonly verdicts: readonly ReplayedVerdict[];
  /** The other rules that were asked. */
  readonly by: string | null;
}

export type SessionReplay =
  | Replay
  | { readonly session: string; readonly state: 'never judged'; readonly unknownPages: readonly string[] }
  | { readonly session: string; readonly state: 'unreadable'; readonly error: { code: string; message: string; hint: string } };

export interface ProjectCounts extends ReplayCounts {
  readonly sessions: number;
  readonly neverJudged: number;
  /** Sessions whose journal cannot be read. */
  readonly unreadable: number;
  /** Sessions whose chain is broken. */
  readonly broken: number;
  /** Sessions whose journal knows fewer verdicts than the folder. */
  readonly cutBack: number;
}

export interface ProjectReplay {
  readonly project: string;
  readonly result: ReplayResult;
  readonly counts: ProjectCounts;
  readonly by: string | null;
  readonly sessions: readonly SessionReplay[];
}

export function replayPage(replay: Replay): string {
  return `# Replay of ${plain(replay.session)}\n\n${bodyOf(replay, unaskedLine([replay], replay.by))}`;
}

function bodyOf(replay: Replay, unasked = ''): string {
  const parts = [tableOf(replay), bulletsOf(replay), unasked, chainLine(replay.chain), pagesLine(replay)];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** A line for each session, then the details of those that have something to tell. */
export function projectPage({ sessions, by }: ProjectReplay): string {
  if (sessions.length === 0) return '# Replay\n\nThere is no session here.\n';
  const head = ['| session | verdicts | replayed | chain |', '|---|---|---|---|'];
  const unasked = unaskedLine(sessions, by);
  const told = sessions.flatMap((one) => {
    const body = detailsOf(one);
    return body === '' ? [] : [`## ${plain(one.session)}\n\n${body}`];
  });
  return ['# Replay\n', ...head, ...sessions.map(sessionRow), '', ...(unasked === '' ? [] : [`${unasked}\n`]), ...told].join('\n');
}

function sessionRow(one: SessionReplay): string {
  if (one.state === 'unreadable') return row([one.session, '', `**unreadable**: ${one.error.message}`, 'unknown']);
  const fewer = one.unknownPages.length === 0 ? '' : '**fewer verdicts than pages**';
  if (one.state === 'never judged') return row([one.session, '0', 'never judged', fewer === '' ? 'none' : fewer]);
  const chain = one.chain.unbroken ? `unbroken${fewer === '' ? '' : `, ${fewer}`}` : `**broken at line ${one.chain.line}**`;
  return row([one.session, String(one.counts.verdicts), tallyOf(one), chain]);
}

function detailsOf(one: SessionReplay): string {
  if (one.state === 'unreadable') return '';
  if (one.state === 'replayed') return isPlain(one) ? '' : bodyOf(one);
  return one.unknownPages.length === 0 ? '' : `${pagesLine(one)}\n`;
}

function isPlain(replay: Replay): boolean {
  const torn = replay.chain.unbroken && replay.chain.torn !== null;
  return replay.result === 'same' && !torn;
}

/** `3 same, 1 differs`. */
function tallyOf({ counts, by }: Replay): string {
  const parts = [
    [counts.same, 'same'],
    [counts.differs, '**differs**'],
    [counts.lost, '**lost**'],
  ] as const;
  const own = parts.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`);
  const tally = own.length === 0 ? 'no verdict' : own.join(', ');
  return counts.other === 0 ? tally : `${tally}; ${counts.other} other by ${plain(by ?? '')}`;
}

function tableOf({ verdicts, by, chain }: Replay): string {
  if (verdicts.length === 0)
    return chain.unbroken ? 'No verdict is recorded.' : 'No verdict stands before the line at which the history breaks.';
  const names = ['#', 'loop', 'chain', 'round', 'verdict', 'rule', 'replayed', ...(by === null ? [] : [`by ${by}`])];
  const rows = verdicts.map((one) => {
    const verdict = `${one.decision}${one.partial ? ' (partial)' : ''}${one.unverified ? ' (unverified)' : ''}`;
    const replayed = one.status === 'same' ? 'same' : `**${one.status}**`;
    const round = `${one.round} of ${one.maxRounds}`;
    return row([String(one.seq), one.loop, one.chain, round, verdict, one.rule, replayed, ...(by === null ? [] : [otherCell(one)])]);
  });
  return [row(names), `|${'---|'.repeat(names.length)}`, ...rows].join('\n');
}

function otherCell({ other }: ReplayedVerdict): string {
  if (other === undefined) return 'not asked';
  const verdict =
    other.status === 'same'
      ? 'same'
      : other.status === 'refused'
        ? `**no verdict**, ${other.rule}`
        : `**${other.decision ?? ''}**${other.unverified ? ' (unverified)' : ''}, ${other.rule}`;
  return other.endedAt === null ? verdict : `would not have happened (${verdict})`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => plain(cell).replaceAll('|', '\\|')).join(' | ')} |`;
}

function bulletsOf(replay: Replay): string {
  return replay.verdicts.flatMap((one) => bulletsOn(one, replay.by ?? '')).join('\n');
}

function bulletsOn(one: ReplayedVerdict, by: string): readonly string[] {
  const lines: string[] = one.differences.map((change) => `Line ${one.seq} differs: ${showChange(change)}`);
  if (one.note !== undefined) lines.push(`Line ${one.seq}${one.status === 'lost' ? ' cannot be judged again' : ''}: ${one.note}`);
  const { other } = one;
  if (other !== undefined) {
    const renamed = other.differences.some(({ field }) => field === 'decision');
    const changes = other.differences
      .filter(({ field }) => field !== 'outcome' || !renamed)
      .map(showChange)
      .join(', ');
    if (other.status === 'differs') lines.push(`Line ${one.seq} by ${by}: ${changes}. ${other.reason}`);
    if (other.status === 'refused') lines.push(`Line ${one.seq} by ${by}: no verdict (${other.rule}). ${other.reason}`);
    if (other.status === 'same' && other.differences.length > 0) lines.push(`Line ${one.seq} by ${by}: the same verdict, but ${changes}`);
    for (const what of other.notKept) lines.push(`Line ${one.seq}: ${by} asks for ${what}, which this session did not keep`);
    if (other.endedAt !== null)
      lines.push(`Line ${one.seq}: this round would not have happened, since ${by} stops the chain at line ${other.endedAt}`);
  }
  return lines.map((line) => `- ${plain(line)}`);
}

function showChange({ field, was, is }: FieldChange): string {
  return `${field}: ${show(was)} -> ${show(is)}`;
}

function show(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

function chainLine(chain: ChainCheck): string {
  if (!chain.unbroken)
    return `The hash chain is **broken at line ${chain.line}**: ${plain(chain.detail)}. Nothing from that line on was replayed.`;
  const torn = chain.torn === null ? '' : ` Line ${chain.torn} was cut off while it was written, and is left out.`;
  return `The hash chain is unbroken: ${chain.lines === 1 ? '1 line' : `${chain.lines} lines`}.${torn}`;
}

/** Where other rules were named and no verdict was theirs to judge. */
function unaskedLine(sessions: readonly SessionReplay[], by: string | null): string {
  const loops = unaskedLoops(sessions, by);
  if (loops.length === 0) return '';
  return `${plain(by ?? '')} was asked about no verdict: those recorded here are of the ${loopsNamed(loops)}.`;
}

/** The loops that there are, where other rules were asked about none of their verdicts. */
export function unaskedLoops(sessions: readonly SessionReplay[], by: string | null): readonly string[] {
  const verdicts = sessions.flatMap((one) => (one.state === 'replayed' ? one.verdicts : []));
  if (by === null || verdicts.some((one) => one.other !== undefined)) return [];
  return [...new Set(verdicts.map((one) => one.loop))].toSorted();
}

export function loopsNamed(loops: readonly string[]): string {
  return `${loops.length === 1 ? 'loop' : 'loops'} ${plain(loops.join(', '))}`;
}

function pagesLine({ unknownPages }: Pick<Replay, 'unknownPages'>): string {
  if (unknownPages.length === 0) return '';
  return `The journal **knows fewer verdicts than the folder**: it holds none for ${pagesNamed(unknownPages, MOST_PAGES)}. It was cut back, or began anew.`;
}

/** A page names no more than these; `--json` names all. */
const MOST_PAGES = 20;

export function pagesNamed(pages: readonly string[], most: number): string {
  const named = plain(pages.slice(0, most).join(', '));
  return pages.length <= most ? named : `${named} and ${pages.length - most} more`;
}
