// Where the tests of a source file usually lie.

export function testPaths(path: string): readonly string[] {
  const slash = path.lastIndexOf('/');
  const folder = path.slice(0, Math.max(0, slash));
  const [name = '', ending = ''] = /^(.*?)\.(\w+)$/.exec(path.slice(slash + 1))?.slice(1) ?? [];
  if (name === '') return [];
  const inner = folder.replace(/^(src|lib|source)\/?/, '');
  const join = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('/');
  if (ending === 'py') {
    const last = inner.split('/').slice(1).join('/');
    return [
      join('tests', `test_${name}.py`),
      join('test', `test_${name}.py`),
      join('tests', last, `test_${name}.py`),
      join(folder, `test_${name}.py`),
      join(folder, 'tests', `test_${name}.py`),
      join('testing', `test_${name}.py`),
      `test_${name}.py`,
    ];
  }
  const endings = [ending, 'js', 'ts', 'mjs', 'cjs'].filter((one, index, all) => all.indexOf(one) === index);
  return endings.flatMap((end) => [
    join(folder, `${name}.test.${end}`),
    join(folder, `${name}.spec.${end}`),
    join(folder, '__tests__', `${name}.test.${end}`),
    ...['test', 'tests', '__tests__'].flatMap((root) => [
      join(root, `${name}.test.${end}`),
      join(root, `${name}.${end}`),
      join(root, inner, `${name}.test.${end}`),
      join(root, inner, `${name}.${end}`),
      join(root, 'unit', `${name}.${end}`),
      join(root, 'unit', `${name}.test.${end}`),
    ]),
  ]);
}
