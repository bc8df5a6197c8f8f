// W5: a check judges the commit, whatever a process writes into the worktrees meanwhile.

import { expect, it } from 'vitest';
import { SOAK } from './support/campaign.js';
import { cleanUpProjects, endOf, eventsOfType, makeProject, verdictsOf } from './support/run-project.js';

cleanUpProjects();

/** Once the writer is there, the command runs on while it writes "good" into the worktrees. */
const COMMAND = `test ! -e "$HOME/writes" || { touch "$HOME/ask"; until test -e "$HOME/answer"; do sleep 0.01; done; }; grep -q good value.txt`;

/** Leaves a process that outlives its task, without the mark of the run. */
const leaveWriter = (places: string) => `
cat > "$beside/writer.sh" <<'END'
touch "$1/writes"
until test -e "$1/ask"; do sleep 0.01; done
for file in "$1"/worktrees/*/${places}/value.txt; do echo good > "$file"; done
touch "$1/answer"
END
echo "$attempt" > work.txt
setsid env -i sh "$beside/writer.sh" "$beside" > /dev/null 2>&1 < /dev/null &
until_file "$beside/writes"
complete "made it good"`;

const project = () => makeProject({ files: { 'value.txt': 'bad\n' }, config: { critics: { tests: 'none' } } });

it('W5: does not see what a leftover process writes into the session’s worktree during the check', async () => {
  const { umpire, sh } = project();
  const { session, exit } = await umpire('until', COMMAND, '--max-rounds', '1', ...sh(leaveWriter('session')));
  expect({ exit, verdicts: verdictsOf(session) }).toEqual({ exit: 4, verdicts: [expect.any(String), expect.stringContaining('escalate')] });
});

it('W5: approves nothing where a process changes the files of the check itself', SOAK, async () => {
  const { umpire, sh } = project();
  const { session, exit } = await umpire('until', COMMAND, '--max-rounds', '1', ...sh(leaveWriter('check-*')));
  expect({ exit, end: endOf(session) }).toEqual({ exit: 4, end: 'not ended' });
  expect(eventsOfType(session, 'TaskFinished').map(({ error }) => error)).toContainEqual(
    expect.stringContaining('error: value.txt changed while the check ran, and not at the base.'),
  );
});
