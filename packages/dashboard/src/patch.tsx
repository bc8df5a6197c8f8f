// The patch of a session or of one round, with the findings of the verdict at their lines.

import type { SessionAnswer } from '@umpire/umpire/doors/http/answers.js';
import type { Finding } from '@umpire/core/model/vocabulary.js';
import * as api from './api.js';
import { writeCount, Fold, Trouble, address } from './parts.js';
import { useLoaded } from './api.js';

/** More lines make the page slow; `umpire diff` shows all. */
const MOST_LINES = 3000;
const MOST_FILES = 300;
/** With more files, all are folded. */
const MOST_OPEN = 10;

interface PatchProps {
  readonly session: SessionAnswer;
  /** Null: the whole session. */
  readonly round: string | null;
  readonly chain: string | null;
}

export function Changes(props: PatchProps) {
  const { session, round, chain } = props;
  const decided = session.verdicts.filter((verdict) => verdict.status === 'decided');
  return (
    <>
      <nav class="links" aria-label="Rounds">
        <a href={address(session.id, 'changes')} aria-current={round === null ? 'true' : undefined}>
          All
        </a>
        {decided.map((verdict) => {
          const label = session.chains.find((one) => one.chain === verdict.chain)?.label ?? '';
          const isIt = String(verdict.round) === round && (chain === null || chain === verdict.chain);
          return (
            <a
              key={`${verdict.chain} ${verdict.round}`}
              href={address(session.id, 'changes', String(verdict.round), verdict.chain)}
              aria-current={isIt ? 'true' : undefined}
            >
              {label === '' ? '' : `${label}, `}round {verdict.round}
            </a>
          );
        })}
      </nav>
      <Patch {...props} />
    </>
  );
}

export function Patch({ session, round, chain }: PatchProps) {
  const { value: patch, error } = useLoaded(
    () => api.loadDiff(session.id, round, chain),
    JSON.stringify([session.id, round, chain]),
    session.events,
  );
  if (error !== null) return <Trouble error={error} />;
  if (patch === null) return <p class="quiet">Reading the changes …</p>;
  const files = filesIn(patch);
  const findings = collectFindings(session, round, chain);
  const left = files.length - MOST_FILES;
  return (
    <>
      <p class="quiet">{files.length === 0 ? 'No changes.' : `${writeCount(files.length, 'file')} changed`}</p>
      {files.slice(0, MOST_FILES).map((file) => (
        <FilePart
          key={file.name}
          file={file}
          findings={findings.filter(({ artifact }) => artifact === file.name)}
          isOpen={files.length <= MOST_OPEN}
        />
      ))}
      {left > 0 ? <p class="quiet">{left} more; run: umpire diff</p> : null}
    </>
  );
}

/** Of the verdict on this round, or of the last verdict. */
function collectFindings({ verdicts }: SessionAnswer, round: string | null, chain: string | null): readonly Finding[] {
  const fitting = verdicts.filter((one) => round === null || (String(one.round) === round && (chain === null || one.chain === chain)));
  return fitting.at(-1)?.findings ?? [];
}

interface FilePatch {
  readonly name: string;
  readonly lines: readonly string[];
}

function filesIn(patch: string): readonly FilePatch[] {
  if (patch.trim() === '') return [];
  return patch
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith('diff --git '))
    .map((part) => {
      const lines = part.replace(/\n$/, '').split('\n');
      return { name: readFileName(lines), lines: lines.slice(1) };
    });
}

/** The new name, or the old name of a deleted file. */
function readFileName(lines: readonly string[]): string {
  const findName = (start: string): string | undefined => {
    const line = lines.find((one) => one.startsWith(start) && one !== `${start}/dev/null`);
    return line === undefined ? undefined : plainName(line.slice(start.length));
  };
  const both = (lines[0] ?? '').slice('diff --git '.length);
  return (
    findName('rename to ') ??
    // Without the prefix `b/` or `a/`.
    (findName('+++ ') ?? findName('--- ') ?? plainName(both.slice((both.length + 1) / 2))).slice(2)
  );
}

/** Git ends names with spaces with a tab, and quotes others as in C. Escapes of hidden characters stay, so that they are seen. */
function plainName(text: string): string {
  const name = text.replace(/\t$/, '');
  return /^".*"$/.test(name) ? name.slice(1, -1).replace(/\\(["\\])/g, '$1') : name;
}

const HEADS = /^(index |old mode|new mode|similarity|--- |\+\+\+ )/;

interface PatchLine {
  readonly text: string;
  readonly kind: 'hunk' | 'added' | 'gone' | 'same';
  /** In the new file; null for deleted lines and heads. */
  readonly line: number | null;
}

/** Numbers the lines of the new file, whose numbers findings name. */
function numbered(lines: readonly string[]): readonly PatchLine[] {
  let next = 0;
  let isBody = false;
  const found: PatchLine[] = [];
  for (const text of lines) {
    const [, start] = /^@@ -\S+ \+(\d+)/.exec(text) ?? [];
    if (start !== undefined) {
      next = Number(start);
      isBody = true;
      found.push({ text, kind: 'hunk', line: null });
    } else if (!isBody) {
      if (!HEADS.test(text)) found.push({ text, kind: 'same', line: null });
    } else if (text.startsWith('-')) found.push({ text, kind: 'gone', line: null });
    else if (text.startsWith('\\')) found.push({ text, kind: 'same', line: null });
    else found.push({ text, kind: text.startsWith('+') ? 'added' : 'same', line: next++ });
  }
  return found;
}

interface FileProps {
  readonly file: FilePatch;
  readonly findings: readonly Finding[];
  readonly isOpen: boolean;
}

function FilePart({ file: { name, lines }, findings, isOpen }: FileProps) {
  const body = numbered(lines);
  const shown = body.slice(0, MOST_LINES);
  const left = body.length - MOST_LINES;
  const inPlace = new Set(shown.flatMap(({ line }) => findings.filter((finding) => line !== null && finding.line === line)));
  const elsewhere = findings.filter((finding) => !inPlace.has(finding));
  const head = (
    <>
      <code>{name}</code>
      <span class="plus">+{body.filter(({ kind }) => kind === 'added').length}</span>
      <span class="minus">−{body.filter(({ kind }) => kind === 'gone').length}</span>
      {findings.length === 0 ? null : <span class="quiet">{writeCount(findings.length, 'finding')}</span>}
    </>
  );
  return (
    <Fold class="file" head={head} isOpen={isOpen || findings.length > 0}>
      {elsewhere.map((finding) => (
        <InPlace
          key={finding.fingerprint}
          finding={finding}
          where={finding.line === null ? '' : `line ${finding.line}, not in these changes: `}
        />
      ))}
      <pre class="patch" tabIndex={0} aria-label={`Changes of ${name}`}>
        {shown.map(({ text, kind, line }, at) => (
          <>
            <span key={at} class={kind}>{`${text}\n`}</span>
            {line === null
              ? null
              : findings
                  .filter((finding) => finding.line === line)
                  .map((finding) => <InPlace key={finding.fingerprint} finding={finding} where="" />)}
          </>
        ))}
      </pre>
      {left > 0 ? <p class="quiet">{writeCount(left, 'line')} more; run: umpire diff</p> : null}
    </Fold>
  );
}

function InPlace({ finding: { severity, message }, where }: { readonly finding: Finding; readonly where: string }) {
  return (
    <span class="in-place">
      <span class={`key ${severity}`}>{severity}</span> {where}
      {message}
    </span>
  );
}
