// Where the tests of a source file usually lie.

export function testPaths(path: string): readonly string[] {
  const slash = path.lastIndexOf('/');
  const folder = path.slice(0, Math.max(0, slash));
  const [name = '', ending = ''] = /^(.*?)\.(\w+)$/.exec(path.slice(slash + 1))?.slice(1) ?? [];
  if (name === '') return [];
  const inner = folder.replace(/^(src|lib|source)\/?/, '');
  const joinParts = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('/');
  if (ending === 'py') {
    const last = inner.split('/').slice(1).join('/');
    return [
      joinParts('tests', `test_${name}.py`),
      joinParts('test', `test_${name}.py`),
      joinParts('tests', last, `test_${name}.py`),
      joinParts(folder, `test_${name}.py`),
      joinParts(folder, 'tests', `test_${name}.py`),
      joinParts('testing', `test_${name}.py`),
      `test_${name}.py`,
    ];
  }
  const endings = [ending, 'js', 'ts', 'mjs', 'cjs'].filter((one, index, all) => all.indexOf(one) === index);
  return endings.flatMap((end) => [
    joinParts(folder, `${name}.test.${end}`),
    joinParts(folder, `${name}.spec.${end}`),
    joinParts(folder, '__tests__', `${name}.test.${end}`),
    ...['test', 'tests', '__tests__'].flatMap((root) => [
      joinParts(root, `${name}.test.${end}`),
      joinParts(root, `${name}.${end}`),
      joinParts(root, inner, `${name}.test.${end}`),
      joinParts(root, inner, `${name}.${end}`),
      joinParts(root, 'unit', `${name}.${end}`),
      joinParts(root, 'unit', `${name}.test.${end}`),
    ]),
  ]);
}
