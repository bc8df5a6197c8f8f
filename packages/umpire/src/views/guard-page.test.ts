// The guard's page: narrow and wide, with and without colours, and with everything that it can tell.

import { expect, it } from 'vitest';
import { findingOf } from '@umpire/guard/findings/finding.js';
import { findRuleWords } from '@umpire/guard/rules/all.js';
import type { GuardFinding } from '@umpire/guard/findings/finding.js';
import { guardPage } from './guard-page.js';
import type { GuardPage } from './guard-page.js';

function version(text: string, line: number): NonNullable<GuardFinding['before']> {
  return { text, from: 0, to: text.length, line };
}

const weakened: GuardFinding = {
  ...findingOf(findRuleWords('assertion-weakened'), { file: 'src/cart.test.ts', level: 'breach', test: ['cart', 'adds'] }),
  line: 4,
  before: version('    expect(total([1, 2])).toBe(3);', 4),
  after: version('    expect(total([1, 2])).toBeDefined();', 4),
};
const deleted: GuardFinding = {
  ...findingOf(findRuleWords('test-deleted'), { file: 'src/cart.test.ts', level: 'breach' }),
  line: 9,
  before: version(`  it('x', () => {\n${'    step();\n'.repeat(20)}  });`, 9),
};
const EMPTY: GuardPage = {
  findings: [],
  notes: [],
  allowed: [],
  expired: [],
  newAllowances: [],
  problems: [],
  unread: [],
  isBlind: false,
  against: 'HEAD',
  scope: 'testing',
  files: 2,
};
const narrow = { columns: 80, color: false };

it('shows one version below the other', () => {
  expect(guardPage({ ...EMPTY, findings: [weakened] }, narrow)).toBe(`assertion-weakened  high  src/cart.test.ts:4
  in cart > adds
  ${weakened.message}
  Instead: ${weakened.honest}
  - expect(total([1, 2])).toBe(3);
  + expect(total([1, 2])).toBeDefined();

1 breach in 2 changed files, against HEAD (scope testing).
`);
});

it('shows them side by side where there is room, and cuts what is long', () => {
  const lines = guardPage({ ...EMPTY, findings: [weakened, deleted] }, { columns: 100, color: false }).split('\n');
  expect(lines[4]).toBe('  expect(total([1, 2])).toBe(3);                  | expect(total([1, 2])).toBeDefined();');
  expect(lines.slice(9, 11)).toEqual([
    `  it('x', () => {                                 | (gone)`,
    '    step();                                       |',
  ]);
  expect(lines[21]).toBe('  ... and 10 more lines                           |');
  expect(lines.every((line) => line.length <= 100)).toBe(true);
});

it('shows where two long lines differ, however wide the terminal is', () => {
  const long = (check: string, title: string): GuardFinding => ({
    ...weakened,
    before: version(`it('${title}', () => { expect(slug('Hello World')).toBe('hello-world'); });`, 4),
    after: version(`it('${title}', () => { expect(slug('Hello World')).${check}; });`, 4),
  });
  const shown = (finding: GuardFinding, columns: number) =>
    guardPage({ ...EMPTY, findings: [finding] }, { columns, color: false })
      .split('\n')
      .slice(4, 6);
  expect(shown(long('toBeTruthy()', 'lowers'), 100)).toEqual([
    "  - it('lowers', () => { expect(slug('Hello World')).toBe('hello-world'); });",
    "  + it('lowers', () => { expect(slug('Hello World')).toBeTruthy(); });",
  ]);
  expect(shown(long('toBeTruthy()', 'lowers '.repeat(20)), 80)).toEqual([
    "  - ...'Hello World')).toBe('hello-world'); });",
    "  + ...'Hello World')).toBeTruthy(); });",
  ]);
});

it('paints only where it is asked to, and lets nothing of a file steer the terminal', () => {
  const nasty = { ...weakened, file: 'a\u001b[2Jb.ts', after: version('x\u001b]0;t\u0007y\u202e', 4) };
  const painted = guardPage({ ...EMPTY, findings: [nasty] }, { columns: 80, color: true });
  expect(painted.replaceAll(/\u001b\[\d+m/g, '')).toBe(guardPage({ ...EMPTY, findings: [nasty] }, narrow));
  expect(painted).toContain('\u001b[31mhigh\u001b[0m');
  expect(guardPage({ ...EMPTY, findings: [nasty] }, narrow)).not.toMatch(/[\u001b\u0007\u202e]/);
});

it('tells what is allowed and by whom, what is over, what was not read, and what was taken back', () => {
  const allowance = { rule: 'test-deleted', path: 'src/**', test: null, reason: 'the feature goes', until: '2026-06-30' };
  const page: GuardPage = {
    ...EMPTY,
    findings: [weakened],
    allowed: [{ finding: deleted, allowance }],
    newAllowances: [allowance],
    expired: [{ ...allowance, rule: 'assertions', test: 'cart > adds', until: '2026-01-01' }],
    problems: [{ file: 'a.test.ts', message: 'Not readable as code: unexpected end' }],
    isBlind: true,
    reverted: {
      corrections: [
        { path: 'src/cart.test.ts', how: 'hunk', text: 'x' },
        { path: 'b.test.ts', how: 'file', text: null },
        { path: 'c.test.ts', how: 'file', text: 'x' },
        { path: 'd.txt', how: 'file', text: 'x', renamedFrom: 'd.test.ts' },
      ],
      left: [],
      kept: '.umpire/reverted/20260101T000000',
    },
  };
  expect(guardPage(page, narrow).split('\n\n').slice(1).join('\n\n')).toBe(`Allowed
  test-deleted in src/** until 2026-06-30, added by this change: the feature
    goes. Used at src/cart.test.ts:9

Expired allowances
  assertions in src/** (cart > adds) ended on 2026-01-01: the feature goes

Not read
  a.test.ts: Not readable as code: unexpected end

Reverted
  src/cart.test.ts: some hunks
  b.test.ts: removed (it was new)
  c.test.ts: the whole file
  d.txt: the whole file, renamed back to d.test.ts
  Your versions are kept in .umpire/reverted/20260101T000000. If you staged
  them, stage the reverted files again with git add.

1 breach in 2 changed files, against HEAD (scope testing). 1 allowed, by 1 new
allowance. Unreadable tests were not checked. All reverted.
`);
});

it('says that there is none', () => {
  expect(guardPage({ ...EMPTY, files: 1 }, narrow)).toBe('No breach in 1 changed file, against HEAD (scope testing).\n');
});

it('names the files that nobody read, in place of a clean result', () => {
  expect(guardPage({ ...EMPTY, files: 3, unread: ['lib/cart.ex', 'app/Cart.kt', 'lib/b.ex'] }, narrow)).toBe(
    'Checked none of 3 changed files, against HEAD (scope testing). Not read: 3 files\n(.ex, .kt): lib/cart.ex, app/Cart.kt, lib/b.ex.\n',
  );
  const many = Array.from({ length: 7 }, (_, at) => `a${at}.go`);
  const page = { ...EMPTY, files: 9, unread: many };
  expect(guardPage(page, narrow)).toBe(
    'No breach in 2 of 9 changed files, against HEAD (scope testing). Not read: 7\nfiles (.go): a0.go, a1.go, a2.go, a3.go, a4.go and 2 more.\n',
  );
  expect(guardPage({ ...page, unread: ['a\u001b[2J.go'] }, narrow)).not.toContain('\u001b');
  // It is no clean result.
  expect(guardPage(page, { ...narrow, color: true })).toContain('\u001b[33m');
  expect(guardPage({ ...page, findings: [weakened] }, narrow)).toContain('\n1 breach in 2 of 9 changed files, against HEAD');
});

it('lists notes after the breaches, and counts them apart', () => {
  const locked: GuardFinding = findingOf(findRuleWords('lockfile-changed'), { file: 'package-lock.json', level: 'note' });
  const renamed: GuardFinding = { ...deleted, level: 'note', test: 'cart > x' };
  expect(guardPage({ ...EMPTY, notes: [renamed, locked] }, narrow)).toBe(`Notes: for a person to look at
  test-deleted  src/cart.test.ts:9 in cart > x: A test is gone, and nothing else
    checks what it checked.
  lockfile-changed  package-lock.json:1: Locked dependencies changed under the
    tests.

No breach and 2 notes in 2 changed files, against HEAD (scope testing).
`);
  expect(guardPage({ ...EMPTY, findings: [weakened], notes: [locked] }, narrow)).toMatch(
    /^assertion-weakened[^]*\n\nNotes: [^]*\n\n1 breach and 1 note in 2 changed files/,
  );
});
