// The catalogue of operator errors: code → message, hint, exit status. `{name}` in a text is replaced by the parameter of that name.

import { WORK_ERRORS } from './work-errors.js';
import type { ErrorEntry } from './work-errors.js';

export const ERRORS = {
  usage: {
    exit: 2,
    message: '{detail}',
    hint: 'Run `umpire help {command}` to see what it takes.',
  },
  argument: {
    exit: 2,
    message: '{door}: {detail}.',
    hint: 'Nothing was done. docs/library.md shows how the library is called, and its types say what each function takes.',
  },
  'unknown-command': {
    exit: 2,
    message: 'There is no command "{name}".{meant}',
    hint: 'Run `umpire help` to see those that there are.',
  },
  'unknown-loop': {
    exit: 2,
    message: 'There is no loop called "{name}".{meant}',
    hint: 'The built-in loops are {known}. For a loop of your own, give the path of its YAML file, such as ./my-loop.yaml.',
  },
  'critic-unknown': {
    exit: 2,
    message: 'Umpire has no critic of its own for "{name}".',
    hint: 'It has one for {known}. A loop of your own brings an agent for its critic.',
  },
  'critique-of-run': {
    exit: 1,
    message: 'The session {session} is run by Umpire, and has not ended.',
    hint: 'Its critic runs when its turn comes: umpire resume {session}. To measure now, leave --session out.',
  },
  'mode-unknown': {
    exit: 2,
    message: 'The {loop} loop has no mode "{name}".',
    hint: 'Its modes are {known}. Leave --mode out to have one chosen.',
  },
  'round-below': {
    exit: 2,
    message: '--round {asked} is below round {round}, which this session has reached.',
    hint: 'Rounds never go back. Leave --round out, or give {round} or more.',
  },
  'layer-unknown': {
    exit: 2,
    message: 'This session has several {what}: {known}.',
    hint: 'Say which one to judge with --layer, for example --layer {first}.',
  },
  'layer-not-taken': {
    exit: 2,
    message: 'The {loop} loop does not judge by layer, so --layer {asked} has no meaning here.',
    hint: 'Leave --layer out.',
  },
  'session-missing': {
    exit: 1,
    message: 'There is no session folder at "{path}".',
    hint: 'Check the path. A session is a folder with tasks.csv and the reports of its critic.',
  },
  'session-outside': {
    exit: 1,
    message: 'The session folder "{path}" is not inside the project, and over MCP nothing is written elsewhere.',
    hint: 'Give a session a name: its folder is made in .umpire/sessions.',
  },
  'hook-event': {
    exit: 1,
    message: 'What came on stdin is no event of a coding agent. {detail}',
    hint: 'umpire hook is called by an agent, with the event as JSON on stdin: docs/mcp.md says how to set it up.',
  },
  'session-gone': {
    exit: 1,
    message: 'The session folder {path} was removed, or moved, while the session ran. The run was stopped.',
    hint: 'Where it was moved, with its project, `umpire resume {session}` goes on with it there. Where it was removed, its plan, evidence and history went with it: begin a new session. In a git repository, what was merged before is on the branch umpire/{session}, and `umpire clean` tells what is left of it.',
  },
  'project-missing': {
    exit: 1,
    message: 'There is no folder at "{path}".',
    hint: 'Check the path. --project takes a folder of the project: the one that holds .umpire/ or .workflow/, or one inside it.',
  },
  'project-moved': {
    exit: 1,
    message: 'The session {session} works on {path}, and there is no such folder any more.',
    hint: 'Where the project was moved together with the session, in its .umpire/sessions/, the session goes on at the new place. This one lies elsewhere: move the project back, or move the session into .umpire/sessions/ of where the project is now.',
  },
  'session-busy': {
    exit: 1,
    message: 'Another process holds this session: {holder}.',
    hint: 'Wait until it has finished and run the same command again; or stop it, by Ctrl-C or kill with its number: nothing is lost, and a session goes on with umpire resume or umpire resolve. A lock left by a dead process of this machine is taken over by itself; one left by another machine, or one that cannot be read, you remove by hand: .umpire-lock in the session folder.',
  },
  'outside-session': {
    exit: 1,
    message: '{path} leads outside the session folder ({target}), so Umpire will not {verb} it.',
    hint: 'Replace the link, or the path with "..", by a real file inside the session folder.',
  },
  'write-failed': {
    exit: 1,
    message: '{path} could not be written: {detail}.',
    hint: 'Nothing was lost: what was there is still there. Mend that (disk space, permissions, a link or a folder in its place), then run the same command again.',
  },
  'read-failed': {
    exit: 1,
    message: '{path} could not be read: {detail}.',
    hint: 'Mend the permissions or the disk, then run the same command again.',
  },
  'evidence-missing': {
    exit: 1,
    message: '{detail}',
    hint: '{hint}',
  },
  'tasks-malformed': {
    exit: 1,
    message: '{file}:{line}: {detail}.',
    hint: '{hint}',
  },
  'loop-invalid': {
    exit: 1,
    message: '{file}{line}: {detail}.',
    hint: 'docs/writing-loops.md describes a loop file; schema/loop.schema.json gives completion in an editor.',
  },
  'loop-unreadable': {
    exit: 1,
    message: 'The loop file {file} could not be read: {detail}.',
    hint: 'Check the path and that the file is UTF-8 text.',
  },
  'config-invalid': {
    exit: 1,
    message: '{file}{line}: {detail}.',
    hint: 'Mend the line or remove it. docs/configuration.md lists every setting, with an example.',
  },
  'config-there': {
    exit: 1,
    message: 'There are settings already: {path}.',
    hint: 'Nothing was written. `umpire doctor` says whether they hold; change them by hand, docs/configuration.md has every key. A folder inside the project gets settings of its own with --project DIR.',
  },
  'journal-broken': {
    exit: 1,
    message: 'journal.ndjson is broken at line {line}: {detail}.',
    hint: 'The history of this session cannot be trusted from that line on. Restore journal.ndjson from a backup, or start a new session folder with the same evidence.',
  },
  'journal-line-long': {
    exit: 1,
    message: 'This is more than one line of journal.ndjson can hold: {type} would have more than {most} million characters.',
    hint: 'Nothing was recorded, and the session is as it was. Let the critic leave fewer findings (the worst, or one for each kind and file), then judge again.',
  },
  'journal-changed': {
    exit: 1,
    message: 'journal.ndjson was changed by somebody else while the session ran: {detail}. The run was stopped.',
    hint: 'What was done is on the branch umpire/{session}. Restore journal.ndjson from a backup and run `umpire resume`, or begin a new session.',
  },
  'journal-newer': {
    exit: 1,
    message: 'journal.ndjson line {line} was written in format version {version}; this Umpire knows up to {known}.',
    hint: 'Update Umpire: npm install -g umpire@latest.',
  },
  'never-judged': {
    exit: 1,
    message: 'There is no verdict to judge again in "{path}": {detail}.',
    hint: 'Judge it first: `umpire decide <loop> {path}`. A journal that was lost you restore from a backup.',
  },
  'role-missing': {
    exit: 1,
    message: 'The role definition {role} was not found: {detail}.',
    hint: 'A verdict is never given without its role definition. Restore the file, or write your own at .umpire/roles/{role}.md.',
  },
  'command-unknown': {
    exit: 2,
    message: 'The shell finds no program "{program}", so the command cannot pass.',
    hint: 'Mend the command, or install the program. Nothing was run. Where a set-up command installs it, set that in umpire.config.yaml (workspace: {setup: ...}).',
  },
  'agent-missing': {
    exit: 2,
    message: 'No agent does the role {role}.',
    hint: 'Name one with --agent NAME or --agent {role}=NAME ({agents}), do it yourself with --agent person, or run any program with --agent-command "CMD ARGS". Agents of your own are set in umpire.config.yaml.',
  },
  'agent-not-there': {
    exit: 1,
    message: 'The agent "{name}", chosen for the {roles}, cannot be started: {detail}. Nothing was run or recorded.',
    hint: 'Install it or mend its name, or choose another with --agent NAME ({agents}), --agent person for yourself, or any program with --agent-command "CMD ARGS".',
  },
  'agent-unknown': {
    exit: 2,
    message: 'There is no agent called "{name}".{meant}',
    hint: 'Known are {known}. Agents of your own are set in umpire.config.yaml (docs/configuration.md), or handed over as functions each time a program takes a session on (docs/library.md); any program runs with --agent-command "CMD ARGS".',
  },
  'agent-role-unknown': {
    exit: 2,
    message: 'No task of the {loop} loop has the role "{role}".',
    hint: 'Its roles are {known}: --agent ROLE=NAME gives one of them an agent, --agent NAME all the others.',
  },
  'not-run': {
    exit: 1,
    message: 'The session {session} was not begun by `umpire run`: others run it, and Umpire only judges it.',
    hint: 'Judge it with `umpire decide <loop> <session>`, or begin a session of its own with `umpire run`.',
  },
  'not-begun': {
    exit: 1,
    message: 'The session {session} was stopped before anything of it was recorded.',
    hint: 'There is nothing to go on with: give the same `umpire run` command again. `umpire clean {session}` removes what is left.',
  },
  'run-by-umpire': {
    exit: 2,
    message: 'Umpire runs the session {session} itself: it judges by its own record, and rounds are not changed from outside.',
    hint: 'Go on with `umpire resume {session}`. Grant more with `umpire resolve {session} extend --rounds N`, or `umpire resume {session} --max-rounds N`.',
  },
  'session-foreign': {
    exit: 1,
    message: 'The session {session} has been judged before, and others run it.',
    hint: 'Give `umpire run` a new folder with --session, or none: it makes one.',
  },
  'session-other': {
    exit: 2,
    message: 'The session {session} was begun for something else: {detail}.',
    hint: 'Go on with it by `umpire resume {session}`, or leave --session out for a new one.',
  },
  'no-work': {
    exit: 1,
    message: 'The session {session} changes no project: the {loop} loop works in its session folder only.',
    hint: 'Its results are in the session folder; `umpire report {session}` shows them.',
  },
  'round-unknown': {
    exit: 2,
    message: 'Round {round} of the session {session} was not judged.',
    hint: 'Judged were: {known}. Without a number all of its changes are shown.',
  },
  'not-complete': {
    exit: 1,
    message: 'The session {session} has not ended as complete ({outcome}), so its work is not brought over.',
    hint: 'See where it stands with `umpire status {session}`. --force brings over what there is.',
  },
  'nothing-asked': {
    exit: 1,
    message: 'The session {session} waits for no answer: {detail}.',
    hint: 'See where it stands with `umpire status {session}`.',
  },
  'answer-refused': {
    exit: 2,
    message: 'The answer was not taken: {detail}.',
    hint: 'It may be answered with {allowed}: `umpire resolve {session} <answer> --reason "why"`.',
  },
  'agent-command-invalid': {
    exit: 2,
    message: 'The agent command cannot be taken apart: {detail}.',
    hint: 'Write it as in a shell, with quotes around words that hold spaces: --agent-command "my-agent --name \'two words\'". Variables, patterns and pipes are not expanded; put those into a script and name it.',
  },
  'script-invalid': {
    exit: 1,
    message: '{file}{line}: {detail}.',
    hint: 'examples/scripts/ has scripts for the scripted agent, with every key explained.',
  },
  'guardian-failed': {
    exit: 1,
    message: 'The guardian process, which ends the agents if Umpire itself is killed, could not be started with /bin/sh.',
    hint: 'Check that /bin/sh is there and that the system allows more processes (ulimit -u), then run the same command again.',
  },
  'sandbox-unavailable': {
    exit: 1,
    message: 'Programs cannot be held in a sandbox here: {detail}.',
    hint: 'Install bubblewrap (its package has that name) and allow user namespaces where the system forbids them (Ubuntu: kernel.apparmor_restrict_unprivileged_userns), or run Umpire in a container and leave --sandbox out.',
  },
  ...WORK_ERRORS,
  'session-none': {
    exit: 1,
    message: 'There is no session in "{path}".',
    hint: 'Begin one with `umpire run`, or say where the project is with --project. A session elsewhere is named by its path.',
  },
  'session-unknown': {
    exit: 1,
    message: 'There is no session called "{name}".{meant}',
    hint: 'There are {known}. A part of a name is enough where it fits one only; a session elsewhere is named by its path.',
  },
  'session-ambiguous': {
    exit: 2,
    message: '"{name}" fits several sessions: {found}.',
    hint: 'Give more of the name, or the path.',
  },
  'session-unlisted': {
    exit: 1,
    message: 'There is no session "{session}" in the project now.',
    hint: 'Go back to the list: it may have been removed or renamed.',
  },
  'port-taken': {
    exit: 1,
    message: 'Port {port} of 127.0.0.1 cannot be listened on: {detail}.',
    hint: 'Name another with --port, or leave --port out: then one that is free is taken.',
  },
  'key-wrong': {
    exit: 1,
    message: 'This needs the key of the server.',
    hint: 'Open the address that `umpire serve` printed, all of it. Every start of it makes a new key.',
  },
  'host-unknown': {
    exit: 1,
    message: 'This server answers to 127.0.0.1 and localhost only.',
    hint: 'Open the address that `umpire serve` printed. From another machine: ssh -L 4747:127.0.0.1:4747 <this machine>.',
  },
  'page-unknown': {
    exit: 1,
    message: 'There is nothing at {path}.',
    hint: 'docs/dashboard.md names all that can be asked for.',
  },
  'log-missing': {
    exit: 1,
    message: 'The session {session} has no output of {task}.',
    hint: 'There is output of {known}. An agent that printed nothing leaves none.',
  },
  'format-unknown': {
    exit: 2,
    message: 'There is no report format called "{name}".',
    hint: 'Known are {known}. Leave --format out to have it recognised from the content.',
  },
  'report-folder': {
    exit: 2,
    message: '"{path}" is a folder, not a report.',
    hint: 'Name the reports in it, one by one or with a pattern of your shell: umpire read {path}/*.xml',
  },
  'guard-no-git': {
    exit: 1,
    message: '{path} is not in a git repository, so there is nothing to compare its tests with.',
    hint: 'Run it where the project is under git, or name that folder with --project.',
  },
  'guard-base-unknown': {
    exit: 2,
    message: 'There is no commit called "{name}" here to compare with.',
    hint: 'Give a branch, a tag or a commit, such as --base main. In a shallow clone fetch it first (git fetch --unshallow).',
  },
  'guard-no-commit': {
    exit: 1,
    message: 'This repository has no commit yet, so there is nothing to compare with.',
    hint: 'Make the first commit (git commit --no-verify goes past a hook); from then on every change can be guarded.',
  },
  'guard-report': {
    exit: 1,
    message: 'The test report {path} tells of no test that was run: {detail}.',
    hint: 'Run the tests with a reporter that `umpire read` knows (docs/evidence.md), or leave the report out.',
  },
  'guard-nothing': {
    exit: 1,
    message: 'There is nothing to take back: the change against {base} has no breach.',
    hint: 'Nothing was changed. `umpire guard` shows what it looked at.',
  },
  internal: {
    exit: 1,
    message: 'Umpire stopped on a fault of its own: {detail}.',
    hint: 'The session is as it was. Please report this with the command you ran.',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;
