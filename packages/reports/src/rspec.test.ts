import { expect, it } from 'vitest';
import { readFixture, tellReport, tellTests } from '../../../test/support/report-text.js';

it('reads each example with its place', () => {
  expect(tellTests(readFixture('rspec/red.json'))).toEqual([
    'passed spec/cart_spec.rb > Cart > counts (spec/cart_spec.rb:8)',
    'passed spec/cart_spec.rb > Cart > is expected to respond to #add (spec/cart_spec.rb:9)',
    'failed spec/cart_spec.rb > Cart#remove > drops a line (spec/cart_spec.rb:11): expected: 1',
    'skipped spec/cart_spec.rb > Cart#remove > waits (spec/cart_spec.rb:12)',
    'skipped spec/cart_spec.rb > Cart#remove > is skipped (spec/cart_spec.rb:13)',
    "failed spec/cart_spec.rb > Cart#remove > raises (spec/cart_spec.rb:14): undefined method `remove' for #<Cart:0x00007fa8ab9b87b8 @lines=[]>",
  ]);
});

it('counts a file that cannot be loaded as an error', () => {
  const report = readFixture('rspec/not-loaded.json');
  expect(tellTests(report)).toEqual(['errored rspec: An error occurred while loading ./spec/broken_spec.rb.']);
  expect(report.outcome).toBe('fail');
});

it.each([
  ['green.json', ['rspec pass 1/0/0/0']],
  ['skipped.json', ['rspec error 0/0/0/1', 'no test ran: the only one is skipped']],
  ['nothing.json', ['rspec error 0/0/0/0', 'the report has no tests']],
])('tells how %s ended', (path, expected) => {
  expect(tellReport(readFixture(`rspec/${path}`))).toEqual(expected);
});
