// A loop that a user wrote: judged from its file alone, with errors that name the line, and under the rules of every loop.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decide, root, session } from './support/command.js';
import { endTasks } from './support/tasks.js';

describe('a loop of your own', () => {
  const example = readFileSync(join(root, 'examples', 'docs-review', 'docs-review.yaml'), 'utf8');

  function withLoop(change: (yaml: string) => string): { readonly loop: string; readonly folder: string } {
    const folder = session('examples/docs-review/session');
    const loop = join(folder, '..', 'loop.yaml');
    writeFileSync(loop, change(example));
    return { loop, folder };
  }

  it('is judged from its file alone, and an error in it is reported with the line', async () => {
    const { loop, folder } = withLoop((yaml) => yaml);
    expect(await decide(loop, folder, '--json')).toMatchObject({
      exit: 3,
      json: { decision: 'REWRITE', role: { path: 'roles/judge.md' } },
    });
    const broken = withLoop((yaml) => yaml.replace(/^title:/m, 'titel:'));
    expect(await decide(broken.loop, broken.folder, '--json')).toMatchObject({
      exit: 1,
      json: { error: { code: 'loop-invalid', message: expect.stringMatching(/loop\.yaml:\d+: titel/) } },
    });
    expect(await decide('./nowhere.yaml', folder, '--json')).toMatchObject({ exit: 1, json: { error: { code: 'loop-unreadable' } } });
  });

  it('may name its chains by cells, and makes valid task ids of any cell', async () => {
    const { loop, folder } = withLoop((yaml) =>
      yaml
        .replace('chain: session', 'chain: { column: page, what: pages }')
        .replace('"WRITE-fix-{round}"', '"WRITE-{chain}-{round}"')
        .replace('"EDIT-re-{round}"', '"EDIT-{chain}-{round}"'),
    );
    const file = join(folder, 'tasks.csv');
    const tasks = readFileSync(file, 'utf8');
    const page = /^EDIT-.*?,editor,([^,]*),/m.exec(tasks)?.[1] ?? '';
    writeFileSync(file, tasks.replaceAll(`,${page},`, ',"a;b\nc",'));
    expect(await decide(loop, folder, '--json')).toMatchObject({
      exit: 3,
      json: { chain: 'a;b\nc', tasks: [{ id: 'WRITE-a-b-c-1' }, { id: 'EDIT-a-b-c-1', deps: ['WRITE-a-b-c-1'] }] },
    });
    expect(await decide(loop, folder, '--json')).toMatchObject({ exit: 3, json: { round: 1 } });
  });

  it('refuses a chain whose name cannot be part of a file name', async () => {
    const { loop, folder } = withLoop((yaml) =>
      yaml
        .replace('chain: session', 'chain: { column: page, what: pages, choose: true }')
        .replace('file: artifacts/docs-review.json', 'file: "artifacts/page-{chain}.json"'),
    );
    expect(await decide(loop, folder, '--json')).toMatchObject({
      exit: 1,
      json: {
        error: {
          code: 'tasks-malformed',
          message: `tasks.csv:3: the page "artifacts/backup.md" of EDIT-001 cannot be part of a file name.`,
          hint: expect.stringContaining('such as L1'),
        },
      },
    });
  });

  it('E8: approves nothing over a Critical finding, whatever its table says', async () => {
    const { loop, folder } = withLoop((yaml) =>
      yaml.replace(/^table:[\s\S]*?^(?=tasks:)/m, 'table:\n  - { id: X1, then: converge, why: Fine., next: Go. }\n'),
    );
    expect(await decide(loop, folder, '--json')).toMatchObject({
      exit: 4,
      json: { rule: 'E8', outcome: 'escalate', unverified: false, tasks: [] },
    });
  });

  it('E9: starts no revision at the cap, whatever its table says', async () => {
    const { loop, folder } = withLoop((yaml) =>
      yaml.replace(/^table:[\s\S]*?^(?=tasks:)/m, 'table:\n  - { id: X1, then: revise, why: More., next: Go. }\n'),
    );
    const file = join(folder, 'artifacts', 'docs-review.json');
    const seen: string[] = [];
    for (const clarity of [1, 2, 3, 4, 5]) {
      writeFileSync(file, readFileSync(file, 'utf8').replace(/"clarity": [\d.]+/, `"clarity": ${clarity}`));
      if (seen.length > 0) endTasks(folder);
      const { json } = await decide(loop, folder, '--json');
      seen.push(`${String(json['round'])} ${String(json['rule'])}`);
    }
    expect(seen).toEqual(['1 X1', '2 X1', '3 E9', '3 E9', '3 E9']);
  });

  it('E5: keeps the rules of the first verdict when its file changes, and warns', async () => {
    const { loop, folder } = withLoop((yaml) => yaml);
    const first = await decide(loop, folder, '--json');
    writeFileSync(loop, example.replace(/^table:[\s\S]*?^(?=tasks:)/m, 'table:\n  - { id: X1, then: converge, why: Fine., next: Go. }\n'));
    const again = await decide(loop, folder, '--json');
    expect([again.exit, again.json]).toEqual([first.exit, first.json]);
    expect(again.err).toMatch(/keeps the old rules/);
  });
});
