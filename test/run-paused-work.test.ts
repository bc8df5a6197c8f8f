// Work of a task that asks a person before it is done: kept while the session waits, and merged with the rest as one commit.
// run-people.test.ts tests the conversation itself.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { cleanUpProjects, endOf, eventsOfType, makeProject, textOf } from './support/run-project.js';
import type { RunProject } from './support/run-project.js';

cleanUpProjects();

/** Writes part 1 and asks; writes part 2, on top of what it finds. */
const BODY = `
case $role in
  planner) complete "a plan" ;;
  validator)
    mkdir -p "$UMPIRE_SESSION/validation"
    echo '{"passed":true,"total_regressions":0,"checks":{}}' > "$UMPIRE_SESSION/validation/validation-report.json"
    complete "checked" ;;
  *)
    ls -A | sort | tr '\\n' ' ' > "$beside/found-$attempt.txt"
    if [ "$attempt" = 1 ]; then
      mkdir -p src; echo one > src/part1; echo changed > README.md; rm old.txt
      printf '{"id":"%s","question":"Which one?"}' "$id" > "$UMPIRE_RESULT_FILE"
    else
      echo two > src/part2
      complete "both"
    fi ;;
esac
`;

async function asked(project: RunProject): Promise<string> {
  const agent = project.sh(BODY);
  const { session } = await project.umpire('run', 'debt', 'x', '--mode', 'targeted', ...agent, '--agent', `validator=command`);
  const tasks = join(session, 'tasks.csv');
  writeFileSync(tasks, textOf(tasks).replace(/^(TDFIX-001,.*),csv-wave,/m, '$1,interactive,'));
  const waiting = await project.umpire('resolve', session, 'approve', '--reason', 'fine');
  expect(waiting.err).toMatch(/TDFIX-001 asks \(work so far is kept: README\.md, old\.txt, src\/part1\): Which one\?/);
  expect(waiting.exit).toBe(4);
  return session;
}

const FILES = { 'README.md': 'A project.\n', 'old.txt': 'old\n' };

it.each(['git', 'no git'])('keeps the work of a task that asks a question, and merges all of it as one commit (%s)', async (kind) => {
  const project = makeProject({ files: FILES, plain: kind === 'no git' });
  const session = await asked(project);
  rmSync(project.worktrees, { recursive: true, force: true });
  const { exit } = await project.umpire('resolve', session, 'answer', '--reason', 'the second');
  expect({ exit, end: endOf(session) }).toEqual({ exit: 0, end: 'complete' });
  expect(textOf(project.beside, 'found-2.txt')).toMatch(/README\.md .*src /);
  expect(textOf(project.beside, 'found-2.txt')).not.toContain('old.txt');
  const { out } = await project.umpire('diff', session);
  for (const line of ['+one', '+two', '+changed', 'deleted file mode']) expect(out).toContain(line);
  const merged = eventsOfType(session, 'TaskFinished').find(({ task }) => task === 'TDFIX-001');
  expect(merged?.files).toEqual(['README.md', 'old.txt', 'src/part1', 'src/part2']);
  if (kind === 'git') expect(project.git('rev-list', '--count', `main..umpire/${session.split('/').at(-1) ?? ''}`).trim()).toBe('1');
});

it('continues on top of changes that a person made meanwhile', SOAK, async () => {
  const project = makeProject({ files: FILES });
  const session = await asked(project);
  const name = session.split('/').at(-1) ?? '';
  writeFileSync(join(project.worktrees, name, 'session', 'mine.txt'), 'mine\n');
  const { exit } = await project.umpire('resolve', session, 'answer', '--reason', 'the second');
  expect({ exit, end: endOf(session) }).toEqual({ exit: 0, end: 'complete' });
  const { out } = await project.umpire('diff', session);
  for (const line of ['+one', '+two', '+mine']) expect(out).toContain(line);
});
