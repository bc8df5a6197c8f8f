// A verifier's report, `artifacts/verify/<task>.json`: commands with their exit status, and acceptance criteria. What failed in it becomes
// findings with a severity, as a row's `findings` cell has them.

import { isObject } from './json-text.js';

const MOST = 20;
const LONGEST = 120;

/** Empty where nothing failed, or the value is no such report. */
export function verificationFindings(report: unknown): readonly string[] {
  if (!isObject(report)) return [];
  const commands = objectsIn(report['commands']).flatMap(({ run, exit, failed }) => {
    const name = flattenText(run) || 'a command';
    if (typeof failed === 'number' && failed > 0) return [`[CRITICAL] ${failed} ${failed === 1 ? 'test fails' : 'tests fail'} (${name})`];
    return typeof exit === 'number' && exit !== 0 ? [`[CRITICAL] exit status ${exit} (${name})`] : [];
  });
  const criteria = objectsIn(report['criteria']).flatMap(({ id, holds, seen, file, line }) => {
    const name = flattenText(id) || 'a criterion';
    if (holds === true) return [];
    const place = flattenText(file) === '' ? '' : ` (${flattenText(file)}${typeof line === 'number' ? `:${line}` : ''})`;
    const what = holds === false ? '[CRITICAL]' : '[HIGH]';
    return [
      `${what} ${name} ${holds === false ? 'does not hold' : 'was not checked'}${flattenText(seen) === '' ? '' : `, ${flattenText(seen)}`}${place}`,
    ];
  });
  return [...commands, ...criteria].slice(0, MOST);
}

function objectsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** One part of a cell: a separator would end it. */
function flattenText(value: unknown): string {
  return typeof value === 'string'
    ? value
        .replaceAll(/[;|[\]\s]+/g, ' ')
        .trim()
        .slice(0, LONGEST)
    : '';
}
