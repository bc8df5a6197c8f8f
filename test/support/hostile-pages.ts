// Sessions whose texts try to become markup: each payload in each kind of place. A payload that runs in a page sets `window.owned`.

import { join } from 'node:path';
import type { Event } from '@umpire/core/decider/events.js';
import { writeFiles } from './git-project.js';
import { COMPLETE, writeStory } from './session-events.js';

export const PAYLOADS = [
  '<script>window.owned=1</script>',
  '<img src=x onerror="window.owned=1">',
  `"'><svg/onload=window.owned=1><b onmouseover=window.owned=1>`,
  '[a](javascript:window.owned=1) ![b](http://127.0.0.1:1/x.png) <javascript:window.owned=1> [c]: javascript:window.owned=1',
  '--><iframe srcdoc="<script>parent.owned=1</script>"></iframe><!--',
  'x\n```\n</code></pre><script>window.owned=1</script>\n~~~\n# FORGED\n| a |\n|---|\n',
  '\u001b]8;;javascript:window.owned=1\u0007a\u001b]8;;\u0007\u202e\u009b2J<a href="javascript:window.owned=1">b</a>',
];

/** Puts the text into every member of these names, whole or as the one entry of a list. */
function withText(value: unknown, names: ReadonlySet<string>, text: string): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => withText(one, names, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]: [string, unknown]) => {
      if (!names.has(name) || one === null) return [name, withText(one, names, text)];
      if (typeof one === 'string') return [name, text];
      return [name, Array.isArray(one) && one.every((entry) => typeof entry === 'string') ? [text] : withText(one, names, text)];
    }),
  );
}

const story = (folder: string, names: string, text: string): void =>
  writeStory(folder, withText(COMPLETE, new Set(names.split(' ')), text) as readonly Event[]);

const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** The kinds of places, and how such a session is made. `judged`: `umpire decide review` has yet to judge it. */
export const PLACES: readonly {
  readonly place: string;
  readonly make: (folder: string, text: string) => void;
  readonly isJudged?: true;
}[] = [
  { place: 'goal and plan', make: (folder, text) => story(folder, 'goal why title description mode', text) },
  { place: 'results of tasks', make: (folder, text) => story(folder, 'findings error outputs review_score gc_signal', text) },
  {
    place: 'verdicts',
    make: (folder, text) => story(folder, 'reason message artifact fingerprint finding nextStep why decision label', text),
  },
  {
    place: 'files, agents and logs',
    make: (folder, text) => {
      story(folder, 'files agent branch session', text);
      writeFiles(folder, {
        'logs/DEV-001-1.txt': text.repeat(3),
        'discoveries.ndjson': `${JSON.stringify({ type: text, worker: text, data: { x: text } })}\n`,
      });
    },
  },
  {
    place: 'judged evidence',
    isJudged: true,
    make: (folder, text) =>
      writeFiles(folder, {
        'tasks.csv':
          'id,title,description,role,pipeline_phase,deps,context_from,exec_mode,wave,status,findings,review_score,gc_signal,error\n' +
          `REVIEW-001,${cell(text)},${cell(text)},reviewer,review,,,csv-wave,1,completed,${cell(`[CRITICAL] ${text}`)},3,REVISION_NEEDED,${cell(text)}\n` +
          `${cell(text.replaceAll(/[;,\n]/g, ' ').trim())},t,d,${cell(text)},development,REVIEW-001,,csv-wave,2,pending,,,,\n`,
        'artifacts/review-results.json': JSON.stringify({
          review_score: 3,
          gc_signal: 'REVISION_NEEDED',
          verdict: text,
          findings: [
            { severity: 'critical', message: text, file: text, line: 3, suggestion: text },
            { severity: text, message: text, file: text },
          ],
        }),
      }),
  },
];

/** Of a session in the project; its name holds the payload too, as far as a file name can. */
export function sessionPlace(project: string, at: number, text: string): string {
  return join(project, '.umpire', 'sessions', `${at} ${text.replaceAll('/', '|').slice(0, 60)}`);
}
