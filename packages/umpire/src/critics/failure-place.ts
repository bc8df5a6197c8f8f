// Where the failure of a new test lies: in product code, if it is thrown there or an assertion on its result fails, else in the test.

import { classifyFailure, isFaultOfTest } from '@umpire/core/formats/run-result.js';
import type { MeasuredTest } from '@umpire/core/formats/debt-measurement.js';

/** `src/a.js:3`, `file:///p/src/a.js:3:5`, `at src/a.py:3` */
const PLACE = /([\w./@+-]*[\w@+-]\.\w{1,5}):\d+/g;
/** A stack, or what languages print of an error that nothing caught: with an assertion it tells of one too. */
const THROWN = /\b[A-Z]\w*(?:Error|Exception)\b|\bpanicked at\b|\bpanic:/;

/** `isProduct`: is this a source file of the project that is no test? */
export function liesInProduct(
  { status, message }: Pick<MeasuredTest, 'status' | 'message'>,
  isProduct: (path: string) => boolean,
): boolean {
  const text = message ?? '';
  const isThrownThere = [...text.matchAll(PLACE)].some(([, path = '']) => isProduct(path));
  if (isThrownThere) return true;
  const failure = classifyFailure(text);
  if (failure === 'assertion mismatch') return true;
  if (status === 'errored' || isFaultOfTest(failure) || failure === 'null reference') return false;
  // Tests in many languages say by their own words that a result is wrong.
  return !THROWN.test(text);
}
