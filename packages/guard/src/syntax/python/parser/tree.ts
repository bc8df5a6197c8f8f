// The syntax tree of one Python file, as far as tests need it. parse.ts makes it; lower.ts makes it into the tree of both languages.

interface Place {
  readonly start: number;
  readonly end: number;
}

export interface Argument {
  /** Of `key=value`. */
  readonly name: string | null;
  readonly star: '' | '*' | '**';
  readonly value: Expr;
}

export interface Parameter {
  readonly name: string;
  readonly star: '' | '*' | '**';
  readonly annotation: Expr | null;
  readonly fallback: Expr | null;
}

export interface Clause {
  readonly target: Expr;
  readonly over: Expr;
  readonly conditions: readonly Expr[];
}

export type Expr = Place &
  (
    | { readonly type: 'Name'; readonly name: string }
    | { readonly type: 'Number'; readonly text: string }
    | { readonly type: 'String'; readonly value: string; readonly bytes: boolean }
    | { readonly type: 'Format'; readonly parts: readonly (string | Expr)[] }
    | { readonly type: 'Constant'; readonly name: 'None' | 'True' | 'False' | '...' }
    | { readonly type: 'List' | 'Tuple' | 'Set'; readonly items: readonly Expr[] }
    | { readonly type: 'Dict'; readonly entries: readonly { readonly key: Expr | null; readonly value: Expr }[] }
    | { readonly type: 'Call'; readonly callee: Expr; readonly args: readonly Argument[] }
    | { readonly type: 'Attribute'; readonly object: Expr; readonly name: string }
    | { readonly type: 'Subscript'; readonly object: Expr; readonly index: readonly Expr[] }
    | { readonly type: 'Slice'; readonly parts: readonly (Expr | null)[] }
    | { readonly type: 'Unary'; readonly op: string; readonly operand: Expr }
    | { readonly type: 'Binary'; readonly op: string; readonly left: Expr; readonly right: Expr }
    | { readonly type: 'Compare'; readonly left: Expr; readonly ops: readonly string[]; readonly rights: readonly Expr[] }
    | { readonly type: 'Bool'; readonly op: 'and' | 'or'; readonly values: readonly Expr[] }
    | { readonly type: 'Conditional'; readonly test: Expr; readonly body: Expr; readonly other: Expr }
    | { readonly type: 'Lambda'; readonly params: readonly Parameter[]; readonly body: Expr }
    | { readonly type: 'Await'; readonly value: Expr }
    | { readonly type: 'Yield'; readonly value: Expr | null }
    | { readonly type: 'Named'; readonly name: string; readonly value: Expr }
    | { readonly type: 'Star'; readonly value: Expr }
    | { readonly type: 'Comprehension'; readonly kind: string; readonly elements: readonly Expr[]; readonly clauses: readonly Clause[] }
    | { readonly type: 'Unknown'; readonly text: string }
  );

export interface FunctionStmt extends Place {
  readonly type: 'Function';
  readonly name: string;
  readonly params: readonly Parameter[];
  readonly returns: Expr | null;
  readonly decorators: readonly Expr[];
  readonly body: readonly Stmt[];
  readonly async: boolean;
  /** Where the name stands: what a finding about the name points at. */
  readonly head: Place;
}

export interface ClassStmt extends Place {
  readonly type: 'Class';
  readonly name: string;
  readonly bases: readonly Argument[];
  readonly decorators: readonly Expr[];
  readonly body: readonly Stmt[];
}

export interface Handler extends Place {
  readonly caught: Expr | null;
  readonly name: string | null;
  readonly body: readonly Stmt[];
}

export interface ImportedName {
  readonly name: string;
  readonly local: string;
}

export type Stmt =
  | (Place &
      (
        | { readonly type: 'Expression'; readonly value: Expr }
        | { readonly type: 'Assign'; readonly targets: readonly Expr[]; readonly annotation: Expr | null; readonly value: Expr | null }
        | { readonly type: 'Update'; readonly target: Expr; readonly value: Expr }
        | { readonly type: 'Return' | 'Raise'; readonly value: Expr | null }
        | { readonly type: 'Assert'; readonly test: Expr; readonly message: Expr | null }
        | { readonly type: 'Delete'; readonly targets: readonly Expr[] }
        | { readonly type: 'If'; readonly branches: readonly { readonly test: Expr | null; readonly body: readonly Stmt[] }[] }
        | { readonly type: 'While'; readonly test: Expr; readonly body: readonly Stmt[]; readonly other: readonly Stmt[] }
        | {
            readonly type: 'For';
            readonly target: Expr;
            readonly over: Expr;
            readonly body: readonly Stmt[];
            readonly other: readonly Stmt[];
          }
        | {
            readonly type: 'Try';
            readonly body: readonly Stmt[];
            readonly handlers: readonly Handler[];
            readonly other: readonly Stmt[];
            readonly final: readonly Stmt[];
          }
        | {
            readonly type: 'With';
            readonly items: readonly { readonly value: Expr; readonly target: Expr | null }[];
            readonly body: readonly Stmt[];
          }
        | { readonly type: 'Match'; readonly subject: Expr; readonly cases: readonly (readonly Stmt[])[] }
        | {
            readonly type: 'Import';
            readonly module: string;
            readonly level: number;
            readonly from: boolean;
            readonly names: readonly ImportedName[];
          }
        | { readonly type: 'Pass' | 'Break' | 'Continue' | 'Other' }
      ))
  | FunctionStmt
  | ClassStmt;

export interface Comment extends Place {
  readonly value: string;
}

/** One parsed file. */
export interface Tree {
  readonly body: readonly Stmt[];
  readonly comments: readonly Comment[];
  readonly problem: string | null;
}
