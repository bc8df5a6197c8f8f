// The packed labelled changes: unpacked for editing and packed again they are the same bytes, and the quick list names cases that exist.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isSoak } from './support/campaign.js';
import { readQuickCases } from './support/guard-cases.js';
import type { PackedCase } from './support/guard-cases.js';

const root = join(import.meta.dirname, '..');
const SCRIPT = join(root, 'scripts', 'guard-cases.mjs');
const FILES = ['seen-cheat', 'seen-note', 'seen-honest', 'held-out-cheat', 'held-out-note', 'held-out-honest'];
const packed = (name: string) => readFileSync(join(root, 'fixtures', 'guard', `${name}.ndjson`), 'utf8');

const folder = mkdtempSync(join(tmpdir(), 'umpire-guard-cases-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function runScript(...args: readonly string[]) {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8' });
  return { status, stderr };
}

const CASE = `title: a check is gone
language: ts
framework: vitest
scope: testing
expect: assertion-removed src/a.test.ts
expect: test-emptied src/b.test.ts
note: rebaselined src/a.test.ts
also: assertion-weakened, test-emptied
why: nobody looks any more
=== same src/a.ts
export const a = '…\\u2028 "quoted"';
=== before src/a.test.ts
expect(a).toBe(1);

=== after src/a.test.ts
=== ran before
passed src/a.test.ts > a
=== ran after
passed src/a.test.ts > a
`;

describe('scripts/guard-cases.mjs', () => {
  it.each(isSoak ? FILES : ['held-out-note'])('unpacks and packs %s to the same bytes', { timeout: 60_000 }, (name) => {
    const [files, again] = [join(folder, name), join(folder, `${name}.ndjson`)];
    expect(runScript('unpack', join(root, 'fixtures', 'guard', `${name}.ndjson`), files)).toEqual({ status: 0, stderr: '' });
    expect(runScript('pack', files, again)).toEqual({ status: 0, stderr: '' });
    expect(readFileSync(again).equals(Buffer.from(packed(name)))).toBe(true);
  });

  it('packs edited files sorted by id, and unpacks them unchanged', () => {
    const [edited, file, back] = [join(folder, 'edited'), join(folder, 'edited.ndjson'), join(folder, 'back')];
    mkdirSync(join(edited, 'cheat'), { recursive: true });
    mkdirSync(join(edited, 'honest'));
    const honest = CASE.replace(/^(expect|note|also): .*\n/gm, '');
    writeFileSync(join(edited, 'cheat', 'js-b.case'), CASE);
    writeFileSync(join(edited, 'honest', 'js-a.case'), honest);
    writeFileSync(join(edited, 'cheat', 'js-a-b.case'), CASE);
    expect(runScript('pack', edited, file)).toEqual({ status: 0, stderr: '' });
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as PackedCase).map(({ id, label }) => `${id} ${label}`)).toEqual([
      'js-a honest',
      'js-a-b cheat',
      'js-b cheat',
    ]);
    expect(runScript('unpack', file, back)).toEqual({ status: 0, stderr: '' });
    expect(readdirSync(join(back, 'cheat'))).toEqual(['js-a-b.case', 'js-b.case']);
    expect(readFileSync(join(back, 'cheat', 'js-b.case'), 'utf8')).toBe(CASE);
    expect(readFileSync(join(back, 'honest', 'js-a.case'), 'utf8')).toBe(honest);
  });

  it.each([
    ['bytes that are not UTF-8', Buffer.concat([Buffer.from(CASE), Buffer.from([0xff, 0x0a])]), 'is not UTF-8'],
    ['an unknown field', Buffer.from(`sope: any\n${CASE}`), 'js-x: cannot read the line: sope: any'],
    ['an unknown section', Buffer.from(`${CASE}=== later src/a.ts\n`), 'js-x: cannot read the section: === later src/a.ts'],
    [
      'a list without spaces',
      Buffer.from(CASE.replace('weakened, test', 'weakened,test')),
      'js-x: fields stand in another order or spacing',
    ],
    ['fields in another order', Buffer.from(`scope: any\n${CASE.replace('scope: testing\n', '')}`), 'js-x: fields stand in another order'],
  ])('refuses %s', (title, bytes, message) => {
    const place = join(folder, title);
    mkdirSync(join(place, 'cheat'), { recursive: true });
    writeFileSync(join(place, 'cheat', 'js-x.case'), bytes);
    const { status, stderr } = runScript('pack', place, join(folder, 'refused.ndjson'));
    expect({ status, said: stderr.includes(message) }).toEqual({ status: 1, said: true });
  });

  it('prints its usage for anything else', () => {
    expect(runScript('pack')).toMatchObject({ status: 2, stderr: expect.stringMatching(/^Usage: /) as string });
  });
});

it.each(FILES)('%s is sorted by id, each id once, and has one label', (name) => {
  const cases = packed(name)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as PackedCase);
  const ids = cases.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].toSorted());
  expect([...new Set(cases.map(({ label }) => label))]).toEqual([name.split('-').at(-1)]);
});

it('the quick list names seen cases', () => {
  const listed = JSON.parse(readFileSync(join(root, 'fixtures', 'guard', 'quick.json'), 'utf8')) as Record<string, readonly string[]>;
  const quick = readQuickCases();
  expect(quick.map(({ id }) => id)).toEqual(['cheat', 'note', 'honest'].flatMap((label) => listed[label] ?? []));
});
