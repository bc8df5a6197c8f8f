// Every error a user can fix: code → message, hint, exit status. `{name}` in a text is replaced by the parameter of that name.

interface ErrorEntry {
  readonly exit: 1 | 2;
  readonly message: string;
  readonly hint: string;
}

export const ERRORS = {
  // The command line and the library
  usage: {
    exit: 2,
    message: '{detail}',
    hint: 'See the help: umpire help {command}',
  },
  argument: {
    exit: 2,
    message: '{door}: {detail}.',
    hint: 'Nothing was done. docs/library.md shows how to call the library.',
  },
  'unknown-command': {
    exit: 2,
    message: 'Unknown command "{name}".{meant}',
    hint: 'List the commands: umpire help',
  },
  internal: {
    exit: 1,
    message: 'Internal error in Umpire: {detail}.',
    hint: 'The session was not changed. Please report this error with the command you ran.',
  },

  // Loops, modes, rounds and layers
  'unknown-loop': {
    exit: 2,
    message: 'Unknown loop "{name}".{meant}',
    hint: 'The built-in loops are {known}. For your own loop, give the path of its YAML file, such as ./my-loop.yaml.',
  },
  'loop-invalid': {
    exit: 1,
    message: '{file}{line}: {detail}.',
    hint: 'docs/loop-file.md describes loop files. schema/loop.schema.json gives completion in an editor.',
  },
  'loop-untrusted': {
    exit: 2,
    message: 'Nobody has trusted the loop file {path}: its rules and texts decide what agents do.',
    hint: 'Look at it and trust it with: umpire trust {path}',
  },
  'loop-unreadable': {
    exit: 1,
    message: 'Cannot read the loop file {file}: {detail}.',
    hint: 'Check the path. The file must be UTF-8 text.',
  },
  'mode-unknown': {
    exit: 2,
    message: 'The {loop} loop has no mode "{name}".',
    hint: 'Its modes are {known}. Without --mode, Umpire chooses one.',
  },
  'round-below': {
    exit: 2,
    message: '--round {asked} is too low: this session is already in round {round}.',
    hint: 'Leave --round out, or pass {round} or more.',
  },
  'round-unknown': {
    exit: 2,
    message: 'Session {session} has no verdict for round {round}.',
    hint: 'Judged rounds: {known}. To see all changes, leave the round out: umpire diff {session}',
  },
  'layer-unknown': {
    exit: 2,
    message: 'This session has several {what}: {known}.',
    hint: 'Choose one, for example: --layer {first}',
  },
  'layer-not-taken': {
    exit: 2,
    message: 'The {loop} loop has no layers, so it does not accept --layer {asked}.',
    hint: 'Leave --layer out.',
  },
  'role-missing': {
    exit: 1,
    message: 'Role definition {role} not found: {detail}.',
    hint: 'Umpire gives no verdict without it. Restore the file, or write your own at .umpire/roles/{role}.md.',
  },

  // Engines of a fleet
  'lease-lost': {
    exit: 1,
    message: 'The lease of this attempt has ended.',
    hint: 'Nothing was changed. The session offers the task again if it still needs it.',
  },
  'engine-closed': {
    exit: 1,
    message: 'The connection to the engine was closed before the answer came.',
    hint: 'Send it again with the same key: nothing is done twice.',
  },
  'engine-unknown': {
    exit: 2,
    message: 'Unknown engine URL: "{engine}".',
    hint: 'Use postgres://… or restate://…',
  },
  'engine-driver': {
    exit: 1,
    message: 'The package "{package}" is not installed.',
    hint: 'Run `{command}` in your project, or add -g if Umpire is installed globally.',
  },
  'engine-unreachable': {
    exit: 1,
    message: 'Cannot use the engine at {engine}: {detail}.',
    hint: 'Check the address, the network, the password and the certificate.',
  },
  'engine-uninitialised': {
    exit: 1,
    message: 'The engine at {engine} is not prepared for this release, or this user may not use it.',
    hint: 'Run once, as the owner of the database: umpire engine init URL',
  },
  'engine-create-role': {
    exit: 1,
    message: 'The login of {engine} may not create the role umpire_worker.',
    hint: 'Let an administrator of the database run `create role umpire_worker nologin`. Then run umpire engine init again.',
  },
  'engine-newer': {
    exit: 1,
    message: 'The engine at {engine} was prepared by a newer release (schema {version}; this one knows {known}).',
    hint: 'Update Umpire on this machine.',
  },
  'engine-tls': {
    exit: 2,
    message: 'sslmode={mode} would not verify the certificate of {engine}.',
    hint: 'Use sslmode=verify-full, with sslrootcert=FILE for a certificate authority of your own.',
  },
  'engine-address': {
    exit: 2,
    message: 'Cannot use this address of an engine: {detail}.',
    hint: 'Restate has addresses such as restate://localhost:8080?admin=9070&service=localhost:9080.',
  },

  // Finding a session
  'session-missing': {
    exit: 1,
    message: 'No session folder at "{path}".',
    hint: 'Check the path. A session folder holds tasks.csv and the reports of the critic.',
  },
  'session-none': {
    exit: 1,
    message: 'No sessions in "{path}".',
    hint: 'Start one with `umpire run`, or name the project with --project DIR. To use a session elsewhere, give its path.',
  },
  'session-unknown': {
    exit: 1,
    message: 'Unknown session "{name}".{meant}',
    hint: 'Sessions here: {known}. Part of a name is enough if only one session matches. To use a session elsewhere, give its path.',
  },
  'session-ambiguous': {
    exit: 2,
    message: '"{name}" matches several sessions: {found}.',
    hint: 'Give more of the name, or the path.',
  },
  'session-unlisted': {
    exit: 1,
    message: 'Session "{session}" is not here any more.',
    hint: 'It may have been removed or renamed. Go back to the list of sessions.',
  },
  'session-outside': {
    exit: 1,
    message: 'The session folder "{path}" is outside the project. Over MCP, Umpire writes only inside the project.',
    hint: 'Give the session a name instead of a path. Umpire then creates it in .umpire/sessions.',
  },
  'path-outside': {
    exit: 1,
    message: '"{path}" is outside the project. Over MCP, Umpire reads only files of the project.',
    hint: 'Copy the file into the project, or ask the person to run the command in a terminal.',
  },
  'outside-session': {
    exit: 1,
    message: '{path} leads outside the session folder ({target}), so Umpire does not {verb} it.',
    hint: 'Replace the link or the ".." with a real file inside the session folder.',
  },
  'session-foreign': {
    exit: 1,
    message: 'Session {session} has verdicts already, and it was not started by `umpire run`.',
    hint: 'Leave --session out, and `umpire run` creates a new session. Or pass the name of a new one.',
  },
  'session-other': {
    exit: 2,
    message: 'Session {session} was started for something else: {detail}.',
    hint: 'Continue it with `umpire resume {session}`, or leave --session out to start a new one.',
  },
  'project-missing': {
    exit: 1,
    message: 'No folder at "{path}".',
    hint: 'Check the path. --project takes the folder that holds .umpire/ or .workflow/, or a folder inside it.',
  },
  'project-moved': {
    exit: 1,
    message: 'Session {session} works on {path}, and that folder does not exist any more.',
    hint: 'Move the project back. Or move the session folder into .umpire/sessions/ of the project: sessions there are found after a move.',
  },

  // The state of a session
  'session-busy': {
    exit: 1,
    message: 'Another process is using this session: {holder}.',
    hint: 'Wait until it has finished, then run the same command again. Or stop it with Ctrl-C or kill, then continue with `umpire resume`. Umpire removes the lock of a dead process on this machine itself. If the lock is from another machine or unreadable, delete .umpire-lock in the session folder.',
  },
  'session-link': {
    exit: 1,
    message: 'The session folder {session} is a link. Umpire cleans only what is really there.',
    hint: 'If the session behind the link is yours, clean it by its real path: umpire clean "$(readlink -f <path>)". Otherwise remove the link.',
  },
  'session-gone': {
    exit: 1,
    message: 'The session folder {path} was removed or moved during the run. The run was stopped.',
    hint: 'If you moved the project with its sessions, continue there: umpire resume {session}. If the folder was deleted, start a new session. In a git repository, merged work is still on the branch umpire/{session}. `umpire clean` lists the leftovers.',
  },
  'not-run': {
    exit: 1,
    message: 'Session {session} was not started by `umpire run`. Umpire only judges it.',
    hint: 'Judge it with `umpire decide <loop> {session}`, or start a session with `umpire run`. If its journal.ndjson was lost, restore it from a backup.',
  },
  'not-begun': {
    exit: 1,
    message: 'Session {session} was stopped before it recorded anything.',
    hint: 'Run the same `umpire run` command again. `umpire clean {session}` removes the leftovers.',
  },
  'run-by-umpire': {
    exit: 2,
    message: 'Umpire runs session {session} itself, so its rounds cannot be changed from outside.',
    hint: 'Continue with `umpire resume {session}`. Allow more rounds with `umpire resume {session} --max-rounds N`, or with `umpire resolve {session} extend --rounds N`.',
  },
  'never-judged': {
    exit: 1,
    message: 'No verdict to replay in "{path}": {detail}.',
    hint: 'Judge it first: `umpire decide <loop> {path}`. If the journal was lost, restore it from a backup.',
  },
  'no-work': {
    exit: 1,
    message: 'Session {session} has no changes to a project: the {loop} loop writes only to its session folder.',
    hint: 'See its results: umpire report {session}',
  },
  'not-complete': {
    exit: 1,
    message: 'Session {session} is not complete ({outcome}), so its work was not applied.',
    hint: 'Check it with `umpire status {session}`. To apply the work anyway: umpire apply {session} --force',
  },
  'nothing-asked': {
    exit: 1,
    message: 'Session {session} does not wait for an answer: {detail}.',
    hint: 'Check it with `umpire status {session}`.',
  },
  'answer-refused': {
    exit: 2,
    message: 'Answer not accepted: {detail}.',
    hint: 'Possible answers: {allowed}. Give one with `umpire resolve {session} <answer> --reason "why"`.',
  },
  'dismissal-unexplained': {
    exit: 2,
    message: 'A dismissal needs a reason.',
    hint: 'Every later report shows it: `umpire dismiss {session} {finding} --reason "why"`.',
  },
  'finding-unknown': {
    exit: 2,
    message: 'Session {session} has no open finding "{word}".',
    hint: 'List the open findings with `umpire dismiss {session}`. Name one by its fingerprint, at least 6 characters of it, or by file:line.',
  },
  'finding-ambiguous': {
    exit: 2,
    message: '"{word}" names {many} open findings of session {session}.',
    hint: 'Use one of these fingerprints: {known}.',
  },
  'finding-dismissed': {
    exit: 1,
    message: 'This finding is dismissed already: {finding} (reason: {reason}).',
    hint: 'It does not count from the next verdict on. The other open findings: `umpire dismiss {session}`.',
  },
  'finding-kept': {
    exit: 2,
    message: 'This finding cannot be dismissed, because {why}: {finding}',
    hint: 'Fix it. A person may approve the work over it with `umpire resolve {session} force-approve --reason "why"`, if the session asks; it is then unverified.',
  },
  'inside-task': {
    exit: 2,
    message: 'A task of a running session cannot {action}: only a person can.',
    hint: 'Nothing was recorded. Show the person the question and stop. A person runs the command in a terminal of their own, outside the agent.',
  },
  'log-missing': {
    exit: 1,
    message: 'Session {session} has no output of {task}.',
    hint: 'Tasks with output: {known}. An agent that prints nothing leaves no output.',
  },

  // Files of a session and of the project
  'write-failed': {
    exit: 1,
    message: 'Cannot write {path}: {detail}.',
    hint: 'Nothing was lost. Fix the cause (disk space, permissions, a link or folder in its place), then run the same command again.',
  },
  'disk-full': {
    exit: 1,
    message: 'The disk of {path} is full. The run stopped; {task} will run again.',
    hint: 'Free some space, for example with `umpire clean`. Then continue with: umpire resume',
  },
  'retrial-stopped': {
    exit: 1,
    message: 'The run was stopped while the tests ran on the work of {task}. It was not merged; {task} will run again.',
    hint: 'Continue with: umpire resume',
  },
  'read-failed': {
    exit: 1,
    message: 'Cannot read {path}: {detail}.',
    hint: 'Fix the cause (permissions or disk), then run the same command again.',
  },
  'evidence-missing': {
    exit: 1,
    message: '{detail}',
    hint: '{hint}',
  },
  'evidence-other-commit': {
    exit: 1,
    message: '{path} is about commit {commit}, but the project is at {head}. It approves nothing here.',
    hint: 'Nothing was written. Run the critic again, then the same command. Or check out that commit.',
  },
  'critic-unfinished': {
    exit: 1,
    message: 'The critic {task} did not finish{why}, so there is nothing to judge.',
    hint: 'Run the critic again, so that its row in tasks.csv is completed. If another critic replaces it, set its status to skipped.',
  },
  'tasks-open': {
    exit: 1,
    message: '{tasks} {is} not finished. The last verdict asked for this work, so new evidence is not judged yet.',
    hint: 'Set the status in tasks.csv to completed, failed or skipped when it ends. If the work was done elsewhere, judge with: {command}',
  },
  'tasks-malformed': {
    exit: 1,
    message: '{file}:{line}: {detail}.',
    hint: '{hint}',
  },
  'config-invalid': {
    exit: 1,
    message: '{file}{line}: {detail}.',
    hint: 'Fix or remove the line. docs/settings.md lists every setting with an example.',
  },
  'config-there': {
    exit: 1,
    message: 'The project has settings already: {path}.',
    hint: 'Nothing was written. Check them with `umpire doctor`, and edit the file to change them (docs/settings.md). To give a subfolder its own settings: umpire init --project DIR',
  },
  'journal-broken': {
    exit: 1,
    message: 'journal.ndjson is damaged at line {line}: {detail}.',
    hint: 'The history after that line cannot be trusted. Restore journal.ndjson from a backup, or start a new session folder with the same evidence.',
  },
  'journal-line-long': {
    exit: 1,
    message: 'Too long for one line of journal.ndjson: {type} exceeds {most} MB.',
    hint: 'Nothing was recorded. Make the critic report fewer findings, such as only the worst or one per kind and file. Then judge again.',
  },
  'journal-changed': {
    exit: 1,
    message: 'Another program changed journal.ndjson during the run: {detail}. The run was stopped.',
    hint: 'The work is on the branch umpire/{session}. Restore journal.ndjson from a backup and run `umpire resume {session}`, or start a new session.',
  },
  'journal-newer': {
    exit: 1,
    message: 'journal.ndjson line {line} has format version {version}. This Umpire reads versions up to {known}.',
    hint: 'Update Umpire to the version that wrote this session, or a newer one.',
  },

  // Fleets
  'engine-session-taken': {
    exit: 2,
    message: 'The engine has a session named {session} already.',
    hint: 'Look at it with `umpire status {session} --engine URL`, or choose another name with --session NAME.',
  },
  'engine-import-taken': {
    exit: 2,
    message: 'The engine has a session named {session} already.',
    hint: 'To import it under another name, rename the folder.',
  },
  'engine-export-taken': {
    exit: 2,
    message: 'The folder {path} is not empty.',
    hint: 'Choose another folder.',
  },
  'engine-session-name': {
    exit: 2,
    message: '"{session}" is not a name for a session on an engine.',
    hint: 'Name it with letters, digits, dots and dashes.',
  },
  'engine-command': {
    exit: 2,
    message: 'umpire {command} works on sessions of this machine only.',
    hint: 'On an engine, use list, status, report, logs, diff, replay and serve. The work is on the branch umpire/SESSION of the remote; `umpire engine export SESSION DIR` copies a session into a folder.',
  },
  'engine-session-missing': {
    exit: 2,
    message: 'The engine has no session named {session}{meant}.',
    hint: 'List its sessions with `umpire list --engine URL`. For a session on this machine, add --engine none.',
  },
  'engine-session-part': {
    exit: 2,
    message: 'The engine has no session named {word}. A part of a name is enough only to look at a session.',
    hint: 'Did you mean: {command}',
  },
  'engine-message': {
    exit: 2,
    message: 'The conductor did not accept the message: {detail}.',
    hint: 'Use the same version of Umpire on all machines.',
  },
  'worker-sign-in': {
    exit: 1,
    message: 'The agent {agent} is not signed in on this worker: {detail}',
    hint: "Sign in there with the agent's own command. The task goes to another worker.",
  },
  'engine-by-hand': {
    exit: 2,
    message: 'The work of {session} cannot be fixed by hand on an engine.',
    hint: 'Choose another answer, or take the session out with `umpire engine export {session} DIR` and continue it on this machine.',
  },
  'engine-worker-missing': {
    exit: 2,
    message: 'The engine knows no worker named {worker}.',
    hint: 'List them with `umpire engine workers --engine URL`.',
  },
  'engine-untaken': {
    exit: 1,
    message: 'The engine has what you sent, but no conductor has taken it yet.',
    hint: 'It is recorded once a conductor takes it. Start one with: umpire worker --engine URL --remote URL',
  },
  'engine-refused': {
    exit: 2,
    message: '{message}',
    hint: '{hint}',
  },
  'engine-role': {
    exit: 1,
    message: 'The login of {engine} may only run tasks.',
    hint: "Use it with umpire worker --no-conduct. Everything else needs the owner's login.",
  },
  'engine-start': {
    exit: 2,
    message: 'The session cannot start: {detail}.',
    hint: 'Change that, or run it on this machine with --engine none. If nothing is wrong, use the same version of Umpire on all machines.',
  },
  'question-changed': {
    exit: 2,
    message: 'Your answer was not recorded: the question of {session} has changed since you saw it.',
    hint: 'Look at the session again: umpire status {session}',
  },

  // Agents and commands
  'agent-missing': {
    exit: 2,
    message: 'No agent chosen for the role {role}.',
    hint: 'Choose one with --agent NAME or --agent {role}=NAME ({agents}). To do the work yourself: --agent person. To run any program: --agent-command "CMD ARGS". umpire.config.yaml can define your own agents.',
  },
  'agent-not-there': {
    exit: 1,
    message: 'Cannot start the agent "{name}", chosen for the {roles}: {detail}. Nothing was run or recorded.',
    hint: 'Install it, or choose another with --agent NAME ({agents}). To do the work yourself: --agent person. To run any program: --agent-command "CMD ARGS".',
  },
  'agent-unknown': {
    exit: 2,
    message: 'Unknown agent "{name}".{meant}',
    hint: 'Known agents: {known}. To run any program: --agent-command "CMD ARGS". Define your own agents in umpire.config.yaml (docs/settings.md) or pass them as functions (docs/library.md).',
  },
  'session-untrusted': {
    exit: 2,
    message: 'The session {session} was not begun here by you: it came with a clone, a download or another machine. It starts no program.',
    hint: 'See what it would run, and trust it, with: umpire trust {path}',
  },
  'session-unsignable': {
    exit: 2,
    message: 'The session cannot be trusted: Umpire cannot keep a key in {folder}.',
    hint: 'Set HOME to a folder that you can write to. Where every file is yours, UMPIRE_TRUST=1 trusts all.',
  },
  'trust-terminal': {
    exit: 2,
    message: 'umpire trust asks a person, and there is no terminal.',
    hint: 'Run it in a terminal. In CI, set UMPIRE_TRUST to what this prints on your machine: umpire trust --print',
  },
  'agent-untrusted': {
    exit: 2,
    message: 'The agent "{name}" is defined in the settings of this project, which nobody has trusted.',
    hint: 'Look at them and trust them with: umpire trust',
  },
  'cap-unknowable': {
    exit: 2,
    message: '{agents} {verb} not report the cost, so a limit in dollars cannot be kept.',
    hint: 'Use --max-tokens N or --max-minutes N instead, or another agent.',
  },
  'critic-blind': {
    exit: 2,
    message: 'Not started: no tool of the {loop} critic works here, so nobody could measure the work.',
    hint: 'Mend its tools (umpire doctor names them), or pass --yes.',
  },
  'runs-declined': {
    exit: 2,
    message: 'Not started: the session may need {runs} agent runs, and more than {limit} need your consent.',
    hint: 'Lower --max-rounds, pass --yes, or raise ask_above_runs in umpire.config.yaml.',
  },
  'agent-role-unknown': {
    exit: 2,
    message: 'The {loop} loop has no role "{role}".',
    hint: 'Its roles are {known}. --agent ROLE=NAME sets the agent of one role. --agent NAME sets the agent of all other roles.',
  },
  'agent-command-invalid': {
    exit: 2,
    message: 'Cannot parse the agent command: {detail}.',
    hint: 'Write it as in a shell, with quotes around words that contain spaces: --agent-command "my-agent --name \'two words\'". Umpire expands no variables, patterns or pipes. Put those into a script.',
  },
  'command-unknown': {
    exit: 2,
    message: 'Program "{program}" not found, so the command cannot pass.',
    hint: 'Nothing was run. Fix the command or install the program. If a setup command installs it, set that in umpire.config.yaml (workspace: {setup: ...}).',
  },
  'command-status': {
    exit: 2,
    message: 'The exit status of the command does not say whether it passed: {why}.',
    hint: 'Nothing was run. {first}Use this command: {instead}. To take the exit status as it is, add --trust-exit-status; the verdict is then marked unverified.',
  },
  'command-watches': {
    exit: 2,
    message: 'The command never ends: "{call}"{where} watches files and runs again at each change.',
    hint: 'Nothing was run. Use this command, which runs once: {instead}.',
  },
  'script-invalid': {
    exit: 1,
    message: '{file}{line}: {detail}.',
    hint: 'examples/scripts/ has scripts for the scripted agent, with every key explained.',
  },
  'guardian-failed': {
    exit: 1,
    message: 'Cannot start the guardian process with /bin/sh. It stops the agents if Umpire is killed.',
    hint: 'Check that /bin/sh exists and that the system allows more processes (ulimit -u). Then run the same command again.',
  },
  'sandbox-unavailable': {
    exit: 1,
    message: 'No sandbox available: {detail}.',
    hint: '{advice} A session that began with --sandbox continues only with it.',
  },
  'critic-unknown': {
    exit: 2,
    message: 'Umpire has no built-in critic for "{name}".',
    hint: 'Built-in critics: {known}. For your own loop, choose an agent as its critic.',
  },
  'critique-of-run': {
    exit: 1,
    message: 'Umpire runs session {session}, and it has not ended.',
    hint: 'Continue it, and its critic runs when it is due: umpire resume {session}. To measure now, leave --session out.',
  },
  'hooks-file': {
    exit: 1,
    message: 'Cannot add the hooks to {path}: {detail}.',
    hint: 'Nothing was written. Repair the file (JSON without comments), or copy the hooks from the folder plugin/ of Umpire.',
  },
  'until-active': {
    exit: 2,
    message: 'Agent sessions in this project are already judged by: {command}.',
    hint: 'See it with `umpire status`. End it with `umpire until --here --stop`, then run the same command again.',
  },
  'until-inactive': {
    exit: 2,
    message: 'No agent session is judged in {path}.',
    hint: 'Begin with: umpire until "COMMAND" --here',
  },
  'hook-event': {
    exit: 1,
    message: 'stdin holds no event of a coding agent: {detail}.',
    hint: 'A coding agent calls `umpire hook` with the event as JSON on stdin. docs/mcp-and-hooks.md shows the setup.',
  },

  // git, worktrees and applying work
  'git-missing': {
    exit: 1,
    message: 'git not found. Umpire needs it to isolate the work of agents, even outside a git repository.',
    hint: 'Install git 2.31 or newer, check that it is on the PATH, then run the same command again.',
  },
  'git-failed': {
    exit: 1,
    message: 'git {what} failed: {detail}.',
    hint: 'Your checkout was not changed. Fix the cause, then run the same command again.',
  },
  'git-damaged': {
    exit: 1,
    message: 'git cannot read {place} as a repository: {detail}.',
    hint: 'Find the cause with `git status` and `git fsck`, then repair or clone the repository. If it is not meant to be a repository, remove or rename {place}.',
  },
  'project-bare': {
    exit: 1,
    message: 'No files to work on in "{path}": it is a bare git repository or inside a .git folder.',
    hint: 'Clone it or create a worktree of it, then pass that folder with --project DIR.',
  },
  'project-other': {
    exit: 1,
    message: '{folder} already holds the worktrees of a session with the same name in another project: {other}.',
    hint: 'Give the session another name with --session, or set another folder for worktrees in umpire.config.yaml (workspace: {home: ...}).',
  },
  'snapshot-too-large': {
    exit: 1,
    message: 'This folder is not a git repository, and it is too large to copy for the agents: {size}.',
    hint: 'Create a repository (git init, then commit), or exclude files with a .gitignore file.',
  },
  'setup-failed': {
    exit: 1,
    message: 'The setup command `{command}` failed in {folder}: {detail}.',
    hint: 'Try it there by hand. It runs in every new worktree and is set in umpire.config.yaml (workspace: {setup: ...}).',
  },
  'packages-changed': {
    exit: 1,
    message:
      'Installed packages in your checkout changed since the session began ({folders}), and they cannot be installed anew: {detail}.',
    hint: 'Install them again (npm ci, pnpm install, uv sync …), then run `umpire resume`. It trusts what is installed by then.',
  },
  'branch-in-use': {
    exit: 1,
    message: 'The branch {branch} of this session is checked out in {place}, so Umpire does not change it.',
    hint: 'Switch to another branch there (`git switch -`), then run the same command again.',
  },
  'session-taken': {
    exit: 1,
    message: 'Another session is named {session}: its work is on the branch {branch}.',
    hint: 'Choose another name with --session, or leave --session out. All worktrees of a repository share its branches. If you deleted that session and do not need its work: umpire clean {session} --force',
  },
  'session-elsewhere': {
    exit: 1,
    message: 'The branch {branch} belongs to the session in {other}, not to the one in {session}.',
    hint: 'If this is a copy, use the original: a copy can only be read and replayed. Otherwise start a new session.',
  },
  'work-lost': {
    exit: 1,
    message: 'The work of session {session} is missing: there is no branch {branch} and no commit {commit}.',
    hint: 'If another clone has it, run `git fetch <clone> {branch}:{branch}` and then the same command again. Otherwise start a new session, or end this one with `umpire resolve {session} abort`.',
  },
  'worktree-lost': {
    exit: 1,
    message: 'The worktree of {task} (attempt {attempt}) is gone, and so are its changes.',
    hint: 'Run the task again with `umpire resume`.',
  },
  'work-unfetched': {
    exit: 1,
    message: 'The work of {session} is in its git remote, and this repository has not fetched it.',
    hint: 'Run this in the project, then try again: {command}',
  },
  'nothing-made': {
    exit: 1,
    message: 'Session {session} has no work in this project: there is no branch {branch}.',
    hint: 'It was cleaned, or it belongs to another project. List the sessions: umpire list',
  },
  'uncommitted-unmerged': {
    exit: 1,
    message: 'Uncommitted changes can be part of a session only without conflicts. In conflict: {files}.',
    hint: 'Nothing was started. Resolve the conflicts, or run the command without --include-uncommitted.',
  },
  'apply-busy': {
    exit: 1,
    message: 'Another process is applying a session: {holder}.',
    hint: 'Nothing was applied. Wait until it has finished, then run the same command again. Umpire removes the lock of a dead process on this machine itself. If the lock is from another machine, delete {place}.',
  },
  'apply-dirty': {
    exit: 1,
    message: 'Your checkout has uncommitted changes in files of session {session}: {files}.',
    hint: 'Nothing was applied. Commit or stash them, then run `umpire apply {session}` again.',
  },
  'apply-in-the-way': {
    exit: 1,
    message: 'Session {session} changes files that you changed or created since it started: {files}.',
    hint: 'Nothing was applied. Move them away, then run `umpire apply {session}` again. `umpire diff {session}` shows the changes of the session.',
  },
  'apply-unrecorded': {
    exit: 1,
    message: 'The work of session {session} is in your checkout, but git could not record that. {detail}',
    hint: 'Fix the cause, then run `umpire apply {session}` again to record it.',
  },
  'apply-conflict': {
    exit: 1,
    message: 'Session {session} ({branch}) and your commits since it started ({base}..{head}) both changed {files}.',
    hint: 'Nothing was applied. Merge the branch yourself and resolve these files: git merge {branch}',
  },

  // Work on many machines: a git remote
  'remote-invalid': {
    exit: 2,
    message: '"{remote}" is not the address of a git remote: {detail}.',
    hint: 'Give an address such as git@host:team/project.git, https://host/team/project.git or the path of a bare repository.',
  },
  'remote-unreachable': {
    exit: 1,
    message: 'git cannot read {remote}: {detail}.',
    hint: 'Try it on this machine: git ls-remote {remote}. Umpire never asks for a password: use an ssh agent or a credential helper.',
  },
  'remote-lacks': {
    exit: 1,
    message: '{remote} does not have commit {commit}.',
    hint: 'It was never pushed, or its ref was deleted. Push it: git push {remote} {commit}:refs/umpire/{session}/found',
  },
  'remote-refused': {
    exit: 1,
    message: '{remote} did not take {ref}: {detail}.',
    hint: 'This machine needs the right to push {ref}. Rules of the server, such as protected branches and hooks, must allow it.',
  },
  'remote-moved': {
    exit: 1,
    message: 'Another process or person moved {ref} of {remote}: it should be at {expected}, but is at {found}.',
    hint: 'Nothing was changed. Look at it: git ls-remote {remote} {ref}. To continue the session, save these commits under another name, then set {ref} back.',
  },
  'remote-project': {
    exit: 1,
    message: '{path} is not in a git repository with a commit, so other machines cannot work on it.',
    hint: 'Create a repository (git init), commit, then run the same command again.',
  },

  // The dashboard
  'port-taken': {
    exit: 1,
    message: 'Cannot listen on port {port} of 127.0.0.1: {detail}.',
    hint: 'Choose another with --port N. Without --port, Umpire picks a free one.',
  },
  'key-wrong': {
    exit: 1,
    message: 'The key of the server is missing or wrong.',
    hint: 'Open the complete address that `umpire serve` printed. Each start creates a new key.',
  },
  'host-unknown': {
    exit: 1,
    message: 'This server only answers requests to 127.0.0.1 and localhost.',
    hint: 'Open the address that `umpire serve` printed. From another machine: ssh -L 4747:127.0.0.1:4747 <this machine>',
  },
  'origin-other': {
    exit: 1,
    message: 'This server acts only on requests of its own pages and of programs with its key.',
    hint: 'Open the address that `umpire serve` printed.',
  },
  'body-odd': {
    exit: 1,
    message: 'The request was not understood: {detail}.',
    hint: 'docs/dashboard.md lists every address and its fields.',
  },
  'run-not-continued': {
    exit: 1,
    message: 'The session did not continue: {detail}',
    hint: 'Continue it in a terminal: umpire resume {session}',
  },
  'page-unknown': {
    exit: 1,
    message: 'Nothing found at {path}.',
    hint: 'docs/dashboard.md lists every address.',
  },

  // Pull requests, issues and CI
  'remote-missing': {
    exit: 1,
    message: 'There is no git remote "{name}". {known}.',
    hint: 'Add it with `git remote add origin URL`, or name another with --remote NAME.',
  },
  'remote-failed': {
    exit: 1,
    message: 'Cannot {verb} the remote {remote}: {detail}.',
    hint: 'Check that git can reach it and that you are logged in: git ls-remote {remote}',
  },
  'forge-unknown': {
    exit: 1,
    message: 'The remote {remote} is no repository on GitHub: {url}.',
    hint: 'Name another remote with --remote NAME. For another code host, push the branch yourself: git push {remote} umpire/<session>',
  },
  'forge-login': {
    exit: 1,
    message: 'Nobody is logged in to {host}.',
    hint: 'Run `gh auth login`, or set GITHUB_TOKEN (or GH_TOKEN). For GitHub Enterprise set GITHUB_API_URL too, such as https://HOST/api/v3.',
  },
  'forge-failed': {
    exit: 1,
    message: 'GitHub did not answer {path}: {detail}.',
    hint: 'Check the number, your access to the repository and the scopes of the token, then run the same command again.',
  },
  'pr-not-ended': {
    exit: 1,
    message: 'Session {session} is not complete (it is {state}).',
    hint: 'Wait until it is, or open a draft: umpire pr {session} --draft',
  },
  'pr-empty': {
    exit: 1,
    message: 'Session {session} changed nothing, so there is nothing to push.',
    hint: 'Read why: umpire report {session}',
  },
  'pr-no-git': {
    exit: 1,
    message: 'The project of session {session} is not in a git repository, so there is no branch to push.',
    hint: 'Copy the changes with: umpire apply {session}',
  },
  'pr-base': {
    exit: 2,
    message: 'The branch {branch} is the base of the pull request, and Umpire never pushes to a base branch.',
    hint: 'Name another base with --base BRANCH.',
  },
  'pr-fork': {
    exit: 1,
    message: '{repository} is a fork of {parent}. Umpire opens pull requests inside one repository only.',
    hint: 'For one inside the fork, name the remote: --remote {remote}. For one to {parent}: git push {remote} {branch}, then gh pr create --repo {parent} --head {owner}:{branch}',
  },
  'pr-diverged': {
    exit: 1,
    message: 'The branch {branch} on {remote} has commits that the session does not have ({commit}).',
    hint: 'Umpire does not overwrite them. Look at them: git fetch {remote} {branch} && git log FETCH_HEAD',
  },
  'pr-closed': {
    exit: 1,
    message: 'Pull request #{number} of this branch is {state}: {url}.',
    hint: 'Umpire opens no second one. Open it again on that page, or start a new session.',
  },
  'pr-foreign': {
    exit: 1,
    message: 'Pull request #{number} comes from another repository ({from}), and a review runs its tests and tools.',
    hint: 'Look at the change first, then run the same command with --sandbox.',
  },
  'pr-unreviewable': {
    exit: 1,
    message: 'Pull request #{number} cannot be reviewed: {detail}.',
    hint: 'See it at {url}.',
  },
  'ci-no-base': {
    exit: 1,
    message: 'Cannot find the commit that this change began at: {tried}.',
    hint: 'Check out the whole history (actions/checkout: fetch-depth: 0; GitLab: GIT_DEPTH: 0), or name the commit with --base REV.',
  },

  // Reports of other tools
  'format-unknown': {
    exit: 2,
    message: 'Unknown report format "{name}".',
    hint: 'Known formats: {known}. Without --format, Umpire detects it from the content.',
  },
  'report-folder': {
    exit: 2,
    message: '"{path}" is a folder, not a report.',
    hint: 'Name the report files in it, for example: umpire read {path}/*.xml',
  },

  // The guard
  'guard-no-git': {
    exit: 1,
    message: '{path} is not in a git repository, so there is nothing to compare its tests with.',
    hint: 'Run it inside a git repository, or name that folder with --project DIR.',
  },
  'guard-base-unknown': {
    exit: 2,
    message: 'No commit "{name}" to compare with.',
    hint: 'Pass a branch, tag or commit, such as --base main. In a shallow clone, fetch it first: git fetch --unshallow',
  },
  'guard-no-commit': {
    exit: 1,
    message: 'This repository has no commits yet, so there is nothing to compare with.',
    hint: 'Make the first commit. If a git hook runs the guard: git commit --no-verify',
  },
  'guard-report': {
    exit: 1,
    message: 'The test report {path} contains no test that ran: {detail}.',
    hint: 'Run the tests with a reporter that `umpire read` knows (docs/judge-a-loop-you-run-yourself.md), or leave the report out.',
  },
  'guard-nothing': {
    exit: 1,
    message: 'Nothing to revert: the changes since {base} break no rule.',
    hint: 'No file was changed. See the details: umpire guard',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;
