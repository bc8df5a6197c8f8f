// The catalogue of operator errors: code → message, hint, exit status. Thrown at the edges, printed by the doors.
// Expected outcomes of a loop are verdicts, not errors. Bugs are not in here: they crash.

interface Entry {
  readonly exit: 1 | 2;
  readonly message: string;
  readonly hint: string;
}

/** `{name}` in a text is replaced by the parameter of that name. */
export const ERRORS = {
  usage: {
    exit: 2,
    message: '{detail}',
    hint: 'Run `umpire help {command}` to see what it takes.',
  },
  'unknown-command': {
    exit: 2,
    message: 'There is no command "{name}".',
    hint: 'Run `umpire help` to see those that there are.',
  },
  'unknown-loop': {
    exit: 2,
    message: 'There is no loop called "{name}".',
    hint: 'The built-in loops are {known}. For a loop of your own, give the path of its YAML file, such as ./my-loop.yaml.',
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
  'project-missing': {
    exit: 1,
    message: 'There is no folder at "{path}".',
    hint: 'Check the path. --project takes a folder of the project: the one that holds .umpire/ or .workflow/, or one inside it.',
  },
  'session-busy': {
    exit: 1,
    message: 'Another process holds this session: {holder}.',
    hint: 'Wait until it has finished and run the same command again. A lock left by a dead process of this machine is taken over by itself; one left by another machine, or one that cannot be read, you remove by hand: .umpire-lock in the session folder.',
  },
  'outside-session': {
    exit: 1,
    message: '{path} leads outside the session folder ({target}), so Umpire will not {verb} it.',
    hint: 'Replace the link, or the path with "..", by a real file inside the session folder.',
  },
  'write-failed': {
    exit: 1,
    message: '{path} could not be written: {detail}.',
    hint: 'Nothing was lost: the old file is still there. Free disk space or mend the permissions, then run the same command again.',
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
    hint: 'umpire.config.yaml takes `strict: true` or `strict: false`. Mend the line or remove it.',
  },
  'journal-broken': {
    exit: 1,
    message: 'journal.ndjson is broken at line {line}: {detail}.',
    hint: 'The history of this session cannot be trusted from that line on. Restore journal.ndjson from a backup, or start a new session folder with the same evidence.',
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
  internal: {
    exit: 1,
    message: 'Umpire stopped on a fault of its own: {detail}.',
    hint: 'The session is as it was. Please report this with the command you ran.',
  },
} as const satisfies Readonly<Record<string, Entry>>;

export type ErrorCode = keyof typeof ERRORS;

/** An error that the person at the keyboard can mend. `rule` is the loop's row that asked for it, where one did. */
export class UmpireError extends Error {
  readonly hint: string;
  readonly exit: 1 | 2;

  constructor(
    readonly code: ErrorCode,
    params: Readonly<Record<string, string | number>> = {},
    readonly rule?: string,
  ) {
    const entry: Entry = ERRORS[code];
    super(fill(entry.message, params));
    this.name = 'UmpireError';
    this.hint = fill(entry.hint, params);
    this.exit = entry.exit;
  }
}

/** Also where it comes from another copy of this file: the command and what it loads late are bundled apart. */
export function isUmpireError(error: unknown): error is UmpireError {
  return error instanceof Error && error.name === 'UmpireError' && 'hint' in error;
}

function fill(text: string, params: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in params ? String(params[name]) : whole));
}
