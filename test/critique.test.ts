// `umpire critique` as a command: the evidence that it writes and removes, and the verdict of `umpire decide` on it.

import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { cleanUpProjects, jsonOf, makeProject, rowsOf } from './support/run-project.js';

cleanUpProjects();

const passing = "require('node:test').test('passes', () => {});\n";
const failing = "require('node:test').test('fails', () => { throw new Error('no'); });\n";
const NODE = { 'package.json': '{"name":"p","scripts":{"test":"node --test"}}\n', 'a.js': 'exports.a = 1;\n' };

it('measures every layer that has tests, and adds a row for each', SOAK, async () => {
  const project = makeProject({ files: { ...NODE, 'a.test.js': passing, 'integration/b.test.js': failing } });
  const { exit, out } = await project.umpire('critique', 'testing', '--session', 's', '--json');
  expect({ exit, outcome: (JSON.parse(out) as { outcome: string }).outcome }).toEqual({ exit: 3, outcome: 'fail' });
  const session = join(project.root, 's');
  expect(Object.values(rowsOf(session)).map(({ id, layer, pass_rate: rate }) => `${id} ${layer} ${rate}`)).toEqual([
    'TESTRUN-001 L1 1',
    'TESTRUN-002 L2 0',
  ]);
  expect((await project.umpire('decide', 'testing', 's', '--layer', 'L2')).exit).toBe(3);
});

it('removes old evidence if it can measure nothing now', SOAK, async () => {
  const project = makeProject({
    files: { 'src/a.js': 'export const a = 1;\n', 'eslint.config.mjs': 'export default [];\n', '.gitignore': 'node_modules\ns\n' },
  });
  symlinkSync(join(import.meta.dirname, '..', 'node_modules'), join(project.root, 'node_modules'));
  project.write({ 'src/a.js': 'export const a = 2;\n' });
  expect((await project.umpire('critique', 'review', '--session', 's')).exit).toBe(0);
  expect((await project.umpire('decide', 'review', 's', '--dry-run')).exit).toBe(0);
  project.write({ 'eslint.config.mjs': 'export default [' });
  expect((await project.umpire('critique', 'review', '--session', 's')).exit).toBe(1);
  expect((await project.umpire('decide', 'review', 's', '--dry-run', '--json')).exit).toBe(1);
});

it('V1: a critique that ends in an error leaves a row that decide refuses', async () => {
  const project = makeProject({ files: { 'src/a.js': 'export const a = 1;\n' } });
  project.write({ 'src/a.js': 'export const a = 2;\n', 'lint.sarif': '{' });
  expect((await project.umpire('critique', 'review', '--session', 's')).exit).toBe(1);
  expect(rowsOf(join(project.root, 's'))['REVIEW-001']).toMatchObject({ status: 'failed' });
  const { exit, out } = await project.umpire('decide', 'review', 's', '--json');
  expect({ exit, printed: JSON.parse(out) as unknown }).toMatchObject({ exit: 1, printed: { error: { code: 'critic-unfinished' } } });
});

it('refuses a file in place of a session folder', async () => {
  const project = makeProject({ files: { 'notes.txt': 'x\n' } });
  const { exit, err } = await project.umpire('critique', 'testing', '--session', 'notes.txt');
  expect({ exit, err }).toEqual({
    exit: 2,
    err: expect.stringContaining('--session takes a folder, and "notes.txt" is a file.') as string,
  });
});

it('does not pass without tests, and names the runners that it looked for', async () => {
  const project = makeProject();
  const { exit, out } = await project.umpire('critique', 'testing', '--session', 's');
  expect(exit).toBe(1);
  expect(out).toContain('Tests could not run');
  expect(out).toContain('No test runner found');
});

it('names the cause first if no test can run', async () => {
  const project = makeProject({ files: { 'package.json': '{}', 'src/cart.test.ts': '' } });
  const { out } = await project.umpire('critique', 'testing', '--session', 's');
  expect(out.split('\n')[2]).toMatch(/^L1: No test runner found/);
  expect(out).not.toContain('There is no test file');
});

it('refuses an unknown layer or revision, and writes nothing', SOAK, async () => {
  const project = makeProject({ files: { ...NODE, 'a.test.js': passing } });
  const layer = await project.umpire('critique', 'testing', '--session', 's', '--layer', 'L9');
  expect({ exit: layer.exit, err: layer.err }).toEqual({
    exit: 2,
    err: expect.stringContaining('There is no layer "L9". Layers: L1, L2, L3.') as string,
  });
  for (const loop of ['testing', 'debt', 'review']) {
    const base = await project.umpire('critique', loop, '--session', 's', '--base', 'nope');
    expect({ loop, exit: base.exit, err: base.err }).toEqual({
      loop,
      exit: expect.any(Number) as number,
      err: expect.stringContaining('"nope"') as string,
    });
    expect(base.out).toBe('');
  }
  expect(existsSync(join(project.root, 's'))).toBe(false);
  expect((await project.umpire('critique', 'testing', '--base', 'HEAD')).exit).toBe(0);
});

it('refuses loops without a critic, and invalid layer names', async () => {
  const project = makeProject({ files: { ...NODE, 'a.test.js': passing } });
  const unknown = await project.umpire('critique', 'until');
  expect({ exit: unknown.exit, err: unknown.err }).toMatchObject({
    exit: 2,
    err: expect.stringContaining('has no built-in critic for "until"'),
  });
  expect((await project.umpire('critique', 'testing', '--layer', '../x')).exit).toBe(2);
  expect((await project.umpire('critique', 'design', '--industry', 'loose')).exit).toBe(2);
  const whole = await project.umpire('critique', 'testing', '--session', 's', '--layer', 'L1');
  expect(whole.exit).toBe(0);
  expect(jsonOf(project.root, 's', 'results', 'run-L1.json')).toMatchObject({
    layer: 'L1',
    total: 1,
    provenance: { tools: [{ exit_status: 0 }] },
  });
});
