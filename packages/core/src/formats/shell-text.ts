// The text of a shell, read in one place: its commands with their words, variables, redirections and the operators between them. It runs
// and expands nothing, and says where it cannot tell. What a reader makes of the commands is the reader's own.

/** What stands before a command: nothing, or the operator behind the command before it. A newline is a semicolon. */
export type ShellOperator = '' | ';' | '&' | '&&' | '||' | '|';

export interface ShellCommand {
  readonly operator: ShellOperator;
  readonly operatorAt: number;
  readonly start: number;
  readonly end: number;
  /** `NAME=value` before the program. */
  readonly env: Readonly<Record<string, string>>;
  /** The program and its arguments, without quotes and escapes. Substitutions stand in them as they are written. */
  readonly words: readonly string[];
  /** The same as they are written: of `'a b'` the quotes too. */
  readonly written: readonly string[];
  /** With their targets: `> log`, `2>&1`. */
  readonly redirects: readonly string[];
  /** What stands in `$( )`, `<( )` and backticks of its words. */
  readonly substitutions: readonly string[];
  /** `( ... )`, `{ ...; }`, or what `if`, `for`, `while`, `case` or a function holds. */
  readonly group: ShellList | null;
  /** The status of the group is not that of its last command, as in `if` and `for`. */
  readonly isOpaque: boolean;
}

export interface ShellList {
  readonly commands: readonly ShellCommand[];
  /** Where the `&` stands that puts the last command into the background; null without one. */
  readonly background: number | null;
}

export interface ShellText extends ShellList {
  /** Where the command begins that cannot be read: a here-document, or brackets and quotes that do not match. Null: all was read. */
  readonly unreadFrom: number | null;
}

export function readShell(text: string): ShellText {
  const reader = new ShellReader(text);
  const list = reader.list('');
  return { ...list, unreadFrom: reader.lostAt };
}

/** Of a text that is no shell's, and of brackets in brackets. */
const MOST_TRIES = 100;
const MOST_DEPTH = 100;

/** Every command in its order, those of groups too. Behind a line that cannot be read it goes on with the next. */
export function listCommands(text: string): readonly ShellCommand[] {
  const found: ShellCommand[] = [];
  const add = ({ commands }: ShellList): void => {
    for (const command of commands) {
      if (command.words.length > 0 || Object.keys(command.env).length > 0) found.push(command);
      if (command.group !== null) add(command.group);
    }
  };
  let rest = text;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const read = readShell(rest);
    add(read);
    const end = read.unreadFrom === null ? -1 : rest.indexOf('\n', read.unreadFrom);
    if (end < 0) break;
    rest = rest.slice(end + 1);
  }
  return found;
}

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh']);

/** Texts of a shell inside a command: what `sh -c` and `eval` get, and substitutions. */
export function innerTexts({ words, substitutions }: Pick<ShellCommand, 'words' | 'substitutions'>): readonly string[] {
  const shell = words.findIndex((word) => SHELLS.has(programName(word)));
  const asked = shell < 0 ? -1 : words.findIndex((word, at) => at > shell && /^-[a-z]*c$/.test(word));
  const scripts = asked >= 0 ? words.slice(asked + 1, asked + 2) : words[0] === 'eval' ? [words.slice(1).join(' ')] : [];
  return [...scripts, ...substitutions];
}

const STARTERS: ReadonlySet<string> = new Set(
  'node nodejs bun bunx deno tsx ts-node babel-node vite-node jiti zx npm npx pnpm pnpx yarn dlx python py ruby perl php sh bash zsh dash ksh env cross-env dotenv exec time timeout nice sudo xvfb-run run uv uvx poetry pipenv pdm hatch rye c8 nyc coverage !'.split(
    ' ',
  ),
);

/** Does it start the program behind it? A file of the project with such a name is a program itself, unless a package put it there. */
export function isStarter(word: string): boolean {
  const plain = word.replace(/^@/, '');
  if (/^\$(?:\w+|\{\w+\}|\(\w+\))$/.test(plain)) return true;
  const isInstalled = !plain.includes('/') || /^(?:\/|(?:\.\/)?(?:node_modules|\.?venv)\/)/.test(plain);
  return isInstalled && STARTERS.has(programName(plain).replace(/^python[\d.]+$/, 'python'));
}

/** Without its folder: `./node_modules/.bin/jest` is `jest`. */
export function programName(word: string): string {
  return word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
}

/**
 * The words of a command that no shell runs, so that `|`, `;` and `$` are plain characters; only quotes and backslashes count.
 * `problem`: why it has none.
 */
export function splitWords(text: string): { readonly words: readonly string[] } | { readonly problem: string } {
  const words: string[] = [];
  let word: string | null = null;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quote === "'" && char !== quote) word += char;
    else if (char === '\\') {
      const next = text.charAt(at + 1);
      if (next === '') return { problem: 'it ends in a backslash' };
      // Inside double quotes a backslash escapes only a quote or a backslash.
      word = (word ?? '') + (quote === '"' && next !== '"' && next !== '\\' ? char : '') + next;
      at += 1;
    } else if (quote === '' && (char === '"' || char === "'")) {
      quote = char;
      word ??= '';
    } else if (char === quote) quote = '';
    else if (quote === '' && /\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + char;
  }
  if (quote !== '') return { problem: `a ${quote === '"' ? 'double' : 'single'} quote is never closed` };
  return { words: word === null ? words : [...words, word] };
}

/** A word for a shell, in quotes where it needs them. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

const ENDS: Readonly<Record<string, string>> = { if: 'fi', for: 'done', while: 'done', until: 'done', select: 'done', case: 'esac' };
const CLOSERS: ReadonlySet<string> = new Set(['}', ...Object.values(ENDS)]);
/** Another command follows them. */
const BETWEEN: ReadonlySet<string> = new Set(['then', 'else', 'elif', 'do']);
const OPERATORS: readonly (readonly [string, ShellOperator])[] = [
  ['&&', '&&'],
  ['||', '||'],
  ['|&', '|'],
  [';;', ';'],
  ['|', '|'],
  [';', ';'],
  ['&', '&'],
  ['\n', ';'],
];
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

class ShellReader {
  lostAt: number | null = null;
  private at = 0;
  private depth = 0;
  private substitutions: string[] = [];

  constructor(private readonly text: string) {}

  /** The commands up to `closer`: `)`, a word such as `}` or `fi`, or the end of the text. */
  list(closer: string): ShellList {
    const commands: ShellCommand[] = [];
    let operator: ShellOperator = '';
    let operatorAt = this.at;
    this.enter();
    for (;;) {
      const command = this.command(closer, operator, operatorAt);
      if (command !== null) {
        commands.push(command);
        operator = '';
      }
      if (this.lostAt !== null) break;
      if (closer !== '' && this.text.startsWith(closer, this.at)) {
        this.at += closer.length;
        break;
      }
      const [written, next] = OPERATORS.find(([sign]) => this.text.startsWith(sign, this.at)) ?? ['', ''];
      if (written === '') {
        const isEnd = this.at >= this.text.length;
        // Behind a pattern of `case` stands `)`.
        if (isEnd ? closer !== '' : closer !== 'esac') this.lose(this.at);
        if (isEnd || this.lostAt !== null) break;
        this.at += 1;
        continue;
      }
      // An empty line behind an operator changes nothing.
      if (operator === '') [operator, operatorAt] = [next, this.at];
      this.at += written.length;
    }
    this.depth -= 1;
    return { commands, background: operator === '&' ? operatorAt : null };
  }

  private command(closer: string, operator: ShellOperator, operatorAt: number): ShellCommand | null {
    const env: Record<string, string> = {};
    const [words, written, redirects]: [string[], string[], string[]] = [[], [], []];
    const around = this.substitutions;
    this.substitutions = [];
    let group: ShellList | null = null;
    let isOpaque = false;
    let isTarget = false;
    this.skipBlanks();
    const start = this.at;
    let end = start;
    for (; this.lostAt === null; this.skipBlanks()) {
      const isFirst = end === start;
      if (isFirst && this.text[this.at] === '(') {
        this.at += 1;
        group = this.list(')');
        end = this.at;
        continue;
      }
      const from = this.at;
      const value = this.word(start);
      const word = this.text.slice(from, this.at);
      if (word === '') break;
      if (isFirst && CLOSERS.has(word)) {
        this.at = from;
        if (word !== closer) this.lose(start);
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
        this.enter();
        const body = this.command(closer, '', this.at);
        this.depth -= 1;
        group = { commands: body === null ? [] : [body], background: null };
      } else if (isTarget) redirects.push(`${redirects.pop() ?? ''} ${word}`);
      else if (/^\d*[<>](?!\()/.test(word)) redirects.push(word);
      else if (words.length === 0 && ASSIGNMENT.test(word)) env[word.slice(0, word.search(/\+?=/))] = value.slice(value.indexOf('=') + 1);
      else {
        words.push(value);
        written.push(word);
      }
      isTarget = /^\d*[<>]+[&|]?$/.test(word);
      end = this.at;
    }
    const { substitutions } = this;
    this.substitutions = around;
    return end === start ? null : { operator, operatorAt, start, end, env, words, written, redirects, substitutions, group, isOpaque };
  }

  private lose(at: number): void {
    this.lostAt ??= at;
  }

  private enter(): void {
    this.depth += 1;
    if (this.depth > MOST_DEPTH) this.lose(this.at);
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

  /** Goes behind the word that begins here, and tells it without quotes and escapes. `start`: of its command. */
  private word(start: number): string {
    const { text } = this;
    const from = this.at;
    let value = '';
    while (this.at < text.length && this.lostAt === null) {
      const at = this.at;
      const char = text.charAt(at);
      const before = at === from ? '' : text.charAt(at - 1);
      const isRedirect = before === '>' || before === '<';
      if (char === '<' && before === '<' && text[at + 1] !== '<' && text[at - 2] !== '<') this.lose(start);
      else if (char === '(' && /[<>=$@?*+!]/.test(before)) this.skipBrackets(start, isRedirect);
      else if (/[\s;()]/.test(char) || (/[&|]/.test(char) && !isRedirect)) break;
      else if (/[<>]/.test(char) && !isRedirect && /\D/.test(text.slice(from, at))) break;
      else this.skipPiece(start);
      const piece = text.slice(at, this.at);
      if (char === "'") value += piece.slice(1, -1);
      else if (char === '"') value += piece.slice(1, -1).replace(/\\(["\\$`])/g, '$1');
      else value += char === '\\' ? piece.slice(1) : piece;
    }
    return value;
  }

  /** Goes behind one character, or everything that a quote, an escape or a substitution holds together. */
  private skipPiece(start: number): void {
    const { text } = this;
    const from = this.at;
    const char = text.charAt(from);
    this.at += char === '\\' ? 2 : 1;
    if (char === '$' && text[this.at] === '(') return this.skipBrackets(start, true);
    const end = char === '$' && text[this.at] === '{' ? '}' : char;
    if (!/['"`}]/.test(end) || (end === '}' && char !== '$')) return;
    const outer = this.substitutions.length;
    this.enter();
    while (this.at < text.length && this.lostAt === null && text[this.at] !== end) {
      // A single quote in double quotes is a plain character.
      if (char === "'" || (char === '`' ? text[this.at] !== '\\' : char === '"' && text[this.at] === "'")) this.at += 1;
      else this.skipPiece(start);
    }
    this.depth -= 1;
    this.skipClosing(start);
    if (char === '`') this.substitutions.splice(outer, Infinity, text.slice(from + 1, this.at - 1));
  }

  private skipBrackets(start: number, isSubstitution: boolean): void {
    const outer = this.substitutions.length;
    const from = this.at + 1;
    this.at = from;
    this.enter();
    while (this.at < this.text.length && this.lostAt === null && this.text[this.at] !== ')') {
      if (this.text[this.at] === '(') this.skipBrackets(start, false);
      else this.skipPiece(start);
    }
    this.depth -= 1;
    this.skipClosing(start);
    // Those in it are found when it is read.
    if (isSubstitution) this.substitutions.splice(outer, Infinity, this.text.slice(from, this.at - 1));
  }

  private skipClosing(start: number): void {
    if (this.at >= this.text.length) this.lose(start);
    this.at += 1;
  }
}
