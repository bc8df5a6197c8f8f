// `umpire check` as Markdown: what is proved, or what is wrong with an example.

import type { Loop } from '@umpire/core/loops/loop.js';
import type { Proof } from '@umpire/core/proof/check.js';
import { displayId } from '@umpire/core/proof/refutation.js';
import type { Refutation, ExplainedVerdict, Explanation } from '@umpire/core/proof/refutation.js';
import { lineOf, plainLine } from './safe-text.js';
import { count } from './words.js';
import { addToList } from '@umpire/core/formats/multimap.js';

/** `lineOf`: the place of a path in the loop file, such as `my-loop.yaml:57`; null without a file. */
export function checkPage(loop: Loop, proof: Proof, lineOf: (path: Refutation['path']) => string | null): string {
  const head = `# ${proof.loop}: ${proof.result}`;
  const targets = proof.targets.length === 0 ? '' : ` and targets of ${proof.targets.join(', ')}`;
  const lines = [
    `Checked ${count(proof.combinations, 'combination')} of ${count(proof.facts, 'fact')}, evidence and rounds in ${count(proof.cases, 'case')}, with caps of ${proof.caps.join(', ')}${targets}.`,
  ];
  if (proof.held.length > 0) lines.push('', partlyCheckedLine(proof));
  // Groups complaints about one place: a row that approves without evidence is reported once, however the evidence is lacking.

  const groups = new Map<string, [Refutation, ...Refutation[]]>();
  for (const one of proof.complaints) {
    const key = LACKING[one.code] === undefined ? `${one.code} ${one.at} ${one.says}` : `without ${one.at} ${one.about}`;
    addToList(groups, key, one);
  }
  return [
    head,
    '',
    ...lines,
    '',
    ...[...groups.values()].flatMap((group, index) => {
      const [{ at, says, story, mend, path, code: kind, about }, ...others] = group;
      const what = kind === 'approves-absent' || kind === 'approves-uncounted' ? ` (${about})` : '';
      const place = lineOf(path);
      return [
        `## ${index + 1}. ${group.map(({ code }) => code).join(', ')}: ${displayId(at)}${what}${place === null ? '' : `, ${place}`}`,
        '',
        [says, ...others.map(({ code }) => `The same if it is ${LACKING[code] ?? code}.`)].join(' '),
        '',
        ...(story === null ? [] : [...storyLines(loop, story), '']),
        `Fix: ${mend}`,
        '',
      ];
    }),
    ...(proof.holds ? [...proven(loop, proof), ''] : []),
    ...drawCheckSection(
      'Waivers',
      'Approvals without clean evidence, marked `unverified`. With `--strict` they escalate instead.',
      proof.waivers.map(({ row, waiver }) => `${displayId(row)}: ${waiver}.`),
    ),
    ...drawCheckSection('Notes', null, proof.notes),
  ]
    .map(plainLine)
    .join('\n')
    .replace(/\n*$/, '\n');
}

/** The proof for scripts: each complaint with its place in the loop file. */
export function checkJson(proof: Proof, placeOf: (path: Refutation['path']) => string | null): object {
  return { ...proof, complaints: proof.complaints.map((complaint) => ({ ...complaint, place: placeOf(complaint.path) })) };
}

export function checkHeadline(proof: Proof): string {
  const scale = `${count(proof.combinations, 'combination')} in ${count(proof.cases, 'case')}`;
  if (proof.holds) return `${proof.loop}: ${proof.result}, ${scale}.`;
  const [first] = proof.complaints;
  return `${proof.loop}: refuted, ${count(proof.complaints.length, 'complaint')} (${first?.code ?? ''} at ${lineOf(displayId(first?.at ?? ''))}${proof.complaints.length > 1 ? ' and more' : ''}).`;
}

function partlyCheckedLine({ held }: Proof): string {
  const facts = held.map(({ fact, value, kinds }) =>
    value === null ? `${fact} (the first 31 of ${kinds} kinds of values)` : `${fact} (only ${showFact(value)} of ${kinds} kinds of values)`,
  );
  return `There are too many combinations to check all. The result holds for every combination of the other facts; these were checked only in part: ${facts.join(', ')}. To check all, merge facts (let the critic or a repair compute what the rules ask) or use fewer thresholds.`;
}

const LACKING: Readonly<Partial<Record<Refutation['code'], string>>> = {
  'approves-missing': 'missing',
  'approves-unreadable': 'unreadable',
  'approves-unread': 'not read in time',
};

function storyLines(loop: Loop, story: Explanation): string[] {
  const target = story.target === null ? '' : ` and a target of ${story.target}`;
  const lines = [`Example with a cap of ${story.cap}${target}:`, ''];
  let before: ExplainedVerdict | null = null;
  for (const scene of story.scenes) {
    const again = before !== null && sayings(loop, before) === sayings(loop, scene);
    const forged = scene.forged ? ` The session's files claim round ${scene.round}.` : '';
    const where = scene.round > story.cap ? `Round ${scene.round}, after the cap` : `Round ${scene.round} of ${story.cap}`;
    lines.push(`- ${where}.${forged} ${again ? 'The critic says the same again.' : sayings(loop, scene)}`);
    if (!again) for (const { rule, message } of scene.anomalies) lines.push(`  Anomaly ${rule}: ${message}`);
    lines.push(`  ${describeEnd(loop, scene, again && before?.rule === scene.rule)}`);
    before = scene;
  }
  return lines;
}

function sayings(loop: Loop, scene: ExplainedVerdict): string {
  const facts = scene.facts.map(([fact, value]) => `${fact} is ${showFact(value)}`);
  const lacking = scene.lacking.map(([name, state]) => `${loop.evidence[name]?.what ?? name} (${state})`);
  const said = facts.length === 0 ? '' : `The critic says: ${facts.join(', ')}.`;
  const lacks = lacking.length === 0 ? '' : `Missing: ${lacking.join(', ')}.`;
  return said === '' && lacks === '' ? 'The critic may say anything.' : `${said} ${lacks}`.trim();
}

function describeEnd(loop: Loop, scene: ExplainedVerdict, again: boolean): string {
  if (scene.rule === null) return 'No row matches.';
  if (scene.outcome === null) return `${scene.rule} stops with an error: ${scene.reason}`;
  const decides = `Row ${scene.rule} decides ${loop.words[scene.outcome]} (${scene.outcome})`;
  return again ? `${decides} again.` : `${decides}: ${scene.reason}`;
}

function showFact(value: unknown): string {
  return value === null ? 'absent' : String(value);
}

function proven(loop: Loop, proof: Proof): string[] {
  const { first } = loop.round;
  const stops = proof.revisions === null ? 'never' : count(proof.revisions, 'revision');
  const vows = loop.promises?.length ?? 0;
  return [
    '- Every combination is decided by exactly one rule, or ends in an error that says what to do.',
    `- Every loop ends after at most ${stops}, with the cap of ${loop.cap.default} and rounds counted from ${first}. A critic that writes to the session folder cannot change that: the round never falls, and the first verdict freezes rules, cap and target.`,
    '- In the last round, the rule asks a person, accepts, or converges by a declared waiver.',
    '- Without a declared waiver, nothing is approved with a Critical finding, with unread or uncounted evidence, or with a missing fact that no repair handles.',
    '- With `--strict`, nothing is approved by waiver.',
    ...(proof.held.length === 0
      ? [
          vows === 0
            ? '- Every rule and repair can apply, and the repairs terminate.'
            : '- Every rule, repair and promise can apply, and the repairs terminate.',
        ]
      : []),
    ...(vows === 0
      ? []
      : [`- ${vows === 1 ? 'Its promise holds' : `All ${vows} promises hold`}: ${(loop.promises ?? []).map((vow) => vow.id).join(', ')}.`]),
  ];
}

function drawCheckSection(heading: string, intro: string | null, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return [`## ${heading}`, '', ...(intro === null ? [] : [intro, '']), ...lines.map((line) => `- ${line}`), ''];
}
