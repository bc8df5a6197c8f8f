// Computes the score of a review from its findings, by the formula in docs/review-a-change.md. The reviewer's own score may lower the result,
// never raise it.

import type { Finding, Severity } from '../model/vocabulary.js';
import { letterWords } from './characters.js';
import { WordList } from './word-lists.js';

export const REVIEW_DIMENSIONS = ['correctness', 'completeness', 'maintainability', 'security'] as const;

export type ReviewDimension = (typeof REVIEW_DIMENSIONS)[number];

/** In percent. */
export const REVIEW_WEIGHTS: Readonly<Record<ReviewDimension, number>> = {
  correctness: 30,
  completeness: 25,
  maintainability: 25,
  security: 20,
};

/** Points that a finding takes off the 10 of its dimension. */
export const REVIEW_COSTS: Readonly<Record<Severity, number>> = { critical: 10, high: 5, medium: 1, low: 0.25 };

/** From this score on, a review may converge. */
export const REVIEW_BAR = 7;

export type ReviewSignal = 'CONVERGED' | 'REVISION_NEEDED';

export interface ReviewScore {
  readonly score: number;
  readonly signal: ReviewSignal;
  readonly dimensions: Readonly<Record<ReviewDimension, number>>;
}

export interface ReviewerScore {
  readonly score: number | null;
  readonly signal: string | null;
}

/** `said`: the overall score that the reviewing agent gave, if one ran. */
export function scoreReview(findings: readonly Finding[], said: ReviewerScore): ReviewScore {
  const lost: Record<ReviewDimension, number> = { correctness: 0, completeness: 0, maintainability: 0, security: 0 };
  for (const finding of findings) lost[dimensionOf(finding)] += REVIEW_COSTS[finding.severity];
  const dimensions = Object.fromEntries(REVIEW_DIMENSIONS.map((dimension) => [dimension, Math.max(0, 10 - lost[dimension])])) as Record<
    ReviewDimension,
    number
  >;
  const weighed = REVIEW_DIMENSIONS.reduce((sum, dimension) => sum + (dimensions[dimension] * REVIEW_WEIGHTS[dimension]) / 100, 0);
  // One decimal, never rounded up past the bar.
  const score = Math.min(Math.floor(weighed * 10 + 1e-9) / 10, said.score ?? 10);
  const grave = findings.some(({ severity }) => severity === 'critical' || severity === 'high');
  // A High finding costs its dimension half the points, so it never passes as minor.
  const held = grave ? Math.min(score, REVIEW_BAR - 0.1) : score;
  return {
    score: held,
    signal: grave || held < REVIEW_BAR || said.signal === 'REVISION_NEEDED' ? 'REVISION_NEEDED' : 'CONVERGED',
    dimensions,
  };
}

const SECURITY = new WordList(
  'security cwe owasp injection xss csrf ssrf secret secrets credential credentials password crypto eval unsafe vulnerability taint traversal detect xxe',
);
const MAINTAINABILITY = new WordList(
  'maintainability complexity complex unused duplicate duplication naming style format formatting prefer max sort stylistic import imports readability dead code curly quotes indent semi camelcase depth lines params nesting',
);
const COMPLETENESS = new WordList(
  'completeness todo fixme missing incomplete coverage documentation docs jsdoc untested require required test tests',
);

/** Rule codes of Python linters without words: flake8-bandit; style, naming, complexity, order and syntax; documentation. */
const CODES: readonly (readonly [RegExp, ReviewDimension])[] = [
  [/^S\d{3}$/, 'security'],
  [/^(?:E[1-57]\d\d|W\d{3}|C[49]\d\d|N8\d\d|I\d{3}|UP\d{3}|SIM\d{3}|PL[CR]\d{4}|F401|F841)$/, 'maintainability'],
  [/^(?:D\d{3}|DOC\d{3})$/, 'completeness'],
];

/** The declared category, else by the words of the rule, else correctness. */
export function dimensionOf({ dimension, rule }: Pick<Finding, 'dimension' | 'rule'>): ReviewDimension {
  const own = (dimension ?? '').trim().toLowerCase();
  const said = REVIEW_DIMENSIONS.find((each) => own === each);
  if (said !== undefined) return said;
  const coded = CODES.find(([code]) => code.test((rule ?? '').trim()));
  if (coded !== undefined) return coded[1];
  const words = letterWords(`${own} ${rule ?? ''}`.toLowerCase());
  if (SECURITY.hasAny(words)) return 'security';
  if (MAINTAINABILITY.hasAny(words)) return 'maintainability';
  return COMPLETENESS.hasAny(words) ? 'completeness' : 'correctness';
}
