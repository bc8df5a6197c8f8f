// Units that a set-up file or a helper mocks away for tests that bear their name: those tests then ask the mock.

import { joinPath } from './paths.js';
import type { Module } from './scope.js';
import { at, bare, listAt, nodesOf, propertyName } from './tree.js';
import { stemOf } from './units.js';

const ENDS = ['ts', 'tsx', 'js', 'jsx', 'mts', 'mjs', 'cjs'];

/** Tests that ask for the real module, whatever is mocked around them. */
const REAL = /\b(?:unmock|doUnmock|dontMock|importActual|requireActual|restoreAllMocks)\b/;

export function unitsMockedAround(module: Module): ReadonlySet<string> {
  const { tree, project } = module;
  const units = new Set<string>();
  if (!/\b(?:vi|jest)\.(?:do)?[mM]ock\(/.test(tree.text)) return units;
  for (const node of nodesOf(tree)) {
    const callee = node.type === 'CallExpression' ? bare(at(node, 'callee')) : null;
    if (callee?.type !== 'MemberExpression' || !/^(mock|doMock)$/.test(propertyName(callee))) continue;
    const value = bare(listAt(node, 'arguments')[0] ?? null)?.['value'];
    if (typeof value !== 'string' || !value.startsWith('.')) continue;
    const stem = stemOf(joinPath(tree.file, value));
    if (testsNamed(stem).some((path) => isTold(project.lookup(path), stem, tree.file))) units.add(stem);
  }
  return units;
}

/** Where the tests of a module usually lie. */
function testsNamed(stem: string): readonly string[] {
  const cut = stem.lastIndexOf('/') + 1;
  const [folder, name] = [stem.slice(0, cut), stem.slice(cut)];
  const inner = folder.replace(/^(src|lib|app)\//, '');
  const places = [
    folder,
    `${folder}__tests__/`,
    ...['test/', 'tests/', '__tests__/'].flatMap((top) => [top, `${top}${inner}`, `${top}unit/`]),
  ];
  return [...new Set(places)].flatMap((place) => ['test', 'spec'].flatMap((word) => ENDS.map((end) => `${place}${name}.${word}.${end}`)));
}

/** The test imports the module, and gets the mock: by a set-up file, or since it imports the helper too. */
function isTold(test: string | null, stem: string, file: string): boolean {
  if (test === null || REAL.test(test)) return false;
  const imports = (path: string): boolean => {
    const name = (path.split('/').at(-1) ?? path).replace(/[^\w-]/g, (sign) => `\\${sign}`);
    return new RegExp(`(?:from|import|require\\()\\s*['"][^'"\\n]*/${name}(?:\\.\\w+)?['"]`).test(test);
  };
  return imports(stem) && (/set-?up/i.test(file) || imports(stemOf(file)));
}
