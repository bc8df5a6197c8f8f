// One small tree for all languages: expressions are values, everything else statements. The lowerings of each language make it.

export interface Place {
  readonly from: number;
  readonly to: number;
}

export interface Argument {
  /** Of `key=value`; `*` and `**` of what is spread. */
  readonly name: string | null;
  readonly value: Value;
}

export interface Entry {
  /** Null: the value is spread. */
  readonly key: Value | null;
  readonly value: Value;
}

export interface FunctionValue extends Place {
  readonly kind: 'function';
  readonly params: readonly Parameter[];
  readonly body: readonly Statement[];
  readonly isAsync: boolean;
}

export interface Parameter {
  /** Of a destructured parameter, all its names. */
  readonly names: readonly string[];
  readonly fallback: Value | null;
  /** It takes all arguments that are left. */
  readonly isRest: boolean;
}

export type Value =
  | FunctionValue
  | (Place &
      (
        | { readonly kind: 'name'; readonly name: string }
        | { readonly kind: 'text'; readonly value: string }
        | { readonly kind: 'number'; readonly value: number }
        /** `true`, `false`, `null` (also `None`), `undefined`, `...`. */
        | { readonly kind: 'constant'; readonly value: string }
        | { readonly kind: 'pattern'; readonly source: string }
        | { readonly kind: 'template'; readonly parts: readonly (string | Value)[] }
        | { readonly kind: 'list'; readonly items: readonly Value[]; readonly type: 'list' | 'tuple' | 'set' }
        | { readonly kind: 'record'; readonly entries: readonly Entry[] }
        | { readonly kind: 'member'; readonly object: Value; readonly name: string }
        | { readonly kind: 'index'; readonly object: Value; readonly index: Value }
        | { readonly kind: 'call'; readonly callee: Value; readonly args: readonly Argument[]; readonly isNew: boolean }
        | { readonly kind: 'unary'; readonly op: string; readonly operand: Value }
        | { readonly kind: 'binary'; readonly op: string; readonly left: Value; readonly right: Value }
        | { readonly kind: 'choice'; readonly test: Value; readonly then: Value; readonly other: Value }
        | { readonly kind: 'await'; readonly value: Value }
        | { readonly kind: 'spread'; readonly value: Value }
        | { readonly kind: 'assign'; readonly target: Value; readonly op: string; readonly value: Value }
        /** What no rule asks about: its parts are still walked. */
        | { readonly kind: 'other'; readonly type: string; readonly parts: readonly Value[] }
      ));

export type ValueOf<Kind extends Value['kind']> = Extract<Value, { kind: Kind }>;

export interface Handler {
  readonly caught: Value | null;
  readonly name: string | null;
  readonly body: readonly Statement[];
}

export interface ImportedName {
  /** `*` for the module itself, `default` for its default export. */
  readonly name: string;
  readonly local: string;
}

export type Statement = Place &
  (
    | { readonly kind: 'expression'; readonly value: Value }
    | { readonly kind: 'assign'; readonly targets: readonly Value[]; readonly op: string; readonly value: Value | null }
    | { readonly kind: 'return'; readonly value: Value | null }
    | { readonly kind: 'raise'; readonly value: Value | null }
    | { readonly kind: 'assert'; readonly test: Value }
    | { readonly kind: 'if'; readonly test: Value; readonly then: readonly Statement[]; readonly other: readonly Statement[] }
    | { readonly kind: 'loop'; readonly target: Value | null; readonly over: Value | null; readonly body: readonly Statement[] }
    | {
        readonly kind: 'try';
        readonly body: readonly Statement[];
        readonly handlers: readonly Handler[];
        readonly other: readonly Statement[];
        readonly final: readonly Statement[];
      }
    | {
        readonly kind: 'with';
        readonly items: readonly { readonly value: Value; readonly target: Value | null }[];
        readonly body: readonly Statement[];
      }
    | {
        readonly kind: 'function';
        readonly name: string;
        readonly value: FunctionValue;
        readonly decorators: readonly Value[];
        readonly head: Place;
      }
    | {
        readonly kind: 'class';
        readonly name: string;
        readonly bases: readonly Value[];
        readonly decorators: readonly Value[];
        readonly body: readonly Statement[];
      }
    | { readonly kind: 'import'; readonly module: string; readonly names: readonly ImportedName[] }
    | { readonly kind: 'jump' }
    | { readonly kind: 'block'; readonly body: readonly Statement[] }
    | { readonly kind: 'other'; readonly values: readonly Value[] }
  );

export interface Comment extends Place {
  readonly words: string;
}

export type Language = 'javascript' | 'python' | 'rust';

/** One file as it was read. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly language: Language;
  readonly body: readonly Statement[];
  readonly comments: readonly Comment[];
  /** Why it is no code; null where it is. */
  readonly problem: string | null;
}

export function isJavaScript(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path) && !/\.d\.[cm]?ts$/.test(path);
}

export function isPython(path: string): boolean {
  return /\.pyi?$/.test(path);
}

export function isRust(path: string): boolean {
  return path.endsWith('.rs');
}

/** Languages that the guard reads as code. */
export function isCode(path: string): boolean {
  return isJavaScript(path) || isPython(path) || isRust(path);
}

/** Endings of languages in which tests are written. Prose, data and styles are none. */
const LANGUAGES: ReadonlySet<string> = new Set(
  (
    'go rs java kt kts scala sc groovy clj cljs cljc rb php cs fs vb swift m mm c h cc cpp cxx hpp hh hxx cu ex exs erl hrl hs ml mli re elm ' +
    'dart lua r jl pl pm t raku sh bash zsh fish bats ps1 psm1 zig nim d cr v sol sql vue svelte astro coffee feature robot f90 f95 pas adb ' +
    'ads lisp scm rkt tcl gd hx vala odin gleam'
  ).split(' '),
);

/** Code that the guard cannot read: nobody knows what a change does to tests in it. */
export function isForeignCode(path: string): boolean {
  return !isCode(path) && LANGUAGES.has((/\.(\w+)$/.exec(path)?.[1] ?? '').toLowerCase());
}
