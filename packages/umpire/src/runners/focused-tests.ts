// Tests that did not run because another one in their file is focused (`test.only`, `fit`). A report shows them as skipped, like
// those that are skipped on purpose, so the test file itself is asked. A file with a focused test has failed: what it left out
// might have.

import { join } from 'node:path';
import type { TestResult } from '@umpire/core/model/vocabulary.js';
import { readText } from './project-files.js';

/** At the start of a statement: a comment or a text that mentions one is none. */
const FOCUS =
  /^[ \t]{0,80}(?:(?:await|return|void) )?(?:(?:it|test|describe|suite|context|specify)(?:\.\w{1,20}){0,3}\.only(?:\.\w{1,20}){0,3} ?[(`]|(?:fit|fdescribe) ?\()/m;

/** One failure for every file whose focus left tests out. */
export function focusFailures(project: string, results: readonly TestResult[]): readonly TestResult[] {
  const skipped = new Map<string, number>();
  for (const { file, status } of results) if (status === 'skipped' && file !== null) skipped.set(file, (skipped.get(file) ?? 0) + 1);
  const failed = new Set(results.filter(({ status }) => status === 'errored').map(({ id }) => id));
  return [...skipped].flatMap(([file, count]) => {
    const text = failed.has(file) ? '' : (readText(join(project, file)) ?? '');
    const focus = FOCUS.exec(text);
    if (focus === null) return [];
    const line = text.slice(0, focus.index).split('\n').length;
    const others = count === 1 ? '1 other did not' : `${count} others did not`;
    const message = `A test in this file is focused (.only), so ${others} run. Remove the .only.`;
    return [{ id: file, status: 'errored', file, line, message, durationMs: null }];
  });
}
