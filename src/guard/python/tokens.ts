// The parser's tree of a Python text as plain tokens, made in one pass; with the comments, and the first thing that is no Python.

import { parser } from '@lezer/python';
import type { Comment } from './tree.js';

export interface Token {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** No Python. */
  readonly isError: boolean;
  /** What follows it is none. */
  readonly isBeforeError: boolean;
  /** Without comments. */
  readonly children: readonly Token[];
  readonly all: readonly Token[];
}

export interface Tokens {
  readonly top: Token;
  readonly comments: readonly Comment[];
  readonly problem: string | null;
}

/** Null: the parser calls itself for what is nested, and gives up on what is nested without end. */
export function tokensOf(text: string): Tokens | null {
  try {
    return new Tokenizing(text).run();
  } catch {
    return null;
  }
}

class Tokenizing {
  private readonly comments: Comment[] = [];
  private readonly parents: string[] = [];
  private problem: string | null = null;
  private readonly cursor;

  constructor(private readonly text: string) {
    this.cursor = parser.parse(masked(text)).cursor();
  }

  run(): Tokens {
    const top = this.token();
    return { top, comments: this.comments, problem: this.problem };
  }

  /** The one that the cursor is at. */
  private token(): { -readonly [Key in keyof Token]: Token[Key] } {
    const { cursor } = this;
    const { name, from, to } = cursor;
    const { isError } = cursor.type;
    if (name === 'Comment') this.comments.push({ value: this.text.slice(from, to), start: from, end: to });
    else if (isError && this.problem === null && !tolerated(this.parents))
      this.problem = `line ${this.text.slice(0, from).split('\n').length} is no Python`;
    const all: ReturnType<Tokenizing['token']>[] = [];
    let hasComments = false;
    if (cursor.firstChild()) {
      this.parents.push(name);
      do {
        const child = this.token();
        const last = all.at(-1);
        if (child.isError && last !== undefined) last.isBeforeError = true;
        if (child.name === 'Comment') hasComments = true;
        all.push(child);
      } while (cursor.nextSibling());
      this.parents.pop();
      cursor.parent();
    }
    return {
      name,
      from,
      to,
      isError,
      isBeforeError: false,
      all,
      children: hasComments ? all.filter((one) => one.name !== 'Comment') : all,
    };
  }
}

/** `with x as (a, b):` is Python that the parser does not know: the names become one of the same length. So do form feeds. */
function masked(text: string): string {
  return text
    .replaceAll('\f', ' ')
    .replace(
      / as \((\s{0,99}[\w.]+(?:,\s{0,99}[\w.]+){0,9},?\s{0,99})\)(?=[:,])/g,
      (_all, names: string) => ` as _${names.replace(/\W/g, '_')}_`,
    );
}

/** Python that the parser does not know: targets of `with`, decorators that are expressions, `5.`, a bare yield. */
function tolerated(parents: readonly string[]): boolean {
  const [last = '', above = ''] = [parents.at(-1), parents.at(-2)];
  if (['WithStatement', 'Decorator', 'YieldExpression', 'YieldStatement', 'MemberExpression'].includes(last)) return true;
  return above === 'WithStatement' && ['ParenthesizedExpression', 'TupleExpression'].includes(last);
}
