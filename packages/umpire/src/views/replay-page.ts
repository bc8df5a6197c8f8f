// `umpire replay` as Markdown: each verdict judged again, its result, and whether the journal is intact. Also its counts.

import type { Authentication } from '@umpire/core/formats/journal.js';
import type { Outcome } from '@umpire/core/model/vocabulary.js';
import { lineOf } from './safe-text.js';

export type ChainCheck =
  /** `torn`: the number of a last line that a crash cut off; it is ignored. */
  | { readonly unbroken: true; readonly lines: number; readonly torn: number | null; readonly authentication: Authentication }
  /** The first broken line, and why. */
  | { readonly unbroken: false; readonly line: number; readonly detail: string };

interface FieldChange {
  readonly field: string;
  readonly was: unknown;
  readonly is: unknown;
}

/** The verdict of other rules on the recorded evidence. */
export interface OtherVerdict {
  /** `refused`: they give no verdict. */
  readonly status: 'same' | 'differs' | 'refused';
  readonly decision: string | null;
  readonly outcome: Outcome | null;
  readonly rule: string;
  readonly unverified: boolean;
  readonly reason: string;
  readonly anomalies: readonly string[];
  readonly differences: readonly FieldChange[];
  /** Evidence that they need but the session did not keep. */
  readonly notKept: readonly string[];
}

export interface ReplayedVerdict {
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
  /** `lost`: it cannot be judged again. The note says why. */
  readonly status: 'same' | 'differs' | 'lost';
  readonly differences: readonly FieldChange[];
  /** `endedAt`: the line after which the other rules would have ended the chain, so that this round would not have happened. */
  readonly other?: OtherVerdict & { readonly endedAt: number | null };
  readonly note?: string;
}

/** The worst result: a broken journal, then a difference, then a verdict that cannot be judged again. */
export type ReplayResult = 'same' | 'differs' | 'lost' | 'broken';

export interface ReplayCounts {
  readonly verdicts: number;
  readonly same: number;
  readonly differs: number;
  readonly lost: number;
  /** Verdicts judged by the other rules, and those with another result. */
  readonly asked: number;
  readonly other: number;
}

export interface Replay {
  readonly session: string;
  readonly state: 'replayed';
  readonly result: ReplayResult;
  readonly counts: ReplayCounts;
  readonly chain: ChainCheck;
  /** Pages in verdicts/ without a verdict in the journal. Empty if the journal is broken. */
  readonly unknownPages: readonly string[];
  readonly verdicts: readonly ReplayedVerdict[];
  /** The name of the other rules. */
  readonly by: string | null;
}

export type SessionReplay =
  | Replay
  | { readonly session: string; readonly state: 'never judged'; readonly unknownPages: readonly string[] }
  | { readonly session: string; readonly state: 'unreadable'; readonly error: { code: string; message: string; hint: string } };

export interface ProjectCounts extends ReplayCounts {
  readonly sessions: number;
  readonly neverJudged: number;
  readonly unreadable: number;
  readonly broken: number;
  /** Sessions with more verdict pages than verdicts in the journal. */
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
  return `# Replay of ${lineOf(replay.session)}\n\n${drawReplay(replay, unaskedLine([replay], replay.by))}`;
}

function drawReplay(replay: Replay, unasked = ''): string {
  const parts = [
    drawVerdictTable(replay),
    replay.verdicts
      .flatMap((one) => {
        const by = replay.by ?? '';
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
          if (other.status === 'same' && other.differences.length > 0) lines.push(`Line ${one.seq} by ${by}: same verdict, but ${changes}`);
          for (const what of other.notKept) lines.push(`Line ${one.seq}: ${by} needs ${what}, which this session did not keep`);
          if (other.endedAt !== null)
            lines.push(`Line ${one.seq}: this round would not have happened: ${by} ends the chain at line ${other.endedAt}`);
        }
        return lines.map((line) => `- ${lineOf(line)}`);
      })
      .join('\n'),
    unasked,
    describeHashChain(replay.chain),
    pagesLine(replay),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** A row for each session, then the details of sessions with differences or problems. */
export function projectPage({ sessions, by }: ProjectReplay): string {
  if (sessions.length === 0) return '# Replay\n\nNo sessions here.\n';
  const head = ['| session | verdicts | replayed | chain |', '|---|---|---|---|'];
  const unasked = unaskedLine(sessions, by);
  const told = sessions.flatMap((one) => {
    const body = detailsOf(one);
    return body === '' ? [] : [`## ${lineOf(one.session)}\n\n${body}`];
  });
  return [
    '# Replay\n',
    ...head,
    ...sessions.map((one: SessionReplay): string => {
      if (one.state === 'unreadable') return row([one.session, '', `**unreadable**: ${one.error.message}`, 'unknown']);
      const fewer = one.unknownPages.length === 0 ? '' : '**fewer verdicts than pages**';
      if (one.state === 'never judged') return row([one.session, '0', 'never judged', fewer === '' ? 'none' : fewer]);
      const chain = one.chain.unbroken ? `intact${fewer === '' ? '' : `, ${fewer}`}` : `**broken at line ${one.chain.line}**`;
      return row([one.session, String(one.counts.verdicts), tallyOf(one), chain]);
    }),
    '',
    ...(unasked === '' ? [] : [`${unasked}\n`]),
    ...told,
  ].join('\n');
}

function detailsOf(one: SessionReplay): string {
  if (one.state === 'unreadable') return '';
  if (one.state === 'replayed') return hasNoNews(one) ? '' : drawReplay(one);
  return one.unknownPages.length === 0 ? '' : `${pagesLine(one)}\n`;
}

function hasNoNews(replay: Replay): boolean {
  const torn = replay.chain.unbroken && replay.chain.torn !== null;
  return replay.result === 'same' && !torn;
}

function tallyOf({ counts, by }: Replay): string {
  const parts = [
    [counts.same, 'same'],
    [counts.differs, '**differs**'],
    [counts.lost, '**lost**'],
  ] as const;
  const own = parts.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`);
  const tally = own.length === 0 ? 'no verdict' : own.join(', ');
  return counts.other === 0 ? tally : `${tally}; ${counts.other} other by ${lineOf(by ?? '')}`;
}

function drawVerdictTable({ verdicts, by, chain }: Replay): string {
  if (verdicts.length === 0) return chain.unbroken ? 'The journal has no verdicts.' : 'The journal has no verdicts before its broken line.';
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
  if (other === undefined) return 'not judged';
  const verdict =
    other.status === 'same'
      ? 'same'
      : other.status === 'refused'
        ? `**no verdict**, ${other.rule}`
        : `**${other.decision ?? ''}**${other.unverified ? ' (unverified)' : ''}, ${other.rule}`;
  return other.endedAt === null ? verdict : `would not have happened (${verdict})`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => lineOf(cell).replaceAll('|', '\\|')).join(' | ')} |`;
}

function showChange({ field, was, is }: FieldChange): string {
  return `${field}: ${showField(was)} -> ${showField(is)}`;
}

function showField(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

function describeHashChain(chain: ChainCheck): string {
  if (!chain.unbroken)
    return `The hash chain is **broken at line ${chain.line}**: ${lineOf(chain.detail)}. Umpire replayed only the lines before it.`;
  const torn = chain.torn === null ? '' : ` Line ${chain.torn} was cut off by a crash and is ignored.`;
  return `The hash chain is intact: ${chain.lines === 1 ? '1 line' : `${chain.lines} lines`}, ${chain.authentication}.${torn}`;
}

/** For other rules that apply to no verdict. */
function unaskedLine(sessions: readonly SessionReplay[], by: string | null): string {
  const loops = unaskedLoops(sessions, by);
  if (loops.length === 0) return '';
  return `${lineOf(by ?? '')} applies to no verdict here: they are of the ${loopsNamed(loops)}.`;
}

/** The loops of the verdicts, if the other rules apply to none of them. */
export function unaskedLoops(sessions: readonly SessionReplay[], by: string | null): readonly string[] {
  const verdicts = sessions.flatMap((one) => (one.state === 'replayed' ? one.verdicts : []));
  if (by === null || verdicts.some((one) => one.other !== undefined)) return [];
  return [...new Set(verdicts.map((one) => one.loop))].toSorted();
}

export function loopsNamed(loops: readonly string[]): string {
  return `${loops.length === 1 ? 'loop' : 'loops'} ${lineOf(loops.join(', '))}`;
}

function pagesLine({ unknownPages }: Pick<Replay, 'unknownPages'>): string {
  if (unknownPages.length === 0) return '';
  return `The journal **has fewer verdicts than the folder has pages**: it lacks ${pagesNamed(unknownPages, MAX_PAGES)}. It was cut back or restarted.`;
}

/** `--json` lists all of them. */
const MAX_PAGES = 20;

export function pagesNamed(pages: readonly string[], most: number): string {
  const named = lineOf(pages.slice(0, most).join(', '));
  return pages.length <= most ? named : `${named} and ${pages.length - most} more`;
}

export function countReplayed(verdicts: readonly ReplayedVerdict[]): ReplayCounts {
  const countStatus = (status: ReplayedVerdict['status']) => verdicts.filter((one) => one.status === status).length;
  const asked = verdicts.flatMap(({ other }) => (other === undefined ? [] : [other]));
  return {
    verdicts: verdicts.length,
    same: countStatus('same'),
    differs: countStatus('differs'),
    lost: countStatus('lost'),
    asked: asked.length,
    other: asked.filter((one) => one.status !== 'same').length,
  };
}

export function judgeReplay(counts: ReplayCounts, chain: ChainCheck, unknownPages: readonly string[]): ReplayResult {
  return worstResult(!chain.unbroken || unknownPages.length > 0, counts, counts.lost > 0);
}

export function projectSum(sessions: readonly SessionReplay[]): { readonly result: ReplayResult; readonly counts: ProjectCounts } {
  const replayed = sessions.filter((one) => one.state === 'replayed');
  const counts: ProjectCounts = {
    sessions: sessions.length,
    neverJudged: sessions.filter((one) => one.state === 'never judged').length,
    unreadable: sessions.filter((one) => one.state === 'unreadable').length,
    broken: replayed.filter((one) => !one.chain.unbroken).length,
    cutBack: sessions.filter((one) => one.state !== 'unreadable' && one.unknownPages.length > 0).length,
    ...countReplayed(replayed.flatMap((one) => one.verdicts)),
  };
  return { counts, result: worstResult(counts.broken + counts.cutBack > 0, counts, counts.lost + counts.unreadable > 0) };
}

function worstResult(isBroken: boolean, { differs, other }: ReplayCounts, isLost: boolean): ReplayResult {
  if (isBroken) return 'broken';
  if (differs + other > 0) return 'differs';
  return isLost ? 'lost' : 'same';
}
