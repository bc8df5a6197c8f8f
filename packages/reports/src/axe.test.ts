import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';
import { axe } from './axe.js';
import { openReport } from './open-report.js';

const fixture = (name: string): string => readFileSync(join(import.meta.dirname, '../../../fixtures/tools/axe', name), 'utf8');

function read(report: unknown): ToolReport {
  const reader = openReport({ format: axe, root: '/project' });
  reader.write(new TextEncoder().encode(typeof report === 'string' ? report : JSON.stringify(report)));
  return reader.end();
}

const notes = (report: unknown): readonly string[] => read(report).problems.map(({ message }) => message);
const node = (target: unknown, impact: string | null = null) => ({ target, impact, html: '<p>' });
const rule = (id: string, impact: string | null, nodes: readonly object[]) => ({ id, impact, help: `Help of ${id}`, helpUrl: 'x', nodes });

describe('axe', () => {
  it('takes every element for a finding, and what was not decided for a Low one', () => {
    const { findings, ...rest } = read(fixture('axe.json'));
    expect(rest).toEqual({ format: 'axe', outcome: 'fail', counts: { critical: 2, high: 0, medium: 1, low: 1 }, problems: [] });
    expect(findings.map(({ severity, message, artifact, line, rule: id }) => [severity, message, artifact, line, id])).toEqual([
      ['critical', 'Images must have alternative text: header > img', 'site/index.html', null, 'image-alt'],
      ['critical', 'Images must have alternative text: #frame #host .inner', 'site/index.html', null, 'image-alt'],
      ['medium', 'All page content should be contained by landmarks: p', 'site/index.html', null, 'region'],
      [
        'low',
        'Elements must meet minimum color contrast ratio thresholds: 2 elements need a manual check',
        'site/index.html',
        null,
        'color-contrast',
      ],
    ]);
  });

  it('reads a list of pages, and a bare list of violations', () => {
    const page = (url: string, impact: string) => ({ url, violations: [rule('a', impact, [node(['p'])])], passes: [] });
    expect(read([page('https://x/1', 'minor'), page('https://x/2', 'serious')])).toMatchObject({
      outcome: 'fail',
      findings: [{ message: 'Help of a: p on https://x/2', artifact: null }, { message: 'Help of a: p on https://x/1' }],
    });
    expect(read([rule('a', 'moderate', [node(['p'], 'minor'), node(['q'])]), rule('b', 'minor', [])])).toMatchObject({
      outcome: 'pass',
      counts: { critical: 0, high: 0, medium: 1, low: 2 },
    });
  });

  const checked = (target: string, impact: string | null, message: string, summary = `Fix any of the following:\n  ${message}`) => ({
    ...node([target], impact),
    any: [{ id: 'check', data: null, message, impact, relatedNodes: [] }],
    all: [],
    none: [],
    ...(summary === '' ? {} : { failureSummary: summary }),
  });

  it('takes undecided checks for Low findings, also where they are merged into the violations', () => {
    const undecided = rule('color-contrast', 'serious', [
      checked('p', 'serious', "Element's background color could not be determined due to a background gradient"),
      checked('q', 'serious', 'Unable to determine contrast ratio'),
    ]);
    const video = rule('video-caption', 'critical', [checked('video', 'critical', 'Check that captions are available for the element')]);
    const real = rule('image-alt', 'critical', [checked('img', 'critical', 'Element does not have an alt attribute')]);
    expect(read([undecided, video])).toMatchObject({ outcome: 'pass', counts: { critical: 0, high: 0, medium: 0, low: 2 } });
    expect(read({ violations: [undecided, real], passes: [] })).toMatchObject({
      outcome: 'fail',
      counts: { critical: 1, high: 0, low: 1 },
    });
    const mixed = rule('color-contrast', 'serious', [
      ...undecided.nodes,
      checked('r', 'serious', 'Element has insufficient color contrast of 2.1'),
    ]);
    expect(read({ violations: [mixed], passes: [] })).toMatchObject({ outcome: 'fail', counts: { high: 1, low: 1 } });
    const marked = { ...rule('a', 'serious', [node(['p'], 'serious')]), result: 'incomplete' };
    expect(read([marked])).toMatchObject({ outcome: 'pass', counts: { high: 0, low: 1 } });
  });

  it('takes a bare list of passed or inapplicable rules for no violations', () => {
    const passed = rule('aria-roles', null, [checked('p', null, 'ARIA role is valid', '')]);
    const rated = rule('duplicate-id', 'minor', [checked('p', 'minor', 'Document has no static elements with the same id', '')]);
    expect(read([passed, rated])).toMatchObject({ outcome: 'pass', counts: { critical: 0, high: 0, medium: 0, low: 0 }, problems: [] });
    expect(read([rule('blink', null, []), rule('marquee', null, [])])).toMatchObject({ outcome: 'pass', findings: [] });
    const real = rule('image-alt', null, [checked('img', null, 'Element does not have an alt attribute')]);
    expect(read([passed, real])).toMatchObject({ outcome: 'fail', counts: { high: 1 } });
  });

  it('counts an unknown impact High', () => {
    const report = { violations: [rule('a', null, [node(['p'])]), rule('b', 'odd', [node(['p'])])] };
    expect([read(report).counts?.high, ...notes(report)]).toEqual([
      2,
      'unknown severity "none"; counted as High',
      'unknown severity "odd"; counted as High',
    ]);
  });

  it.each([
    [{ violations: [], passes: [], incomplete: [], inapplicable: [] }, 'no rule ran: every list is empty'],
    [{ passes: [rule('a', null, [])] }, 'the list "violations" is missing'],
    [{ violations: null, passes: [] }, '"violations" is null; expected a list'],
    [[{ url: 'x' }], 'the list "violations" is missing'],
  ])('is an error: %j', (report, why) => {
    expect([read(report).outcome, notes(report)[0]]).toEqual(['error', why]);
  });

  it('passes where rules ran and nothing was violated', () => {
    expect(read({ violations: [], passes: [rule('a', null, [])] })).toMatchObject({ outcome: 'pass', findings: [], problems: [] });
  });
});
