// New tests that check nothing: they run code of the project and let go of whatever comes of it. Where coverage is the measure they
// raise it and prove nothing. Told only of tests that could not be anything else: who can tell what a call of a stranger checks?

import type { Evidence } from '../evidence.js';
import type { FileFacts, TestFact } from '../facts.js';
import type { Sighting } from '../finding.js';
import { roleOf } from '../paths.js';
import { broughtIn } from '../spoken-words.js';

/** Words of a body that may be a check of a kind that is not read, or a way to fail. */
const CHECKING =
  /assert|expect|should|snapshot|invariant|verif(?:y|ies)|(?:ensure|must|check|compare|match|equals?|raises|throws|fail)(?![a-z])|\b(?:throw|raise|done|reject|satisfies|cb|callback)\b/i;

/** What is waited for, and else is never over; a page, of which every step fails that finds nothing. */
const WAITING = /\bnew Promise\b|[(,]\s*next\s*\)|\(\s*page\b/;

/** Titles of tests whose only point is that nothing is thrown. */
const SAYS_SO =
  /\b(?:not|never|without|no)\b.*\b(?:throw|rais|err|fail|crash|exception|panic|reject|hang|leak|block|warn)|n['’]t\b|(?:does|do|is|will|can|must)_?not|_(?:not|no|never|without)_|ignor|nothing|graceful|silent|(?:^|[\s_])(?:ends|terminates|finishes|completes|linear|quickly|fast)(?![a-z])|fuzz|accept|allow|toler|surviv|smoke|render|mount|\bok(?:ay)?\b|safe|noop|no-op|valid|harmless|twice|idempotent|compil|load/i;

/** What is called, from its first name on: `cart.add(1)` is `cart`. */
const CALLED = /(?<![\w$.?])([A-Za-z_$][\w$]*)(?:\??\.[\w$]+|\[[^\][]*\])*\s*\(/g;

/** What the body itself gives a name to. */
const NAMED =
  /\b(?:const|let|var|for|as|def|function|class)\s*\(?\s*([A-Za-z_$][\w$]*)|(?:^|[\s;(,{[])([A-Za-z_$][\w$]*)\s*(?:,|=(?![=>]))/g;

/** Words before a bracket, and what comes with the language: no check is among them. */
const PLAIN: ReadonlySet<string> = new Set(
  (
    'if for while switch catch with await async new return typeof void yield not and or in is lambda elif except function ' +
    'Object Array String Number Boolean Math JSON Date Map Set Symbol BigInt Buffer URL Error TypeError RangeError Promise console structuredClone ' +
    'print len range str int float list dict set tuple bool bytes sorted enumerate zip map filter iter next repr hash isinstance getattr open super type'
  ).split(' '),
);

/** Of Python, a test that takes something, and may leave all to it. */
const TAKING = /^\s*(?:async\s+)?def\s+\w+\s*\((?!\s*(?:self\s*,?\s*)?\))/m;
const PYTHON = /\.py$/;

const ENDINGS = '.ts .tsx .js .jsx .mjs .cjs .mts .cts .py /index.ts /index.tsx /index.js /index.mjs /__init__.py'.split(' ');

export function hollowRule(evidence: Evidence): readonly Sighting[] {
  if (evidence.input.newTestsCheck !== true) return [];
  const facts = new Map(evidence.files.map(({ change, after }) => [change.path, after] as const));
  const sightings: Sighting[] = [];
  for (const test of evidence.pairing.added) {
    const file = facts.get(test.span.file) ?? null;
    if (file !== null && isHollow(test, file, evidence)) {
      sightings.push({ rule: 'test-hollow', file: test.span.file, after: test.span, test: test.path });
    }
  }
  return sightings;
}

function isHollow(test: TestFact, file: FileFacts, evidence: Evidence): boolean {
  if (test.hidden !== null || test.assertions.some(({ swallowed }) => swallowed === null)) return false;
  if (test.marks.some(({ kind }) => kind !== 'focused')) return false;
  if (/^bench\b/.test(test.head.text)) return false;
  if (test.empty) return PYTHON.test(test.span.file) ? !TAKING.test(test.span.text) : hasBody(test);
  if (CHECKING.test(test.body) || WAITING.test(test.body) || SAYS_SO.test(test.path.at(-1) ?? '')) return false;
  const ours = new Set(broughtIn(file).flatMap(({ name, source }) => (isSource(source, evidence) ? [name] : [])));
  const named = new Set([...test.body.matchAll(NAMED)].flatMap(([, one, other]) => one ?? other ?? []));
  const called = [...test.body.matchAll(CALLED)].flatMap(([, name]) => (name === undefined || PLAIN.has(name) ? [] : [name]));
  return called.some((name) => ours.has(name)) && called.every((name) => ours.has(name) || named.has(name));
}

/** Without one it is written elsewhere, or none as yet, and no runner calls that passed. */
function hasBody({ body }: TestFact): boolean {
  return body !== '';
}

/** A file of the project that is no test and no helper of tests. */
function isSource(stem: string, { input }: Evidence): boolean {
  const place = stem.replace(/^\.\//, '');
  return ENDINGS.some((ending) => roleOf(`${place}${ending}`) === 'source' && isThere(`${place}${ending}`, input));
}

function isThere(path: string, { change, same }: Evidence['input']): boolean {
  return change.files.some((file) => file.path === path && file.after !== null) || (same?.(path) ?? null) !== null;
}
