// A proof as people read it: what holds, or what is wrong and the story that shows it.

import type { Loop } from '@umpire/core/loops/loop.js';
import type { Proof } from '@umpire/core/proof/check.js';
import { displayId } from '@umpire/core/proof/refutation.js';
import type { Refutation, ExplainedVerdict, Explanation } from '@umpire/core/proof/refutation.js';
import { count, plain, plainLine } from './words.js';
import { addToList } from '@umpire/core/formats/multimap.js';

/** `lineOf`: the place of a path in the loop's file, such as `my-loop.yaml:57`, or null where there is no file. */
export function checkPage(loop: Loop, proof: Proof, lineOf: (path: Refutation['path']) => string | null): string {
  const head = `# ${proof.loop}: ${proof.result}`;
  return [
    head,
    '',
    ...scope(proof),
    '',
    ...grouped(proof.complaints).flatMap((group, index) => complaint(loop, group, index + 1, lineOf)),
    ...(proof.holds ? [...proven(loop, proof), ''] : []),
    ...section(
      'Waivers',
      'Approved without clean evidence, and marked `unverified`; `--strict` refuses each.',
      proof.waivers.map(({ row, waiver }) => `${displayId(row)}: ${waiver}.`),
    ),
    ...section('Notes', null, proof.notes),
  ]
    .map(plainLine)
    .join('\n')
    .replace(/\n*$/, '\n');
}

/** The proof as the object that scripts read: each complaint with its place in the loop's file. */
export function checkJson(proof: Proof, placeOf: (path: Refutation['path']) => string | null): object {
  return { ...proof, complaints: proof.complaints.map((complaint) => ({ ...complaint, place: placeOf(complaint.path) })) };
}

/** The same in a line, for the person who watches. */
export function checkHeadline(proof: Proof): string {
  const scale = `${count(proof.combinations, 'combination')} in ${count(proof.cases, 'case')}`;
  if (proof.holds) return `${proof.loop}: ${proof.result}, ${scale}.`;
  const [first] = proof.complaints;
  return `${proof.loop}: refuted, ${count(proof.complaints.length, 'complaint')} (${first?.code ?? ''} at ${plain(displayId(first?.at ?? ''))}${proof.complaints.length > 1 ? ' and more' : ''}).`;
}

function scope(proof: Proof): string[] {
  const targets = proof.targets.length === 0 ? '' : `, at targets of ${proof.targets.join(', ')}`;
  const lines = [
    `${count(proof.combinations, 'combination')} of ${count(proof.facts, 'fact')}, evidence and rounds, at caps of ${proof.caps.join(', ')}${targets}, walked through repairs and table in ${count(proof.cases, 'case')}.`,
  ];
  if (proof.held.length > 0) lines.push('', heldLine(proof));
  return lines;
}

function heldLine({ held }: Proof): string {
  const facts = held.map(({ fact, value, kinds }) =>
    value === null
      ? `${fact} (${kinds} kinds of values, the first 31 looked at)`
      : `${fact} (${kinds} kinds of values, held at ${word(value)})`,
  );
  return `There is more than can be walked. Everything below holds for every combination of the other facts, with these not looked at in full: ${facts.join(', ')}. Merge them: let one fact, drawn by the critic or by a repair, say what the rules really ask, or ask for fewer thresholds.`;
}

/** Complaints of one kind and place are told once: a row that approves without evidence does so however it is lacking. */
function grouped(complaints: readonly Refutation[]): readonly (readonly [Refutation, ...Refutation[]])[] {
  const groups = new Map<string, [Refutation, ...Refutation[]]>();
  for (const one of complaints) {
    const key = LACKING[one.code] === undefined ? `${one.code} ${one.at} ${one.says}` : `without ${one.at} ${one.about}`;
    addToList(groups, key, one);
  }
  return [...groups.values()];
}

const LACKING: Readonly<Partial<Record<Refutation['code'], string>>> = {
  'approves-missing': 'missing',
  'approves-unreadable': 'unreadable',
  'approves-unread': 'not read in time',
};

function complaint(
  loop: Loop,
  group: readonly [Refutation, ...Refutation[]],
  number: number,
  lineOf: (path: Refutation['path']) => string | null,
): string[] {
  const [{ at, says, story, mend, path, code: kind, about }, ...others] = group;
  const what = kind === 'approves-absent' || kind === 'approves-uncounted' ? ` (${about})` : '';
  const place = lineOf(path);
  return [
    `## ${number}. ${group.map(({ code }) => code).join(', ')}: ${displayId(at)}${what}${place === null ? '' : `, ${place}`}`,
    '',
    [says, ...others.map(({ code }) => `The same where it is ${LACKING[code] ?? code}.`)].join(' '),
    '',
    ...(story === null ? [] : [...tellStory(loop, story), '']),
    `Mend: ${mend}`,
    '',
  ];
}

function tellStory(loop: Loop, story: Explanation): string[] {
  const target = story.target === null ? '' : ` and the target ${story.target}`;
  const lines = [`How it comes about, where the cap is ${story.cap}${target}:`, ''];
  let before: ExplainedVerdict | null = null;
  for (const scene of story.scenes) {
    const again = before !== null && sayings(loop, before) === sayings(loop, scene);
    const forged = scene.forged ? ` The files of the session claim round ${scene.round}.` : '';
    const where = scene.round > story.cap ? `Round ${scene.round}, past the cap` : `Round ${scene.round} of ${story.cap}`;
    lines.push(`- ${where}.${forged} ${again ? 'The critic says the same again.' : sayings(loop, scene)}`);
    if (!again) for (const { rule, message } of scene.anomalies) lines.push(`  Anomaly ${rule}: ${message}`);
    lines.push(`  ${endOf(loop, scene, again && before?.rule === scene.rule)}`);
    before = scene;
  }
  return lines;
}

function sayings(loop: Loop, scene: ExplainedVerdict): string {
  const facts = scene.facts.map(([fact, value]) => `${fact} is ${word(value)}`);
  const lacking = scene.lacking.map(([name, state]) => `${loop.evidence[name]?.what ?? name} (${state})`);
  const said = facts.length === 0 ? '' : `The critic says: ${facts.join(', ')}.`;
  const lacks = lacking.length === 0 ? '' : `Not there: ${lacking.join(', ')}.`;
  return said === '' && lacks === '' ? 'Whatever the critic says.' : `${said} ${lacks}`.trim();
}

function endOf(loop: Loop, scene: ExplainedVerdict, again: boolean): string {
  if (scene.rule === null) return 'No row matches.';
  if (scene.outcome === null) return `${scene.rule} stops with an error: ${scene.reason}`;
  const decides = `Row ${scene.rule} decides ${loop.words[scene.outcome]} (${scene.outcome})`;
  return again ? `${decides} again.` : `${decides}: ${scene.reason}`;
}

function word(value: unknown): string {
  return value === null ? 'absent' : String(value);
}

function proven(loop: Loop, proof: Proof): string[] {
  const { first } = loop.round;
  const stops = proof.revisions === null ? 'never' : count(proof.revisions, 'revision');
  const vows = loop.promises?.length ?? 0;
  return [
    '- Every combination ends in exactly one row, or in an error that says what to do.',
    `- Every critic is stopped: with the cap of ${loop.cap.default}, rounds counted from ${first}, after ${stops} at most; so is one who owns the session folder, since the round never falls and rules, cap and target are frozen by the first verdict.`,
    '- At the cap a row asks a person, accepts, or converges by a declared waiver.',
    '- Nothing is approved without a declared waiver over a Critical finding that a fact counts, where none of the sources of a fact was there and read, where one that no other speaks for was not counted, or on an absent fact that no repair takes up.',
    '- With `--strict` nothing is approved by waiver.',
    ...(proof.held.length === 0
      ? [
          vows === 0
            ? '- No row and no repair is dead; the repairs settle.'
            : '- No row, no repair and no promise is dead; the repairs settle.',
        ]
      : []),
    ...(vows === 0
      ? []
      : [`- ${vows === 1 ? 'Its promise holds' : `All ${vows} promises hold`}: ${(loop.promises ?? []).map((vow) => vow.id).join(', ')}.`]),
  ];
}

function section(heading: string, intro: string | null, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return [`## ${heading}`, '', ...(intro === null ? [] : [intro, '']), ...lines.map((line) => `- ${line}`), ''];
}
