// Takes breaches out of a change: by hunk or added test where what is left is valid code without the finding, else by file. The
// rest of the change stays. Writing it down is left to others.

import type { Change, FileChange } from '../change.js';
import type { GuardFinding } from '../findings/finding.js';
import { spliceJudge, splitInlineTests } from '../inline/split.js';
import { Hunks, testLines } from './hunks.js';
import type { Hunk } from './hunks.js';

export interface Correction {
  /** A path of the change. */
  readonly path: string;
  /** `hunk`: parts of it were taken back, and `text` is what it holds then. `file`: it is as it was before the change. */
  readonly how: 'hunk' | 'file';
  readonly text: string | null;
  /** Where it lay before, and lies again. */
  readonly renamedFrom?: string;
}

/** What the guard says of a change: its breaches, and the files that are no valid code. */
export type Look = (change: Change) => { readonly findings: readonly GuardFinding[]; readonly unread: ReadonlySet<string> };

export interface Mended {
  readonly corrections: readonly Correction[];
  /** What is left of the change. */
  readonly change: Change;
  /** Breaches that are still in it, whatever is taken back. */
  readonly left: readonly GuardFinding[];
}

/** Hunks times files that are tried within the whole change; after that a file is tried by itself, which sees less of what was moved. */
const MOST_TRIES = 500;

/** A file of more hunks is not tried hunk by hunk. */
const MOST_HUNKS = 100;

/** Taking files back may bring new findings out. After so many turns the whole change goes. */
const MOST_TURNS = 5;

export function revertBreaches(change: Change, findings: readonly GuardFinding[], look: Look): Mended {
  const unfinished = new Unfinished(change, look);
  let left = unfinished.mend(findings);
  for (let turn = 1; left.length > 0 && unfinished.restore(turn > MOST_TURNS ? [] : left); turn += 1)
    left = look(unfinished.change()).findings;
  return { corrections: unfinished.corrections(), change: unfinished.change(), left };
}

class Unfinished {
  private readonly files = new Map<string, FileChange>();
  private readonly done = new Map<string, Correction>();
  private tries = MOST_TRIES;

  constructor(
    { files }: Change,
    private readonly look: Look,
  ) {
    for (const file of files) this.files.set(file.path, file);
  }

  /** As it stands: what is back to what it was is no part of it. */
  change(): Change {
    const files = [...this.files.values()].flatMap((file) => {
      const correction = this.done.get(file.path);
      if (correction === undefined) return [file];
      return correction.how === 'file' ? [] : [{ ...file, after: correction.text }];
    });
    return { files };
  }

  corrections(): readonly Correction[] {
    return [...this.done.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** All files at once without what the findings point at; then one by one those for which that was not enough. Answers with what is left. */
  mend(findings: readonly GuardFinding[]): readonly GuardFinding[] {
    const named = this.pathsOf(findings).flatMap((path) => this.files.get(path) ?? []);
    const byFile = new Map<string, GuardFinding[]>();
    for (const finding of findings) {
      const list = byFile.get(finding.file);
      if (list === undefined) byFile.set(finding.file, [finding]);
      else list.push(finding);
    }
    for (const file of named) {
      const { path, renamedFrom } = file;
      const own = [path, ...(renamedFrom === undefined ? [] : [renamedFrom])].flatMap((name) => byFile.get(name) ?? []);
      this.done.set(path, honestPart(file, own) ?? withOldTests(file));
    }
    const { findings: left, unread } = this.look(this.change());
    const bad = new Set([...unread, ...left.map(({ file }) => file)]);
    // Where no finding points at a hunk, nothing was taken yet.
    const open = named.filter((file) => {
      const done = this.done.get(file.path);
      return done?.how === 'hunk' && (bad.has(file.path) || done.text === file.after);
    });
    for (const file of open) {
      const text = this.byTrial(file);
      this.done.set(file.path, text === null ? withOldTests(file) : { path: file.path, how: 'hunk', text });
    }
    return open.length === 0 ? left : this.look(this.change()).findings;
  }

  /** Whole files, where parts were not enough; all of the change, where nothing in it is named. False: nothing is left to take. */
  restore(findings: readonly GuardFinding[]): boolean {
    const open = (path: string): boolean => this.done.get(path)?.how !== 'file';
    const named = this.pathsOf(findings).filter(open);
    const paths = named.length > 0 ? named : [...this.files.keys()].filter(open);
    for (const path of paths) this.done.set(path, wholeOf(this.files.get(path) as FileChange));
    return paths.length > 0;
  }

  private pathsOf(findings: readonly GuardFinding[]): readonly string[] {
    const names = new Set(findings.map(({ file }) => file));
    return [...this.files.values()]
      .filter(({ path, renamedFrom }) => names.has(path) || names.has(renamedFrom ?? path))
      .map(({ path }) => path);
  }

  /** The file with as many of its hunks as are honest, one tried after the other; null where none are. */
  private byTrial(file: FileChange): string | null {
    const hunks = new Hunks(file.before ?? '', file.after ?? '');
    if (hunks.all.length > MOST_HUNKS) return null;
    this.tries -= hunks.all.length * this.files.size;
    const kept = new Set<Hunk>();
    for (const hunk of hunks.all) {
      kept.add(hunk);
      if (!this.isClean(file, hunks.apply(kept))) kept.delete(hunk);
    }
    // None of it, or all of it: then it was not for what its lines say.
    return kept.size === 0 || kept.size === hunks.all.length ? null : hunks.apply(kept);
  }

  private isClean(file: FileChange, text: string): boolean {
    const { path } = file;
    this.done.set(path, { path, how: 'hunk', text });
    const { findings, unread } = this.look(this.tries < 0 ? { files: [{ ...file, after: text }] } : this.change());
    return !unread.has(path) && findings.every((finding) => finding.file !== path);
  }
}

/** The file without the hunks and added tests that findings point at; null where that leaves nothing of the change. */
function honestPart({ path, before, after, renamedFrom }: FileChange, findings: readonly GuardFinding[]): Correction | null {
  if (after === null) return null;
  const hunks = new Hunks(before ?? '', after);
  const pieces = hunks.pieces(testLines(path, after));
  const isTold = (hunk: Hunk): boolean =>
    findings.some(
      (finding) =>
        (finding.before !== null && meets(finding.before.line, finding.before.text, hunk.from, hunk.to)) ||
        (finding.after !== null && meets(finding.after.line, finding.after.text, hunk.fromAfter, hunk.toAfter)),
    );
  // Tests that were added stand by themselves; what stands between them holds all of them together.
  const spoilt = new Set(pieces.filter((piece) => !piece.isTest && isTold(piece)).map(({ of }) => of));
  const honest = pieces.filter((piece) => !spoilt.has(piece.of) && !isTold(piece));
  // A file that was moved and is otherwise as it was is a change still; a new one without a test is not worth keeping.
  const isNothing = before === null ? !honest.some(({ isTest }) => isTest) : honest.length === 0 && renamedFrom === undefined;
  return isNothing ? null : { path, how: 'hunk', text: hunks.written(honest) };
}

/** Of a source file with tests inside only these go back to what they were. */
function withOldTests(file: FileChange): Correction {
  const { path, before, after } = file;
  if (before === null || after === null || splitInlineTests(path, before) === null) return wholeOf(file);
  const spliced = spliceJudge(path, after, before);
  if (spliced === null || spliced.unplaced.length > 0 || spliced.text === before || spliced.text === after) return wholeOf(file);
  return { path, how: 'hunk', text: spliced.text };
}

function wholeOf({ path, before, renamedFrom }: FileChange): Correction {
  return { path, how: 'file', text: before, ...(renamedFrom === undefined ? {} : { renamedFrom }) };
}

/** `line` counts from 1. An empty run of lines lies between two, and is met by either. */
function meets(line: number, text: string, from: number, to: number): boolean {
  const last = line + text.split('\n').length - 1;
  return line <= Math.max(to, from + 1) && last > from - (from === to ? 1 : 0);
}
