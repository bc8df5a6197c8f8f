// The findings of one report: all are counted, the worst are kept.

import { SEVERITIES, type Counts, type Finding, type Severity } from '@umpire/core/model.js';
import { makeFinding } from '@umpire/core/formats/finding.js';
import type { FindingParts } from '@umpire/core/formats/finding.js';
import { NO_COUNTS } from '@umpire/core/formats/severity.js';
import { detachText } from '@umpire/core/formats/text-hash.js';

const MESSAGE_LENGTH = 500;
const PLACE_LENGTH = 1000;

export interface SheetFinding extends FindingParts {
  /** The last line, where the tool says one. */
  readonly endLine?: number | null;
  /** The tool's own, where it gives one. */
  readonly fingerprint?: string;
}

export class FindingLedger {
  private readonly tally = { ...NO_COUNTS };
  /** Made into findings at the end: most of a large report is never listed. */
  private readonly kept: Record<Severity, Kept[]> = { critical: [], high: [], medium: [], low: [] };
  private size = 0;

  constructor(private readonly keep: number) {}

  get counts(): Counts {
    return this.tally;
  }

  add(parts: SheetFinding): void {
    this.tally[parts.severity] += 1;
    if (this.size >= this.keep && !this.dropMilderThan(parts.severity)) return;
    this.kept[parts.severity].push({
      severity: parts.severity,
      line: parts.line ?? null,
      endLine: parts.endLine ?? null,
      message: copyOf(parts.message, MESSAGE_LENGTH) ?? '',
      artifact: copyOf(parts.artifact, PLACE_LENGTH),
      rule: copyOf(parts.rule, MESSAGE_LENGTH),
      dimension: copyOf(parts.dimension, MESSAGE_LENGTH),
      fingerprint: copyOf(parts.fingerprint, MESSAGE_LENGTH) ?? '',
    });
    this.size += 1;
  }

  list(): readonly Finding[] {
    return SEVERITIES.flatMap((severity) => this.kept[severity].map(findingOf));
  }

  /** Room for a worse one: the last of the mildest goes. */
  private dropMilderThan(severity: Severity): boolean {
    for (let at = SEVERITIES.length - 1; at > SEVERITIES.indexOf(severity); at -= 1) {
      const milder = SEVERITIES[at] as Severity;
      if (this.kept[milder].pop() === undefined) continue;
      this.size -= 1;
      return true;
    }
    return false;
  }
}

type Kept = FindingParts & { readonly endLine: number | null; readonly fingerprint: string };

function findingOf(parts: Kept): Finding {
  const { fingerprint, ...made } = makeFinding(parts);
  const { endLine } = parts;
  return {
    ...made,
    ...(endLine !== null && made.line !== null && endLine > made.line ? { endLine } : {}),
    fingerprint: parts.fingerprint === '' ? fingerprint : parts.fingerprint,
  };
}

function copyOf(text: string | null | undefined, length: number): string | null {
  return text === null || text === undefined ? null : detachText(text.slice(0, length));
}
