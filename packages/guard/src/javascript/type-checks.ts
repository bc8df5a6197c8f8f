// What a check of types asks: `expectTypeOf(x).toEqualTypeOf<T>()`. Types stand in the source text only, as the tree may be without them.

import { at, listAt } from './tree.js';
import type { Node } from './tree.js';

interface Asked {
  readonly name: string;
  readonly args: readonly Node[] | null;
  readonly call: Node;
}

interface TypeDraft {
  readonly kind: 'custom';
  readonly subject: Node | null;
  readonly suffix: string;
  readonly expected: readonly Node[];
  readonly constant: string;
  readonly matcher: 'type';
  readonly delta: null;
}

/** The value or type asked about with the way into it (`.parameter(0)`), and the type that is wanted of it. */
export function typeDraft(root: Node, links: readonly Asked[], text: string): TypeDraft {
  const [subject = null] = listAt(root, 'arguments');
  const last = links.at(-1);
  const turned = links.some(({ name }) => name === 'not') ? 'not.' : '';
  const path = links.slice(0, -1).filter(({ name }) => name !== 'not');
  return {
    kind: 'custom',
    subject,
    suffix: `${subject === null ? typesOf(root, text) : ''}${path.map((link) => pathText(link, text)).join('')}`,
    expected: last?.args ?? [],
    constant: `${turned}${last?.name ?? ''}${typesOf(last?.call ?? root, text)}`,
    matcher: 'type',
    delta: null,
  };
}

function pathText({ name, args }: Asked, text: string): string {
  const [first, last] = [args?.[0], args?.at(-1)];
  return `.${name}${first === undefined || last === undefined ? '' : `(${text.slice(first.start, last.end)})`}`;
}

/** The types between the name of a call and its parentheses, without layout. */
function typesOf(call: Node, text: string): string {
  const callee = call.type === 'CallExpression' ? at(call, 'callee') : null;
  if (callee === null) return '';
  const head = text.slice(callee.end, listAt(call, 'arguments')[0]?.start ?? call.end);
  const types = head.slice(0, Math.max(0, head.lastIndexOf('('))).trim();
  if (!types.startsWith('<')) return '';
  return types
    .replace(/\s+/g, ' ')
    .replace(/ ?([^\w$ ]) ?/g, '$1')
    .replace(/'/g, '"')
    .replace(/;/g, ',')
    .replace(/,(?=[>)\]}])/g, '')
    .replace(/(?<=[<(,:[=])[|&]/g, '');
}
