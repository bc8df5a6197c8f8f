// What a change does to source, read from its lines: which functions, classes and values it changes, and which names are gone. Rough on
// purpose: it explains why a check went, and decides nothing that a syntax tree would have to.

import type { FileChange } from '../../change.js';
import { addedLines, changedDefinitions, definitionsIn } from '../../changed-code.js';

export class ChangedCode {
  private gone: ReadonlySet<string> | null = null;
  private changed: ReadonlySet<string> | null = null;
  private removed: ReadonlySet<string> | null = null;
  private droppings: { readonly names: ReadonlySet<string>; readonly texts: ReadonlySet<string> } | null = null;
  private touched: ReadonlySet<string> | null = null;

  constructor(readonly files: readonly FileChange[]) {}

  /** Names that the changed source had and no longer has anywhere. */
  get vanishedNames(): ReadonlySet<string> {
    if (this.gone !== null) return this.gone;
    const names = (text: string | null): readonly string[] => text?.match(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu) ?? [];
    const left = new Set(this.files.flatMap(({ after }) => names(after)));
    this.gone = new Set(this.files.flatMap(({ before }) => names(before)).filter((name) => !left.has(name)));
    return this.gone;
  }

  /** Names and texts that a changed file of source no longer has, and names that are deprecated now: what was asked of them may go. */
  get dropped(): { readonly names: ReadonlySet<string>; readonly texts: ReadonlySet<string> } {
    if (this.droppings !== null) return this.droppings;
    const names = new Set<string>();
    const texts = new Set<string>();
    for (const file of this.files) {
      const [old, now] = [file.before ?? '', file.after ?? ''];
      const left = new Set(namesIn(now));
      for (const name of namesIn(old)) if (!left.has(name) && !COMMON.has(name)) names.add(name);
      const kept = new Set(textsIn(now));
      for (const text of textsIn(old)) if (!kept.has(text)) texts.add(text);
      const added = [...addedLines(file)];
      if (added.some((line) => /deprecat/i.test(line))) for (const name of added.flatMap(namesIn)) if (!COMMON.has(name)) names.add(name);
    }
    this.droppings = { names, texts };
    return this.droppings;
  }

  /** Names in lines of source that differ. */
  get touchedNames(): ReadonlySet<string> {
    if (this.touched !== null) return this.touched;
    const names = this.files.flatMap((file) =>
      [...removedLines(file), ...addedLines(file)].flatMap((line) => line.match(/[\p{L}_$][\p{L}\p{N}_$]{3,}/gu) ?? []),
    );
    this.touched = new Set(names.filter((name) => !COMMON.has(name)));
    return this.touched;
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

/** Names of code: what stands in texts is none. */
function namesIn(text: string): readonly string[] {
  return withoutTexts(text).match(/[\p{L}_$][\p{L}\p{N}_$]{3,}/gu) ?? [];
}

export function withoutTexts(text: string): string {
  return text.replace(TEXTS, '""');
}

/** Texts of a line, long enough to say something. */
function textsIn(text: string): readonly string[] {
  return (text.match(TEXTS) ?? []).map((one) => one.slice(1, -1)).filter((one) => one.length >= 3 && one.length < 60);
}

const TEXTS = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g;

function removedLines({ before, after }: FileChange): ReadonlySet<string> {
  return addedLines({ before: after, after: before });
}

/** Words of the languages and of every program: they say nothing of what changed. */
const COMMON: ReadonlySet<string> = new Set(
  'return const function async await this self true false null none None True False undefined string number boolean object Object Array list dict tuple value values name names type types data item items index length result results error Error Exception raise throw import from export default class extends super constructor else elif while break continue yield lambda with assert test tests expect describe should isinstance print range join split push args kwargs options config path file text key keys message code status request response client server app require module exports process console then catch finally static public private readonly interface void never unknown param params callback handler context state'.split(
    ' ',
  ),
);

export { addedLines };
