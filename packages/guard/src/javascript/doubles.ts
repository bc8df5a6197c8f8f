// The words by which tests replace things: mocks, spies, clocks, assertions. Tables only.

export const GLOBALS: ReadonlySet<string> = new Set(['globalThis', 'global', 'window', 'self']);
export const CLOCK: ReadonlySet<string> = new Set([
  'Date',
  'performance',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'hrtime',
]);
export const ASSERTING: ReadonlySet<string> = new Set(['expect', 'assert', 'should', 'chai', 'Assertion']);
export const MODULE_MOCKS: ReadonlySet<string> = new Set([
  'mock',
  'doMock',
  'setMock',
  'unstable_mockModule',
  'module',
  'replace',
  'replaceEsm',
]);
export const SPIES: ReadonlySet<string> = new Set([
  'spyOn',
  'stub',
  'method',
  'replace',
  'replaceProperty',
  'getter',
  'setter',
  'replaceGetter',
]);
export const ANSWERS =
  /^(mock(Return|Resolved|Rejected)Value(Once)?|mockImplementation(Once)?|mockReturnThis|returns|resolves|rejects|callsFake|throws|get|set|value|yields|returnsArg|returnsThis)$/;

/** Objects that mocks are asked of. */
export const MOCKING = /^(vi|vitest|jest|sinon|td|mock|rewiremock|[\w$]*[sS]andbox|[\w$]+\.mock|[\w$.]*\.mock)$/;

/** What assertions are built on. */
export const BUILT_IN =
  /^(Object\.is|(RegExp|Array|String|Map|Set)\.prototype\.(test|every|some|includes|has|match)|Number\.is\w+|Array\.isArray)$/;

/** Functions of node:assert that are imported by name. */
export const METHODS = /^(strictEqual|deepStrictEqual|deepEqual|notStrictEqual|notDeepStrictEqual|assertEquals)$/;

/** Words that every replacement has one of; most files have none and need not be searched. */
export const WORDS = new RegExp(
  [
    String.raw`[mM]ock|spyOn|stub|\.replace\w*\(|extend\(|overwrite|\.add(Method|Property|Chainable|Equality|Snapshot)|define(Property|Properties)`,
    String.raw`prototype|process\.(on|exit)|require\.cache|globalThis|global\.|window\.|self\.|Object\.(assign|is)|Reflect\.set|\b(state|status)\s*=`,
    String.raw`\b(Date|now|performance|setTimeout|setInterval|setImmediate|expect|assert)\s*=|\b(function|const|let|var)\s+(expect|assert|\w*[eE]qual)\b`,
    String.raw`\.[\w$]+\s*=\s*(async\b|\(|function|[\w$]+\s*=>|[\w$]+\.(fn|fake|spy)|assert\.)|assert(\.\w+)*\s*=|\]\s*=`,
  ].join('|'),
);

export const LOOKED_AT: ReadonlySet<string> = new Set([
  'CallExpression',
  'AssignmentExpression',
  'VariableDeclarator',
  'FunctionDeclaration',
]);
