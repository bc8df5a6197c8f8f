// Help texts of the commands around a running session. Loaded late: no verdict needs them.

const AGENTS = `  --agent NAME      who does the tasks: a preset (claude, codex, gemini,
                    opencode; with -acp behind it, over the Agent Client
                    Protocol), person, or a name from umpire.config.yaml
  --agent ROLE=NAME who does one role; may be given several times
  --agent-command C any program: prompt on stdin, result as JSON on stdout or
                    in the file UMPIRE_RESULT_FILE (docs/agents.md)`;

const LIMITS = `  --max-rounds N    the cap of every chain, 1 to 100
  --concurrency N   tasks side by side in a wave (3)
  --max-minutes N   time, cost and tokens after which a person is asked
  --max-cost-usd X
  --max-tokens N
  --stop-when-stalled  escalate where a loop stalls, oscillates or diverges
  --strict          approve nothing by waiver: escalate instead
  --sandbox         programs write where their work goes, and nowhere else
                    (Linux, with bubblewrap)
  --yes             approve plans without asking
  --json            print every event as a line of JSON on stdout`;

const STATUS = `Exit status
  0 complete · 4 waits for a person · 1 failed, aborted or error · 2 usage
  130 stopped by Ctrl-C: go on with umpire resume`;

export const RUN_HELP = {
  run: `umpire run <loop> ["what is wanted"]

Takes a task from its first wave to its last verdict. Agents work in a git
worktree on a branch of its own; your checkout is never touched. Nothing is
lost: kill it at any moment and go on with umpire resume.

  <loop>            design, testing, debt, review, brainstorm, or a loop file
  --project DIR     the project (that of the current folder)
  --session DIR     the session's folder (one in .umpire/sessions/)
  --mode M          the pipeline; chosen by the goal and the change otherwise
  --target PCT      what testing is to reach, 0 to 100 (80)
${AGENTS}
${LIMITS}

${STATUS}

Examples
  umpire run testing "cover the parser" --agent claude --target 90
  umpire run review --agent codex --agent reviewer=claude
  umpire run debt --agent-command ./my-agent.mjs --max-minutes 60
`,
  doctor: `umpire doctor

Says what is at hand for a run, and what would be in its way: git and the
sandbox; the project's repository, settings, worktrees and sessions; which
agents are installed and who does every role; what the critics have to measure
with. It starts no agent, runs no test and changes nothing; test runners are
asked which test files they have.

Every line is ok, a note (good to know) or a fault (in the way of a run), with
what to do about it.

  --project DIR     the project (that of the current folder)
  --json            print {umpire, node, platform, project, outcome, checks}
                    instead; outcome is pass or fail, a check has an area, a
                    name, a state, a message and a hint

Exit status
  0 nothing is in the way · 3 a fault · 1 error · 2 usage · 130 stopped

Examples
  umpire doctor
  umpire doctor --project ../shop --json
`,
  init: `umpire init

Writes umpire.config.yaml into the project, from what is found there: the agent
that is installed, files such as .env that worktrees would lack, and the limits
that people want first, to be uncommented. Settings that are there are never
written over.

  --agent NAME      who does every role: claude, codex, gemini, opencode (with
                    -acp behind it, over the Agent Client Protocol), or person.
                    The first of the four that is installed otherwise
  --project DIR     the project's folder (that of the current folder)
  --dry-run         print the text, and write nothing
  --json            print {path, text, written} instead

Exit status
  0 written, or printed · 1 there are settings already, or an error · 2 usage
  130 stopped: nothing was written

Examples
  umpire init
  umpire init --agent codex --dry-run
`,
  critique: `umpire critique <loop>

Runs the loop's critic that comes with Umpire: real tools on the project, no
agent's word. Leaves the evidence and the critic's row in a session folder, for
umpire decide to judge. umpire run does the same wherever no agent is named for
the critic's role.

  <loop>            testing: runs the tests of a layer with coverage
                    debt: tests, types, lint and quality against a baseline
                    design: audits design tokens
                    review: linters and SARIF reports on the changed lines
                    brainstorm: counts what the challenger left
  --project DIR     the project (that of the current folder)
  --session DIR     where evidence goes (a new one in .umpire/sessions/)
  --base REV        what a change or a regression is measured against
  --layer L         the layer of tests; all that have a test otherwise
  --industry I      design: standard, or strict as for healthcare and finance
  --quiet           leave out what the tools print
  --json            print the result as JSON

Exit status
  0 pass · 3 fail · 1 error, timeout or missing · 2 usage

Examples
  umpire critique testing
  umpire critique debt --base main
  umpire critique design --industry strict --json
`,
  until: `umpire until "COMMAND" ["what is wanted"]

The plain loop: an agent works until the command passes, or the rounds are
spent. The command's exit status and any report it writes are the evidence, and
nobody's word. It is run by a shell in the session's worktree.

  --report FILE     the report it writes: SARIF, or findings as JSON or Markdown
                    (a new *.sarif at the top is found without)
  --mode M          check-first (the usual) or work-first
  --project DIR     the project (that of the current folder)
  --session DIR     the session's folder (one in .umpire/sessions/)
${AGENTS}
${LIMITS}

${STATUS}

Examples
  umpire until "npm test" --agent claude
  umpire until "cargo clippy -- -D warnings" --agent codex --max-rounds 8
`,
  resume: `umpire resume [session]

Goes on with a session that was stopped, killed, or waits for your edit. A task
that was running is run again; nothing that has finished is. The session
remembers its agents and limits; flags override them.

  [session]         its name, a part of it, or its folder (the latest)
  --retry           also run again what failed, and what was skipped for it
  --project DIR     the project (that of the current folder)
${AGENTS}
${LIMITS}

${STATUS}

Examples
  umpire resume
  umpire resume testing-cover-the-parser-2026-03-01 --retry
`,
  resolve: `umpire resolve <session> <answer> [--reason TEXT]

Answers what a session waits on, and goes on with it.

An escalation
  force-approve     go on as it is; marked unverified in every report
  manual-fix        mend it yourself in the worktree; the critic runs again
  extend            grant --rounds N
  abort             end it and keep everything
A spent budget
  extend            grant --minutes M, --cost-usd X or --tokens N
  abort
A plan
  approve, revise, abort
A question of an agent
  answer            --reason holds the answer
  abort

  --reason TEXT     why; needed by force-approve and answer; with revise it is
                    what the planner is told
  --project DIR     the project (that of the current folder)
${AGENTS}
${LIMITS}

${STATUS}

Examples
  umpire resolve review-login extend --rounds 2
  umpire resolve debt-imports revise --reason "leave the generated files out"
  umpire resolve design-button force-approve --reason "contrast is by brand"
`,
  diff: `umpire diff [session] [round]

Shows what a session changed: all of it, or what one round judged (the work of
its chain since the verdict of the round before). Into a pipe or a file it is a
patch that \`git apply\` takes, with files that are no text in it.

  [session]         its name, a part of it, or its folder (the latest)
  [round]           a number
  --chain C         whose round, where several have it: a layer of tests (L1), a
                    sprint (1), an audit (AUDIT-002)
  --project DIR     the project (that of the current folder)

Exit status
  0 shown, or there is nothing to show · 1 error · 2 usage, or no such round

Examples
  umpire diff
  umpire diff testing-cover-the-parser-2026-03-01 2
`,
  apply: `umpire apply <session>

Brings the result of a session over into your checkout, as changes that are not
committed. Refused where files that git knows are changed and not committed,
where a file of yours is in the way, where the session has not ended as
complete, and where it does not fit your commits since. Other files that git
does not know are left alone.

  <session>         its name, a part of it, or its folder
  --force           also where the session has not ended as complete
  --project DIR     the project (that of the current folder)

Exit status
  0 brought over, or there already · 1 refused, or an error: nothing was changed
  2 usage

Examples
  umpire apply testing-cover-the-parser-2026-03-01
`,
  clean: `umpire clean [session]

Removes the worktrees and branches of sessions that have ended and were
applied, or changed nothing. Session folders are kept, with everything in them.
Work that was not applied, or that never came into the branch of its session
(it did not fit, or the session was given up), is kept too, and named. So is
what is left of sessions whose folder was deleted.

  [session]         one session; all that are finished, if left out
  --force           also one with such work: it is lost then
  --project DIR     the project (that of the current folder)

Exit status
  0 removed, or there was nothing to remove; without a name also where some
    are kept · 1 the named one is kept, or an error · 2 usage

Examples
  umpire clean
  umpire clean testing-cover-the-parser-2026-03-01 --force
`,
  read: `umpire read <report...>

Reads reports of test runners, coverage tools and linters, and says what is in
them: tests, coverage, findings, and whether that is a pass. The format is
recognised from the content. Files are streamed, so they may be large.

A report that cannot be read, or that has no test or no coverage in it, is an
error, never a pass. Findings of High or worse fail, lesser ones do not.

  <report...>       files; - is stdin
  --format F        read them as this: junit, jest, tap, mocha, ctrf, lcov,
                    istanbul, istanbul-summary, cobertura, clover, v8, sarif,
                    eslint, tsc, oxlint, biome, ruff, flake8, pylint, bandit,
                    mypy, pyright, checkstyle, stryker, axe, dtcg
  --root DIR        the project, for absolute paths (the current folder)
  --json            print one JSON object; of several reports {reports, outcome}
  --all             with --json: also each test and each file's coverage

Exit status
  0 pass · 3 fail · 1 error or missing · 2 usage
  Of several reports the worst: error, missing, fail, pass.

Examples
  umpire read junit.xml coverage/lcov.info
  npx eslint -f json . | umpire read -
  umpire read tsc.log --format tsc --json
`,
  guard: `umpire guard

Reads a change and says what in it makes tests lie: tests skipped, deleted or
emptied, checks weakened or swallowed, what is tested mocked away, settings and
CI changed on the way. With scope testing it also says which source changed. It
reads syntax trees of JavaScript, TypeScript and Python; it runs nothing.
docs/guard-your-tests.md lists the rules.

  --base REV        what the change is measured against: HEAD; where all is
                    committed, the fork from the trunk
  --scope S         testing: only tests and their fixtures may change (the
                    usual); any: source may change too
  --project DIR     the project (that of the current folder)
  --report-before F a test report of the base, in any format of umpire read
  --report-after F  one of the change: what really ran decides
  --staged          look at what is staged, as a hook before a commit should
  --revert          take breaches back in your files: by hunk where valid code
                    is left, else the whole file; copies are kept. Source is
                    taken back only where --scope testing is given, or set
  --json            print one JSON object
  --sarif           print SARIF 2.1.0, for code hosts

Exit status
  0 clean · 3 a breach · 1 error, or tests that cannot be read · 2 usage

Examples
  umpire guard --scope any
  umpire guard --base origin/main --scope any --sarif > guard.sarif
  umpire guard --revert
`,
} as const;
