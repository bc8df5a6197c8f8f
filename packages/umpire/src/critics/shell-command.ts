// Does the exit status of a shell command say whether it passed? `npm test || true` always passes, and so does `npm test; echo done`.
// A small scanner of quotes, escapes, comments, groups and the operators between commands. It runs nothing, and it does not read the
// text of another shell (`sh -c "..."`).

export interface ShellCommand {
  /** It has a pipe, whose status is that of its last part unless the shell has `pipefail`. */
  readonly pipe: HiddenStatus | null;
  /** Its status says nothing. Null where it says something, or where the scanner cannot tell. */
  readonly hidden: HiddenStatus | null;
}

export interface HiddenStatus {
  /** `it ends in "|| true"` */
  readonly why: string;
  /** The command whose status counts. */
  readonly instead: string;
}

export function readShellCommand(text: string): ShellCommand {
  const scanner = new Scanner(text);
  const list = scanner.list('');
  const pipe = pipeIn(text, list);
  const hidden = scanner.isLost ? null : hiddenIn(text, list);
  // `a || true; true` takes two steps.
  const instead = hidden === null ? null : (readShellCommand(hidden.instead).hidden?.instead ?? hidden.instead);
  return { pipe, hidden: hidden === null || instead === null ? null : { why: hidden.why, instead } };
}

/** What stands before a command: nothing, or the operator after the command before it. A newline is a semicolon. */
type Joint = '' | ';' | '&' | '&&' | '||' | '|';

/** One command of a list: its words as they are written, or the commands of a group. */
interface Part {
  readonly joint: Joint;
  readonly jointAt: number;
  readonly start: number;
  readonly end: number;
  readonly words: readonly string[];
  /** `( ... )`, `{ ...; }`, or what `if`, `for`, `while`, `case` or a function holds. */
  readonly group: List | null;
  /** The status of the group is not that of its last command, as in `if` and `for`. */
  readonly isOpaque: boolean;
}

interface List {
  readonly parts: readonly Part[];
  /** Where the `&` stands that puts the last command into the background; null without one. */
  readonly background: number | null;
}

const ENDS: Readonly<Record<string, string>> = {
  if: 'fi',
  for: 'done',
  while: 'done',
  until: 'done',
  select: 'done',
  case: 'esac',
};
const CLOSERS: ReadonlySet<string> = new Set(['}', ...Object.values(ENDS)]);
/** Another command follows them. */
const BETWEEN: ReadonlySet<string> = new Set(['then', 'else', 'elif', 'do']);
const OPERATORS: readonly (readonly [string, Joint])[] = [
  ['&&', '&&'],
  ['||', '||'],
  ['|&', '|'],
  [';;', ';'],
  ['|', '|'],
  [';', ';'],
  ['&', '&'],
  ['\n', ';'],
];

class Scanner {
  private at = 0;
  /** It ran into something that it does not know: a here-document, or brackets and quotes that do not match. */
  isLost = false;

  constructor(private readonly text: string) {}

  /** The commands up to `closer`: `)`, a word such as `}` or `fi`, or the end of the text. */
  list(closer: string): List {
    const parts: Part[] = [];
    let joint: Joint = '';
    let jointAt = this.at;
    for (;;) {
      const part = this.part(closer, joint, jointAt);
      if (part !== null) {
        parts.push(part);
        joint = '';
      }
      if (this.isLost || this.closes(closer)) break;
      const [written, next] = OPERATORS.find(([sign]) => this.text.startsWith(sign, this.at)) ?? ['', ''];
      if (written === '') {
        // The end of the text, or `)` after a pattern of `case`.
        if (this.at >= this.text.length || closer !== 'esac') this.isLost ||= closer !== '' || this.at < this.text.length;
        if (this.at >= this.text.length || this.isLost) break;
        this.at += 1;
        continue;
      }
      // An empty line after an operator changes nothing.
      if (joint === '') [joint, jointAt] = [next, this.at];
      this.at += written.length;
    }
    return { parts, background: joint === '&' ? jointAt : null };
  }

  private closes(closer: string): boolean {
    if (closer === '' || !this.text.startsWith(closer, this.at)) return false;
    this.at += closer.length;
    return true;
  }

  private part(closer: string, joint: Joint, jointAt: number): Part | null {
    const words: string[] = [];
    let group: List | null = null;
    let isOpaque = false;
    this.skipBlanks();
    const start = this.at;
    let end = start;
    for (; !this.isLost; this.skipBlanks()) {
      const isFirst = words.length === 0 && group === null;
      if (isFirst && this.text[this.at] === '(') {
        this.at += 1;
        group = this.list(')');
      } else {
        const from = this.at;
        const word = this.word();
        if (word === '') break;
        if (isFirst && CLOSERS.has(word)) {
          this.at = from;
          this.isLost ||= word !== closer;
          break;
        }
        if (isFirst && BETWEEN.has(word)) continue;
        if (isFirst && word === '{') group = this.list('}');
        else if (isFirst && ENDS[word] !== undefined) {
          isOpaque = true;
          group = this.list(ENDS[word]);
        } else if (isFirst && /^\(\s*\)/.test(this.text.slice(this.at))) {
          // A function: its body is not run here.
          this.at = this.text.indexOf(')', this.at) + 1;
          isOpaque = true;
          const body = this.part(closer, '', this.at);
          group = { parts: body === null ? [] : [body], background: null };
        } else words.push(word);
      }
      end = this.at;
    }
    return words.length === 0 && group === null ? null : { joint, jointAt, start, end, words, group, isOpaque };
  }

  private skipBlanks(): void {
    for (;;) {
      const { text, at } = this;
      if (text[at] === ' ' || text[at] === '\t' || text[at] === '\r') this.at += 1;
      else if (text.startsWith('\\\n', at)) this.at += 2;
      else if (text[at] === '#') {
        const end = text.indexOf('\n', at);
        this.at = end < 0 ? text.length : end;
      } else return;
    }
  }

  /** The word that begins here, as it is written; empty where none does. */
  private word(): string {
    const from = this.at;
    for (; this.at < this.text.length && !this.isLost;) {
      const char = this.text.charAt(this.at);
      const before = this.at === from ? '' : this.text.charAt(this.at - 1);
      const isRedirect = before === '>' || before === '<';
      if (char === '<' && before === '<' && this.text[this.at + 1] !== '<' && this.text[this.at - 2] !== '<') this.isLost = true;
      else if (char === '(' && /[<>=$@?*+!]/.test(before)) this.skipBrackets();
      else if (/[\s;()]/.test(char) || (/[&|]/.test(char) && !isRedirect)) break;
      else this.skipCharacter();
    }
    return this.text.slice(from, this.at);
  }

  /** One character, or everything that a quote, an escape or a substitution holds together. */
  private skipCharacter(): void {
    const { text } = this;
    const char = text.charAt(this.at);
    this.at += char === '\\' ? 2 : 1;
    if (char === "'" || char === '`') {
      while (this.at < text.length && text[this.at] !== char) this.at += char === '`' && text[this.at] === '\\' ? 2 : 1;
      this.skipClosing();
    } else if (char === '"') {
      // A single quote is a plain character there.
      while (this.at < text.length && text[this.at] !== '"') {
        if (text[this.at] === "'") this.at += 1;
        else this.skipCharacter();
      }
      this.skipClosing();
    } else if (char === '$' && text[this.at] === '(') this.skipBrackets();
    else if (char === '$' && text[this.at] === '{') {
      while (this.at < text.length && text[this.at] !== '}') this.skipCharacter();
      this.skipClosing();
    }
  }

  private skipBrackets(): void {
    this.at += 1;
    while (this.at < this.text.length && this.text[this.at] !== ')') {
      if (this.text[this.at] === '(') this.skipBrackets();
      else this.skipCharacter();
    }
    this.skipClosing();
  }

  private skipClosing(): void {
    if (this.at >= this.text.length) this.isLost = true;
    this.at += 1;
  }
}

const ALWAYS_PASSES: ReadonlySet<string> = new Set(['true', '/bin/true', '/usr/bin/true', ':', 'echo', 'printf']);
const PRINTS: ReadonlySet<string> = new Set(['echo', 'printf']);

/** Without assignments and redirections. Null where only an assignment is left: its status may be that of a substitution. */
function commandOf({ words }: Part): readonly string[] | null {
  const rest: string[] = [];
  let isTarget = false;
  let assigns = false;
  for (const word of words) {
    const isRedirect = /^\d*[<>]/.test(word);
    if (rest.length === 0 && /^[A-Za-z_]\w*\+?=/.test(word)) assigns = true;
    else if (!isTarget && !isRedirect) rest.push(word);
    isTarget = isRedirect && /^\d*[<>]+[&|]?$/.test(word);
  }
  return rest.length === 0 && assigns ? null : rest;
}

/** Can a failure come of it? */
function isWork(part: Part): boolean {
  if (part.isOpaque) return true;
  if (part.group !== null) return part.group.parts.some(isWork);
  const command = commandOf(part);
  if (command === null) return true;
  const [program, argument] = command;
  return program !== undefined && !ALWAYS_PASSES.has(program) && !(program === 'exit' && argument === '0');
}

/** `|| exit 1`, `|| { echo failed; exit 1; }`: the shell ends here, so nothing after it hides the failure. */
function exits(part: Part | undefined): boolean {
  if (part === undefined) return false;
  if (part.group !== null) return exits(part.group.parts.at(-1));
  return part.words[0] === 'exit' && part.words[1] !== '0';
}

function isStatementStart({ joint }: Part): boolean {
  return joint === '' || joint === ';' || joint === '&';
}

function hiddenIn(text: string, { parts, background }: List): HiddenStatus | null {
  const last = parts.at(-1);
  if (last === undefined) return null;
  if (background !== null && parts.slice(lastStatement(parts)).some(isWork))
    return { why: 'it ends in "&", so nothing waits for the command', instead: without(text, background, background + 1) };
  for (let at = parts.length - 1; at >= 0; at -= 1) {
    const part = parts[at] as Part;
    // In a pipe every part counts, and `| { grep -v x || true; }` is how one is left out.
    if (part.group !== null && !part.isOpaque && part.joint !== '|') {
      const inside = hiddenIn(text, part.group);
      if (inside !== null) return inside;
    }
    // Where everything before it always passes, `|| command` never runs.
    if (isWork(part) && part.joint === '||') return hiddenIn(text, { parts: parts.slice(0, at), background: null });
    if (isWork(part) || part.joint === '|') return null;
    if (part.joint === '||') {
      const isHiding = parts.slice(0, at).some(isWork);
      const why = `it ends in "|| ${shown(text, part)}"`;
      return isHiding ? { why, instead: without(text, part.jointAt, part.end) } : null;
    }
    // `&&` keeps the status of the commands before it.
    if (part.joint !== '&&') return unguarded(parts.slice(0, at)) ? hiddenBy(text, part) : null;
  }
  return null;
}

function lastStatement(parts: readonly Part[]): number {
  return parts.findLastIndex(isStatementStart);
}

/** Is there a command whose failure neither `set -e` nor `|| exit` keeps? */
function unguarded(parts: readonly Part[]): boolean {
  let stopsAtFailure = false;
  return parts.some((part, at) => {
    const { words } = part;
    if (words[0] === 'set') stopsAtFailure ||= words.some((word) => /^-[a-z]*e/.test(word) || word === 'errexit');
    const next = parts.slice(at + 1).findIndex(isStatementStart);
    const statement = parts.slice(at, next < 0 ? undefined : at + 1 + next);
    const end = statement.at(-1);
    return isWork(part) && words[0] !== 'set' && !stopsAtFailure && !(end?.joint === '||' && exits(end));
  });
}

function hiddenBy(text: string, part: Part): HiddenStatus {
  const why =
    part.joint === '&'
      ? `"&" runs the command before "${shown(text, part)}" in the background`
      : `it ends in "${shown(text, part)}", which always passes`;
  const isPrinting = PRINTS.has(commandOf(part)?.[0] ?? '');
  const instead = isPrinting ? `${upTo(text, part.jointAt)} && ${text.slice(part.start)}` : without(text, part.jointAt, part.end);
  return { why, instead };
}

/** The first pipe, also in a group. */
function pipeIn(text: string, { parts }: List): HiddenStatus | null {
  const first = parts.findIndex(({ joint }) => joint === '|');
  const start = parts[first];
  if (start !== undefined) {
    const after = parts.slice(first).findIndex(({ joint }) => joint !== '|');
    const end = parts[after < 0 ? parts.length - 1 : first + after - 1] ?? start;
    return { why: `only "${shown(text, end)}" decides whether it passes`, instead: without(text, start.jointAt, end.end) };
  }
  return parts.reduce<HiddenStatus | null>((found, { group }) => found ?? (group === null ? null : pipeIn(text, group)), null);
}

const SHOWN_LENGTH = 60;

function shown(text: string, { start, end }: Part): string {
  const written = text.slice(start, end).replace(/\s+/g, ' ').trim();
  return written.length > SHOWN_LENGTH ? `${written.slice(0, SHOWN_LENGTH)}...` : written;
}

function without(text: string, from: number, to: number): string {
  return `${upTo(text, from)}${text.slice(to)}`.trim();
}

function upTo(text: string, at: number): string {
  return text.slice(0, at).replace(/(?:\s|\\\n)+$/, '');
}
