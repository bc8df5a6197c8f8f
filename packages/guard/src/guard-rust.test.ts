// The guard on Rust: tests inside the file that they test, test files, and examples of doc comments.

import { describe, expect, it, test } from 'vitest';
import { guardChange } from './guard.js';
import type { GuardScope } from './change.js';

const LIB = `use std::fmt;

/// Adds up.
///
/// \`\`\`
/// let prices = [1, 2];
/// # let _ = ();
/// assert_eq!(shop::total(&prices), 3);
/// \`\`\`
pub fn total(prices: &[i64]) -> i64 {
    assert!(prices.len() < 100, "too many");
    prices.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(prices: &[i64], wanted: i64) {
        assert_eq!(total(prices), wanted);
    }

    #[test]
    fn adds() {
        let sum = total(&[1, 2]);
        assert_eq!(sum, 3, "the sum of {:?}", 1);
    }

    #[test]
    fn of_nothing() {
        check(&[], 0);
    }

    #[test]
    #[should_panic(expected = "too many")]
    fn refuses() {
        total(&[0; 100]);
    }

    #[tokio::test]
    async fn parses() -> Result<(), Box<dyn std::error::Error>> {
        let cart = Cart { name: "a", prices: vec![1, 2] };
        match cart.parse::<u8>().await? {
            Ok(n) if n > 1 => assert_eq!(n as u64 >> 2, <u64 as Default>::default()),
            _ => panic!("no"),
        }
        for (a, b) in [(1, 2), (3, 4)] {
            assert_ne!(a, b);
        }
        assert!(!cart.items.iter().map(|item| item.name.clone()).collect::<Vec<_>>().is_empty());
        assert!(matches!(cart.state, State::Open { .. }));
        Ok(())
    }
}
`;

const ADDS = '#[test]\n    fn adds()';

type Edit = (text: string) => string;

function findingsOf(edit: Edit, { path = 'src/lib.rs', scope = 'any' }: { readonly path?: string; readonly scope?: GuardScope } = {}) {
  const after = edit(LIB);
  expect(after).not.toBe(LIB);
  const { findings, problems, unread } = guardChange({ change: { files: [{ path, before: LIB, after }] }, scope, mustBeRead: true });
  expect(unread).toEqual([]);
  return { told: findings.map(({ rule, level, test: title }) => `${rule} ${level} ${title ?? ''}`.trim()), problems };
}

const replace =
  (from: string | RegExp, to: string): Edit =>
  (text) =>
    text.replace(from, to);

test.each<[string, Edit, readonly string[]]>([
  ['a deleted test', replace(/ {4}#\[test\]\n {4}fn adds[^]*?\n {4}}\n/, ''), ['test-deleted note tests > adds']],
  [
    'a deleted module',
    replace(/#\[cfg\(test\)\][^]*$/, ''),
    ['adds', 'of_nothing', 'refuses', 'parses'].map((name) => `test-deleted note tests > ${name}`),
  ],
  ['an ignored test', replace(ADDS, `#[ignore]\n    ${ADDS}`), ['test-skipped breach tests > adds']],
  ['one that is never compiled', replace(ADDS, `#[cfg(any())]\n    ${ADDS}`), ['test-skipped breach tests > adds']],
  ['one ignored under tests', replace(ADDS, `#[cfg_attr(test, ignore = "slow")]\n    ${ADDS}`), ['test-skipped breach tests > adds']],
  ['one under a condition', replace(ADDS, `#[cfg(nightly_only)]\n    ${ADDS}`), ['test-conditional breach tests > adds']],
  ['one on some machines', replace(ADDS, `#[cfg(target_os = "linux")]\n    ${ADDS}`), ['test-conditional note tests > adds']],
  [
    'a module that is never compiled',
    replace('#[cfg(test)]', '#[cfg(all(test, not(test)))]'),
    ['adds', 'of_nothing', 'refuses', 'parses'].map((name) => `test-skipped breach tests > ${name}`),
  ],
  ['one that lost its mark', replace(ADDS, 'fn adds()'), ['test-hidden breach tests > adds']],
  ['one without its check', replace(/ {8}assert_eq!\(sum.*\n/, ''), ['test-emptied note tests > adds']],
  ['a helper without its check', replace('assert_eq!(total(prices), wanted);', ''), ['test-emptied note tests > of_nothing']],
  ['a weaker check', replace('assert_eq!(sum, 3,', 'assert!(sum > 0,'), ['assertion-weakened note tests > adds']],
  ['one that any panic passes', replace('(expected = "too many")', ''), ['assertion-weakened note tests > refuses']],
  ['one that its own failure passes', replace(ADDS, `#[should_panic]\n    ${ADDS}`), ['assertion-swallowed note tests > adds']],
  ['one that leaves early', replace('let sum', 'if total(&[]) == 0 { return; }\n        let sum'), ['early-return note tests > adds']],
  [
    'one that catches its failure',
    replace(/match cart[^]*?\n {8}}\n/, 'if cart.name == "b" { assert_eq!(1 + 1, cart.len()); }\n'),
    ['assertion-removed note tests > parses'],
  ],
  ['a rewritten expectation', replace('(sum, 3,', '(sum, 4,'), ['rebaselined note tests > adds']],
  ['an ignored example', replace('/// ```\n', '/// ```ignore\n'), ['test-skipped breach total example 1']],
  ['an example that is only compiled', replace('/// ```\n', '/// ```no_run\n'), ['test-skipped breach total example 1']],
  ['an example that is text now', replace('/// ```\n', '/// ```text\n'), ['test-deleted note total example 1']],
  ['an example without its check', replace('/// assert_eq!(shop::total(&prices), 3);\n', ''), ['test-emptied note total example 1']],
])('finds %s', (_name, edit, told) => {
  expect(findingsOf(edit)).toEqual({ told, problems: [] });
});

test.each<[string, Edit]>([
  ['a renamed test', replace('fn adds()', 'fn adds_up()')],
  ['the same check in other words', replace('assert_eq!(sum, 3, "the sum of {:?}", 1);', 'assert!(3_i64 == sum);')],
  ['product code', replace('.sum()', '.sum::<i64>()')],
  ['an assertion of product code', replace('    assert!(prices.len() < 100, "too many");\n', '')],
  ['product code that is gone with its test', replace(/\/\/\/ Adds up[^]*?\n}\n/, '')],
])('says nothing of %s', (name, edit) => {
  const whole: Edit = name.includes('gone')
    ? (text) =>
        edit(text)
          .replace(/#\[cfg\(test\)\][^]*$/, '')
          .replaceAll(/check/g, '')
    : edit;
  const { told } = findingsOf(whole);
  expect(told.filter((line) => !line.includes('of_nothing') && !line.includes('parses'))).toEqual([]);
});

describe('where only tests may change', () => {
  it('lets tests in source files be added', () => {
    const more = '    #[test]\n    fn one() {\n        assert_eq!(total(&[5]), 5);\n    }\n';
    expect(findingsOf(replace('    use super::*;\n', `    use super::*;\n${more}`), { scope: 'testing' }).told).toEqual([]);
  });

  it('does not let product code change', () => {
    expect(findingsOf(replace('.sum()', '.sum::<i64>()'), { scope: 'testing' }).told).toEqual(['source-changed breach']);
  });
});

it('reads files of tests alone as a whole', () => {
  expect(findingsOf(replace(/ {8}assert_eq!\(sum.*\n/, ''), { path: 'tests/shop.rs' }).told).toEqual(['test-emptied note tests > adds']);
});

it('says of a file that it cannot read', () => {
  expect(findingsOf((text) => `${text}}`)).toEqual({
    told: ['test-unread breach'],
    problems: [{ file: 'src/lib.rs', message: 'Not readable as code: "}" closes nothing (line 55)' }],
  });
});

it.each([
  ['brackets', `${'('.repeat(20_000)}${')'.repeat(20_000)};`],
  ['blocks', `${'{'.repeat(20_000)}${'}'.repeat(20_000)}`],
  ['branches', `${'if a { } else '.repeat(20_000)}{ }`],
  ['arms', `${'match a { _ => '.repeat(3000)}1${'}'.repeat(3000)}`],
  ['signs', `${'!'.repeat(20_000)}a;`],
])('bears %s nested deeper than people write', (_name, code) => {
  const before = `#[test]\nfn a() {\n    assert!(b());\n    ${code}\n}\n`;
  const { findings } = guardChange({
    change: { files: [{ path: 'tests/a.rs', before, after: before.replace('assert!(b());', '') }] },
    scope: 'any',
  });
  expect(findings.length).toBeLessThanOrEqual(1);
});

const VITEST = `export const total = (prices) => prices.reduce((a, b) => a + b, 0);

if (import.meta.vitest) {
  const { expect, it } = import.meta.vitest;
  it('adds', () => {
    expect(total([1, 2])).toBe(3);
  });
}
`;

test.each<[string, Edit, readonly string[]]>([
  ['a skipped test', replace('it(', 'it.skip('), ['test-skipped breach adds']],
  ['a test without its check', replace('.toBe(3)', ''), ['test-emptied note adds']],
  ['deleted tests', replace(/if \(import[^]*$/, ''), ['test-deleted note adds']],
])('finds %s of in-source Vitest', (_name, edit, told) => {
  const { findings } = guardChange({
    change: { files: [{ path: 'src/total.js', before: VITEST, after: edit(VITEST) }] },
    scope: 'any',
  });
  expect(findings.map(({ rule, level, test: title }) => `${rule} ${level} ${title ?? ''}`)).toEqual(told);
});
