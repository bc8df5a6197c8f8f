// Every command, described once: what it takes, how it ends, and examples. Arguments are read by it; help, completion and the reference page
// follow from it. The options that a program can pass too are rows of core/model/options.ts.

import {
  APPLY,
  CLEAN,
  CRITIQUE,
  DECIDE,
  DIFF,
  FAIL_ON,
  GUARD,
  INIT,
  LATEST_SESSION,
  PROJECT,
  READ,
  REPLAY,
  RESOLVE,
  RESUME,
  RUN,
  RUN_OPTIONS,
  SESSION,
  STRICTER_SETTINGS,
  agentName,
  choice,
  choices,
  flag,
  folder,
  needed,
  text,
  texts,
  whole,
} from '@umpire/core/model/options.js';
import type { OptionValues, Options } from '@umpire/core/model/options.js';
import { STATE_WORDS } from '../../views/session-view.js';

export interface Command {
  /** Under which heading of the overview. */
  readonly group: string;
  /** A sentence. */
  readonly summary: string;
  /** Instead of the line that follows from `places` and `options`. */
  readonly usage?: readonly string[];
  /** Paragraphs. A line break in one stays. */
  readonly about?: readonly string[];
  /** The options that stand without a flag, in this order. A list takes all that is left. */
  readonly places?: readonly string[];
  readonly options: Options;
  /** Added to the error if there are more arguments. */
  readonly extraHint?: string;
  /** It shows sessions, also those of an engine. */
  readonly isLooking?: true;
  /** More of its help: text, or a list that follows from the code. */
  readonly more?: readonly (string | { readonly list: 'agents' | 'answers' | 'formats' })[];
  readonly exits: readonly (readonly [status: string, meaning: string])[];
  readonly examples: readonly string[];
}

/** The values that a command gets: its arguments and flags, by name. */
export type Given<Name extends CommandName> = OptionValues<(typeof COMMANDS)[Name]['options']>;
export type CommandName = keyof typeof COMMANDS;

const JSON_OBJECT = flag('print one JSON object');
const LOOK_AT_ENGINE = text('URL', 'look at an engine (docs/fleet.md); none: this machine');
const WRONG_USAGE = ['2', 'wrong usage'] as const;
const ERROR = ['1', 'error'] as const;

const RUN_HERE = {
  ...RUN_OPTIONS,
  noInput: flag('do not ask questions at this terminal'),
  engine: text('URL', 'run it on an engine (docs/fleet.md; none: here)'),
  detach: flag('on an engine: do not follow it'),
  json: flag('print each event as a line of JSON on stdout'),
};

const ON_ENGINE = {
  needs: texts('A,B', 'on an engine: labels that its workers must have'),
  remote: text('NAME', 'the git remote of an issue, a pull request or an engine (default: origin)'),
  tenant: text('NAME', 'on an engine: whose session it is (default: you)'),
};

const RUN_STATUS = [
  ['0', 'complete'],
  ['1', 'failed, aborted, or an error'],
  WRONG_USAGE,
  ['3', 'ended, but the target is not met'],
  ['4', 'waiting for a person; answer with umpire resolve'],
  ['130', 'stopped by Ctrl-C; continue with umpire resume'],
] as const;

export const COMMANDS = {
  doctor: {
    group: 'Set up',
    summary: 'Check that a run can start.',
    about: [
      'Checks git, the sandbox, the project, the settings, the agents and the tools of the critics. It starts no agent, runs no test and changes nothing. In a project that you trust it asks each test runner for its test files; elsewhere it starts no program of the project. Each line is ok, a note or a fault. A fault stops a run, and its line says how to fix it.',
    ],
    options: { project: PROJECT, json: JSON_OBJECT },
    extraHint: 'Name the project with --project.',
    exits: [['0', 'ready'], ERROR, WRONG_USAGE, ['3', 'a fault stops a run'], ['130', 'stopped by Ctrl-C']],
    examples: ['umpire doctor', 'umpire doctor --project ../shop --json'],
  },
  init: {
    group: 'Set up',
    summary: 'Write umpire.config.yaml for a project.',
    usage: ['umpire init [flags]', 'umpire init --hooks AGENT [--project DIR] [--dry-run] [--json]'],
    about: [
      'Picks the installed agent, lists untracked files such as .env that worktrees need, and adds common limits as comments. It never overwrites a file.',
    ],
    options: {
      ...INIT,
      hooks: agentName("write Umpire's hooks and MCP server into the agent's settings in the project instead. Other settings are kept"),
      json: flag('print {path, text, written} as JSON; with --hooks {project, files, written}'),
    },
    extraHint: 'Name the project with --project.',
    more: [{ list: 'agents' }],
    exits: [
      ['0', 'written or printed'],
      ['1', 'the file exists already, or an error'],
      WRONG_USAGE,
      ['130', 'stopped by Ctrl-C; nothing was written'],
    ],
    examples: ['umpire init', 'umpire init --agent codex --dry-run', 'umpire init --hooks claude'],
  },
  trust: {
    group: 'Set up',
    summary: 'Let the settings, loop files or a session of a project count.',
    about: [
      "A project's umpire.config.yaml, its role texts in .umpire/roles and its loop files start programs, give rights and instruct agents. They count once you have trusted them. Shows what they would do, asks, and records your answer outside the project, for all worktrees of the repository. A changed file asks again.",
      'Until then Umpire uses its defaults, and says what it ignored. Only settings that make it stricter or cheaper count: ' +
        `${STRICTER_SETTINGS.join(', ')} (sandbox only as true). --yes does not trust.`,
      "Your own settings are in ~/.config/umpire/config.yaml and win over a project's.",
      'A session that you did not begin on this machine starts no program either. With SESSION: shows what it would run, asks, and signs it with your key.',
    ],
    places: ['files'],
    options: {
      files: texts('FILE|SESSION', 'loop files to trust too, or a session'),
      print: flag('print the value of UMPIRE_TRUST for CI, and ask nothing'),
      revoke: flag('forget what you trusted in this project'),
      project: PROJECT,
      json: flag('print {project, files, trusted} as JSON'),
    },
    exits: [
      ['0', 'trusted, printed or revoked'],
      ['1', 'not trusted, or an error'],
      ['2', 'wrong usage, or no terminal'],
    ],
    examples: ['umpire trust', 'umpire trust until-fix-login', 'UMPIRE_TRUST="$(umpire trust --print)"'],
  },
  run: {
    group: 'Run',
    summary: 'Run a loop until its critic is satisfied.',
    about: [
      'Agents work in a separate git worktree and branch; your checkout is not touched. You can stop the run at any time and continue it with umpire resume.',
    ],
    places: ['loop', 'goal'],
    options: {
      loop: RUN.loop,
      goal: RUN.goal,
      project: PROJECT,
      session: RUN.session,
      mode: RUN.mode,
      issue: text('N|URL', 'the goal is this issue on GitHub'),
      pr: whole(1, 999_999_999, 'N', 'review only: begin with this pull request; its unresolved comments are findings of the first round'),
      target: RUN.target,
      dryRun: flag('only print the tasks, their roles, the most agent runs and the likely cost'),
      ...RUN_HERE,
      ...ON_ENGINE,
    },
    extraHint: 'Put the goal in quotes.',
    more: [{ list: 'agents' }],
    exits: RUN_STATUS,
    examples: [
      'umpire run testing "cover the parser" --agent claude --target 90',
      'umpire run review --agent codex --agent reviewer=claude',
    ],
  },
  until: {
    group: 'Run',
    summary: 'Run an agent until a command passes.',
    usage: [
      'umpire until <command> [goal] [flags]',
      'umpire until <command> --here [--max-rounds N] [--report FILE]',
      'umpire until --here [--stop]',
    ],
    about: [
      'The exit status of the command and the report it writes are the evidence. A shell runs the command in the worktree of the session.',
    ],
    places: ['command', 'goal'],
    options: {
      command: RUN.command,
      goal: text('GOAL', 'what you want (default: make the command pass)'),
      report: RUN.report,
      trustExitStatus: RUN.trustExitStatus,
      allowTestEdits: RUN.allowTestEdits,
      includeUncommitted: RUN.includeUncommitted,
      mode: text('NAME', 'check-first (default) or work-first'),
      project: PROJECT,
      session: RUN.session,
      here: flag(
        'start no agent: judge your own agent session in this project. Its Stop hook runs the command and sends it back. Without a command: let another session be judged',
      ),
      stop: flag('with --here: end that'),
      ...RUN_HERE,
      ...ON_ENGINE,
    },
    extraHint: 'Put the command in quotes.',
    more: [{ list: 'agents' }],
    exits: RUN_STATUS,
    examples: [
      'umpire until "npm test" --agent claude',
      'umpire until "cargo clippy -- -D warnings" --agent codex --max-rounds 8',
      'umpire until "npm test" --here',
    ],
  },
  resume: {
    group: 'Run',
    summary: 'Continue a session that stopped or waits for you.',
    about: ['Unfinished tasks start again; finished tasks do not. The session keeps its agents and limits unless you pass new ones.'],
    places: ['session'],
    options: { ...RESUME, project: PROJECT, ...RUN_HERE },
    more: [{ list: 'agents' }],
    exits: RUN_STATUS,
    examples: ['umpire resume', 'umpire resume testing-cover-the-parser-2026-03-01 --retry'],
  },
  resolve: {
    group: 'Run',
    summary: 'Answer the open question of a session.',
    places: ['session', 'answer'],
    options: { ...RESOLVE, project: PROJECT, ...RUN_HERE },
    extraHint: 'Put the reason in quotes after --reason.',
    more: [{ list: 'answers' }, { list: 'agents' }],
    exits: [['0', 'complete, or aborted by your answer'], ...RUN_STATUS.slice(1)],
    examples: ['umpire resolve review-login extend --rounds 2', 'umpire resolve debt-imports revise --reason "skip the generated files"'],
  },
  dismiss: {
    group: 'Run',
    summary: 'Dismiss a finding, or list the open findings.',
    about: [
      'A dismissed finding does not count from the next verdict of this session on and makes no task. It is open again if it comes back with a higher severity. Every report shows it with your reason. A test that passed at the base and fails now cannot be dismissed.',
    ],
    places: ['session', 'finding'],
    options: {
      session: SESSION,
      finding: text('FINDING', 'fingerprint, its first 6 or more characters, or file:line; without it, the open findings are listed'),
      reason: text('TEXT', 'why the finding does not count; required'),
      project: PROJECT,
      engine: text('URL', 'a session on an engine (docs/fleet.md); none: here'),
      json: JSON_OBJECT,
    },
    extraHint: 'Put the reason in quotes after --reason.',
    exits: [
      ['0', 'dismissed, or listed'],
      ['1', 'the finding is dismissed already, or the session is busy'],
      ['2', 'no such finding, or it cannot be dismissed'],
    ],
    examples: ['umpire dismiss review-login', 'umpire dismiss review-login 3f2a91c0 --reason "the input is checked above"'],
  },
  status: {
    group: 'Look',
    summary: 'Show where a session stands.',
    about: [
      'Shows the tasks of each wave, rounds, time, cost, and the open question with the commands that answer it. It takes no lock and writes nothing.',
    ],
    places: ['session'],
    options: { session: LATEST_SESSION, project: PROJECT, engine: LOOK_AT_ENGINE, json: JSON_OBJECT },
    isLooking: true,
    exits: [['0', 'shown'], ['1', 'broken history (shown up to the break), or an error'], WRONG_USAGE],
    examples: ['umpire status', 'umpire status review-payments-2026-03-01 --json'],
  },
  list: {
    group: 'Look',
    summary: 'List the sessions of a project, latest first.',
    options: {
      state: choices(STATE_WORDS, 'NAME', 'only sessions in this state; repeatable (see States)'),
      loop: texts('NAME', 'only sessions of this loop; repeatable'),
      unapplied: flag('only finished sessions with changes to apply'),
      last: whole(1, 1_000_000, 'N', 'only the latest N'),
      project: PROJECT,
      engine: LOOK_AT_ENGINE,
      json: JSON_OBJECT,
    },
    extraHint: 'Name the project with --project.',
    isLooking: true,
    more: [
      `States
  running                a process works on it
  awaiting               a person must answer; see umpire status
  interrupted            stopped; continue with umpire resume
  complete, failed, aborted
                         ended
  "judged only", "never judged"
                         another program runs it
  unreadable             its history is broken`,
    ],
    exits: [['0', 'listed'], ERROR, WRONG_USAGE],
    examples: ['umpire list', 'umpire list --state awaiting --state failed'],
  },
  report: {
    group: 'Look',
    summary: 'Print a session as Markdown or HTML.',
    about: [
      'The report has the goal, the result, each task and verdict, answers of people, reverted changes and the cost. It takes no lock and writes nothing into the session.',
    ],
    places: ['session'],
    options: {
      session: LATEST_SESSION,
      html: flag('print one HTML file, with charts and the change; it needs no script and loads nothing'),
      out: text('FILE', 'with --html: write FILE instead of stdout'),
      project: PROJECT,
      engine: LOOK_AT_ENGINE,
    },
    isLooking: true,
    exits: [['0', 'printed'], ['1', 'broken history (printed up to the break), or an error'], WRONG_USAGE],
    examples: ['umpire report', 'umpire report review-payments-2026-03-01 > payments.md', 'umpire report --html --out report.html'],
  },
  logs: {
    group: 'Look',
    summary: 'Show the output of agents.',
    about: [
      'Without a task it lists all outputs and shows the last lines of the latest. A pipe or file gets the raw bytes; a terminal gets the text. With -f it prints new output until the task, or without one the session, ends.',
    ],
    places: ['session', 'task'],
    options: {
      session: LATEST_SESSION,
      task: text('TASK', 'a task (its last attempt), or one attempt: DEV-001-1'),
      follow: { ...flag('print new output until the task or session ends'), short: '-f' },
      project: PROJECT,
      engine: LOOK_AT_ENGINE,
    },
    isLooking: true,
    exits: [['0', 'shown'], ['1', 'no output, or an error'], WRONG_USAGE],
    examples: ['umpire logs', 'umpire logs review-payments-2026-03-01 DEV-001', 'umpire logs -f'],
  },
  serve: {
    group: 'Look',
    summary: 'Show all sessions in a browser.',
    about: [
      'The page follows running sessions. Its buttons answer open questions, dismiss findings and resume sessions; whoever has the printed address can do so. The server listens on 127.0.0.1. Stop it with Ctrl-C: runs go on. To reach it from another machine: ssh -L 4747:127.0.0.1:4747 HOST',
    ],
    options: {
      project: PROJECT,
      engine: text('URL', 'the sessions of an engine (docs/fleet.md); none: here'),
      port: whole(0, 65_535, 'N', 'the port (default: 4747, or a free one)'),
    },
    extraHint: 'Name the project with --project.',
    exits: [['0', 'stopped'], ['1', 'error, such as a port in use'], WRONG_USAGE],
    examples: ['umpire serve', 'umpire serve --port 8080', 'umpire serve --engine postgres://umpire@db/umpire'],
  },
  worker: {
    group: 'On many machines',
    summary: 'Run tasks of a fleet on this machine.',
    usage: ['umpire worker --engine URL --remote URL [flags]'],
    about: [
      'It takes tasks from the engine, runs them with the agents of this machine, and hands in their results. Unless told otherwise it also takes the turns of the sessions: it judges, merges and offers the next tasks.',
      'Ctrl-C gives running attempts back to the engine and ends.',
    ],
    options: {
      engine: text('URL', 'postgres://… or restate://… (default: UMPIRE_ENGINE)'),
      remote: texts('URL', 'the git remote of the sessions; repeatable'),
      label: texts('A,B', 'what this machine can run, such as claude or docker'),
      slots: whole(1, 1000, 'N', 'tasks at the same time (default: 1)'),
      name: text('NAME', "the worker's name (default: the host and a number)"),
      home: folder('mirrors and working folders'),
      noConduct: flag('only run tasks'),
      conductOnly: flag('only take turns'),
    },
    extraHint: 'Labels go after --label.',
    exits: [['0', 'drained'], ERROR, WRONG_USAGE, ['130', 'stopped by Ctrl-C']],
    examples: ['export UMPIRE_ENGINE=postgres://umpire@db/umpire', 'umpire worker --remote git@host:team/app.git --label claude --slots 4'],
  },
  engine: {
    group: 'On many machines',
    summary: 'Set up an engine and look after its fleet.',
    usage: ['umpire engine <act> [--engine URL]'],
    about: [
      `  init URL               create or migrate the schema; may be repeated
  workers                the workers, their labels and what they run
  drain WORKER           let a worker finish and take no new tasks
  limit NAME N           at most N calls to a provider at once (off: no limit)
  limits                 the limits and what is in use
  export SESSION DIR     copy a session into DIR/SESSION
  import DIR             bring an exported session back`,
    ],
    places: ['act', 'values'],
    options: {
      act: needed(text('ACT', 'one of those')),
      values: texts('VALUE', 'what it needs, as above'),
      engine: text('URL', 'the engine (default: UMPIRE_ENGINE)'),
      off: flag('with drain: let the worker take tasks again'),
      json: JSON_OBJECT,
    },
    exits: [['0', 'done'], ERROR, WRONG_USAGE],
    examples: ['umpire engine init postgres://umpire@db/umpire', 'umpire engine limit anthropic 20 --engine postgres://umpire@db/umpire'],
  },
  diff: {
    group: 'Use the result',
    summary: 'Show the changes of a session.',
    about: [
      'Shows all changes, or those that one round judged. A pipe or file gets a patch for git apply, binary files included. Work of a session on an engine is shown in a repository that has fetched it.',
    ],
    places: ['session', 'round'],
    // Without a session, the round stands first.
    options: { ...DIFF, round: text('ROUND', DIFF.round.help), project: PROJECT, engine: LOOK_AT_ENGINE },
    isLooking: true,
    exits: [['0', 'shown, or no changes'], ERROR, ['2', 'wrong usage, or no such round']],
    examples: ['umpire diff', 'umpire diff testing-cover-the-parser-2026-03-01 2'],
  },
  apply: {
    group: 'Use the result',
    summary: 'Copy the changes of a session into your checkout.',
    about: [
      'Refuses if files that it would write have uncommitted changes (except those that the session began with), if an untracked file would be overwritten, if the session is not complete, or if the changes conflict with your commits. Leaves out new tests that fail (suspected bugs).',
      'Prints the notes of the approval, and why it is unverified. At a terminal it then asks.',
    ],
    places: ['session'],
    options: { session: SESSION, ...APPLY, yes: flag('do not ask about notes and unverified work'), project: PROJECT },
    exits: [['0', 'applied, or applied before'], ['1', 'refused, or an error; nothing was changed'], WRONG_USAGE],
    examples: ['umpire apply testing-cover-the-parser-2026-03-01', 'umpire apply debt-imports --force'],
  },
  pr: {
    group: 'Use the result',
    summary: 'Open or update the pull request of a session.',
    about: [
      'Pushes the branch of the session and opens a pull request on GitHub, or updates the one that the branch has. Its text has the goal, the verdicts, the evidence and what is not verified. It never forces a push and never pushes to the base. Uses GITHUB_TOKEN or GH_TOKEN, else gh where you are logged in.',
    ],
    places: ['session'],
    options: {
      session: LATEST_SESSION,
      base: text('BRANCH', "the branch to merge into (default: the repository's)"),
      draft: flag('a draft; also of a session that is not complete'),
      remote: text('NAME', 'the git remote (default: origin)'),
      title: text('TEXT', 'the title (default: from the issue or the goal)'),
      project: PROJECT,
      json: JSON_OBJECT,
    },
    exits: [['0', 'opened or updated'], ['1', 'refused, or an error'], WRONG_USAGE],
    examples: ['umpire pr', 'umpire pr review-payments-2026-03-01 --draft --base develop'],
  },
  clean: {
    group: 'Use the result',
    summary: 'Remove worktrees and branches of finished sessions.',
    about: [
      'Cleans sessions that were applied or changed nothing. It keeps sessions with work that was not applied or merged, and names them. Session folders stay.',
    ],
    places: ['session'],
    options: { session: { ...LATEST_SESSION, help: 'one session (default: all finished sessions)' }, ...CLEAN, project: PROJECT },
    exits: [['0', 'removed, or nothing to remove'], ['1', 'the named session was kept, or an error'], WRONG_USAGE],
    examples: ['umpire clean', 'umpire clean testing-cover-the-parser-2026-03-01 --force'],
  },
  decide: {
    group: 'Judge',
    summary: "Judge the latest result of a loop's critic.",
    about: [
      'Writes the verdict, its tasks and its history into the session folder. Judging the same evidence again gives the same verdict and writes nothing.',
    ],
    places: ['loop', 'session'],
    options: { ...DECIDE, json: flag('print the verdict as JSON instead of Markdown') },
    exits: [['0', 'converge or accept'], ERROR, WRONG_USAGE, ['3', 'revise'], ['4', 'escalate'], ['5', 'partial']],
    examples: ['umpire decide design .umpire/sessions/design-button-2026-03-01', 'umpire decide testing ./session --layer L2 --json'],
  },
  check: {
    group: 'Judge',
    summary: 'Prove the rules of a loop.',
    about: [
      'Tries every combination of facts in every round and proves that\n- exactly one rule decides each case, and every rule can apply\n- the loop always ends\n- nothing is approved wrongly, and the promises of the loop hold\nIf one of them is false, it prints the shortest counterexample.',
    ],
    places: ['loop'],
    options: {
      loop: DECIDE.loop,
      graph: flag('print a Mermaid state diagram instead'),
      table: flag('print repairs, decision table, waivers and promises'),
      json: flag('print the proof as one JSON object'),
    },
    exits: [
      ['0', 'proven'],
      ERROR,
      WRONG_USAGE,
      ['3', 'refuted'],
      ['5', 'proven in part: too many cases; the output names the facts to merge'],
    ],
    examples: ['umpire check ./my-loop.yaml', 'umpire check ./my-loop.yaml --graph > my-loop.mmd'],
  },
  replay: {
    group: 'Judge',
    summary: 'Judge recorded verdicts again and compare.',
    usage: ['umpire replay <session> [flags]', 'umpire replay --all [flags]'],
    about: ['Uses the journal and the evidence it kept, checks that the history is unbroken, and writes nothing.'],
    places: ['session'],
    options: {
      session: REPLAY.session,
      all: flag('all sessions in .umpire/sessions/ and .workflow/.csv-wave/'),
      loop: REPLAY.loop,
      project: PROJECT,
      engine: LOOK_AT_ENGINE,
      json: flag('print one JSON object instead of Markdown'),
    },
    isLooking: true,
    exits: [
      WRONG_USAGE,
      ['1', 'broken history, or verdicts missing from the journal'],
      ['3', 'a verdict differs, or would differ by the other rules'],
      ['1', 'evidence or journal missing, changed or unreadable; an error'],
      ['0', 'all verdicts are the same'],
    ],
    examples: ['umpire replay .umpire/sessions/review-payments-2026-03-01', 'umpire replay --all --loop ./stricter-review.yaml'],
  },
  critique: {
    group: 'Judge',
    summary: 'Run the built-in critic of a loop.',
    about: [
      "Runs real tools on the project and leaves the evidence in a session folder, for umpire decide. umpire run does the same if no agent has the critic's role.",
    ],
    places: ['loop'],
    options: {
      ...CRITIQUE,
      dryRun: flag('only try each tool once and say which of them work'),
      quiet: flag('hide the output of the tools'),
      json: flag('print the result as JSON'),
    },
    more: [
      `Critics
  testing                run tests with coverage
  debt                   compare tests, types, lint and quality with a baseline
  design                 audit design tokens
  review                 run tests, and linters on changed lines
  brainstorm             count the challenges`,
    ],
    exits: [['0', 'pass'], ['1', 'error, timeout, or nothing to measure'], WRONG_USAGE, ['3', 'fail']],
    examples: ['umpire critique testing', 'umpire critique debt --base main --json'],
  },
  read: {
    group: 'Judge',
    summary: 'Read reports of tests, coverage and linters.',
    about: [
      'Detects the format and says whether the report passes. A report that cannot be read, or has no tests or no coverage, is an error. Findings of severity High or worse fail.',
    ],
    places: ['reports'],
    options: { ...READ, json: JSON_OBJECT, all: flag('with --json: list each test and the coverage per file') },
    more: [{ list: 'formats' }],
    exits: [['0', 'pass'], ['1', 'error, or a missing report'], WRONG_USAGE, ['3', 'fail']],
    examples: ['umpire read junit.xml coverage/lcov.info', 'npx eslint -f json . | umpire read -'],
  },
  guard: {
    group: 'Judge',
    summary: 'Find skipped, weakened or deleted tests.',
    about: [
      'Compares two versions of JavaScript, TypeScript and Python files. Without --run it runs nothing. It also finds ignored failures, mocks of the tested code, and changed test settings. A breach makes tests weaker without a reason in the change. A note is for you to look at. docs/guard-your-tests.md lists the rules.',
    ],
    options: {
      ...GUARD,
      run: text('COMMAND', 'also run the tests of the base on the new code, in copies: finds what changed tests hide'),
      runMinutes: whole(1, 1440, 'N', 'time for the run at the base (default 30)'),
      strict: flag('exit with 3 on notes too'),
      json: JSON_OBJECT,
      sarif: flag('print SARIF 2.1.0'),
    },
    extraHint: 'Name the base with --base.',
    exits: [
      ['0', 'no breach'],
      ['1', 'error, tests that cannot be read, or a --run that gave no result'],
      WRONG_USAGE,
      ['3', 'a breach; with --strict also a note'],
    ],
    examples: ['umpire guard', 'umpire guard --base origin/main --sarif > guard.sarif', 'umpire guard --run "npm test"'],
  },
  ci: {
    group: 'Judge',
    summary: 'Judge the change of a pull request in CI.',
    about: [
      'Runs the guard and the critic of the review loop on the change, and prints the findings as annotations of GitHub Actions, else as text. Finds the base of a pull request on GitHub and of a merge request on GitLab itself. A breach of the guard counts as critical, its notes as low. Output of tools is not shown.',
    ],
    options: {
      base: text('REV', 'compare with REV'),
      failOn: choice(FAIL_ON, 'SEVERITY', 'exit with 3 from this severity on: critical, high (default), medium, low or never'),
      noReview: flag('only run the guard'),
      sarif: text('FILE', 'write SARIF 2.1.0'),
      codeQuality: text('FILE', 'write a code quality report of GitLab'),
      project: PROJECT,
    },
    extraHint: 'Name the base with --base.',
    exits: [
      ['0', 'no finding of that severity'],
      ['1', 'error, or a check that broke off'],
      WRONG_USAGE,
      ['3', 'a finding of that severity or worse'],
      ['130', 'stopped'],
    ],
    examples: ['umpire ci --base origin/main', 'umpire ci --fail-on critical --sarif umpire.sarif'],
  },
  mcp: {
    group: 'For agents',
    summary: "Serve Umpire's tools to an agent over MCP.",
    about: [
      'On stdin and stdout. Tools: critique, decide, guard, status, report, list, diff, read, check, replay and doctor. An agent cannot answer questions for a person, raise a limit or start a run.',
    ],
    options: { project: PROJECT },
    extraHint: 'Name the project with --project.',
    exits: [['0', 'the client disconnected'], ERROR, WRONG_USAGE],
    examples: ['claude mcp add umpire -- umpire mcp', 'codex mcp add umpire -- umpire mcp'],
  },
  hook: {
    group: 'For agents',
    summary: 'Run the guard from the hooks of a coding agent.',
    about: [
      'The agent calls it and sends the event as JSON on stdin.',
      `  SessionStart           record the commit at which the agent starts
  Stop, SubagentStop, AfterAgent
                         check all changes since then, with the tests where
                         reading suspects one; on breaches, the agent
                         continues once to fix them; if any are left, you get
                         a message. Then it runs the command of umpire until
                         --here, except for SubagentStop
  PreToolUse, BeforeTool
                         refuse edits of Umpire's records, umpire resolve,
                         --max-rounds, --force and until --stop`,
    ],
    places: ['event'],
    options: {
      event: needed(text('EVENT', 'one of those')),
      base: text('REV', 'compare with REV (default: the recorded commit)'),
      scope: choice(['testing', 'any'], 'NAME', 'any (default): source may change; testing: only tests'),
      run: text(
        'COMMAND',
        'how to run the tests where reading suspects one, as guard --run does (default: as Umpire finds them); none: not at all',
      ),
      runMinutes: whole(1, 1440, 'N', 'time for all of these runs together (default 5)'),
    },
    exits: [
      ['0', 'continue'],
      ['1', 'error; the agent continues'],
      ['2', 'refused; the agent reads the reason on stderr'],
    ],
    examples: ['umpire init --hooks claude'],
  },
  completion: {
    group: '',
    summary: 'Print a completion script for a shell.',
    about: ['It completes commands, flags, loops, answers and the names of sessions.'],
    places: ['shell'],
    options: { shell: needed(choice(['bash', 'zsh', 'fish'], 'SHELL', 'bash, zsh or fish')) },
    exits: [['0', 'printed'], WRONG_USAGE],
    examples: [
      'umpire completion bash > ~/.local/share/bash-completion/completions/umpire',
      'umpire completion zsh > ~/.zfunc/_umpire',
      'umpire completion fish > ~/.config/fish/completions/umpire.fish',
    ],
  },
} as const satisfies Readonly<Record<string, Command>>;
