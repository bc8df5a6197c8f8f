// Whether every idea was challenged in every dimension. Counts the entries of the board and the idea pages; does not judge their content.

import type { Discovery } from '../model/vocabulary.js';
import { firstOf, plainKeys } from './json-text.js';
import { letterWords } from './characters.js';

export const CHALLENGE_DIMENSIONS = ['assumption', 'feasibility', 'risk', 'competition'] as const;

export type ChallengeDimension = (typeof CHALLENGE_DIMENSIONS)[number];

export interface ChallengedIdea {
  readonly idea: string;
  readonly challenged: readonly ChallengeDimension[];
  readonly missing: readonly ChallengeDimension[];
}

/** Words that challengers use for each dimension. */
const WORDS: Readonly<Record<ChallengeDimension, readonly string[]>> = {
  assumption: ['assumption', 'assumptions', 'assumed', 'premise'],
  feasibility: ['feasibility', 'feasible', 'effort', 'cost'],
  risk: ['risk', 'risks', 'harm', 'safety'],
  competition: ['competition', 'competitive', 'competitor', 'competitors', 'alternative', 'alternatives'],
};

const IDEA_HEADING = /^#{1,4} +(?:idea +)?([A-Za-z]{1,8}-?\d{1,4})\b/i;

/** The idea ids in the headings of an idea page: `## I-1 Load it late`. The page title is not an idea. */
export function ideasInPage(page: string): readonly string[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('##'))
    .flatMap((line) => IDEA_HEADING.exec(line.slice(0, 200))?.[1] ?? []);
}

/** `ideas`: those named by pages. Ideas named only on the board are added. */
export function coverChallenges(ideas: readonly string[], board: readonly Pick<Discovery, 'type' | 'data'>[]): readonly ChallengedIdea[] {
  const known = new Map<string, Set<ChallengeDimension>>(ideas.map((idea) => [idea, new Set()]));
  for (const { type, data } of board) {
    const plain = plainKeys(data);
    if (type === 'idea') {
      const id = trimText(firstOf(plain, ['id', 'idea', 'idea_id', 'title', 'name']));
      if (id !== '' && !known.has(id)) known.set(id, new Set());
    }
    if (type !== 'critique') continue;
    for (const each of critiquesIn(plain)) {
      const idea = trimText(firstOf(each, ['idea', 'idea_id', 'target']) ?? firstOf(plain, ['idea', 'idea_id', 'target']));
      if (idea === '') continue;
      const found = known.get(idea) ?? new Set();
      known.set(idea, found);
      const dimension = readDimension(trimText(firstOf(each, ['dimension', 'category', 'kind', 'type'])));
      if (dimension !== null) found.add(dimension);
    }
  }
  return [...known].map(([idea, found]) => ({
    idea,
    challenged: CHALLENGE_DIMENSIONS.filter((dimension) => found.has(dimension)),
    missing: CHALLENGE_DIMENSIONS.filter((dimension) => !found.has(dimension)),
  }));
}

/** An entry is one critique or holds a list of them. */
function critiquesIn(data: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  const list = firstOf(data, ['challenges', 'critiques', 'findings', 'issues']);
  if (!Array.isArray(list)) return [data];
  return list.filter((each): each is Record<string, unknown> => typeof each === 'object' && each !== null).map(plainKeys);
}

function readDimension(word: string): ChallengeDimension | null {
  const words = letterWords(word.toLowerCase());
  return CHALLENGE_DIMENSIONS.find((dimension) => WORDS[dimension].some((each) => words.includes(each))) ?? null;
}

function trimText(value: unknown): string {
  return typeof value === 'string' ? value.trim().slice(0, 100) : '';
}
