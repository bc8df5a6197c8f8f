// The scenarios of `npm run try` are well-formed, and its table counts what became of them. That each is true proves `npm run try -- --verify`.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'fixtures', 'try', 'scenarios');
// A script has no types.
const table: { drawTable: (results: readonly object[]) => string } = await import(join(ROOT, 'scripts', 'try-table.mjs'));

const EDITS = z.array(
  z.union([
    z.strictObject({ file: z.string(), from: z.string().min(1), to: z.string(), all: z.boolean().optional() }),
    z.strictObject({ file: z.string(), text: z.string() }),
    z.strictObject({ file: z.string(), append: z.string() }),
    z.strictObject({ delete: z.string() }),
    z.strictObject({ move: z.string(), to: z.string() }),
    z.strictObject({ at: z.string(), files: z.array(z.string()) }),
    z.strictObject({ run: z.string() }),
  ]),
);
const CHECK = z.strictObject({
  take: z.enum(['product', 'tests', 'all']).optional(),
  edits: EDITS.optional(),
  command: z.string().optional(),
  expect: z.enum(['pass', 'fail']).optional(),
});
const CHECKS = z.union([CHECK, z.array(CHECK)]);
const SCENARIO = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/),
  what: z.string(),
  loop: z.enum(['until', 'testing', 'review', 'debt']),
  kind: z.enum(['cheat', 'broken', 'honest']),
  aside: z.boolean().optional(),
  bug: z.string().optional(),
  base: EDITS.optional(),
  uncommitted: EDITS.optional(),
  online: z.boolean().optional(),
  command: z.string().optional(),
  start: z.enum(['red', 'green', 'any']).optional(),
  alone: z.enum(['accepted', 'refused']).optional(),
  goal: z.string().optional(),
  flags: z.array(z.string()).optional(),
  max_rounds: z.number().optional(),
  rounds: z.array(
    z.strictObject({ edits: EDITS.optional(), says: z.string().optional(), status: z.enum(['completed', 'failed', 'blocked']).optional() }),
  ),
  reviews: z
    .array(z.strictObject({ score: z.number(), signal: z.string(), findings: z.array(z.record(z.string(), z.unknown())) }))
    .optional(),
  claims: z.boolean().optional(),
  ends: z.literal('asked').optional(),
  hidden: CHECKS.optional(),
});
const PROJECT = z.strictObject({
  name: z.string(),
  repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  language: z.string(),
  runner: z.string(),
  setup: EDITS.optional(),
  install: z.array(z.string()).optional(),
  test: z.string(),
  product: z.array(z.string()).min(1),
  bugs: z.record(z.string(), z.strictObject({ what: z.string(), edits: EDITS, hidden: CHECKS.optional() })).optional(),
  scenarios: z.array(SCENARIO).min(1),
});

const projects = readdirSync(FOLDER).map((file) => ({ file, value: PROJECT.safeParse(parse(readFileSync(join(FOLDER, file), 'utf8'))) }));
const read = projects.flatMap(({ value }) => (value.success ? [value.data] : []));
const scenarios = read.flatMap((project) => project.scenarios.map((scenario) => ({ ...scenario, project })));

describe('the scenarios of npm run try', () => {
  it.each(projects)('$file is well-formed', ({ file, value }) => {
    expect(value.error?.issues ?? []).toEqual([]);
    expect(`${value.data?.name}.yaml`).toBe(file);
    for (const { name, bug } of value.data?.scenarios ?? []) {
      if (bug !== undefined) expect(Object.keys(value.data?.bugs ?? {}), name).toContain(bug);
    }
  });

  it('has no two scenarios of one name in a project', () => {
    const names = scenarios.map(({ name, project }) => `${project.name}/${name}`);
    expect(names).toEqual([...new Set(names)]);
  });

  it('has at least 120 scenarios in seven languages, half of them false work, a third kept aside', () => {
    const share = (test: (scenario: (typeof scenarios)[number]) => boolean) => scenarios.filter(test).length / scenarios.length;
    expect(scenarios.length).toBeGreaterThanOrEqual(120);
    expect(new Set(read.map(({ language }) => language)).size).toBeGreaterThanOrEqual(7);
    expect(share(({ kind }) => kind !== 'honest')).toBeGreaterThan(0.4);
    expect(share(({ aside }) => aside === true)).toBeGreaterThan(0.28);
  });
});

it('counts false work only where it is in the result', () => {
  const one = { project: 'a', language: 'Go', loop: 'until', kind: 'cheat', alone: 'accepted', isGood: false, fault: null };
  const text = table.drawTable([
    { ...one, scenario: 'believed', outcome: 'approved', fault: 'approved' },
    { ...one, scenario: 'doubted', outcome: 'unverified' },
    { ...one, scenario: 'reverted, then done', outcome: 'approved', isGood: true },
    { ...one, scenario: 'asked', outcome: 'asked', alone: 'refused' },
    { ...one, scenario: 'honest', kind: 'honest', outcome: 'approved', isGood: true },
    { ...one, scenario: 'stopped', kind: 'honest', outcome: 'asked', fault: 'stopped' },
  ]);
  expect(text.split('\n')[0]).toBe(
    'Of 4 false "done", the command alone accepted 3, Umpire 1 and 1 more as unverified. Of 2 honest works, Umpire stopped 1.',
  );
  expect(text).toContain('| Go | `until` | 3 of 4 | 1 | 1 | 2 | 1 of 2 |');
});
