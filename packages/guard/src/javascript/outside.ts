// What a file holds around its tests, statement by statement: declarations by their names, the frames of suites, and all else. What of
// it a change may reach tests by is untouched.ts's.

import type { Outside, TestFact } from '../facts.js';
import { textWithout } from '../stretches.js';
import type { Stretch } from '../stretches.js';
import { at, bare, isFunction, isLiteral, listAt, nameOf, settled } from './tree.js';
import type { Node, Tree } from './tree.js';
import { declaredNames, patternNames } from './names.js';

export function outsideOf(tree: Tree, tests: readonly TestFact[]): readonly Outside[] {
  const spans = tests.filter(({ span }) => span.file === tree.file).map(({ span }) => ({ start: span.from, end: span.to }));
  const found: Outside[] = [];
  new Surroundings(tree, spans, found).walk(listAt(tree.program, 'body'));
  return found;
}

class Surroundings {
  constructor(
    private readonly tree: Tree,
    private readonly spans: readonly Stretch[],
    private readonly found: Outside[],
  ) {}

  walk(statements: readonly Node[]): void {
    for (const statement of statements) {
      const node = statement.type.startsWith('Export') ? (at(statement, 'declaration') ?? statement) : statement;
      const inside = this.spans.filter(({ start, end }) => statement.start <= start && end <= statement.end);
      if (inside.length > 0) this.around(node, inside);
      else if (!node.type.startsWith('TS')) this.plain(node);
    }
  }

  private text({ start, end }: Stretch): string {
    return this.tree.text.slice(start, end);
  }

  private add(kind: Outside['kind'], text: string, names: readonly string[] = []): void {
    this.found.push({ kind, text, names });
  }

  private plain(node: Node): void {
    if (node.type === 'VariableDeclaration')
      for (const one of listAt(node, 'declarations')) this.add('declared', this.text(one), patternNames(at(one, 'id')));
    else if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration')
      this.add('declared', this.text(node), declaredNames(node));
    else if (node.type === 'ImportDeclaration' && listAt(node, 'specifiers').length > 0) this.imported(node);
    else this.add('effect', this.text(node));
  }

  private imported(node: Node): void {
    const source = String(at(node, 'source')?.['value'] ?? '');
    for (const one of listAt(node, 'specifiers')) {
      const imported = at(one, 'imported');
      const name = imported === null ? one.type : isLiteral(imported) ? String(imported['value']) : nameOf(imported);
      this.add('declared', `"${source}" ${name}`, [nameOf(at(one, 'local'))]);
    }
  }

  /** A statement that holds tests: of a suite its body is looked into, and the test itself is no surrounding. */
  private around(node: Node, inside: readonly Stretch[]): void {
    const call = node.type === 'ExpressionStatement' ? settled(at(node, 'expression')) : null;
    if (call !== null && inside.some(({ start, end }) => start === call.start && end === call.end)) return;
    const body = at(listAt(call, 'arguments').map(bare).findLast(isFunction), 'body');
    if (body?.type === 'BlockStatement' && inside.every(({ start, end }) => body.start <= start && end <= body.end)) {
      this.add('frame', this.text({ start: node.start, end: body.start }) + this.text({ start: body.end, end: node.end }));
      this.walk(listAt(body, 'body'));
      return;
    }
    this.add('frame', textWithout(this.tree.text, node, inside));
  }
}
