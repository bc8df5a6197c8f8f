// Words as claude 2.1, codex 0.166, gemini and opencode 1.18 said them, or as people reported them, hosts and ids shortened.

import { expect, test } from 'vitest';
import { NO_API_ERROR_INFO } from '@umpire/core/formats/model-api-error.js';
import { limitResetMs, retryDelayMs, classifyAgentFault } from './failure-cause.js';
import type { FailureCause } from './known/known-agent.js';

function check(words: string, expected: FailureCause | null, status: number | null = null): void {
  expect({ words, cause: classifyAgentFault({ ...NO_API_ERROR_INFO, words, status }) }).toEqual({ words, cause: expected });
}

test('a temporary server error is passing', () => {
  check('API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment.', 'passing', 529);
  check('API Error: Repeated 529 Overloaded errors', 'passing');
  check('API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', 'passing');
  check('API Error: Request rejected (429) · This request would exceed your rate limit', 'passing', 429);
  check('API Error: Request rejected (429) · This request would exceed your rate limit', 'passing');
  check('API Error: 500 Internal server error. This is a server-side issue, usually temporary', 'passing');
  check('API Error: Connection dropped (ECONNRESET). Check the gateway set in ANTHROPIC_BASE_URL, then try again.', 'passing');
  check('API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)', 'passing');
  check('exceeded retry limit, last status: 429 Too Many Requests', 'passing');
  check('unexpected status 529 <unknown status code>: The server is overloaded., url: http://127.0.0.1/v1/responses', 'passing');
  check('We’re currently experiencing high demand, which may cause temporary errors.', 'passing');
  check('stream disconnected before completion: error sending request', 'passing');
  check('Rate limit reached for fake. Please try again in 7s.', 'passing', 429);
  check('Resource has been exhausted (e.g. check quota).', 'passing', 429);
  check('You have exceeded your rate limit. The limit resets in 40 seconds.', 'passing', 429);
  check('The model is overloaded. Please try again later.', 'passing', 503);
  check('[API Error: terminated]', 'passing');
  check('You exceeded your current quota, please check your plan and billing details. Please retry in 33.1s.', 'passing', 429);
});

test('an exhausted plan is a limit, whatever its status', () => {
  check('You’ve hit your usage limit. Upgrade to Pro, or try again at 10:51 AM.', 'limit');
  check("You've hit your session limit · resets 3am (Europe/Berlin)", 'limit', 429);
  check('Claude AI usage limit reached|1749924000', 'limit', 429);
  check('API Error: Request rejected (429) · Your credit balance is too low to access the Anthropic API.', 'limit', 429);
  check('Quota exceeded. Check your plan and billing details.', 'limit');
  check('You exceeded your current quota, please check your plan and billing details.', 'limit', 429);
  check('Limit reached, resets in 3 hours', 'limit', 429);
  check('5-hour limit reached ∙ resets 3pm', 'limit');
});

test('the money that Umpire gave the agent is used up', () => {
  check('Reached maximum budget ($0.05)', 'budget');
  check('error_max_budget_usd', 'budget');
});

test('an invalid key or a missing sign-in needs a person', () => {
  check('Invalid API key · Fix external API key', 'sign-in', 401);
  check('Invalid API key · Please run /login', 'sign-in');
  check('Failed to authenticate. API Error: 403 no permission', 'sign-in', 403);
  check('unexpected status 401 Unauthorized: Incorrect API key provided, url: http://127.0.0.1/v1/responses', 'sign-in');
  check('API key not valid.', 'sign-in', 401);
});

test('any other failure has no server cause', () => {
  for (const words of [
    '',
    'error_max_turns',
    'I found that the server answers with 429 and the client never waits.',
    'The retry of the 503 page is not tested.',
    'expected 529 to be 200',
    'Prompt is too long',
  ])
    check(words, null);
  check('API Error: 400 the prompt is too long, and the server was overloaded', null, 400);
  check('model not found', null, 404);
});

test('reads the retry delay from the message', () => {
  const asked = (words: string, afterMs: number | null = null) => retryDelayMs({ status: null, words, afterMs });
  expect(asked('Rate limit reached. Please try again in 7s.')).toBe(7000);
  expect(asked('Please try again in 11.054s')).toBe(11_054);
  expect(asked('try again in 1m30s')).toBe(90_000);
  expect(asked('retry after 250 ms')).toBe(250);
  expect(asked('try again in 2 hours 5 minutes')).toBe(7_500_000);
  expect(asked('try again in a moment')).toBeNull();
  expect(asked('try again in 3 fortnights')).toBeNull();
  expect(asked('Please try again in 7s.', 9000)).toBe(9000);
});

test('reads when a plan is renewed', () => {
  const now = Date.parse('2026-11-18T14:30:20Z');
  const resets = (words: string, resetsAtMs?: number) => {
    const at = limitResetMs({ ...NO_API_ERROR_INFO, words, ...(resetsAtMs === undefined ? {} : { resetsAtMs }) }, now);
    return at === null ? null : new Date(at).toISOString().slice(0, 19);
  };
  expect(resets('resets 3am', 1_795_030_000_000)).toBe('2026-11-18T19:26:40');
  expect(resets('Claude AI usage limit reached|1795030000')).toBe('2026-11-18T19:26:40');
  expect(resets("You've hit your session limit · resets 3am (Europe/Berlin)")).toBe('2026-11-19T02:00:00');
  expect(resets('5-hour limit reached ∙ resets 3pm (UTC)')).toBe('2026-11-18T15:00:00');
  expect(resets('resets 2:30pm (America/New_York)')).toBe('2026-11-18T19:30:00');
  expect(resets('Weekly limit reached, resets Nov 20, 9am (UTC)')).toBe('2026-11-20T09:00:00');
  expect(resets('resets Jan 2, 9am (UTC)')).toBe('2027-01-02T09:00:00');
  expect(resets('try again at Nov 20th, 2026 3:05 PM (UTC)')).toBe('2026-11-20T15:05:00');
  expect(resets('resets at 14:05 (UTC)')).toBe('2026-11-19T14:05:00');
  expect(resets('Limit reached, resets in 3 hours')).toBe('2026-11-18T17:30:20');
  expect(resets('You hit your usage limit, try again in 2 days 3 hours.')).toBe('2026-11-20T17:30:20');
  for (const words of ['', 'resets soon', 'resets 3', 'resets at 25:10', 'resets Foo 3, 3pm']) expect(resets(words)).toBeNull();
  // Without a zone the agent names the time of this machine.
  const local = new Date(now);
  local.setHours(23, 59, 0, 0);
  expect(limitResetMs({ ...NO_API_ERROR_INFO, words: 'or try again at 11:59 PM.' }, now)).toBe(local.getTime());
});
