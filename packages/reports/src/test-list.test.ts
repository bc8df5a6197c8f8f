import fc from 'fast-check';
import { TestList } from './report-builder.js';
import type { TestResult, TestStatus } from '@umpire/core/model/vocabulary.js';
import { describe, expect, it } from 'vitest';

const test = (id: string, status: TestStatus, message: string | null = null): TestResult => ({
  id,
  status,
  file: 'src/price.test.ts',
  line: 1,
  message,
  durationMs: 2,
});

const STATUSES: readonly TestStatus[] = ['passed', 'failed', 'errored', 'skipped'];

describe('TestList', () => {
  it('counts a test once, by its last result, where it stood first', () => {
    const ledger = new TestList(10);
    for (const result of [test('a', 'failed', 'boom'), test('b', 'passed'), test('a', 'passed'), test('b', 'skipped')]) ledger.add(result);
    expect(ledger.counts()).toEqual({ total: 2, passed: 1, failed: 0, errored: 0, skipped: 1 });
    expect(ledger.listed()).toEqual([test('a', 'passed'), test('b', 'skipped')]);
    expect([ledger.retries, ledger.overran]).toEqual([2, false]);
  });

  it('lists what did not pass before others, where not all are listed', () => {
    const ledger = new TestList(3);
    const all = [test('a', 'passed'), test('b', 'failed'), test('c', 'skipped'), test('d', 'passed'), test('e', 'errored')];
    for (const result of all) ledger.add(result);
    expect(ledger.counts()).toEqual({ total: 5, passed: 2, failed: 1, errored: 1, skipped: 1 });
    expect(ledger.listed()).toEqual([test('b', 'failed'), test('e', 'errored'), test('a', 'passed')]);
  });

  it('takes retries of tests that are not listed', () => {
    const ledger = new TestList(1);
    const later = [test('c', 'failed', 'first'), test('d', 'passed'), test('c', 'passed'), test('d', 'errored'), test('d', 'failed')];
    for (const result of [test('a', 'passed'), ...later]) ledger.add(result);
    expect(ledger.counts()).toEqual({ total: 3, passed: 2, failed: 1, errored: 0, skipped: 0 });
    expect(ledger.listed()).toEqual([test('d', 'failed')]);
    expect(ledger.retries).toBe(3);
  });

  it('bounds ids and messages, and still tells long ids apart', () => {
    const ledger = new TestList(10);
    const long = 'x'.repeat(5000);
    ledger.add(test(`${long}1`, 'passed'));
    ledger.add(test(`${long}2`, 'failed', long));
    ledger.add(test(`${long}2`, 'failed', long));
    const [first, second] = ledger.listed();
    expect(ledger.counts().total).toBe(2);
    expect(first?.id.length).toBeLessThanOrEqual(1000);
    expect(first?.id).not.toBe(second?.id);
    expect(second?.message).toBe('x'.repeat(1500));
  });

  it('goes on counting where more tests come than it can tell apart', () => {
    const ledger = new TestList(1, 3);
    for (const id of 'abcdefe') ledger.add(test(id, 'passed'));
    expect(ledger.counts()).toEqual({ total: 7, passed: 7, failed: 0, errored: 0, skipped: 0 });
    expect([ledger.overran, ledger.retries]).toEqual([true, 0]);
  });

  const isBad = (status: TestStatus | undefined) => status === 'failed' || status === 'errored';

  it('agrees with a plain map, whatever is kept', () => {
    const results = fc.array(fc.tuple(fc.nat(60), fc.constantFrom(...STATUSES)), { maxLength: 200 });
    fc.assert(
      fc.property(results, fc.nat(20), (list, keep) => {
        const ledger = new TestList(keep);
        const plain = new Map<string, TestStatus>();
        let mended = 0;
        for (const [number, status] of list) {
          const id = `suite > test ${number}`;
          if (isBad(plain.get(id)) && !isBad(status)) mended += 1;
          ledger.add(test(id, status));
          plain.set(id, status);
        }
        const count = (wanted: TestStatus) => [...plain.values()].filter((status) => status === wanted).length;
        const counts = { passed: count('passed'), failed: count('failed'), errored: count('errored'), skipped: count('skipped') };
        expect(ledger.counts()).toEqual({ total: plain.size, ...counts });
        const listed = ledger.listed();
        expect(listed.length).toBeLessThanOrEqual(keep);
        for (const { id, status } of listed) expect(status).toBe(plain.get(id));
        const bad = listed.filter(({ status }) => isBad(status)).length;
        const most = Math.min(keep, counts.failed + counts.errored);
        expect(bad).toBeLessThanOrEqual(most);
        // A failure that found the list full is not called back when a listed one passes on a retry.
        expect(bad).toBeGreaterThanOrEqual(most - mended);
        expect(ledger.retries).toBe(list.length - plain.size);
      }),
    );
  });
});
