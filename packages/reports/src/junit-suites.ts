// The suites around a <testcase>: what they are called, and what their heads say against what their bodies show.

import { counted } from './json-reader.js';
import type { Sheet } from './sheet.js';
import { attributeName, type XmlTag } from './xml-tag.js';

const NAME = attributeName('name');
const FILE = attributeName('file');
const FILEPATH = attributeName('filepath');
const TESTS = attributeName('tests');
const FAILURES = attributeName('failures');
const ERRORS = attributeName('errors');

const JOIN = ' > ';

interface Suite {
  readonly name: string;
  readonly file: string;
  /** As its head says; 0 where it says nothing. */
  readonly saidTests: number;
  readonly saidFailures: number;
  tests: number;
  failures: number;
  unnamed: number;
}

export class JunitSuites {
  private readonly stack: Suite[] = [];
  /** Another number, other suites around a test. */
  changes = 0;

  constructor(private readonly sheet: Sheet) {}

  /** The name of <testsuites> is the run's, not a suite's: it is no part of an id. */
  open(tag: XmlTag, isNamed: boolean): void {
    this.changes += 1;
    this.stack.push({
      name: isNamed ? (tag.text(NAME)?.trim() ?? '') : '',
      file: tag.text(FILE)?.trim() || tag.text(FILEPATH)?.trim() || this.file,
      saidTests: Math.max(0, tag.count32(TESTS)),
      saidFailures: Math.max(0, tag.count32(FAILURES)) + Math.max(0, tag.count32(ERRORS)),
      tests: 0,
      failures: 0,
      unnamed: 0,
    });
  }

  close(): void {
    this.changes += 1;
    const suite = this.stack.pop();
    if (suite === undefined) return;
    const parent = this.stack.at(-1);
    if (parent !== undefined) {
      parent.tests += suite.tests;
      parent.failures += suite.failures;
    }
    const called = suite.name === '' ? 'the head of the report' : `the head of suite "${suite.name.slice(0, 100)}"`;
    if (suite.saidFailures > suite.failures)
      this.sheet.saysFailed(
        `${called} says ${suite.saidFailures} ${suite.saidFailures === 1 ? 'failure or error' : 'failures or errors'}, and its body shows ${suite.failures}; that is a failure`,
      );
    else if (suite.saidTests > suite.tests)
      this.sheet.note(`${called} says ${counted(suite.saidTests, 'test')}, and its body has ${suite.tests}`);
  }

  get file(): string {
    return this.stack.at(-1)?.file ?? '';
  }

  /** A test was read. */
  ran(): void {
    const suite = this.stack.at(-1);
    if (suite !== undefined) suite.tests += 1;
  }

  /** A failure or error was read, inside of a test or not. */
  failed(): void {
    const suite = this.stack.at(-1);
    if (suite !== undefined) suite.failures += 1;
  }

  failedOutside(what: string, message: string): void {
    const name = this.stack.at(-1)?.name ?? '';
    const called = name === '' ? 'a suite' : `suite "${name.slice(0, 100)}"`;
    this.sheet.saysFailed(`${called} has ${what} outside of its tests${message === '' ? '' : `: ${message.slice(0, 200)}`}`);
  }

  /** Tests without a name are told apart by their order. */
  nextUnnamed(): string {
    const suite = this.stack.at(-1);
    if (suite !== undefined) suite.unnamed += 1;
    this.sheet.note('some tests have no name; they are told apart by their order');
    return `(no name, ${suite?.unnamed ?? 1})`;
  }

  /** What stands before a test's name: its class or file, then the suites that do not merely repeat it. */
  prefix(owner: string): string {
    const names = this.stack.map((suite) => suite.name).filter((name) => name !== '' && !repeats(owner, name));
    const parts = owner === '' ? names : [owner, ...names];
    return parts.map((part) => part + JOIN).join('');
  }
}

/** `math.AddTest` repeats the suites `math.AddTest` and `math`. */
function repeats(owner: string, name: string): boolean {
  return owner.startsWith(name) && !/^[A-Za-z0-9_]/.test(owner.slice(name.length, name.length + 1));
}
