// Severity tags in sentences: every form that agents use, and the sentences that only look tagged.

import { describe, expect, test } from 'vitest';
import { splitTag, stripOrnament } from './severity-tag.js';

function check(text: string, severity: string | null, rest = '', count: number | null = null): void {
  const tag = splitTag(text);
  expect(tag && [tag.severity, tag.rest, tag.count]).toEqual(severity && [severity, rest, count]);
}

describe('tags', () => {
  test.each([
    ['[HIGH] text', 'high', 'text'],
    ['(Critical) text', 'critical', 'text'],
    ['**[CRITICAL]** text', 'critical', 'text'],
    ['**[CRITICAL] title** - text', 'critical', 'title: text'],
    ['**High**: text', 'high', 'text'],
    ['**High:** text', 'high', 'text'],
    ['**High** text', 'high', 'text'],
    ['__Medium__ — text', 'medium', 'text'],
    ['`LOW` text', 'low', 'text'],
    ['*Warning*: text', 'medium', 'text'],
    ['HIGH: text', 'high', 'text'],
    ['High - text', 'high', 'text'],
    ['High — text', 'high', 'text'],
    ['P1 | text', 'high', 'text'],
    ['HIGH-2: text', 'high', 'text'],
    ['**HIGH-1: title**: text', 'high', 'title: text'],
    ['🔴 CRITICAL: text', 'critical', 'text'],
    ['🔴 **CRITICAL** – text', 'critical', 'text'],
    ['[🔴 CRITICAL] text', 'critical', 'text'],
    ['[HIGH | Accessibility] text', 'high', 'text'],
    ['[Severity: High] text', 'high', 'text'],
    ['[P0] text', 'critical', 'text'],
    ['[info] text', 'low', 'text'],
    ['【HIGH】 text', 'high', 'text'],
    ['F-001 [HIGH] text', 'high', 'F-001 text'],
    ['**Contrast** (Critical): text', 'critical', '**Contrast**: text'],
    ['text (Medium)', 'medium', 'text'],
    ['text [LOW].', 'low', 'text'],
    ['text. Severity: high. more', 'high', 'text. more'],
    ['text (severity = minor)', 'low', 'text'],
    ['[HIGH]', 'high', ''],
    ['Critical:', 'critical', ''],
    // Seen in reports whose Critical findings no reader took.
    ['Kritischer Fehler: text', 'critical', 'text'],
    ['Erreur critique : text', 'critical', 'text'],
    ['致命错误：text', 'critical', 'text'],
    ['Critical bug: text', 'critical', 'text'],
    ['P0 text', 'critical', 'text'],
    ['P2 text', 'medium', 'text'],
  ])('%s', check);

  test('reads the number in a tag', () => {
    check('Critical (2)', 'critical', '', 2);
    check('**CRITICAL (2):** must fix', 'critical', 'must fix', 2);
    check('High Issues (0): none', 'high', 'none', 0);
  });
});

describe('text that is no tag', () => {
  test.each([
    'High contrast mode is missing',
    'High-level overview: text',
    'Note: text',
    '**Note**: text',
    'Error: text',
    'Info: text',
    'a (high) wall of text',
    'see [high](docs/high.md)',
    '[2] footnote',
    '[x] done',
    '**never closed high',
    '**Contrast**: text',
    '[never closed high',
    'Low hanging fruit that goes on and on and on without any separator at all',
    'Lower: text',
    'Critique: text',
    'P0wer text',
    'Severity: unheard',
    '(2)',
    '',
    `High ${'x'.repeat(80)}: text`,
  ])('%s', (text) => check(text, null));
});

test('drops ornaments', () => {
  expect(['⚠️ text', ' • text', 'text ⚠️'].map(stripOrnament)).toEqual(['text', 'text', 'text ⚠️']);
});
