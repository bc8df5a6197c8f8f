// Tells a finding from its absence: "None", "No issues found", a template's placeholder. Careful in one direction:
// "No focus state is defined" and "None of the buttons have labels" are findings.

/** Nouns that "no …" denies. */
const NOUNS: ReadonlySet<string> = new Set(
  'issue issues finding findings problem problems violation violations concern concerns defect defects blocker blockers regression regressions critiques challenges'.split(' '),
);

/** Words that may stand before such a noun. */
const ADJECTIVES: ReadonlySet<string> = new Set(
  'critical high medium low severity priority blocking major minor significant serious new open remaining outstanding unresolved other further additional known or and accessibility consistency design token more such level actionable material'.split(
    ' ',
  ),
);

/** Words that may follow it. */
const TAIL: ReadonlySet<string> = new Set(
  'were was are is have has been found identified detected remain remaining remains reported outstanding noted observed at this that the time level severity in audit review round iteration report here currently exist present to for now so far yet applicable and or all good discovered critical high medium low issues findings from any recorded'.split(
    ' ',
  ),
);

const NOTHING: ReadonlySet<string> = new Set(['none', 'nil', 'nothing', 'na', 'tbd', 'todo', 'zero', '0']);

/** A statement that there is nothing to report. */
export function saysNone(text: string): boolean {
  if (text.length > 120) return false;
  const statement = text.toLowerCase().replace('n/a', 'na').replace(/^\W{0,4}(?:there (?:are|is|were|was)|(?:i|we)(?: have)? (?:found|see)|found)\s{1,3}/, '');
  const words = statement.match(/[\p{L}\p{N}]{1,40}/gu) ?? [];
  const [first, ...others] = words;
  if (first === undefined) return false;
  if (first === 'not' && others[0] === 'applicable') return others.length === 1;
  if (NOTHING.has(first)) {
    const noun = first === 'zero' || first === '0' ? others.findIndex((word) => NOUNS.has(word)) : -1;
    return others.every((word, at) => TAIL.has(word) || at === noun || (at < noun && ADJECTIVES.has(word)));
  }
  if (first !== 'no' && first !== 'without') return false;
  const noun = others.findIndex((word) => NOUNS.has(word));
  if (noun < 0) return false;
  return others.every((word, at) => at === noun || (at < noun ? ADJECTIVES : TAIL).has(word) || NOUNS.has(word));
}

/** Nothing but marks, or a template's `[finding with artifact:line reference]`. */
export function isPlaceholder(text: string): boolean {
  const bare = trimMarks(text);
  if (!/[\p{L}\p{N}]/u.test(bare)) return true;
  if (/^\$?\{[^{}]{0,200}\}\.?$/.test(bare) || /^<[^<>]{0,200}>\.?$/.test(bare)) return true;
  // A digit makes it the real thing: a line number, a ratio.
  return /^\[[^[\]\d]{0,200}\]\.?$/.test(bare);
}

export function isNoFinding(text: string): boolean {
  return isPlaceholder(text) || saysNone(text);
}

function trimMarks(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > 400 ? trimmed : trimmed.replace(/^[*_`\s]{1,10}/, '').replace(/[*_`\s]{1,10}$/, '');
}
