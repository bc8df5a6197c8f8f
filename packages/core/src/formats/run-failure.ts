// One failed test of a run: what it is called, where it lies, and which class its message belongs to.

import type { Finding } from '../model.js';
import { classifyFailure, FAILURE_CLASSES, type FailureClass } from './failure-class.js';
import { makeFinding } from './finding.js';
import { firstOf, isObject, nameOf, own, type JsonObject } from './json-text.js';
import { parseReference } from './reference.js';

/** A type, not an interface, so that it is an Item of a list. */
export type Failure = {
  readonly name: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly class: FailureClass;
  readonly message: string;
};

export function failuresOf(value: unknown, notes: string[]): readonly Failure[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    if (typeof value !== 'number') notes.push(`failures is ${nameOf(value)}; expected a list of failed tests`);
    return [];
  }
  return value.map((entry: unknown, index) => failureOf(entry, index + 1));
}

export function findingOf(failure: Failure): Finding {
  const reason = (failure.message.split('\n')[0] ?? '').trim();
  const message = reason === '' || reason === failure.name ? failure.name : `${failure.name}: ${reason}`;
  return makeFinding({ severity: 'high', message, artifact: failure.file, line: failure.line, rule: failure.class });
}

/** An entry that is no object still is a failed test: it is kept by its text or its number. */
function failureOf(entry: unknown, number: number): Failure {
  if (typeof entry === 'string') {
    const pointed = parseReference(entry);
    return {
      name: pointed.message || `failure ${number}`,
      file: pointed.artifact,
      line: pointed.line,
      class: classifyFailure(entry),
      message: pointed.message,
    };
  }
  const failure: JsonObject = isObject(entry) ? entry : {};
  const message = messageOf(failure);
  const name = textAt(failure, ['name', 'fullName', 'test', 'test_name', 'testName', 'title', 'id']);
  const place = parseReference(textAt(failure, ['file', 'test_file', 'testFile', 'path', 'filePath', 'location']));
  const line = own(failure, 'line');
  const file = place.artifact ?? (place.message === '' ? null : place.message);
  return {
    name: name || (message.split('\n')[0] ?? '').trim() || `failure ${number}`,
    file,
    line: file !== null && typeof line === 'number' && Number.isSafeInteger(line) && line >= 1 ? line : place.line,
    class: classOf(failure, message),
    message,
  };
}

/** The message decides; where it tells nothing, the class that the executor gave, if it is one of ours. */
function classOf(failure: JsonObject, message: string): FailureClass {
  const drawn = classifyFailure(message);
  if (drawn !== 'other') return drawn;
  const given = textAt(failure, ['class', 'type', 'category', 'failure_type', 'kind'])
    .toLowerCase()
    .replaceAll('_', ' ')
    .replaceAll('-', ' ');
  return FAILURE_CLASSES.find((name) => name === given || (given !== '' && name.startsWith(given))) ?? 'other';
}

function messageOf(failure: JsonObject): string {
  const said = firstOf(failure, ['message', 'error', 'reason', 'failureMessage', 'failure_message', 'failureMessages', 'details', 'stack']);
  const first: unknown = Array.isArray(said) ? said[0] : said;
  if (isObject(first)) return textAt(first, ['message', 'stack', 'name']).trim();
  return typeof first === 'string' ? first.trim() : '';
}

function textAt(object: JsonObject, keys: readonly string[]): string {
  for (const key of keys) {
    const value = own(object, key);
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
  }
  return '';
}
