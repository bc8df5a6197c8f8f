// The long texts of a session: patch, output of agents, and report.

import type { SessionAnswer } from '@umpire/umpire/http/answers.js';
import { foldable, make } from './dom.js';
import { address } from './overview.js';
import { count } from './format.js';

/** More lines make the page slow; `umpire diff` shows all. */
const MOST_LINES = 3000;
const MOST_FILES = 300;

interface FilePatch {
  readonly name: string;
  readonly lines: readonly string[];
}

export function patchPart(session: SessionAnswer, patch: string, round: string | null, chain: string | null): HTMLElement {
  const rounds = session.verdicts.filter((verdict) => verdict.status === 'decided');
  const links = [
    make('a', { href: address(session.id, 'changes'), 'aria-current': round === null ? 'true' : null }, 'All'),
    ...rounds.map((verdict) => {
      const isIt = String(verdict.round) === round && (chain === null || chain === verdict.chain);
      const label = session.chains.find((one) => one.chain === verdict.chain)?.label ?? '';
      const words = `${label === '' ? '' : `${label}, `}round ${verdict.round}`;
      return make(
        'a',
        { href: address(session.id, 'changes', String(verdict.round), verdict.chain), 'aria-current': isIt ? 'true' : null },
        words,
      );
    }),
  ];
  const files = filesIn(patch);
  return make(
    'div',
    {},
    make('nav', { class: 'links', 'aria-label': 'Rounds' }, ...links),
    files.length === 0
      ? make('p', { class: 'quiet' }, 'No changes.')
      : make('p', { class: 'quiet' }, `${count(files.length, 'file')} changed`),
    ...files.slice(0, MOST_FILES).map((file) => filePart(file, files.length <= 10)),
    files.length > MOST_FILES ? make('p', { class: 'quiet' }, `${files.length - MOST_FILES} more; run: umpire diff`) : null,
  );
}

export function filesIn(patch: string): readonly FilePatch[] {
  if (patch.trim() === '') return [];
  return patch
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith('diff --git '))
    .map((part) => {
      const lines = part.replace(/\n$/, '').split('\n');
      return { name: nameIn(lines), lines: lines.slice(1) };
    });
}

/** The new name, or the old name of a deleted file. */
function nameIn(lines: readonly string[]): string {
  const named = (start: string): string | undefined =>
    lines
      .find((line) => line.startsWith(start) && !line.endsWith('/dev/null'))
      ?.slice(start.length)
      .replace(/^"?[ab]\//, '')
      .replace(/"$/, '');
  return named('+++ ') ?? named('--- ') ?? named('rename to ') ?? (lines[0] ?? '').replace(/^diff --git .* "?b\//, '').replace(/"$/, '');
}

const HEADS = /^(index |old mode|new mode|similarity|--- |\+\+\+ )/;

function filePart({ name, lines }: FilePatch, isOpen: boolean): HTMLElement {
  const body = lines.filter((line) => !HEADS.test(line));
  const added = body.filter((line) => line.startsWith('+')).length;
  const gone = body.filter((line) => line.startsWith('-')).length;
  const fold = foldable(
    `file ${name}`,
    [make('code', {}, name), make('span', { class: 'plus' }, `+${added}`), make('span', { class: 'minus' }, `−${gone}`)],
    [
      make('pre', { class: 'patch' }, ...body.slice(0, MOST_LINES).map(patchLine)),
      body.length > MOST_LINES ? make('p', { class: 'quiet' }, `${count(body.length - MOST_LINES, 'line')} more; run: umpire diff`) : null,
    ],
    { class: 'file' },
  );
  if (isOpen) fold.setAttribute('open', '');
  return fold;
}

function patchLine(line: string): HTMLElement {
  const kind = line.startsWith('@@') ? 'hunk' : line.startsWith('+') ? 'added' : line.startsWith('-') ? 'gone' : 'same';
  return make('span', { class: kind }, `${line}\n`);
}

export function outputPart(session: SessionAnswer, name: string | null, text: string): HTMLElement {
  const { logs, id } = session;
  if (logs.length === 0) return make('p', { class: 'quiet' }, 'No agent has printed anything yet.');
  const links = logs
    .toReversed()
    .slice(0, 200)
    .map((log) =>
      make(
        'a',
        { href: address(id, 'output', log.name), 'aria-current': log.name === name ? 'true' : null, 'data-focus': `log ${log.name}` },
        `${log.task}${log.attempt > 1 ? `, attempt ${log.attempt}` : ''}`,
      ),
    );
  return make(
    'div',
    { class: 'aside' },
    make('nav', { class: 'stack', 'aria-label': 'Output' }, ...links),
    make(
      'pre',
      { class: 'text', tabindex: 0, 'aria-label': 'Output', 'data-scroll': `log ${name ?? ''}`, 'data-follow': true },
      text === '' ? '(empty)' : text,
    ),
  );
}

export function reportPart(text: string): HTMLElement {
  return make('pre', { class: 'text wrap' }, text);
}
