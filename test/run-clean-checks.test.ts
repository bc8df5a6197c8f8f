// W5: a check judges the commit, whatever a process writes into the worktrees meanwhile.

import { spawn } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { SOAK } from './support/campaign.js';
import { cleanUpProjects, endOf, eventsOfType, makeProject, verdictsOf } from './support/run-project.js';

cleanUpProjects();

/** Once the writer is there, the command runs on while it writes "good" into the worktrees. */
const COMMAND = `test ! -e "$HOME/writes" || { touch "$HOME/ask"; until test -e "$HOME/answer"; do sleep 0.01; done; }; grep -q good value.txt`;

/** A process outside the run: the supervisor ends those that the agent leaves behind. */
function startWriter(beside: string, places: string): void {
  const script = `until test -e ask; do sleep 0.01; done
for file in worktrees/*/${places}/value.txt; do echo good > "$file"; done
touch answer`;
  const writer = spawn('sh', ['-c', script], { cwd: beside, stdio: 'ignore' });
  onTestFinished(() => void writer.kill());
}

const WORK = 'echo "$attempt" > work.txt; touch "$beside/writes"; complete "made it good"';

const project = () => makeProject({ files: { 'value.txt': 'bad\n' }, config: { critics: { tests: 'none' } } });

it('W5: does not see what a leftover process writes into the session’s worktree during the check', async () => {
  const { umpire, sh, beside } = project();
  startWriter(beside, 'session');
  const { session, exit } = await umpire('until', COMMAND, '--max-rounds', '1', ...sh(WORK));
  expect({ exit, verdicts: verdictsOf(session) }).toEqual({ exit: 4, verdicts: [expect.any(String), expect.stringContaining('escalate')] });
});

it('W5: approves nothing where a process changes the files of the check itself', SOAK, async () => {
  const { umpire, sh, beside } = project();
  startWriter(beside, 'check-*');
  const { session, exit } = await umpire('until', COMMAND, '--max-rounds', '1', ...sh(WORK));
  expect({ exit, end: endOf(session) }).toEqual({ exit: 4, end: 'not ended' });
  expect(eventsOfType(session, 'TaskFinished').map(({ error }) => error)).toContainEqual(
    expect.stringContaining('error: value.txt changed while the check ran, and not at the base.'),
  );
});
