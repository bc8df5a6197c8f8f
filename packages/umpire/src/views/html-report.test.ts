// The HTML report: what it says, and that foreign text stays text.

import { expect, it } from 'vitest';
import type { Event } from '@umpire/core/decider/events.js';
import {
  COMPLETE,
  SPRINT,
  TO_REVIEW,
  begun,
  done,
  escalation,
  finding,
  fix,
  start,
  told,
  verdict,
} from '../../../../test/support/session-events.js';
import { htmlReport } from './html-report.js';
import type { HtmlExtra } from './html-report.js';
import { stateWordOf } from './session-view.js';
import { UTC } from './words.js';

function pageOf(story: readonly Event[], diff: HtmlExtra['diff'] = null): string {
  const { events, state } = told(story);
  const around = { session: 'review-payments', state: stateWordOf(state, false), tasks: [], place: null, notes: [] };
  return htmlReport(state, { ...around, events, provenance: new Map(), clock: UTC, diff });
}

/** The text of each section, by its heading, without tags. */
function sectionsOf(page: string): Readonly<Record<string, string>> {
  const parts = page.split('<h2>').slice(1);
  const plain = (text: string) =>
    text
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
  return Object.fromEntries(parts.map((part) => [part.slice(0, part.indexOf('</h2>')), plain(part.slice(part.indexOf('</h2>')))]));
}

const LOGGED = finding('high', 'Card numbers are logged', 'src/pay.ts');
const NAMED = finding('low', 'A name is long', 'src/pay.ts');
const DISMISSED: Event = {
  type: 'FindingRuled',
  data: { ruling: 'dismissed', finding: LOGGED, verdict: 5, reason: 'it is a test card', by: 'dismiss', who: 'ann' },
};

it('tells a whole session: goal, verdicts, findings, evidence, tasks and the change', () => {
  const patch = 'diff --git a/src/pay.ts b/src/pay.ts\n@@ -1 +1 @@\n-log(card)\n+pay(card)\n';
  const page = pageOf(COMPLETE, { patch });
  expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
  const sections = sectionsOf(page);
  expect(Object.keys(sections)).toEqual(['By round', 'Goal', 'Tasks', 'Verdicts', 'Runs', 'Agents', 'Next steps', 'Change']);
  expect(sections['Goal']).toContain('Make the payment flow safe.');
  expect(sections['Verdicts']).toMatch(/round 1 of 3, rule .* fixed: .* Evidence: artifacts\/review-results\.json/);
  expect(page).toContain('<span class="removed">-log(card)</span>\n<span class="added">+pay(card)</span>\n');
});

it('lists findings with their fates, and those that a person dismissed', () => {
  const story = [...begun(), done('REVIEW-001'), fix('REVIEW-001', 1, [LOGGED, NAMED, finding('medium', 'No test')]), DISMISSED];
  const again = [...story, start('REVIEW-re-001'), done('REVIEW-re-001'), escalation('REVIEW-re-001', 2, [LOGGED, NAMED])];
  const sections = sectionsOf(pageOf(again));
  expect(sections['Dismissed findings']).toMatch(/Card numbers are logged.*dismissed by ann: it is a test card/);
  expect(sections['Verdicts']).toMatch(/round 2 of 3.*low: .*A name is long/);
});

it('draws charts by round that say their values', () => {
  const page = pageOf(COMPLETE);
  const labels = [...page.matchAll(/<svg[^>]*aria-label="([^"]*)"/g)].map(([, label]) => label);
  expect(labels).toEqual([
    expect.stringMatching(/^Open findings by round: round 1: \d+, round 2: \d+/) as string,
    expect.stringMatching(/^Cost by round: round 1: \$\d/) as string,
  ]);
});

it('cuts a long change at a line, and says where the rest is', () => {
  const page = pageOf(COMPLETE, { patch: '+a line\n'.repeat(40_000) });
  expect(page.length).toBeLessThan(1_500_000);
  expect(sectionsOf(page)['Change']).toContain('umpire diff review-payments');
  expect(pageOf(COMPLETE, { problem: 'Its branch is gone.' })).toContain('Its branch is gone.');
});

const HOSTILE = '</p></script><script>alert(1)</script><img src=x onerror=alert(2)>"\' &lt; \u202e\u001b[31m';

it('shows hostile text as text, wherever it stands', () => {
  const story: readonly Event[] = [
    ...begun(
      SPRINT.map((cells) => ({ ...cells, title: HOSTILE })),
      {
        goal: HOSTILE,
        why: HOSTILE,
        workspace: { kind: 'git', branch: HOSTILE, base: 'a'.repeat(40) },
      },
    ),
    start('REVIEW-001', HOSTILE),
    done('REVIEW-001', { findings: HOSTILE }),
    verdict('REVIEW-001', {
      outcome: 'escalate',
      decision: HOSTILE,
      reason: HOSTILE,
      waivers: [HOSTILE],
      anomalies: [{ rule: HOSTILE, message: HOSTILE }],
      trend: { kind: HOSTILE, stop: false, why: HOSTILE },
      findings: [
        { ...finding('critical', HOSTILE, HOSTILE), rule: HOSTILE },
        { ...LOGGED, message: HOSTILE },
      ],
      evidence: [{ path: HOSTILE, sha256: 'e'.repeat(64), grade: 'testified' }],
    }),
    { type: 'FindingRuled', data: { ruling: 'dismissed', finding: LOGGED, verdict: 6, reason: HOSTILE, by: HOSTILE, who: HOSTILE } },
  ];
  const page = pageOf(story, { patch: `+${HOSTILE}\n-${HOSTILE}\n@@ ${HOSTILE}\n` });
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(page).not.toMatch(/[\u202e\u001b]/);
  // Each tag is one of the page's own, with attributes of the page's own.
  const tags = page.slice(page.indexOf('<body>')).match(/<[^>]*>?/g) ?? [];
  const own =
    /^<\/?(?:body|header|main|footer|section|h[1-4]|p|strong|div|ul|ol|li|span|i|pre|code|figure|figcaption|svg|g|path|text|rect|circle|polyline|title|html)(?: (?:class|[a-z]{1,2}|width|height|points|viewBox|role|aria-label|text-anchor)="[^"<>]*")*(?: \/)?>$/;
  expect(tags.filter((tag) => !own.test(tag))).toEqual([]);
  expect(page).not.toMatch(/https?:|url\(|@import/);
});

it('reports a session that nobody judged', () => {
  expect(sectionsOf(pageOf([]))['Verdicts']).toBe('No verdict yet.');
  expect(sectionsOf(pageOf(TO_REVIEW))['Verdicts']).toBe('No verdict yet.');
});
