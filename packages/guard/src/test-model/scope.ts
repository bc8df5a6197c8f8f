// What names stand for: constants, functions and imports of a file, a suite, a test or a helper.

import type { FunctionValue, Language, Statement, Value, ValueOf } from '../syntax/nodes.js';
import { foldScalar } from '../syntax/fold.js';
import { isLiteralValue, print } from '../syntax/print.js';
import { boundNames, dottedName, eachStatement, eachValue, partsOf, rootName, valuesOf } from '../syntax/walk.js';

export interface Definition {
  /** The one value that it ever has; null where it has several or none that is known. */
  readonly value: Value | null;
  readonly call: FunctionValue | null;
  readonly module: { readonly path: string; readonly name: string } | null;
}

/** Calls that only write a value down, by language: the language's own, and those of modules of its library. */
const BUILDERS: Readonly<Record<Language, { readonly names: ReadonlySet<string>; readonly modules: RegExp }>> = {
  javascript: {
    names: new Set(
      'Date Map Set RegExp Error TypeError RangeError Array BigInt Buffer.from Uint8Array URL Symbol Number String Boolean'.split(' '),
    ),
    modules: /^(?:node:)?(?:buffer|url)$/,
  },
  python: {
    names: new Set(
      'dict list set tuple frozenset bytes bytearray complex range int float str bool OrderedDict Decimal Fraction Path datetime date timedelta datetime.datetime datetime.date datetime.timedelta'.split(
        ' ',
      ),
    ),
    modules: /^(?:collections|decimal|fractions|pathlib|datetime)$/,
  },
  rust: { names: new Set(), modules: /$^/ },
};

export class Scope {
  private names: Map<string, Definition> | null = null;
  /** Null: it is too long. */
  private readonly expansions = new Map<string, Value | null>();

  constructor(
    private readonly bodies: readonly (readonly Statement[])[],
    readonly outer: Scope | null,
    private readonly language: Language,
    /** What is given for parameters. */
    private readonly given: ReadonlyMap<string, Value> = new Map(),
    /** Where values of `given` are looked up. */
    private readonly caller: Scope | null = null,
    /** One run of several: names stand for what this run is given. */
    readonly isInstance: boolean = false,
  ) {}

  find(name: string): Definition | null {
    this.names ??= this.read();
    return this.names.get(name) ?? this.outer?.find(name) ?? null;
  }

  /** Declared in this scope or one around it, up to the file. */
  has(name: string): boolean {
    return this.find(name) !== null;
  }

  inner(bodies: readonly (readonly Statement[])[], given: ReadonlyMap<string, Value> = new Map(), caller: Scope | null = null): Scope {
    return new Scope(bodies, this, this.language, given, caller, this.isInstance);
  }

  /** One run over a row of a table. */
  instance(bodies: readonly (readonly Statement[])[], given: ReadonlyMap<string, Value>): Scope {
    return new Scope(bodies, this, this.language, given, this, true);
  }

  /** Written down: by literals, and by calls of the language where no import and no name of the file stands for something else. */
  isLiteral(value: Value): boolean {
    const { names, modules } = BUILDERS[this.language];
    return isLiteralValue(value, (callee) => {
      if (!names.has(dottedName(callee))) return false;
      const known = this.find(rootName(callee));
      return known === null || (known.module !== null && modules.test(known.module.path));
    });
  }

  /** A function of the language itself, which no import and no name of the file replaces. */
  isBuiltIn(name: string, language: Language): boolean {
    return this.language === language && this.find(name) === null;
  }

  /** The module that a name comes from. */
  moduleOf(name: string): Definition['module'] {
    return this.find(name)?.module ?? null;
  }

  definitions(): ReadonlyMap<string, Definition> {
    this.names ??= this.read();
    return this.names;
  }

  /** What a name stands for, as far as that is no long text. Asked for often. */
  expanded(name: ValueOf<'name'>, held: Value, depth: number): Value {
    const known = depth === 0 ? this.expansions.get(name.name) : undefined;
    if (known !== undefined) return known ?? name;
    const inner = expand(held.kind === 'await' ? held.value : held, this, depth + 1);
    const made = print(inner).length > LONGEST ? null : inner;
    if (depth === 0) this.expansions.set(name.name, made);
    return made ?? name;
  }

  private read(): Map<string, Definition> {
    const names = new Map<string, Definition>();
    for (const [name, value] of this.given)
      names.set(name, {
        value: this.caller === null ? value : expand(value, this.caller),
        call: value.kind === 'function' ? value : null,
        module: null,
      });
    for (const body of this.bodies) for (const statement of body) this.declare(statement, names);
    for (const body of this.bodies) forgetChanged(body, names, this.language);
    return names;
  }

  private declare(statement: Statement, names: Map<string, Definition>): void {
    switch (statement.kind) {
      case 'assign': {
        const call = statement.value?.kind === 'function' ? statement.value : null;
        for (const target of statement.targets) {
          if (target.kind === 'name') {
            const isKnown = names.has(target.name) || statement.op !== '=';
            names.set(target.name, { value: isKnown ? null : statement.value, call: isKnown ? null : call, module: null });
          } else this.destructure(target, statement.value, names);
        }
        return;
      }
      case 'function':
        names.set(statement.name, { value: null, call: statement.value, module: null });
        return;
      case 'import':
        for (const { name, local } of statement.names)
          names.set(local, { value: null, call: null, module: { path: statement.module, name } });
        return;
      case 'with':
        for (const { target, value } of statement.items)
          if (target?.kind === 'name') names.set(target.name, { value: names.has(target.name) ? null : value, call: null, module: null });
        for (const inner of statement.body) this.declare(inner, names);
        return;
      case 'try':
        for (const inner of [...statement.body, ...statement.other, ...statement.final]) this.declare(inner, names);
        return;
      case 'block':
        for (const inner of statement.body) this.declare(inner, names);
        return;
      case 'if':
      case 'loop':
        for (const inner of statement.kind === 'if' ? [...statement.then, ...statement.other] : statement.body) this.declare(inner, names);
        return;
      case 'assert':
      case 'class':
      case 'expression':
      case 'jump':
      case 'other':
      case 'raise':
      case 'return':
    }
  }

  /** `const { a, b: [c] } = x`: a is `x.a`, c is `x.b[0]`. */
  private destructure(target: Value, value: Value | null, names: Map<string, Definition>): void {
    if (value === null) return;
    const setHeld = (inner: Value, held: Value): void => {
      const plain = inner.kind === 'assign' ? inner.target : inner;
      if (plain.kind === 'name') names.set(plain.name, { value: names.has(plain.name) ? null : held, call: null, module: null });
      else this.destructure(plain, held, names);
    };
    const base = value.kind === 'await' ? value.value : value;
    if (target.kind === 'record')
      for (const { key, value: inner } of target.entries) {
        if (key?.kind === 'text') setHeld(inner, { from: inner.from, to: inner.to, kind: 'member', object: base, name: key.value });
      }
    else if (target.kind === 'list')
      target.items.forEach((inner, index) => {
        const held: Value =
          base.kind === 'list' && base.items[index] !== undefined
            ? base.items[index]
            : {
                from: inner.from,
                to: inner.to,
                kind: 'index',
                object: base,
                index: { from: inner.from, to: inner.to, kind: 'number', value: index },
              };
        setHeld(inner, held);
      });
  }
}

/** A name that is assigned again in a block or an inner function has no one value. */
function forgetChanged(body: readonly Statement[], names: Map<string, Definition>, language: Language): void {
  const isBuilder = (callee: Value): boolean => BUILDERS[language].names.has(dottedName(callee));
  const seen = new Set<string>();
  const forgetTarget = (target: Value): void => {
    for (const name of boundNames(target)) {
      const known = names.get(name);
      if (known !== undefined && known.value !== null) names.set(name, { ...known, value: null });
    }
  };
  // Lists and records are filled later: by their own methods, or by whom they are given to.
  eachValue(body, (value) => {
    if (value.kind !== 'call') return;
    const owner = value.callee.kind === 'member' && MUTATING.test(value.callee.name) ? value.callee.object : null;
    if (owner?.kind === 'name') forgetTarget(owner);
  });
  for (const [name, { value }] of names) if (value !== null && isEmptyHolder(value)) forgetTarget({ from: 0, to: 0, kind: 'name', name });
  eachStatement(body, (statement) => {
    for (const value of valuesOf(statement)) eachAssign(value, forgetTarget);
    if (statement.kind === 'loop' && statement.target !== null) forgetTarget(statement.target);
    if (statement.kind !== 'assign') return;
    for (const target of statement.targets) {
      for (const name of boundNames(target)) {
        if (seen.has(name) || statement.op !== '=') forgetTarget(target);
        seen.add(name);
      }
      // `x.a = 1` and `x.push()` do not make another `x`; its value is no longer what was written down.
      if (target.kind === 'member' || target.kind === 'index') {
        const root = target.object;
        if (root.kind === 'name' && isLiteralValue(names.get(root.name)?.value ?? root, isBuilder)) forgetTarget(root);
      }
    }
  });
}

const MUTATING =
  /^(push|unshift|pop|shift|splice|sort|reverse|set|add|append|appendleft|extend|insert|update|remove|clear|setdefault|write|delete|fill)$/;

function isEmptyHolder(value: Value): boolean {
  if (value.kind === 'list') return value.items.length === 0;
  if (value.kind === 'record') return value.entries.length === 0;
  return (
    value.kind === 'call' &&
    value.args.length === 0 &&
    value.callee.kind === 'name' &&
    /^(list|dict|set|Set|Map|Array|deque|defaultdict)$/.test(value.callee.name)
  );
}

function eachAssign(value: Value, visit: (target: Value) => void): void {
  if (value.kind === 'assign') visit(value.target);
  for (const part of partsOf(value)) eachAssign(part, visit);
}

const DEEPEST = 8;
const LONGEST = 1500;

/** A table as it is written down, however long it is. */
export function resolveTable(value: Value, scope: Scope): Value {
  const held = value.kind === 'name' ? (scope.find(value.name)?.value ?? null) : null;
  if (held?.kind === 'list') return held;
  return value.kind === 'template' ? value : expand(value, scope);
}

/** The value with names replaced by what they stand for, as far as that is one value and no long text. */
export function expand(value: Value, scope: Scope, depth = 0, isCalled = false): Value {
  if (depth > DEEPEST) return value;
  switch (value.kind) {
    case 'name': {
      const held = scope.find(value.name)?.value ?? null;
      if (held === null || held === value || held.kind === 'function') return value;
      return scope.expanded(value, held, depth);
    }
    case 'member': {
      const object = expand(value.object, scope, depth);
      if (object.kind === 'record') {
        const entry = object.entries.find(({ key }) => key?.kind === 'text' && key.value === value.name);
        if (entry !== undefined) return entry.value;
        if (!isCalled && object.entries.every(({ key }) => key?.kind === 'text'))
          return { from: value.from, to: value.to, kind: 'constant', value: 'undefined' };
      }
      if (object.kind === 'text' && value.name === 'length') return { ...object, kind: 'number', value: object.value.length };
      return object === value.object ? value : { ...value, object };
    }
    case 'index': {
      const [object, index] = [expand(value.object, scope, depth), expand(value.index, scope, depth)];
      return object === value.object && index === value.index ? value : { ...value, object, index };
    }
    case 'call': {
      const callee = expand(value.callee, scope, depth, true);
      const args = value.args.map((argument) => {
        const inner = expand(argument.value, scope, depth);
        return inner === argument.value ? argument : { ...argument, value: inner };
      });
      return callee === value.callee && args.every((argument, index) => argument === value.args[index])
        ? value
        : { ...value, callee, args };
    }
    case 'await':
      return expand(value.value, scope, depth);
    case 'unary': {
      const operand = expand(value.operand, scope, depth);
      return operand === value.operand ? value : { ...value, operand };
    }
    case 'binary': {
      const [left, right] = [expand(value.left, scope, depth), expand(value.right, scope, depth)];
      return left === value.left && right === value.right ? value : { ...value, left, right };
    }
    case 'list': {
      const items = value.items.map((item) => expand(item, scope, depth));
      return items.every((item, index) => item === value.items[index]) ? value : { ...value, items };
    }
    case 'record': {
      const entries = value.entries.map(({ key, value: inner }) => ({ key, value: expand(inner, scope, depth) }));
      return entries.every(({ value: inner }, index) => inner === value.entries[index]?.value) ? value : { ...value, entries };
    }
    case 'template': {
      const parts = value.parts.map((part) => (typeof part === 'string' ? part : expand(part, scope, depth)));
      const known = parts.map((part) => (typeof part === 'string' ? part : foldScalar(part)));
      if (known.every((part) => typeof part === 'string' || typeof part === 'number'))
        return { from: value.from, to: value.to, kind: 'text', value: known.join('') };
      return { ...value, parts };
    }
    case 'spread':
      return { ...value, value: expand(value.value, scope, depth) };
    case 'choice':
      return {
        ...value,
        test: expand(value.test, scope, depth),
        then: expand(value.then, scope, depth),
        other: expand(value.other, scope, depth),
      };
    case 'function': {
      // `() => f(x)` stands for a call of `f` with what `x` is.
      const [only, ...more] = value.body;
      if (
        only === undefined ||
        more.length > 0 ||
        value.params.length > 0 ||
        (only.kind !== 'return' && only.kind !== 'expression') ||
        only.value === null
      )
        return value;
      const inner = expand(only.value, scope, depth);
      return inner === only.value ? value : { ...value, body: [{ ...only, value: inner }] };
    }
    case 'assign':
    case 'constant':
    case 'number':
    case 'other':
    case 'pattern':
    case 'text':
      return value;
  }
}
