// Which items of a Rust file are tests, and which only tests use.

import type { Item, Meta } from './items.js';

/** Attributes by which runners know a test, by the last word of their path. */
const TEST_ATTRIBUTES: ReadonlySet<string> = new Set(
  'test rstest test_case quickcheck proptest wasm_bindgen_test bench test_matrix apply_test parameterized googletest gtest'.split(' '),
);

export function isTestFunction({ kind, attributes }: Item): boolean {
  return kind === 'fn' && attributes.some(({ name }) => isTestAttribute(name));
}

export function isTestAttribute(name: string): boolean {
  return TEST_ATTRIBUTES.has(name.split('::').at(-1) ?? '');
}

/** `cfg(test)`, `cfg(all(test, unix))`. Under `cfg(any(test, unix))` it belongs to the product as well. */
export function onlyInTests({ name, args }: Meta): boolean {
  const needsTest = (meta: Meta): boolean => {
    if (meta.name === 'all') return (meta.args ?? []).some(needsTest);
    if (meta.name === 'any') return (meta.args ?? []).length > 0 && (meta.args ?? []).every(needsTest);
    return meta.name === 'test' && meta.args === null && meta.value === null;
  };
  return name === 'cfg' && (args ?? []).some(needsTest);
}

/** What only tests use: it judges, and the product does without it. */
export function isJudgeItem(item: Item): boolean {
  if (item.attributes.some(onlyInTests) || item.body?.attributes.some(onlyInTests) === true || isTestFunction(item)) return true;
  return item.kind === 'mod' && /^(?:unit_?)?tests?$/.test(item.name) && findTestFunctions(item.body?.items ?? [], []).length > 0;
}

export interface TestFunction {
  readonly item: Item;
  /** `tests::adds`. */
  readonly name: string;
}

export function findTestFunctions(items: readonly Item[], path: readonly string[]): readonly TestFunction[] {
  return items.flatMap((item): readonly TestFunction[] => {
    if (isTestFunction(item)) return [{ item, name: [...path, item.name].join('::') }];
    return findTestFunctions(item.body?.items ?? [], item.kind === 'mod' ? [...path, item.name] : path);
  });
}
