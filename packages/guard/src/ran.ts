// What the runner really ran: which results belong to which test, titles made from tables included.

import type { TestResult } from './test-result.js';
import type { TestFact } from './facts.js';
import { put } from './keyed-lists.js';

/** The results of one side. */
export class Ran {
  private readonly byId = new Map<string, TestResult[]>();
  private readonly byFile = new Map<string, TestResult[]>();

  constructor(readonly results: readonly TestResult[]) {
    for (const result of results) {
      put(this.byId, result.id, result);
      put(this.byFile, fileOf(result), result);
    }
  }

  of(test: TestFact): readonly TestResult[] {
    const id = [test.span.file, ...test.path].join(' > ');
    const exact = this.byId.get(id);
    if (exact !== undefined) return exact;
    const parts = id.split(HOLES);
    // Of one with parameters each run has them in brackets.
    const isOf = parts.length < 2 ? ({ id: one }: TestResult) => one.startsWith(`${id}[`) : ({ id: one }: TestResult) => fits(one, parts);
    return this.in(test.span.file).filter(isOf);
  }

  named(id: string): readonly TestResult[] {
    return this.byId.get(id) ?? [];
  }

  has(id: string): boolean {
    return this.byId.has(id);
  }

  in(file: string): readonly TestResult[] {
    return this.byFile.get(file) ?? [];
  }
}

export function fileOf(result: TestResult): string {
  return result.file ?? result.id.split(' > ')[0] ?? '';
}

/** Holes of a title: `%s`, `$name`, `${expression}`. */
const HOLES = /%[sdifjoOpc#%]|\$\{[^}]*\}|\$[\w.]+|`/;

/** The parts of a title in their order, anything between them. */
function fits(text: string, parts: readonly string[]): boolean {
  let from = 0;
  for (const [index, part] of parts.entries()) {
    const found = text.indexOf(part, from);
    if (found < 0 || (index === 0 && found > 0)) return false;
    from = found + part.length;
  }
  const last = parts.at(-1) ?? '';
  return last === '' || text.endsWith(last);
}
