// One dimension of the audit: its checks, its findings and its score. Findings of the same cause are joined, and long lists are cut.
// docs/audit-a-design-system.md has the formulas.

import type { Severity } from '@umpire/core/model/vocabulary.js';
import { SEVERITIES } from '@umpire/core/model/vocabulary.js';
import { addToList } from '@umpire/core/formats/multimap.js';
import type { TokenPlace } from './token.js';

export interface AuditFinding {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly dimension: string;
  readonly token: string;
  readonly file: string;
  readonly line: number;
  /** How many tokens or pairs it stands for. */
  readonly count: number;
}

export interface AuditCheck {
  readonly name: string;
  readonly looked: number;
  readonly right: number;
}

export interface AuditDimension {
  readonly name: string;
  /** Its share of the whole, in per cent. */
  readonly weight: number;
  /** From 0 to 10 with one decimal; null where nothing could be measured. */
  readonly score: number | null;
  readonly why: string | null;
  readonly checks: readonly AuditCheck[];
  readonly findings: readonly AuditFinding[];
}

interface FindingCause {
  readonly rule: string;
  readonly severity: Severity;
  readonly text: string;
  /** Are the places to be named behind the text? */
  readonly lists: boolean;
  /** By token and file. */
  readonly places: Map<string, TokenPlace>;
}

/** Findings of one rule that are listed; the others are one finding with their number. */
const MOST_OF_A_RULE = 20;
const MOST_NAMES = 4;
/** A dimension with a Critical finding scores no more than this, below the threshold of the loop. */
const CRITICAL_CEILING = 5;

export class DimensionAudit {
  private readonly causes = new Map<string, FindingCause>();
  private readonly checks = new Map<string, { looked: number; right: number }>();

  constructor(
    readonly name: string,
    readonly weight: number,
  ) {}

  /** One thing looked at: right, wrong, or right in part. */
  look(check: string, right: boolean | number): void {
    const entry = this.checks.get(check) ?? { looked: 0, right: 0 };
    entry.looked += 1;
    entry.right += Number(right);
    this.checks.set(check, entry);
  }

  /** The places are named behind the cause; places of the same cause make one finding. */
  find(rule: string, severity: Severity, text: string, place: TokenPlace, lists = true): void {
    const key = `${rule}\0${severity}\0${lists ? text : `${text}\0${place.path}\0${place.file}`}`;
    const cause = this.causes.get(key);
    const placeKey = `${place.path}\0${place.file}`;
    if (cause === undefined) this.causes.set(key, { rule, severity, text, lists, places: new Map([[placeKey, place]]) });
    else if (!cause.places.has(placeKey)) cause.places.set(placeKey, place);
  }

  /** `why`: what to say where nothing was looked at; `needs`: the check without which nothing was. */
  end(why: string, needs: string | null = null): AuditDimension {
    const checks = [...this.checks].map(([name, { looked, right }]) => ({ name, looked, right }));
    const findings = this.listed();
    const shares = checks.map(({ looked, right }) => right / looked);
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    const isCritical = findings.some(({ severity }) => severity === 'critical');
    const isBlind = shares.length === 0 || (needs !== null && !this.checks.has(needs));
    const score = isBlind ? null : floorTenth(Math.min(10 * mean, isCritical ? CRITICAL_CEILING : 10));
    return { name: this.name, weight: this.weight, score, why: score === null ? why : null, checks, findings };
  }

  private listed(): readonly AuditFinding[] {
    const byRule = new Map<string, FindingCause[]>();
    for (const cause of this.causes.values()) {
      const key = `${cause.severity}\0${cause.rule}`;
      addToList(byRule, key, cause);
    }
    const findings = [...byRule.values()].flatMap((causes) => {
      const sorted = causes.toSorted((a, b) => b.places.size - a.places.size);
      const kept = sorted.slice(0, sorted.length > MOST_OF_A_RULE ? MOST_OF_A_RULE - 1 : MOST_OF_A_RULE);
      const rest = sorted.slice(kept.length);
      return [
        ...kept.map((cause) => this.finding(cause, cause.lists ? `${cause.text}: ${listPaths(cause.places)}` : cause.text)),
        ...this.remainder(rest),
      ];
    });
    return findings.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  }

  private remainder(rest: readonly FindingCause[]): readonly AuditFinding[] {
    const [first] = rest;
    if (first === undefined) return [];
    const places = rest.flatMap((cause) => [...cause.places]);
    return [
      this.finding(
        { ...first, places: new Map(places) },
        `${rest.length} more of the same kind (${first.rule}): ${listPaths(new Map(places))}`,
      ),
    ];
  }

  private finding({ rule, severity, places }: FindingCause, message: string): AuditFinding {
    const [{ path, file, line } = { path: '', file: '', line: 1 }] = [...places.values()];
    return { rule, severity, message, dimension: this.name, token: path, file, line, count: places.size };
  }
}

function listPaths(places: ReadonlyMap<string, TokenPlace>): string {
  const names = [...new Set([...places.values()].map(({ path }) => path))];
  const shown = names.slice(0, MOST_NAMES).join(', ');
  return names.length > MOST_NAMES ? `${shown} and ${names.length - MOST_NAMES} more` : shown;
}

/** Never rounded up to a threshold. */
export function floorTenth(value: number): number {
  return Math.floor(value * 10 + 1e-9) / 10;
}
