import { expect, it } from 'vitest';
import { fold } from '@umpire/core/decider/evolve.js';
import type { Event } from '@umpire/core/decider/events.js';
import { ESCALATED, FIXED, SETTINGS, begins, begun, recorded, row, start } from '../../../../test/support/session-events.js';
import { liveLines, sparkline } from './live-view.js';
import type { Activity, Screen } from './live-view.js';
import { columnsOf } from './safe-text.js';

const SCREEN: Screen = { columns: 80, rows: 24, color: false, unicode: true };
const DOING: Activity = { doing: '> Bash npm test', printedMs: null, tokens: 12_300, costUsd: 0.12 };

/** The lines `afterMs` after the last event; each running task started with it. */
function draw(story: readonly Event[], activities: Readonly<Record<string, Activity>> = {}, screen: Partial<Screen> = {}, afterMs = 4000) {
  const state = fold(recorded(story));
  const lastMs = state.run?.lastMs ?? 0;
  const startedMs = new Map([...(state.run?.running ?? [])].map((id) => [id, lastMs]));
  const facts = { nowMs: lastMs + afterMs, startedMs, activities: new Map(Object.entries(activities)) };
  return liveLines(state, facts, { ...SCREEN, ...screen });
}

it('shows the running task, the last verdict, the rounds as a chart, and the budget that is left', () => {
  let score = 4;
  const judged = FIXED.map((event) =>
    event.type === 'VerdictGiven' ? { ...event, data: { ...event.data, facts: { score: (score += 2) } } } : event,
  );
  const story = [...judged, begins('resume', { ...SETTINGS, maxCostUsd: 5 })];
  const running = [...story, start(pendingTask(story))];
  expect(draw(running, { [pendingTask(story)]: DOING })).toMatchSnapshot();
});

it('counts the usage that running tasks report into what is spent', () => {
  const one = begun([row('A', 'developer')], { settings: { ...SETTINGS, maxTokens: 20_000 } });
  const story = [...one.slice(0, 2), begins('run', { ...SETTINGS, maxTokens: 20_000 }), start('A')];
  expect(draw(story, { A: DOING }).at(-1)).toBe('  spent    12,300 tokens, $0.12; left: 57 min 56 s, 7,700 tokens');
});

it('says for how long an agent has printed nothing', () => {
  const story = [...begun([row('A', 'developer')]), start('A')];
  expect(draw(story, {}, {}, 59_000)[2]).toBe('    started');
  expect(draw(story, { A: DOING }, {}, 4 * 60_000 + 5000)[2]).toBe('    no output for 4 min  > Bash npm test');
});

it('gives each task one line where there is no room for two, and counts the rest', () => {
  const ids = Array.from({ length: 20 }, (_, at) => `T-${at}`);
  const story = [...begun(ids.map((id) => row(id, 'developer'))), ...ids.map((id) => start(id))];
  const lines = draw(story);
  expect(lines.length).toBeLessThanOrEqual(SCREEN.rows - 4);
  expect(lines).toContain('  and 5 more tasks');
});

it('is never wider than the terminal, and has no hidden characters', () => {
  const story = [...begun([row('A', 'developer')]), start('A')];
  for (const columns of [40, 60, 80, 200])
    for (const lines of [
      draw(ESCALATED, {}, { columns }),
      draw(story, { A: { ...DOING, doing: `${'\u4e16'.repeat(200)}\u001b[2J` } }, { columns }),
    ]) {
      expect(lines.filter((line) => columnsOf(line) > columns)).toEqual([]);
      expect(lines.join('\n')).not.toContain('\u001b');
      expect(lines.length).toBeGreaterThan(2);
    }
  expect(draw(story, {}, { unicode: false }).join('\n')).toMatch(/^[\n\x20-\x7e]*$/);
});

it('leaves a tiny terminal alone', () => {
  const story = [...begun([row('A', 'developer')]), start('A')];
  expect([draw(story, {}, { columns: 39 }), draw(story, {}, { rows: 9 })]).toEqual([[], []]);
});

it('draws a bar for each value, from the lowest to the highest', () => {
  expect(sparkline([9, 5, 2])).toBe('\u2588\u2584\u2581');
  expect(sparkline([3, 3])).toBe('\u2584\u2584');
});

function pendingTask(story: readonly Event[]): string {
  return fold(recorded(story)).run?.tasks.find(({ status }) => status === 'pending')?.id ?? '';
}
