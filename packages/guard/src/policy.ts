// Which findings are breaches and which are notes. A breach is what no honest change does, or what makes a test weaker while nothing in
// the change explains it. A note is for people: it is shown, never reverted. Where only tests may change, every finding is a breach.

import { addedLines, changedDefinitions, codeOf, definitionsIn } from './changed-code.js';
import type { FileChange } from './change.js';
import type { Evidence } from './evidence.js';
import type { TestFact } from './facts.js';
import type { GuardFinding, GuardRule } from './finding.js';
import { loosensChecks } from './loosened-settings.js';
import { idOf } from './pairing.js';
import { roleOf } from './paths.js';
import type { FileRole } from './paths.js';
import { EXACT, levelOf } from './strength.js';

export type Found = Omit<GuardFinding, 'level'>;

/** True: a breach. */
type Row = (finding: Found, change: ChangeFacts) => boolean;

const breach: Row = () => true;
const note: Row = () => false;
/** A new test makes no other test weaker. */
const inExistingTest: Row = (finding, change) => !change.isNewTest(finding);

/** With scope `any`. */
const POLICY: Readonly<Record<GuardRule, Row>> = {
  // Settings, CI and scripts: a breach if they loosen the checks.
  'config-changed': (finding, change) => change.loosens(finding),
  'ci-changed': (finding, change) => change.loosens(finding),
  'scripts-changed': (finding, change) => change.loosens(finding),
  // The program that is to pass may be the very thing that is worked on.
  'command-changed': note,
  'lockfile-changed': note,
  'source-changed': breach,

  // Marks for tools: a breach in a test that also lost a check, or over new lines that coverage then leaves out.
  'type-suppressed': (finding, change) => change.lostCheckAround(finding),
  'any-used': (finding, change) => change.lostCheckAround(finding),
  'lint-disabled': (finding, change) => change.lostCheckAround(finding),
  'coverage-ignored': (finding, change) => change.lostCheckAround(finding) || change.hidesAddedLines(finding),

  // Tests that no longer run: a breach, unless the mark or its condition was there before.
  'test-skipped': (finding, change) => !change.stoodBefore(finding),
  'test-conditional': (finding, change) => !change.stoodBefore(finding),
  'test-focused': breach,
  'failure-expected': breach,
  'test-hidden': breach,
  'test-unread': breach,
  'test-hollow': breach,
  'early-return': inExistingTest,

  // Tests that are gone: a breach while the code they tested is unchanged.
  'test-deleted': (finding, change) => !change.changesCodeOf(finding),
  'test-renamed': (finding, change) => !change.changesCodeOf(finding) && !change.isTakenForAnother(finding),

  // Lost checks. Those that asked about names which the source no longer has are not found at all.
  'test-emptied': breach,
  'assertion-removed': (finding, change) => !change.isTakenForAnother(finding),
  'assertion-weakened': (finding, change) => !change.isTakenForAnother(finding),

  // Checks that cannot fail: a breach in place of a check that could.
  'assertion-tautological': (finding, change) => finding.before !== null || change.lostCheck(finding),
  'assertion-swallowed': inExistingTest,
  'assertion-unreached': (finding, change) => !change.isNewTest(finding) && !change.isInCallback(finding),
  'assertion-unawaited': (finding, change) => !change.isNewTest(finding),

  // Replaced code: a breach, unless the test checks that it cannot be replaced.
  'unit-mocked': (finding, change) => !change.isRefused(finding),
  'module-replaced': ({ before }) => !STAND_IN.test(before?.text ?? ''),
  'clock-patched': breach,
  'assertions-patched': breach,

  // Reading alone cannot tell a changed expectation from a hidden regression.
  rebaselined: note,

  // retrial/ sets the levels of its own findings.
  'regression-hidden': breach,
  'failing-test-removed': breach,
  'expectation-changed': note,
  'old-tests-fail': note,
  'proves-nothing': note,
  'strength-lost': breach,
};

export function withLevels(findings: readonly Found[], evidence: Evidence): readonly GuardFinding[] {
  const change = new ChangeFacts(findings, evidence);
  const isBreach = (finding: Found): boolean => evidence.input.scope === 'testing' || POLICY[finding.rule](finding, change);
  return findings.map((finding) => ({ ...finding, level: isBreach(finding) ? 'breach' : 'note' }));
}

/** Rules that say that a test lost a check. */
const LOSSES: ReadonlySet<GuardRule> = new Set(['test-emptied', 'assertion-removed', 'assertion-weakened', 'test-renamed']);

/** Files that say which checks run. */
const RUNS_CHECKS: ReadonlySet<FileRole> = new Set(['ci', 'scripts', 'package']);
const COMMANDS_IN_SETTINGS = /(^|\/)(tox|hatch|deno|project)\.\w+$/;

/** What else the change contains, asked by finding. */
class ChangeFacts {
  private readonly files = new Map<string, FileChange>();
  private definitions: ReadonlySet<string> | null = null;
  private kept: ReadonlySet<string> | null = null;
  // Looked up by file and test: a change may delete hundreds of tests of one file.
  private renamed: ReadonlySet<string> | null = null;
  private paired: ReadonlyMap<string, TestFact> | null = null;
  private removed: ReadonlyMap<string, TestFact> | null = null;

  constructor(
    private readonly findings: readonly Found[],
    private readonly evidence: Evidence,
  ) {
    for (const { change } of evidence.files)
      for (const path of [change.renamedFrom, change.path]) if (path !== undefined) this.files.set(path, change);
  }

  loosens({ file, message, after }: Found): boolean {
    if (TAKES_OVER.test(message) || /(^|\/)umpire\.config\.yaml$/.test(file)) return true;
    if (message.includes('decides which tests run')) return DECIDES.test(after?.text ?? '');
    const change = this.files.get(file);
    if (change === undefined) return false;
    const runsChecks = (path: string): boolean => RUNS_CHECKS.has(roleOf(path)) || COMMANDS_IN_SETTINGS.test(path);
    return loosensChecks({
      path: file,
      before: change.before ?? '',
      after: change.after ?? '',
      runsChecks: runsChecks(file),
      beside: this.evidence.files.flatMap(({ change: other }) => (other !== change && runsChecks(other.path) ? [other.after ?? ''] : [])),
    });
  }

  isNewTest({ file, test }: Found): boolean {
    return this.evidence.pairing.added.some((added) => added.span.file === file && idOf(added) === test);
  }

  /** Paired with a test of another name, in a file with as many exact checks as before: it may as well be a new test beside a rewritten one. */
  isTakenForAnother({ file, test }: Found): boolean {
    this.renamed ??= new Set(
      this.evidence.pairing.pairs.flatMap(({ how, before, after }) => (how === 'renamed' ? [placeOf(before), placeOf(after)] : [])),
    );
    if (!this.renamed.has(`${file} ${test ?? ''}`)) return false;
    const read = this.evidence.files.find(({ change }) => change.path === file);
    const checks = (tests: readonly TestFact[] = []): number =>
      tests.reduce((sum, { assertions }) => sum + assertions.filter((fact) => levelOf(fact) >= EXACT).length, 0);
    return checks(read?.after?.tests) >= checks(read?.before?.tests);
  }

  lostCheck({ file, test }: Pick<Found, 'file' | 'test'>): boolean {
    return test !== undefined && this.findings.some((other) => other.file === file && other.test === test && LOSSES.has(other.rule));
  }

  /** The test around the finding lost a check. */
  lostCheckAround({ file, after }: Found): boolean {
    const tests = this.evidence.files.find(({ change }) => change.path === file)?.after?.tests ?? [];
    const around = tests.filter(({ span }) => after !== null && span.from <= after.from && after.from < span.to);
    return around.some((test) => this.lostCheck({ file, test: idOf(test) }));
  }

  /** Of a comment on a line with code, that line; else the lines below it, as many as it says. */
  hidesAddedLines({ file, after }: Found): boolean {
    const change = this.files.get(file);
    if (after === null || change === undefined || roleOf(file) !== 'source') return false;
    const lines = change.after?.split('\n') ?? [];
    const at = after.line - 1;
    const hidden =
      codeOf(lines[at] ?? '') === '' ? lines.slice(at + 1, at + 1 + hiddenBelow(after.text, lines.slice(at + 1))) : [lines[at] ?? ''];
    const added = addedLines(change);
    return hidden.some((line) => added.has(codeOf(line)));
  }

  /** A condition that moved; a project's own way of running its tests. */
  stoodBefore({ file, after }: Found): boolean {
    if (after === null) return false;
    const change = this.files.get(file);
    const old = squeezed(change?.before ?? null);
    if (OWN_RUN.test(after.text)) return change === undefined || old.includes(squeezed(after.text));
    const above = (change?.after ?? '').slice(0, after.from).split('\n').slice(-2).join('\n');
    const condition = /\b(?:if|elif)\s*\(?(.{8,}?)\)?\s*[:{]?\s*$/.exec(above)?.[1];
    return condition !== undefined && old.includes(squeezed(condition));
  }

  /**
   * The test names a function, class or value that the change removes or changes; or one is gone that no test names, such as a route: then
   * nobody can tell by reading whose tests went with it.
   */
  changesCodeOf(finding: Found): boolean {
    // A file of tests is not what they test, whatever its name says.
    const isSource = ({ role, before }: Evidence['files'][number]): boolean => role === 'source' && (before?.tests ?? []).length === 0;
    const source = this.evidence.files.filter(isSource).map(({ change }) => change);
    this.definitions ??= new Set(source.flatMap((change) => [...changedDefinitions(change)]));
    this.kept ??= new Set(source.flatMap((change) => [...definitionsIn(change.after)]));
    const own = declaredIn(this.files.get(finding.file)?.before ?? '');
    return (
      [...this.definitions].some((name) => this.kept?.has(name) === false) ||
      namesIn(this.textOf(finding)).some((name) => this.definitions?.has(name) === true && !own.has(name))
    );
  }

  isInCallback({ message }: Found): boolean {
    return /callback|handler/.test(message);
  }

  /** `with raises(AttributeError): obj.attr = 1`. */
  isRefused({ file, after }: Found): boolean {
    const above = (this.files.get(file)?.after ?? '')
      .slice(0, after?.from ?? 0)
      .split('\n')
      .slice(-2)
      .join('\n');
    return /\b(?:raises|assertRaises\w*|throws|toThrow)\b/.test(above);
  }

  /** What the finding was before: of a test that is gone or has another name, all of it. */
  private textOf({ rule, file, before, test }: Found): string {
    const { pairs, removed } = this.evidence.pairing;
    this.paired ??= firstOf(pairs.map((pair) => [`${pair.after.span.file} ${idOf(pair.before)}`, pair.before]));
    this.removed ??= firstOf(removed.map((one) => [placeOf(one), one]));
    const whole = (rule === 'test-renamed' ? this.paired : this.removed).get(`${file} ${test ?? ''}`);
    return whole?.span.text ?? before?.text ?? '';
  }
}

function placeOf(test: TestFact): string {
  return `${test.span.file} ${idOf(test)}`;
}

/** Of equal keys the first holds. */
function firstOf(entries: readonly (readonly [string, TestFact])[]): ReadonlyMap<string, TestFact> {
  return new Map(entries.toReversed());
}

/** An import of a stand-in, before the change too. */
const STAND_IN = /fake|mock|stub|fixture|dummy/i;
/** A file in the place of the runner, or the check that a run is to pass. */
const TAKES_OVER = /in the place of|the command that is to pass/;
/** What a hook of the runner does to leave tests out or to forgive them. */
const DECIDES = /skip|xfail|deselect|excinfo|exit_?status|outcome|ignore|items\[:\]|retr|rerun|\.remove\(|\bpass(?:ed)?\b/i;
const OWN_RUN = /^\s*(?:async\s+)?def\s+(?:__call__|run|debug|_callTestMethod)\b/;

/** How many lines a comment on a line of its own keeps out of coverage. */
function hiddenBelow(mark: string, below: readonly string[]): number {
  if (/\bfile\b/.test(mark)) return below.length;
  if (/\bstart\b|\bdisable\b/.test(mark)) {
    const end = below.findIndex((line) => /\b(?:stop|end|enable)\b/.test(line));
    return end < 0 ? below.length : end;
  }
  return Number(/\bnext\s+(\d+)/.exec(mark)?.[1] ?? 1);
}

function squeezed(text: string | null): string {
  return (text ?? '').replace(/\s+/g, '');
}

function namesIn(text: string): readonly string[] {
  return text.match(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu) ?? [];
}

/** Names that a test file declares itself, unless it takes them from a module: they say nothing about the source. */
function declaredIn(text: string): ReadonlySet<string> {
  const declarations = text.matchAll(
    /\b(?:const|let|var)\s+(\{[^}]*\}|\[[^\]]*\]|[\w$]+)(?!\s*=\s*(?:await\s+import|require)\b)|\b(?:function|def)\s+([\w$]+\s*\([^)]*\))/g,
  );
  return new Set([...declarations].flatMap(([, names, head]) => namesIn(names ?? head ?? '')));
}
