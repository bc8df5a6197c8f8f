// `umpire guard` as people, hooks and CI run it: real projects, each form of output, allowances, reports of the runner, and
// settings.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CART, TESTS, FILES, SKIPPED, WEAKENED, withMore, jsonOf, places, textIn, guardIn } from './support/guard-shop.js';
import { cleanUpProjects, command, makeProject } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

describe('a change', () => {
  it('is clean if it only adds tests', async () => {
    const project = makeProject({ files: FILES });
    project.write({ 'src/cart.test.ts': withMore(TESTS), 'src/more.test.ts': TESTS.replace('cart', 'more') });
    expect(await project.umpire('guard')).toMatchObject({
      exit: 0,
      out: 'No breach in 2 changed files, against HEAD (scope any).\n',
      err: '',
    });
  });

  it('is reported with the rule, the place, the reason, the honest way and both versions', async () => {
    const project = makeProject({ files: FILES });
    project.write({ 'src/cart.test.ts': WEAKENED });
    const { exit, out } = await project.umpire('guard');
    expect({ exit, heads: out.split('\n').filter((line) => /^[a-z-]+ {2}\w+ {2}/.test(line)) }).toEqual({
      exit: 3,
      heads: ['test-skipped  high  src/cart.test.ts:9'],
    });
    expect(out).toContain("  - it('adds the tax', () => {\n  + it.skip('adds the tax', () => {\n");
    expect(out.replace(/\s+/g, ' ')).toContain(
      'assertion-weakened src/cart.test.ts:14 in cart > takes an empty cart: A check lets more through than before.',
    );
    expect(out).toMatch(/^ {2}in cart > adds the tax\n {2}[A-Z].*\.\n {2}Instead: [A-Z].*\.$/m);
    expect(out.endsWith('\n1 breach and 1 note in 1 changed file, against HEAD (scope any).\n')).toBe(true);
    const strict = await project.umpire('guard', '--scope', 'testing');
    expect(strict.out).toContain('  - expect(total([])).toEqual(0);\n  + expect(total([])).toBeDefined();\n');
    expect(strict.out.endsWith('\n2 breaches in 1 changed file, against HEAD (scope testing).\n')).toBe(true);
  });

  it('includes untracked and moved files', async () => {
    const project = makeProject({ files: FILES });
    project.write({
      'src/cart.test.ts': null,
      'src/old/cart.ts.txt': TESTS,
      'src/new.test.ts': TESTS.replace("it('adds'", "it.only('adds'"),
    });
    const told = jsonOf(await guardIn(project, '--json'));
    expect(new Set(told.findings.map(({ file }) => file))).toContain('src/new.test.ts');
    expect(told.findings.map(({ rule }) => rule)).toContain('test-focused');
  });

  it('is not called clean where nobody could read it', async () => {
    const project = makeProject({ files: { ...FILES, 'cart_test.go': 'package cart\n' } });
    project.write({ 'cart_test.go': null, 'README.md': 'hello\n' });
    expect(await guardIn(project)).toMatchObject({
      exit: 0,
      out: 'No breach in 1 of 2 changed files, against HEAD (scope any). Not read: 1 file\n(.go): cart_test.go.\n',
    });
    expect(jsonOf(await guardIn(project, '--json'))).toMatchObject({ findings: [], unread: ['cart_test.go'] });
  });

  it('may touch source, unless a flag or a setting says that only tests may change', async () => {
    const project = makeProject({ files: FILES });
    project.write({ 'src/cart.ts': `${CART}export const none = 0;\n` });
    expect(await guardIn(project)).toMatchObject({ exit: 0, out: 'No breach in 1 changed file, against HEAD (scope any).\n' });
    const strict = await guardIn(project, '--scope', 'testing', '--json');
    expect({ exit: strict.exit, places: places(jsonOf(strict)) }).toEqual({ exit: 3, places: ['source-changed src/cart.ts:2'] });
    project.git('stash', '-q');
    project.commit({ 'umpire.config.yaml': 'guard: { scope: testing }\n' });
    project.git('stash', 'pop', '-q');
    expect((await guardIn(project)).exit).toBe(3);
    expect((await guardIn(project, '--scope', 'any')).exit).toBe(0);
  });

  it('passes with notes, which --strict refuses and --revert leaves alone', async () => {
    const project = makeProject({ files: { ...FILES, 'package-lock.json': '{}' } });
    project.write({ 'package-lock.json': '{"lockfileVersion":3}' });
    const plain = await guardIn(project);
    expect({ exit: plain.exit, head: plain.out.split('\n')[0] }).toEqual({ exit: 0, head: 'Notes: for a person to look at' });
    const json = await guardIn(project, '--json');
    expect({ exit: json.exit, ...JSON.parse(json.out) }).toMatchObject({
      exit: 0,
      findings: [{ rule: 'lockfile-changed', level: 'note' }],
    });
    expect((await guardIn(project, '--strict')).exit).toBe(3);
    project.write({ 'src/cart.test.ts': SKIPPED });
    const both = await guardIn(project, '--revert', '--json');
    expect({ exit: both.exit, ...JSON.parse(both.out) }).toMatchObject({
      exit: 0,
      findings: [{ level: 'breach' }, { level: 'note' }],
      reverted: [{ file: 'src/cart.test.ts' }],
      left: [],
    });
    expect(project.git('status', '--porcelain')).toBe(' M package-lock.json\n');
  });

  it('is compared with a commit, or with the trunk if everything is committed', async () => {
    const project = makeProject({ files: FILES });
    const main = project.git('rev-parse', 'HEAD').trim();
    project.git('switch', '-q', '-c', 'work');
    project.commit({ 'src/cart.test.ts': SKIPPED });
    project.commit({ 'README.md': 'more\n' });
    const told = jsonOf(await guardIn(project, '--json'));
    expect({ base: told.base, places: places(told) }).toEqual({ base: main, places: ['test-skipped src/cart.test.ts:9'] });
    expect((await guardIn(project, '--base', 'HEAD~1')).exit).toBe(0);
    expect((await guardIn(project, '--base', 'main')).exit).toBe(3);
  });

  it('does not pass if a test file cannot be read', async () => {
    const project = makeProject({ files: FILES });
    project.write({ 'src/new.test.ts': 'it("x", () => {' });
    const { exit, out } = await project.umpire('guard');
    expect({ exit, out: out.replace(/: Not readable.*/, '') }).toEqual({
      exit: 1,
      out: 'Not read\n  src/new.test.ts\n\nNo breach in 1 changed file, against HEAD (scope any). Unreadable tests were not\nchecked.\n',
    });
  });
});

describe('an unreadable test file', () => {
  it('is a problem; its tests do not count as deleted and nothing is reverted', async () => {
    const project = makeProject({ files: FILES });
    project.write({ 'src/cart.test.ts': `${TESTS}\nit('is begun', () => {\n` });
    const ran = await guardIn(project, '--json');
    expect({ exit: ran.exit, places: places(jsonOf(ran)), files: jsonOf(ran).problems.map(({ file }) => file) }).toEqual({
      exit: 1,
      places: [],
      files: ['src/cart.test.ts'],
    });
    expect((await guardIn(project, '--revert')).exit).not.toBe(0);
    expect(textIn(project, 'src/cart.test.ts')).toContain('is begun');
  });

  it('does not pass if it was never readable, grew too large or became a link', async () => {
    const project = makeProject({ files: { ...FILES, 'src/flow.test.js': "it('x', () => expect((f(1): any)).toBe(1));\n" } });
    project.write({ 'src/flow.test.js': "it.skip('x', () => expect((f(1): any)).toBe(1));\n" });
    expect((await guardIn(project)).exit).toBe(1);
    project.git('checkout', '-q', '.');
    project.write({ 'src/cart.test.ts': `${TESTS}// ${'x'.repeat(2_200_000)}\n` });
    const large = await guardIn(project, '--json');
    expect({ exit: large.exit, places: places(jsonOf(large)), problems: jsonOf(large).problems }).toEqual({
      exit: 1,
      places: [],
      problems: [{ file: 'src/cart.test.ts', message: 'not checked: it is larger than 2 MB' }],
    });
  });
});

describe('forms', () => {
  it('--json prints one object with all details', async () => {
    const project = makeProject({ files: FILES });
    project.write({ 'src/cart.test.ts': SKIPPED });
    const { out } = await guardIn(project, '--json');
    const line = "  it('adds the tax', () => {";
    const from = TESTS.indexOf(line);
    expect(JSON.parse(out)).toEqual({
      findings: [
        {
          rule: 'test-skipped',
          level: 'breach',
          group: 'marks',
          severity: 'high',
          file: 'src/cart.test.ts',
          line: 9,
          message: expect.stringMatching(/\.$/) as string,
          honest: expect.stringMatching(/\.$/) as string,
          before: { text: line, from, to: from + line.length, line: 9 },
          after: { text: line.replace('it', 'it.skip'), from, to: from + line.length + 5, line: 9 },
          test: 'cart > adds the tax',
          fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
        },
      ],
      allowed: [],
      expired: [],
      problems: [],
      unread: [],
      base: project.git('rev-parse', 'HEAD').trim(),
      scope: 'any',
    });
  });

  it('--sarif prints a report that umpire read understands', async () => {
    const project = makeProject({ files: FILES });
    project.write({ 'src/cart.test.ts': WEAKENED });
    const told = jsonOf(await guardIn(project, '--json'));
    const { exit, out } = await guardIn(project, '--sarif');
    writeFileSync(join(project.beside, 'guard.sarif'), out);
    const read = await project.umpire('read', '--json', join(project.beside, 'guard.sarif'));
    const { findings } = JSON.parse(read.out) as { findings: { rule: string; artifact: string; line: number }[] };
    expect({ exit, read: read.exit, places: findings.map(({ rule, artifact, line }) => `${rule} ${artifact}:${line}`) }).toEqual({
      exit: 3,
      read: 3,
      places: places(told),
    });
  });
});

describe('allowances', () => {
  const config = (until: string) =>
    `guard:\n  allowances:\n    - { rule: test-skipped, path: "src/**", test: cart > adds the tax, reason: the tax office is closed, until: ${until} }\n`;

  it('permit a finding until their last day, and are shown', async () => {
    const project = makeProject({ files: { ...FILES, 'umpire.config.yaml': config('2999-12-31') } });
    project.write({ 'src/cart.test.ts': SKIPPED });
    const { exit, out } = await guardIn(project);
    expect({ exit, out }).toEqual({
      exit: 0,
      out: `Allowed
  test-skipped in src/** (cart > adds the tax) until 2999-12-31: the tax office
    is closed. Used at src/cart.test.ts:9

No breach in 1 changed file, against HEAD (scope any). 1 allowed.
`,
    });
    project.write({ 'src/cart.test.ts': TESTS.replace("it('adds',", "it.skip('adds',") });
    expect((await guardIn(project)).exit).toBe(3);
  });

  it('permit nothing after their last day', async () => {
    const project = makeProject({ files: { ...FILES, 'umpire.config.yaml': config('2020-01-31') } });
    project.write({ 'src/cart.test.ts': SKIPPED });
    const ran = await guardIn(project, '--json');
    expect({ exit: ran.exit, expired: jsonOf(ran).expired.map(({ until }) => until) }).toEqual({ exit: 3, expired: ['2020-01-31'] });
    expect((await guardIn(project)).out).toContain('Expired allowances\n');
  });

  it('are reported as new if the change itself adds them', async () => {
    const project = makeProject({ files: FILES });
    project.write({ 'src/cart.test.ts': SKIPPED, 'umpire.config.yaml': config('2999-12-31') });
    const ran = await guardIn(project, '--scope', 'any', '--json');
    expect(jsonOf(ran).allowed.map(({ allowance }) => allowance.new)).toEqual([true]);
  });

  it('are refused without a reason', async () => {
    const project = makeProject({
      files: { ...FILES, 'umpire.config.yaml': config('2999-12-31').replace('reason: the tax office is closed, ', '') },
    });
    const { exit, err } = await guardIn(project);
    expect({ exit, said: err.includes('guard.allowances.0.reason is missing') }).toEqual({ exit: 1, said: true });
  });
});

describe('settings of the guard', () => {
  it('may be changed by a person; a new scope counts from the next change on', async () => {
    const project = makeProject({ files: FILES });
    project.commit({ 'umpire.config.yaml': 'guard: { scope: testing }\n' });
    project.write({ 'umpire.config.yaml': 'guard: { scope: any }\n' });
    expect(await guardIn(project)).toMatchObject({ exit: 0, out: expect.stringContaining('(scope testing)') });
    project.write({ 'src/cart.ts': `${CART}// more\n` });
    expect(places(jsonOf(await guardIn(project, '--json')))).toEqual(['source-changed src/cart.ts:2']);
  });
});

describe('--staged', () => {
  it('checks the staged change', async () => {
    const project = makeProject({ files: FILES });
    project.write({ 'src/cart.test.ts': SKIPPED });
    project.git('add', '-A');
    project.write({ 'src/cart.test.ts': TESTS });
    expect((await guardIn(project)).exit).toBe(0);
    expect(places(jsonOf(await guardIn(project, '--staged', '--json')))).toEqual(['test-skipped src/cart.test.ts:9']);
    project.git('add', '-A');
    expect((await guardIn(project, '--staged')).exit).toBe(0);
    expect(await guardIn(project, '--staged', '--revert')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('Use --revert or --staged, not both'),
    });
  });
});

it('--staged uses only staged allowances', async () => {
  const project = makeProject({ files: FILES });
  project.write({ 'src/cart.test.ts': SKIPPED });
  project.git('add', '-A');
  const allowance = '{ rule: test-skipped, path: "**", reason: the tax office is closed, until: 2999-12-31 }';
  project.write({ 'umpire.config.yaml': `guard:\n  allowances:\n    - ${allowance}\n` });
  expect([(await guardIn(project)).exit, (await guardIn(project, '--staged')).exit]).toEqual([0, 3]);
  project.git('add', 'umpire.config.yaml');
  expect((await guardIn(project, '--staged')).exit).toBe(0);
});

it('--staged, in a hook, sees what `git commit -a` is about to commit', () => {
  const project = makeProject({ files: FILES });
  project.write({ 'src/cart.test.ts': SKIPPED });
  const hook = join(project.root, '.git', 'hooks', 'pre-commit');
  mkdirSync(dirname(hook), { recursive: true });
  writeFileSync(hook, `#!/bin/sh\nexec "${process.execPath}" "${command}" guard --staged --scope any\n`, { mode: 0o755 });
  expect(() => project.git('commit', '-q', '-a', '-m', 'all pass now')).toThrow(/test-skipped/);
  expect(project.git('log', '--format=%s', '-1')).not.toContain('all pass now');
  project.write({ 'src/cart.test.ts': withMore(TESTS) });
  project.git('commit', '-q', '-a', '-m', 'one more');
  expect(project.git('log', '--format=%s', '-1')).toContain('one more');
});

describe('reports of the runner', () => {
  const junit = (...cases: readonly (readonly [string, string])[]) =>
    `<testsuites><testsuite name="src/cart.test.ts" tests="${cases.length}">${cases
      .map(([name, inner]) => `<testcase classname="src/cart.test.ts" name="cart &gt; ${name}">${inner}</testcase>`)
      .join('')}</testsuite></testsuites>`;
  const ALL = junit(['adds', ''], ['adds the tax', ''], ['takes an empty cart', '']);

  it('show which tests ran', async () => {
    const project = makeProject({ files: FILES });
    project.write({
      'src/cart.test.ts': withMore(TESTS),
      '../before.xml': ALL,
      '../after.xml': junit(['adds', ''], ['takes an empty cart', '']),
    });
    const reports = ['--report-before', '../before.xml', '--report-after', '../after.xml'];
    const ran = await project.umpire('guard', '--json', ...reports);
    expect({ exit: ran.exit, tests: jsonOf(ran).findings.map(({ test }) => test) }).toEqual({ exit: 3, tests: ['cart > adds the tax'] });
    project.write({ '../after.xml': ALL });
    expect((await project.umpire('guard', ...reports)).exit).toBe(0);
  });

  it('are refused if they contain no test', async () => {
    const project = makeProject({ files: FILES });
    project.write({ '../empty.xml': '<testsuites></testsuites>' });
    for (const path of ['empty.xml', 'none.xml'].map((name) => join(project.beside, name))) {
      const { exit, err } = await guardIn(project, '--report-after', path);
      expect({ exit, said: err.includes(`The test report ${path} contains no test that ran`) }).toEqual({ exit: 1, said: true });
    }
  });
});

describe('mistakes', () => {
  it('are reported with the next step', async () => {
    const project = makeProject({ files: FILES });
    const plain = makeProject({ files: FILES, plain: true });
    const said = async (from: RunProject, ...args: readonly string[]) => {
      const { exit, err } = await guardIn(from, ...args);
      return `${exit ?? ''} ${err.split('\n')[0] ?? ''}`;
    };
    const started = await project.umpire('guard', '--scope', 'all');
    expect([
      `${started.exit ?? ''} ${started.err.split('\n')[0] ?? ''}`,
      await said(project, 'main'),
      await said(project, '--json', '--sarif'),
      await said(project, '--base', 'nowhere'),
      (await said(plain)).replace(plain.root, 'there'),
    ]).toEqual([
      '2 umpire: --scope takes one of testing, any, not "all".',
      '2 umpire: Unexpected argument "main". Name the base with --base.',
      '2 umpire: Use --json or --sarif, not both.',
      '2 umpire: No commit "nowhere" to compare with.',
      '1 umpire: there is not in a git repository, so there is nothing to compare its tests with.',
    ]);
  });
});
