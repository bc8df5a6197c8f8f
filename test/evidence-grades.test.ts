// The grade of evidence (V3): measured is what a tool said that Umpire ran. Everything that an agent wrote is testified.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { base, decide, root, session } from './support/command.js';
import { runInProcess } from './support/in-process.js';
import { linesOf, writeLines } from './support/journal.js';
import { cleanUpProjects, makeProject } from './support/run-project.js';

cleanUpProjects();

type Graded = { readonly evidence: readonly { readonly path: string; readonly grade: string }[]; readonly testimony?: string };

function gradesIn(json: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries((json as Graded).evidence.map(({ path, grade }) => [path, grade]));
}

const PROVENANCE = {
  commit: 'a'.repeat(40),
  content: null,
  started: '2026-03-01T10:00:00.000Z',
  ended: '2026-03-01T10:00:01.000Z',
  tools: [{ name: 'vitest', version: '4.0.0', command: ['vitest', 'run'], exit_status: 0 }],
};

describe('V3 what an agent wrote is testified', () => {
  it.each([
    ['review', 'R1', 'artifacts/review-results.json'],
    ['testing', 'T2', 'results/run-L1.json'],
    ['debt', 'B3', 'validation/validation-report.json'],
    ['design', 'D5', 'artifacts/audit/AUDIT-001.md'],
  ])('%s %s: %s, whatever its name, and even with a provenance of its own', async (loop, from, path) => {
    const folder = session(`fixtures/spec/${from}/session`);
    const file = join(folder, path);
    if (path.endsWith('.json')) {
      const content = JSON.parse(readFileSync(file, 'utf8')) as object;
      writeFileSync(file, JSON.stringify({ ...content, provenance: PROVENANCE }));
    }
    const { exit, json } = await decide(loop, folder, '--json');
    expect(exit).toBe(0);
    expect(json['unverified']).toBe(false);
    expect(gradesIn(json)).toMatchObject({ [path]: 'testified' });
    expect((json as unknown as Graded).testimony).toMatch(/Umpire measured none of this evidence/);
    const page = await decide(loop, folder);
    expect(page.out).toContain(`${path} (an agent's statement`);
    expect(page.out.match(/Testimony only: Umpire measured none/g)).toHaveLength(1);
    expect((await runInProcess(base, ['replay', folder])).exit).toBe(0);
    expect((await runInProcess(base, ['report', folder])).stdout).toContain('Testimony only');
  });

  it('in a loop of your own too, although its file says measured', async () => {
    const folder = session('examples/docs-review/session');
    const loop = join(folder, '..', 'loop.yaml');
    const yaml = readFileSync(join(root, 'examples/docs-review/docs-review.yaml'), 'utf8').replaceAll(
      'grade: testified',
      'grade: measured',
    );
    writeFileSync(loop, yaml);
    const { json } = await decide(loop, folder, '--json');
    expect(new Set(Object.values(gradesIn(json)))).toEqual(new Set(['testified']));
    expect((await runInProcess(base, ['replay', folder])).exit).toBe(0);
  });
});

describe('V3 what Umpire measured is measured', () => {
  const passing = "require('node:test').test('passes', () => {});\n";
  const FILES = { 'package.json': '{"name":"p","scripts":{"test":"node --test"}}\n', 'a.js': 'exports.a = 1;\n', 'a.test.js': passing };
  const RUN = 'results/run-L1.json';

  it('as long as the file is the one that `critique` left, and the journal says so', async () => {
    const project = makeProject({ files: FILES });
    await project.umpire('critique', 'testing', '--session', 's');
    const folder = join(project.root, 's');
    const measured = await decide('testing', folder, '--json', '--dry-run');
    expect(gradesIn(measured.json)).toMatchObject({ [RUN]: 'measured', 'results/output-L1.txt': 'measured' });
    expect(measured.json).not.toHaveProperty('testimony');
    const bytes = readFileSync(join(folder, RUN), 'utf8');
    writeFileSync(join(folder, RUN), `${bytes} `);
    expect(gradesIn((await decide('testing', folder, '--json', '--dry-run')).json)).toMatchObject({ [RUN]: 'testified' });
    writeFileSync(join(folder, RUN), bytes);
    expect(gradesIn((await decide('testing', folder, '--json')).json)).toMatchObject({ [RUN]: 'measured' });
    expect((await runInProcess(base, ['replay', folder])).exit).toBe(0);
    const lines = linesOf(folder);
    writeLines(
      folder,
      lines.filter((line) => !line.includes('EvidenceMeasured')),
    );
    expect((await runInProcess(base, ['replay', folder])).exit).toBe(1);
  });

  it('not where a built-in critic only weighed the words of agents', async () => {
    const project = makeProject({ files: FILES });
    const critique = {
      ts: '2026-03-01T10:00:00.000Z',
      worker: 'CHALLENGE-001',
      type: 'critique',
      data: { idea: 'A', severity: 'LOW', problem: 'Small', gc_round: 0 },
    };
    const header = 'id,title,description,role,gc_round,deps,exec_mode,wave,status,findings,gc_signal,severity_summary,error';
    const rows = [
      'IDEA-001,Idea,Find one,ideator,0,,csv-wave,1,completed,A: one idea,,,',
      'CHALLENGE-001,Challenge,Attack it,challenger,0,IDEA-001,csv-wave,2,completed,x,,LOW:1,',
    ];
    project.write({ 's/discoveries.ndjson': `${JSON.stringify(critique)}\n`, 's/tasks.csv': `${[header, ...rows].join('\n')}\n` });
    await project.umpire('critique', 'brainstorm', '--session', 's');
    const { json } = await decide('brainstorm', join(project.root, 's'), '--json', '--dry-run');
    expect(new Set(Object.values(gradesIn(json)))).toEqual(new Set(['testified']));
  });
});
