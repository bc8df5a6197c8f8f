// The hash chain and the HMACs of the journal: a cut-off last line is ignored, any change is found with its line.

import fc from 'fast-check';
import { createHash, createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { CHAIN_START, parseJournal, printJournalLine, scanJournal } from './journal.js';
import type { Envelope, JournalKey } from './journal.js';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

function journalOf(events: readonly Envelope[]): string {
  let prev = CHAIN_START;
  let text = '';
  for (const event of events) {
    const { line, head } = printJournalLine(1, event, prev, hash);
    text += line;
    prev = head;
  }
  return text;
}

function eventsOf(data: readonly unknown[]): readonly Envelope[] {
  return data.map((one, index) => ({ seq: index + 1, ts: '2026-01-01T00:00:00.000Z', type: 'Happened', data: one }));
}

it('reads back what it printed', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 8 }), (data) => {
      const events = eventsOf(JSON.parse(JSON.stringify(data)) as unknown[]);
      const text = journalOf(events);
      const result = parseJournal(text, 1, hash);
      expect(result).toMatchObject({ ok: true, journal: { events, goodLength: text.length, torn: null } });
    }),
  );
});

it('ignores a last line that was cut off, wherever it was cut', () => {
  const events = eventsOf(['one', 'two', 'three']);
  const text = journalOf(events);
  const whole = journalOf(events.slice(0, 2)).length;
  for (let length = whole + 1; length < text.length; length++) {
    const result = parseJournal(text.slice(0, length), 1, hash);
    expect(result).toMatchObject({ ok: true, journal: { events: events.slice(0, 2), goodLength: whole } });
  }
});

function checkBroken(text: string, line: number, detail: RegExp): void {
  const result = parseJournal(text, 1, hash);
  expect(result).toMatchObject({ ok: false, fault: { kind: 'broken', line, detail: expect.stringMatching(detail) } });
}

it('finds a changed, removed, added or broken line by its number', () => {
  const text = journalOf(eventsOf(['one', 'two', 'three']));
  const [first = '', second = '', third = ''] = text.split('\n');
  checkBroken(text.replace('"two"', '"2wo"'), 2, /the line was changed \(its hash does not match\)/);
  checkBroken(`${first}\n${third}\n`, 2, /has the number 3/);
  checkBroken(`${first}\n${second}\n${first}\n`, 3, /has the number 1/);
  checkBroken(`${first}\nnot json\n`, 2, /not JSON/);
  checkBroken(`${first}\n42\n`, 2, /not an object/);
  checkBroken(`${first}\n{"v":1}\n`, 2, /lacks a required member/);
  checkBroken(`${first}\n${second.replace(/"prev":"[0-9a-f]{64}"/, `"prev":"${CHAIN_START}"`)}\n`, 2, /does not continue/);
});

it('notices any single changed byte', () => {
  const text = journalOf(eventsOf([{ a: 1 }, { b: 2 }]));
  for (let at = 0; at < text.length - 1; at++) {
    const changed = `${text.slice(0, at)}${text[at] === '7' ? '8' : '7'}${text.slice(at + 1)}`;
    const result = parseJournal(changed, 1, hash);
    expect(result.ok, `byte ${at}`).toBe(false);
  }
});

it('refuses lines of a later version', () => {
  const { line } = printJournalLine(2, { seq: 1, ts: 't', type: 'New', data: {} }, CHAIN_START, hash);
  expect(parseJournal(line, 1, hash)).toEqual({ ok: false, fault: { kind: 'newer', line: 1, version: 2 } });
});

const keyNamed = (id: string): JournalKey => ({ id, sign: (digest) => createHmac('sha256', id).update(digest).digest('hex') });
const OURS = keyNamed('00000001');
const THEIRS = keyNamed('00000002');

/** Prints the events, each signed with the key beside it. */
function signed(...lines: readonly (readonly [data: unknown, key: JournalKey | null])[]): string {
  let prev = CHAIN_START;
  let text = '';
  for (const [index, event] of eventsOf(lines.map(([data]) => data)).entries()) {
    const { line, head } = printJournalLine(1, event, prev, hash, lines[index]?.[1] ?? null);
    text += line;
    prev = head;
  }
  return text;
}

const scan = (text: string, key: JournalKey | null) => scanJournal([{ text }], 1, hash, () => null, key);

it('authenticates a journal with its key, and only there', () => {
  const text = signed(['one', OURS], ['two', OURS]);
  expect(scan(text, OURS)).toMatchObject({ lines: 2, fault: null, authentication: 'authenticated' });
  expect(scan(`${text}{"v":1`, OURS)).toMatchObject({ lines: 2, fault: null, torn: '{"v":1' });
  for (const key of [THEIRS, null])
    expect(scan(text, key)).toMatchObject({ lines: 2, fault: null, authentication: 'not authenticated here' });
  // A journal of an earlier version.
  expect(scan(signed(['one', null], ['two', null]), OURS)).toMatchObject({ lines: 2, fault: null, authentication: 'not authenticated' });
  expect(parseJournal(text, 1, hash)).toMatchObject({ ok: true, journal: { events: eventsOf(['one', 'two']) } });
});

it('finds the line that was not written with the key, also with valid hashes', () => {
  const wrong = /^its HMAC is wrong/;
  const [first = '', second = ''] = signed(['one', OURS], ['two', OURS]).split('\n');
  const mac = (line: string) => /"mac":"([^"]+)"/.exec(line)?.[1] ?? '';
  // The forger keeps the HMAC of the line and computes its hash again.
  const kept: JournalKey = { id: '00000001', sign: () => mac(second).slice(9) };
  for (const [text, line, detail] of [
    [signed(['one', OURS], ['2wo', kept]), 2, wrong],
    [signed(['one', OURS], ['two', OURS], ['three', { ...THEIRS, id: OURS.id }], ['four', OURS]), 3, wrong],
    [signed(['one', OURS], ['two', THEIRS]), 2, wrong],
    [signed(['one', OURS], ['two', null]), 2, /^its HMAC is missing/],
    [`${first}\n${second.replace(mac(second), mac(first))}\n`, 2, /its hash does not match/],
  ] as const)
    expect(scan(text, OURS)).toMatchObject({ lines: line - 1, fault: { kind: 'broken', line, detail: expect.stringMatching(detail) } });
});
