// What a change does to source, read from its lines: which functions, classes and values it changes, and which names are gone. Rough on
// purpose: it explains why a check went, and decides nothing that a syntax tree would have to.

import type { FileChange } from '../../change.js';
import { addedLines, changedDefinitions, definitionsIn } from '../../changed-code.js';

export class ChangedCode {
  private gone: ReadonlySet<string> | null = null;
  private changed: ReadonlySet<string> | null = null;
  private removed: ReadonlySet<string> | null = null;

  constructor(readonly files: readonly FileChange[]) {}

  /** Names that the changed source had and no longer has anywhere. */
  get vanishedNames(): ReadonlySet<string> {
    if (this.gone !== null) return this.gone;
    const names = (text: string | null): readonly string[] => text?.match(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu) ?? [];
    const left = new Set(this.files.flatMap(({ after }) => names(after)));
    this.gone = new Set(this.files.flatMap(({ before }) => names(before)).filter((name) => !left.has(name)));
    return this.gone;
  }

  /** Functions, classes and values that differ. */
  get changedNames(): ReadonlySet<string> {
    this.changed ??= new Set(this.files.flatMap((file) => [...changedDefinitions(file)]));
    return this.changed;
  }

  /** Functions, classes and values that no changed file defines any more. */
  get removedNames(): ReadonlySet<string> {
    if (this.removed !== null) return this.removed;
    const kept = new Set(this.files.flatMap(({ after }) => [...definitionsIn(after)]));
    this.removed = new Set([...this.changedNames].filter((name) => !kept.has(name)));
    return this.removed;
  }
}

export { addedLines };
