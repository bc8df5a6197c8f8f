// `umpire decide` where several critics of one wave have finished: each is judged, and nothing is released before all are.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { decide, session } from './support/command.js';
import { cleanUpAfterwards } from './support/git-project.js';
import { runInProcess } from './support/in-process.js';

cleanUpAfterwards();

/** Two finished audits in one wave. BUILD-001 depends on both. `first`: the finding of AUDIT-001. */
function twoAudits(first: string): string {
  const folder = session('fixtures/spec/D5/session');
  const tasks = join(folder, 'tasks.csv');
  const text = readFileSync(tasks, 'utf8');
  const other = `AUDIT-002,Audit the icons,"Audit the icons.",reviewer,component,icon,component,DESIGN-001,DESIGN-001,csv-wave,3,completed,Fine.,artifacts/audit/AUDIT-002.md,8.2,audit_passed,\n`;
  const build = text.indexOf('BUILD-001');
  writeFileSync(tasks, `${text.slice(0, build)}${other}${text.slice(build).replace(',AUDIT-001,', ',AUDIT-001;AUDIT-002,')}`);
  const report = readFileSync(join(folder, 'artifacts/audit/AUDIT-001.md'), 'utf8');
  writeFileSync(join(folder, 'artifacts/audit/AUDIT-002.md'), report.replace('AUDIT-001', 'AUDIT-002'));
  writeFileSync(join(folder, 'artifacts/audit/AUDIT-001.md'), report.replace('### Critical\n- None', `### Critical\n- ${first}`));
  return folder;
}

it('A14: judges both, in the order of the rows, and names the one that is still open', async () => {
  const folder = twoAudits('The focus ring has a contrast of 1.4:1 (design/button-spec.md:12)');
  const first = await decide('design', folder, '--json');
  expect(first).toMatchObject({ exit: 3, json: { decision: 'REVISION', rule: 'D7', counts: { critical: 1 } } });
  expect(first.json['nextStep']).toContain('AUDIT-002 must be judged before anything that depends on it starts.');
  expect(readFileSync(join(folder, 'tasks.csv'), 'utf8')).toMatch(/^BUILD-001,.*,AUDIT-re-001;AUDIT-002,/m);

  const second = await decide('design', folder, '--json');
  expect(second).toMatchObject({ exit: 0, json: { decision: 'CONVERGE', rule: 'D5' } });
  expect(second.json['nextStep']).not.toContain('must be judged');
  const chains = readFileSync(join(folder, 'journal.ndjson'), 'utf8').match(/"chain":"AUDIT-00\d","round":1,/g);
  expect(new Set(chains).size).toBe(2);

  // E4: nothing is left to judge, so the last verdict is repeated and nothing is written.
  const journal = readFileSync(join(folder, 'journal.ndjson'), 'utf8');
  expect((await decide('design', folder, '--json')).json['decision']).toBe('CONVERGE');
  expect(readFileSync(join(folder, 'journal.ndjson'), 'utf8')).toBe(journal);
  expect(await runInProcess(folder, ['replay', folder])).toMatchObject({ exit: 0 });
});

it('A14: approves the first of two without releasing what depends on both', async () => {
  const folder = twoAudits('None');
  const first = await decide('design', folder, '--json');
  expect(first).toMatchObject({ exit: 0, json: { decision: 'CONVERGE' } });
  expect(first.json['nextStep']).toMatch(/^AUDIT-002 must be judged/);
  const report = (await decide('design', folder, '--dry-run')).out;
  expect(report).toContain('AUDIT-002');
});

it('A14: an audit whose work went on long ago is not judged again', async () => {
  const folder = twoAudits('The focus ring has a contrast of 1.4:1');
  const tasks = join(folder, 'tasks.csv');
  const text = readFileSync(tasks, 'utf8');
  // AUDIT-002 audits what was built after AUDIT-001, which another tool judged.
  writeFileSync(
    tasks,
    text.replace(/^AUDIT-002,.*\n/m, '').replace(/^BUILD-001,.*$/m, (line) => {
      const built = line.replace('AUDIT-001;AUDIT-002', 'AUDIT-001').replace('pending', 'completed');
      return `${built}\nAUDIT-002,Audit the build,"Audit it.",reviewer,component,icon,final,BUILD-001,BUILD-001,csv-wave,5,completed,Fine.,artifacts/audit/AUDIT-002.md,8.2,audit_passed,`;
    }),
  );
  expect(await decide('design', folder, '--json')).toMatchObject({ exit: 0, json: { decision: 'CONVERGE' } });
  expect(readFileSync(join(folder, 'journal.ndjson'), 'utf8')).toContain('"chain":"AUDIT-002","round":1,');
});
