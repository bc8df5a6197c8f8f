// What a rule is. Conditions about the machine that a test runs on, which several rules forgive.

import type { Evidence } from '../evidence.js';
import type { RuleWords, Sighting } from '../findings/finding.js';
import type { Value } from '../syntax/nodes.js';
import { print } from '../syntax/print.js';

export interface Rule extends RuleWords {
  /** When it is a breach and when a note, where that differs. */
  readonly levels?: string;
  /** Reading cannot decide: it is a note, which a run clears or proves. */
  readonly isSuspicion?: true;
  readonly example: { readonly cheat: string; readonly honest: string };
  find(evidence: Evidence): readonly Sighting[];
}

/** The platform, a version, what is installed. */
const PLATFORM =
  /platform|version|\bos\.name\b|pypy|win32|windows|darwin|linux|macos|implementation|importorskip|skipOn|affected|find_spec|hasattr|\bHAS_|\bhas_|supports?|is_installed|available|\btarget_|\bunix\b|\bmiri\b|\bfeature\b|node_?major|isNode|isBrowser|\bsys\.|is None$|typeof /i;

export function isAboutPlatform(condition: Value | null): boolean {
  return condition !== null && PLATFORM.test(print(condition));
}
