// The help text of every command: the only source for `--help` and for the reference page. Loaded late, since no verdict needs it.

import { AGENT_NAMES } from '../../agents/known/known-agents.js';
import { wrap } from '../../views/safe-text.js';

const PROJECT = `  --project DIR          the project (default: found from the current folder)`;

const AGENT_FLAGS = `  --agent NAME           the agent for every role (see Agents)
  --agent ROLE=NAME      the agent for one role; repeatable
  --agent-command CMD    any program as the agent (see docs/agents.md)`;

const RUN_FLAGS = `${AGENT_FLAGS}
  --max-rounds N         maximum number of rounds, 1 to 100
  --max-minutes N        ask a person after N minutes
  --max-cost-usd X       ask a person after X dollars
  --max-tokens N         ask a person after N tokens
  --wait-for-limits      wait until an agent's used-up plan is renewed
  --concurrency N        tasks that run in parallel (default: 3)
  --stop-when-stalled    ask a person if a loop stalls, oscillates or diverges
  --strict               ask a person before approving without clean evidence
  --sandbox              agents write only to their worktree (needs bubblewrap)
  --yes                  approve plans without asking
  --no-input             do not ask questions at this terminal
  --engine URL           run it on an engine (docs/fleet.md; none: here)
  --detach               on an engine: do not follow it
  --json                 print each event as a line of JSON on stdout`;

const AGENTS = `Agents
  ${AGENT_NAMES.join(', ').padEnd(34)} a new process for each task
  ${`${AGENT_NAMES[0] ?? ''}-acp, ...`.padEnd(34)} one conversation over ACP
  person                             you, at this terminal
  any other name                     an agent in umpire.config.yaml`;

const FLEET_FLAGS = `  --needs A,B            on an engine: labels that its workers must have
  --remote URL           on an engine: the git remote (default: origin)
  --tenant NAME          on an engine: whose session it is (default: you)`;

const ENGINE = `  --engine URL           look at an engine (docs/fleet.md); none: this machine`;

const RUN_STATUS = `Exit status
  0    complete
  1    failed, aborted, or an error
  2    wrong usage
  4    waiting for a person; answer with umpire resolve
  130  stopped by Ctrl-C; continue with umpire resume`;

const SESSION = `  [session]              name, part of the name, or folder (default: the latest)`;

function describeFlag(flag: string, words: string): readonly string[] {
  return wrap(words, ' '.repeat(25), `  ${flag.padEnd(23)}`);
}

export const HELP = {
  umpire: `Run and judge generator-critic loops of coding agents.

A generator works, a critic measures, and Umpire decides: done, another round,
or ask a person.

Usage: umpire <command> [arguments] [flags]

Set up
  doctor                     check that a run can start
  init                       write umpire.config.yaml
  trust                      let the settings of a project count
Run
  run <loop> "GOAL"          run a loop until its critic is satisfied
  until "COMMAND"            run an agent until a command passes
  resume [session]           continue a session
  resolve <session> <answer> answer the open question of a session
  dismiss <session>          dismiss a finding that is a false positive
Look
  status [session]           show tasks, rounds, cost and open questions
  list                       list the sessions of the project
  report [session]           print a session as Markdown
  logs [session] [task]      show the output of agents
  serve                      show all sessions in a browser
On many machines
  worker                     run tasks of sessions on this machine
  engine                     set up an engine and look after its fleet
Use the result
  diff [session] [round]     show the changes of a session
  apply <session>            copy the changes into your checkout
  pr [session]               open or update a pull request
  clean [session]            remove worktrees and branches of finished sessions
Judge
  decide <loop> <session>    judge the latest result of a critic
  check <loop>               prove the rules of a loop
  replay <session>           judge recorded verdicts again and compare
  critique <loop>            run the built-in critic of a loop
  read <report...>           read reports of test runners, coverage and linters
  guard                      find skipped, weakened or deleted tests
  ci                         judge the change of a pull request in CI
For agents
  mcp                        serve Umpire's tools over MCP
  hook <event>               run the guard from the hooks of a coding agent

  completion <shell>         print a completion script for bash, zsh or fish
  help [command]             show this text, or the help of a command
  --version                  print the version
  --color WHEN               always, never or auto; every command takes it

Loops
  design, testing, debt, review, brainstorm, until, or a loop file of your own

Exit status
  0    success
  1    error
  2    wrong usage
  3    failed: another round, a finding, or a difference
  4    a person must answer
  5    partial result
  130  stopped by Ctrl-C

Examples
  umpire until "npm test" --agent claude
  umpire run testing "cover the parser" --agent codex --target 90
`,

  doctor: `Check that a run can start.

Usage: umpire doctor [flags]

Checks git, the sandbox, the project, the settings, the agents and the tools of
the critics. It starts no agent, runs no test and changes nothing. In a project
that you trust it asks each test runner for its test files; elsewhere it starts
no program of the project. Each line is ok, a note or a fault. A fault stops a
run, and its line says how to fix it.

Flags
${PROJECT}
  --json                 print one JSON object

Exit status
  0    ready
  1    error
  2    wrong usage
  3    a fault stops a run
  130  stopped by Ctrl-C

Examples
  umpire doctor
  umpire doctor --project ../shop --json
`,

  trust: `Let the settings, role texts and loop files of a project count.

Usage: umpire trust [loop-file...] [flags]

A project's umpire.config.yaml, its role texts in .umpire/roles and its loop
files start programs, give rights and instruct agents. They count once you have
trusted them. Shows what they would do, asks, and records your answer outside
the project, for all worktrees of the repository. A changed file asks again.

Until then Umpire uses its defaults, and says what it ignored. Only settings
that make it stricter count: strict, max_minutes, max_cost_usd, max_tokens,
stop_when_stalled and sandbox: true. --yes does not trust.

Your own settings are in ~/.config/umpire/config.yaml and win over a project's.

Flags
  --print                print the value of UMPIRE_TRUST for CI, and ask nothing
  --revoke               forget what you trusted in this project
${PROJECT}
  --json                 print {project, files, trusted} as JSON

Exit status
  0    trusted, printed or revoked
  1    not trusted, or an error
  2    wrong usage, or no terminal

Examples
  umpire trust
  UMPIRE_TRUST="$(umpire trust --print)"
`,

  init: `Write umpire.config.yaml for a project.

Usage: umpire init [flags]
       umpire init --hooks AGENT [--project DIR] [--dry-run] [--json]

Picks the installed agent, lists untracked files such as .env that worktrees
need, and adds common limits as comments. It never overwrites a file.

Flags
${[
  ...describeFlag('--agent NAME', `the agent for every role (default: the first installed of ${AGENT_NAMES.join(', ')})`),
  ...describeFlag(
    '--hooks AGENT',
    `write Umpire's hooks and MCP server into the agent's settings in the project instead: ${AGENT_NAMES.join(', ')}. Other settings are kept`,
  ),
].join('\n')}
${PROJECT}
  --dry-run              print the text and write nothing
  --json                 print {path, text, written} as JSON; with --hooks
                         {project, files, written}

Exit status
  0    written or printed
  1    the file exists already, or an error
  2    wrong usage
  130  stopped by Ctrl-C; nothing was written

Examples
  umpire init
  umpire init --agent codex --dry-run
  umpire init --hooks claude
`,

  run: `Run a loop until its critic is satisfied.

Usage: umpire run <loop> ["GOAL"] [flags]

Agents work in a separate git worktree and branch; your checkout is not
touched. You can stop the run at any time and continue it with umpire resume.

  <loop>                 design, testing, debt, review, brainstorm, or a file
  GOAL                   what you want, in quotes

Flags
${PROJECT}
  --session DIR          the session folder (default: new in .umpire/sessions/)
  --mode NAME            which tasks run (default: chosen from the goal and the
                         changed files)
  --issue N|URL          the goal is this issue on GitHub
  --pr N                 review only: begin with this pull request; its
                         unresolved comments are findings of the first round
  --remote NAME          with --issue and --pr: the git remote (default: origin)
  --target PERCENT       target of the testing loop, 0 to 100 (default: 80),
                         or one for each layer: L1=90,L2=70
${RUN_FLAGS}
${FLEET_FLAGS}

${AGENTS}

${RUN_STATUS}

Examples
  umpire run testing "cover the parser" --agent claude --target 90
  umpire run review --agent codex --agent reviewer=claude
`,

  until: `Run an agent until a command passes.

Usage: umpire until "COMMAND" ["GOAL"] [flags]
       umpire until "COMMAND" --here [--max-rounds N] [--report FILE]
       umpire until --here [--stop]

The exit status of the command and the report it writes are the evidence. A
shell runs the command in the worktree of the session.

  COMMAND                the command that must exit with 0, in quotes
  GOAL                   what you want (default: make the command pass)

Flags
  --report FILE          a report of the command: SARIF, or findings as JSON or
                         Markdown (default: a *.sarif file it writes to the
                         top folder)
  --trust-exit-status    run a command whose exit status may hide a failure,
                         such as "npm test || true"; the verdict is unverified
  --mode NAME            check-first (default) or work-first
${PROJECT}
  --session DIR          the session folder (default: new in .umpire/sessions/)
  --here                 start no agent: judge your own agent session in this
                         project. Its Stop hook runs the command and sends it
                         back. Without COMMAND: let another session be judged
  --stop                 with --here: end that
${RUN_FLAGS}
${FLEET_FLAGS}

${AGENTS}

${RUN_STATUS}

Examples
  umpire until "npm test" --agent claude
  umpire until "cargo clippy -- -D warnings" --agent codex --max-rounds 8
  umpire until "npm test" --here
`,

  resume: `Continue a session that was stopped, killed, or waits for your edit.

Usage: umpire resume [session] [flags]

Unfinished tasks start again; finished tasks do not. The session keeps its
agents and limits unless you pass new ones.

${SESSION}

Flags
  --retry                also run failed tasks and those skipped because of them
${PROJECT}
${RUN_FLAGS}

${AGENTS}

${RUN_STATUS}

Examples
  umpire resume
  umpire resume testing-cover-the-parser-2026-03-01 --retry
`,

  resolve: `Answer the open question of a session, and continue the session.

Usage: umpire resolve <session> <answer> [flags]

  <session>              name, part of the name, or folder

Answers to an escalation
  extend                 allow --rounds N more rounds
  manual-fix             edit the worktree yourself; the critic runs again
  force-approve          accept the work; reports mark it as unverified
  abort                  end the session and keep everything
Answers to an exceeded budget
  extend                 add --minutes N, --cost-usd X or --tokens N
  abort                  end the session and keep everything
Answers to a plan
  approve, revise, abort
Answers to a question of an agent
  answer                 send the text of --reason
  abort                  end the session and keep everything
Answers to an agent that is blocked
  agree                  skip its task; the critic judges what there is
  insist                 run the task again with the text of --reason
  change-goal            replace the goal with --goal TEXT and run it again
  stop                   end the session and keep everything
At any time
  take-edits             take up the held edit of tasks.csv

Flags
  --reason TEXT          the reason; required by force-approve, answer and
                         insist, sent to the planner with revise
  --goal TEXT            the new goal, for change-goal
  --rounds N             rounds to add
  --minutes N            minutes to add
  --cost-usd X           dollars to add
  --tokens N             tokens to add
${PROJECT}
${RUN_FLAGS}

${AGENTS}

${RUN_STATUS.replace('0    complete', '0    complete, or aborted by your answer')}

Examples
  umpire resolve review-login extend --rounds 2
  umpire resolve debt-imports revise --reason "skip the generated files"
`,

  dismiss: `Dismiss a finding, or list the open findings of a session.

Usage: umpire dismiss <session> [finding] --reason TEXT

  <session>              name, part of the name, or folder
  [finding]              fingerprint, its first 6 or more characters, or
                         file:line; without it, the open findings are listed

A dismissed finding does not count from the next verdict of this session on
and makes no task. It is open again if it comes back with a higher severity.
Every report shows it with your reason. A test that passed at the base and
fails now cannot be dismissed.

Flags
  --reason TEXT          why the finding does not count; required
${PROJECT}
  --engine URL           a session on an engine (docs/fleet.md); none: here
  --json                 print one JSON object

Exit status
  0    dismissed, or listed
  1    the finding is dismissed already, or the session is busy
  2    no such finding, or it cannot be dismissed

Examples
  umpire dismiss review-login
  umpire dismiss review-login 3f2a91c0 --reason "the input is checked above"
`,

  status: `Show where a session stands.

Usage: umpire status [session] [flags]

Shows the tasks of each wave, rounds, time, cost, and the open question with
the commands that answer it. It takes no lock and writes nothing.

${SESSION}

Flags
${PROJECT}
${ENGINE}
  --json                 print one JSON object

Exit status
  0    shown
  1    broken history (shown up to the break), or an error
  2    wrong usage

Examples
  umpire status
  umpire status review-payments-2026-03-01 --json
`,

  list: `List the sessions of a project, latest first.

Usage: umpire list [flags]

Flags
  --state NAME           only sessions in this state; repeatable (see States)
  --loop NAME            only sessions of this loop; repeatable
  --unapplied            only finished sessions with changes to apply
  --last N               only the latest N
${PROJECT}
${ENGINE}
  --json                 print one JSON object

States
  running                a process works on it
  awaiting               a person must answer; see umpire status
  interrupted            stopped; continue with umpire resume
  complete, failed, aborted
                         ended
  "judged only", "never judged"
                         another program runs it
  unreadable             its history is broken

Exit status
  0    listed
  1    error
  2    wrong usage

Examples
  umpire list
  umpire list --state awaiting --state failed
`,

  report: `Print a session as Markdown, or as an HTML page to send to somebody.

Usage: umpire report [session] [flags]

The report has the goal, the result, each task and verdict, answers of people,
reverted changes and the cost. It takes no lock and writes nothing into the
session.

${SESSION}

Flags
  --html                 print one HTML file, with charts and the change; it
                         needs no script and loads nothing
  --out FILE             with --html: write FILE instead of stdout
${PROJECT}
${ENGINE}

Exit status
  0    printed
  1    broken history (printed up to the break), or an error
  2    wrong usage

Examples
  umpire report
  umpire report review-payments-2026-03-01 > payments.md
  umpire report --html --out report.html
`,

  logs: `Show the output of agents.

Usage: umpire logs [session] [task] [flags]

Without a task it lists all outputs and shows the last lines of the latest. A
pipe or file gets the raw bytes; a terminal gets the text. With -f it prints new
output until the task, or without one the session, ends.

${SESSION}
  [task]                 a task (its last attempt), or one attempt: DEV-001-1

Flags
  -f, --follow           print new output until the task or session ends
${PROJECT}
${ENGINE}

Exit status
  0    shown
  1    no output, or an error
  2    wrong usage

Examples
  umpire logs
  umpire logs review-payments-2026-03-01 DEV-001
  umpire logs -f
`,

  serve: `Show the sessions of a project or an engine in a browser.

Usage: umpire serve [flags]

The page follows running sessions. Its buttons answer open questions, dismiss
findings and resume sessions; whoever has the printed address can do so. The
server listens on 127.0.0.1. Stop it with Ctrl-C: runs go on. To reach it from
another machine: ssh -L 4747:127.0.0.1:4747 HOST

Flags
${PROJECT}
  --engine URL           the sessions of an engine (docs/fleet.md); none: here
  --port N               the port (default: 4747, or a free one)

Exit status
  0    stopped
  1    error, such as a port in use
  2    wrong usage

Examples
  umpire serve
  umpire serve --port 8080
  umpire serve --engine postgres://umpire@db/umpire
`,

  diff: `Show the changes of a session.

Usage: umpire diff [session] [round] [flags]

Shows all changes, or those that one round judged. A pipe or file gets a patch
for git apply, binary files included. Work of a session on an engine is shown
in a repository that has fetched it.

${SESSION}
  [round]                a round number

Flags
  --chain NAME           the chain, if several have this round: L1, AUDIT-002
${PROJECT}
${ENGINE}

Exit status
  0    shown, or no changes
  1    error
  2    wrong usage, or no such round

Examples
  umpire diff
  umpire diff testing-cover-the-parser-2026-03-01 2
`,

  apply: `Copy the changes of a session into your checkout, uncommitted.

Usage: umpire apply <session> [flags]

Refuses if tracked files have uncommitted changes, if an untracked file would
be overwritten, if the session is not complete, or if the changes conflict with
your commits. Leaves out files with new tests that fail (suspected bugs).

  <session>              name, part of the name, or folder

Flags
  --force                also apply a session that is not complete
  --with-failing-tests   also take files with new tests that fail
${PROJECT}

Exit status
  0    applied, or applied before
  1    refused, or an error; nothing was changed
  2    wrong usage

Examples
  umpire apply testing-cover-the-parser-2026-03-01
  umpire apply debt-imports --force
`,

  pr: `Open or update the pull request of a session.

Usage: umpire pr [session] [flags]

Pushes the branch of the session and opens a pull request on GitHub, or updates
the one that the branch has. Its text has the goal, the verdicts, the evidence
and what is not verified. It never forces a push and never pushes to the base.
Uses GITHUB_TOKEN or GH_TOKEN, else gh where you are logged in.

${SESSION}

Flags
  --base BRANCH          the branch to merge into (default: the repository's)
  --draft                a draft; also of a session that is not complete
  --remote NAME          the git remote (default: origin)
  --title TEXT           the title (default: from the issue or the goal)
${PROJECT}
  --json                 print one JSON object

Exit status
  0    opened or updated
  1    refused, or an error
  2    wrong usage

Examples
  umpire pr
  umpire pr review-payments-2026-03-01 --draft --base develop
`,

  clean: `Remove worktrees and branches of finished sessions.

Usage: umpire clean [session] [flags]

Cleans sessions that were applied or changed nothing. It keeps sessions with
work that was not applied or merged, and names them. Session folders stay.

  [session]              one session (default: all finished sessions)

Flags
  --force                clean the named session even if its work is lost
${PROJECT}

Exit status
  0    removed, or nothing to remove
  1    the named session was kept, or an error
  2    wrong usage

Examples
  umpire clean
  umpire clean testing-cover-the-parser-2026-03-01 --force
`,

  decide: `Judge the latest result of a loop's critic.

Usage: umpire decide <loop> <session> [flags]

Writes the verdict, its tasks and its history into the session folder. Judging
the same evidence again gives the same verdict and writes nothing.

  <loop>                 design, testing, debt, review, brainstorm, until, or a
                         loop file such as ./my-loop.yaml
  <session>              the session folder

Flags
  --round N              raise the round to N; it never goes down. Tasks of the
                         last verdict that are still open count as completed
  --max-rounds N         change the maximum number of rounds (recorded)
  --layer NAME           testing: the layer to judge, if there are several
  --deadline-ms N        give a partial verdict after N milliseconds
  --strict               escalate instead of approving without clean evidence
  --dry-run              judge and write nothing
  --json                 print the verdict as JSON instead of Markdown

Exit status
  0    converge or accept
  1    error
  2    wrong usage
  3    revise
  4    escalate
  5    partial

Examples
  umpire decide design .umpire/sessions/design-button-2026-03-01
  umpire decide testing ./session --layer L2 --json
`,

  check: `Prove the rules of a loop.

Usage: umpire check <loop> [flags]

Tries every combination of facts in every round and proves that
- exactly one rule decides each case, and every rule can apply
- the loop always ends
- nothing is approved wrongly, and the promises of the loop hold
If one of them is false, it prints the shortest counterexample.

  <loop>                 design, testing, debt, review, brainstorm, until, or a
                         loop file such as ./my-loop.yaml

Flags
  --graph                print a Mermaid state diagram instead
  --table                print repairs, decision table, waivers and promises
  --json                 print the proof as one JSON object

Exit status
  0    proven
  1    error
  2    wrong usage
  3    refuted
  5    proven in part: too many cases; the output names the facts to merge

Examples
  umpire check ./my-loop.yaml
  umpire check ./my-loop.yaml --graph > my-loop.mmd
`,

  replay: `Judge recorded verdicts again and compare.

Usage: umpire replay <session> [flags]
       umpire replay --all [flags]

Uses the journal and the evidence it kept, checks that the history is unbroken,
and writes nothing.

  <session>              name, part of the name, or folder

Flags
  --all                  all sessions in .umpire/sessions/ and
                         .workflow/.csv-wave/
  --loop LOOP            also judge by other rules and show the differences
${PROJECT}
${ENGINE}
  --json                 print one JSON object instead of Markdown

Exit status (the first that applies)
  2    wrong usage
  1    broken history, or verdicts missing from the journal
  3    a verdict differs, or would differ by the other rules
  1    evidence or journal missing, changed or unreadable; an error
  0    all verdicts are the same

Examples
  umpire replay .umpire/sessions/review-payments-2026-03-01
  umpire replay --all --loop ./stricter-review.yaml
`,

  critique: `Run the built-in critic of a loop.

Usage: umpire critique <loop> [flags]

Runs real tools on the project and leaves the evidence in a session folder, for
umpire decide. umpire run does the same if no agent has the critic's role.

  <loop>                 testing     run tests with coverage
                         debt        compare tests, types, lint and quality
                                     with a baseline
                         design      audit design tokens
                         review      run tests, and linters on changed lines
                         brainstorm  count the challenges

Flags
${PROJECT}
  --session DIR          the session folder (default: new in .umpire/sessions/)
  --base REV             the commit to compare with
  --layer NAME           one layer of tests (default: all layers with tests)
  --industry NAME        design: standard (default) or strict
  --dry-run              only try each tool once and say which of them work
  --quiet                hide the output of the tools
  --json                 print the result as JSON

Exit status
  0    pass
  1    error, timeout, or nothing to measure
  2    wrong usage
  3    fail

Examples
  umpire critique testing
  umpire critique debt --base main --json
`,

  worker: `Run tasks of a fleet on this machine.

Usage: umpire worker --engine URL --remote URL [flags]

It takes tasks from the engine, runs them with the agents of this machine, and
hands in their results. Unless told otherwise it also takes the turns of the
sessions: it judges, merges and offers the next tasks.

  --engine URL           postgres://… or restate://… (default: UMPIRE_ENGINE)
  --remote URL           the git remote of the sessions; repeatable
  --label A,B            what this machine can run, such as claude or docker
  --slots N              tasks at the same time (default: 1)
  --name NAME            the worker's name (default: the host and a number)
  --home DIR             mirrors and working folders
  --no-conduct           only run tasks
  --conduct-only         only take turns

Ctrl-C gives running attempts back to the engine and ends.

Exit status
  0    drained
  1    an error
  2    wrong usage
  130  stopped by Ctrl-C

Examples
  export UMPIRE_ENGINE=postgres://umpire@db/umpire
  umpire worker --remote git@host:team/app.git --label claude --slots 4
`,

  engine: `Set up an engine and look after its fleet.

Usage: umpire engine <act> [--engine URL]

  init URL               create or migrate the schema; may be repeated
  workers                the workers, their labels and what they run
  drain WORKER [--off]   let a worker finish and take no new tasks
  limit NAME N           at most N calls to a provider at once (off: no limit)
  limits                 the limits and what is in use
  export SESSION DIR     copy a session into DIR/SESSION
  import DIR             bring an exported session back

Exit status
  0  done
  1  an error
  2  wrong usage

Examples
  umpire engine init postgres://umpire@db/umpire
  umpire engine limit anthropic 20 --engine postgres://umpire@db/umpire
`,

  read: `Read reports of test runners, coverage tools and linters.

Usage: umpire read <report...> [flags]

Detects the format and says whether the report passes. A report that cannot
be read, or has no tests or no coverage, is an error. Findings of severity High
or worse fail.

  <report...>            files of any size; - is stdin

Flags
  --format NAME          the format, if it is not detected (see Formats)
  --root DIR             shorten absolute paths below DIR (default: this folder)
  --json                 print one JSON object
  --all                  with --json: list each test and the coverage per file

Formats
  junit, jest, tap, mocha, ctrf, lcov, istanbul, istanbul-summary, cobertura,
  clover, v8, sarif, eslint, tsc, oxlint, biome, ruff, flake8, pylint, bandit,
  mypy, pyright, checkstyle, stryker, axe, dtcg

Exit status (of several reports, the worst)
  0    pass
  1    error, or a missing report
  2    wrong usage
  3    fail

Examples
  umpire read junit.xml coverage/lcov.info
  npx eslint -f json . | umpire read -
`,

  guard: `Find skipped, weakened or deleted tests in a change.

Usage: umpire guard [flags]

Compares two versions of JavaScript, TypeScript and Python files. Without --run
it runs nothing. It also finds ignored failures, mocks of the tested code, and
changed test settings. A breach makes tests weaker without a reason in the
change. A note is for you to look at. docs/guard-your-tests.md lists the rules.

Flags
  --base REV             compare with REV (default: HEAD; without uncommitted
                         changes, the commit where your branch left main)
  --scope NAME           any (default): source may change too; testing: only
                         tests may change, and every finding is a breach
${PROJECT}
  --report-before FILE   a test report of the base, any format of umpire read
  --report-after FILE    a test report of the change
  --run COMMAND          also run the tests of the base on the new code, in
                         copies: finds what changed tests hide
  --run-minutes N        time for the run at the base (default 30)
  --staged               check staged files, for a pre-commit hook
  --revert               revert the breaches, and keep copies of your files
  --strict               exit with 3 on notes too
  --json                 print one JSON object
  --sarif                print SARIF 2.1.0

Exit status
  0    no breach
  1    error, tests that cannot be read, or a --run that gave no result
  2    wrong usage
  3    a breach; with --strict also a note

Examples
  umpire guard
  umpire guard --base origin/main --sarif > guard.sarif
  umpire guard --run "npm test"
`,

  ci: `Judge the change of a pull request in CI.

Usage: umpire ci [flags]

Runs the guard and the critic of the review loop on the change, and prints the
findings as annotations of GitHub Actions, else as text. Finds the base of a
pull request on GitHub and of a merge request on GitLab itself. A breach of the
guard counts as critical, its notes as low. Output of tools is not shown.

Flags
  --base REV             compare with REV
  --fail-on SEVERITY     exit with 3 from this severity on: critical, high
                         (default), medium, low or never
  --no-review            only run the guard
  --sarif FILE           write SARIF 2.1.0
  --code-quality FILE    write a code quality report of GitLab
${PROJECT}

Exit status
  0    no finding of that severity
  1    error, or a check that broke off
  2    wrong usage
  3    a finding of that severity or worse
  130  stopped

Examples
  umpire ci --base origin/main
  umpire ci --fail-on critical --sarif umpire.sarif
`,

  mcp: `Serve Umpire's tools to an agent over MCP, on stdin and stdout.

Usage: umpire mcp [flags]

Tools: critique, decide, guard, status, report, list, diff, read, check, replay
and doctor. An agent cannot answer questions for a person, raise a limit or
start a run.

Flags
${PROJECT}

Exit status
  0    the client disconnected
  1    error
  2    wrong usage

Examples
  claude mcp add umpire -- umpire mcp
  codex mcp add umpire -- umpire mcp
`,

  hook: `Run the guard from the hooks of a coding agent.

Usage: umpire hook <event> [flags]

The agent calls it and sends the event as JSON on stdin.

  SessionStart           record the commit at which the agent starts
  Stop, SubagentStop, AfterAgent
                         check all changes since then; on breaches, the agent
                         continues once to fix them; if any are left, you get
                         a message. Then it runs the command of umpire until
                         --here, except for SubagentStop
  PreToolUse, BeforeTool
                         refuse edits of Umpire's records, umpire resolve,
                         --max-rounds, --force and until --stop

Flags
  --base REV             compare with REV (default: the recorded commit)
  --scope NAME           any (default): source may change; testing: only tests

Exit status
  0    continue
  1    error; the agent continues
  2    refused; the agent reads the reason on stderr

Examples
  umpire init --hooks claude
`,

  completion: `Print a completion script for a shell.

Usage: umpire completion <shell>

It completes commands, flags, loops, answers and the names of sessions.

  <shell>                bash, zsh or fish

Exit status
  0    printed
  2    wrong usage

Examples
  umpire completion bash > ~/.local/share/bash-completion/completions/umpire
  umpire completion zsh > ~/.zfunc/_umpire
  umpire completion fish > ~/.config/fish/completions/umpire.fish
`,
} as const;

export type HelpTopic = keyof typeof HELP;
