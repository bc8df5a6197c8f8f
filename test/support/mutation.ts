// Tests the mutants of the built-in loop files: loading, `check` or the enumeration must notice each. Lists the mutants that change no
// verdict and may stay unnoticed.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { defineLoop } from '@umpire/core/loops/define-loop.js';
import type { LoopInput } from '@umpire/core/loops/define-loop.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import { checkLoop } from '@umpire/core/proof/check.js';
import type { Rules } from '../rules/statement.js';
import { RULES, differences } from './enumeration.js';
import { mutantsOf } from './loop-mutants.js';
import type { Mutant } from './loop-mutants.js';

export type Caught = 'loading' | 'check' | 'enumeration' | 'both' | 'nothing';

export interface Fate {
  readonly loop: string;
  readonly mutant: string;
  readonly caught: Caught;
}

export const LOOPS = Object.keys(RULES);

const COUNT = 'A count is never below 0, so "at most 0" and "0" are the same.';
const ENDS = 'The first of the two ends the case with an error whenever it applies; what the second notes before it is then never told.';
const APART = 'No case meets the conditions of both, and neither makes one that meets the other: their order says nothing.';
const TWICE =
  'The repairs before it have set `passed` to false in every such case, so the row would not be taken anyway: it says it twice.';
const STATUS = 'An exit status is never below 0, so "at most 0" and "0" are the same.';

const REST = 'The row before it has taken the other cases, so this row meets only its own: it says what it is about.';
const NOTES = 'Both only note something, and the order of notes does not matter.';
const WHOLE = 'The signal is the worse of both, so a row that asks for a fix asks for one there too.';

/** Mutants that change no possible verdict, so nothing notices them. Each with the reason. */
export const EQUIVALENT: Readonly<Record<string, string>> = {
  'design: repairs D1/2 swapped with D2': ENDS,
  'design: repairs D11 when.findings 0 -> "<=0"': COUNT,
  'design: facts said enum without fix_required': WHOLE,
  'design: table D5 swapped with D5/2': APART,
  'design: table D5/2 when.dimensions 0 -> "<=0"': COUNT,
  'design: table D5/2 when.dimensions 0 -> ">=0"': REST,
  'design: table D5/2 when.dimensions 0 dropped': REST,
  'design: table D5/2 swapped with D6': APART,
  'design: table D6 swapped with D6/2': APART,
  'design: table D6/2 when.dimensions 0 -> "<=0"': COUNT,
  'design: table D6/2 when.dimensions 0 -> ">=0"': REST,
  'design: table D6/2 when.dimensions 0 dropped': REST,
  'design: promises D-unscored when.dimensions 0 -> "<=0"': COUNT,
  'design: promises D-passed when.critical 0 -> "<=0"': COUNT,
  'design: promises D-passed when.low 0 -> "<=0"': COUNT,
  'design: promises D-advice when.critical 0 -> "<=0"': COUNT,
  'testing: repairs T1/2 swapped with T5': ENDS,
  'testing: table T2 swapped with T2/2': APART,
  'testing: repairs T5 swapped with V2': NOTES,
  'testing: promises T-met when.lost_tests 0 -> "<=0"': COUNT,
  'testing: promises T-met-blind when.lost_tests 0 -> "<=0"': COUNT,
  'testing: table T2 when.lost_tests 0 -> "<=0"': COUNT,
  'testing: table T2/2 when.lost_tests 0 -> "<=0"': COUNT,
  'testing: promises T-met when.weak_tests 0 -> "<=0"': COUNT,
  'testing: promises T-met-blind when.weak_tests 0 -> "<=0"': COUNT,
  'testing: table T2 when.weak_tests 0 -> "<=0"': COUNT,
  'testing: table T2/2 when.weak_tests 0 -> "<=0"': COUNT,
  'testing: repairs V2 swapped with A1': NOTES,
  'testing: table T2 when.regressions_measured 0 -> "<=0"': COUNT,
  'testing: table T2/2 when.regressions_measured 0 -> "<=0"': COUNT,
  'testing: promises T-met when.regressions_measured 0 -> "<=0"': COUNT,
  'testing: promises T-met-blind when.regressions_measured 0 -> "<=0"': COUNT,
  'debt: repairs B1 swapped with B2': APART,
  'debt: repairs B2 swapped with B6': 'A report that cannot be read says neither passed nor failed, so never both apply.',
  'debt: repairs B6 when.regressions 0 -> "<=0"': COUNT,
  'debt: repairs B6 swapped with B6/2': APART,
  'debt: repairs B6/2 when.report "ok" dropped': 'Only a report that was read says that it did not pass.',
  'debt: repairs B6/6 swapped with B6/7': APART,
  'debt: table B3 swapped with B3/2': APART,
  'debt: table B3/2 when.missing ">0" -> ">-1"': REST,
  'debt: table B3/2 when.missing ">0" -> ">=0"': REST,
  'debt: table B3/2 when.missing ">0" dropped': REST,
  'debt: table B3 when.regressions 0 -> "<=0"': COUNT,
  'debt: table B3 when.regressions 0 -> ">=0"': TWICE,
  'debt: table B3 when.regressions 0 dropped': TWICE,
  'debt: table B3 when.failed 0 -> "<=0"': COUNT,
  'debt: table B3 when.failed 0 -> ">=0"': TWICE,
  'debt: table B3 when.failed 0 dropped': TWICE,
  'debt: promises B-clean when.regressions 0 -> "<=0"': COUNT,
  'debt: promises B-clean when.failed 0 -> "<=0"': COUNT,
  'debt: repairs B2/2 when.passing 0 -> "<=0"': COUNT,
  'debt: repairs B2/2 when.failed 0 -> "<=0"': COUNT,
  'debt: table B3 when.missing 0 -> "<=0"': COUNT,
  'debt: table B3/2 when.regressions 0 -> "<=0"': COUNT,
  'debt: table B3/2 when.regressions 0 -> ">=0"': TWICE,
  'debt: table B3/2 when.regressions 0 dropped': TWICE,
  'debt: table B3/2 when.failed 0 -> "<=0"': COUNT,
  'debt: table B3/2 when.failed 0 -> ">=0"': TWICE,
  'debt: table B3/2 when.failed 0 dropped': TWICE,
  'debt: table V2 swapped with B2': 'A report that cannot be read has no measured regression, so never both apply.',
  'debt: table B2 swapped with B2/2': APART,
  'debt: table B2/2 when.passing 0 -> "<=0"': COUNT,
  'debt: table B2/2 when.failed 0 -> "<=0"': COUNT,
  'debt: promises B-unrun when.passing 0 -> "<=0"': COUNT,
  'debt: promises B-unrun when.failed 0 -> "<=0"': COUNT,
  'debt: promises B-clean when.missing 0 -> "<=0"': COUNT,
  'debt: promises B-clean when.regressions_measured 0 -> "<=0"': COUNT,
  'debt: promises B-partly when.regressions 0 -> "<=0"': COUNT,
  'debt: promises B-partly when.failed 0 -> "<=0"': COUNT,
  'debt: promises B-partly when.regressions_measured 0 -> "<=0"': COUNT,
  'review: repairs R9/2 swapped with R6': APART,
  'review: repairs R7 swapped with R8':
    'R8 asks for a missing score, and where signal and score are both missing R9 has ended the case: never both apply.',
  'review: table R2 swapped with R3': 'R1 before them takes what meets the conditions of both.',
  'review: promises R-minor when.critical 0 -> "<=0"': COUNT,
  'review: promises R-converged when.critical 0 -> "<=0"': COUNT,
  'brainstorm: promises C-small when.critical 0 -> "<=0"': COUNT,
  'brainstorm: promises C-small when.high 0 -> "<=0"': COUNT,
  'until: repairs U1 swapped with U2': APART,
  'until: promises U-bare when.unchecked 0 -> "<=0"': COUNT,
  'until: promises U-bare when.unearned 0 -> "<=0"': COUNT,
  'until: promises U-bare when.unsure 0 -> "<=0"': COUNT,
  'until: promises U-clean when.unchecked 0 -> "<=0"': COUNT,
  'until: promises U-clean when.unearned 0 -> "<=0"': COUNT,
  'until: promises U-clean when.unsure 0 -> "<=0"': COUNT,
  'until: promises U-person when.unsure 0 -> "<=0"': COUNT,
  'until: table A8/2 when.critical 0 -> "<=0"': COUNT,
  'until: table A8 when.exit 0 -> "<=0"': STATUS,
  'until: table A8/2 when.exit 0 -> "<=0"': STATUS,
  'until: table U11 when.exit 0 -> "<=0"': STATUS,
  'until: table U11/2 when.exit 0 -> "<=0"': STATUS,
  'until: table U12 when.exit 0 -> "<=0"': STATUS,
  'until: table A8 swapped with A8/2': APART,
  'until: table A8/2 swapped with U5': APART,
  'until: table V2/2 swapped with U11': 'The first V2 before them takes what meets the conditions of both.',
  'until: repairs U2 swapped with U3': 'A result that cannot be read does not say that time ran out, so never both apply.',
  'until: repairs U3 swapped with U4': APART,
  'until: table V2 when.exit 0 -> "<=0"': STATUS,
  'until: table V2/2 when.exit 0 -> "<=0"': STATUS,
  'until: promises U-bare when.regressions_measured 0 -> "<=0"': COUNT,
  'until: promises U-clean when.regressions_measured 0 -> "<=0"': COUNT,
  'until: table U5 when.exit 0 -> "<=0"': STATUS,
  'until: table U5/2 when.exit 0 -> "<=0"': STATUS,
  'until: table U5/2 when.critical 0 -> "<=0"': COUNT,
  'until: table U5/2 swapped with U6': APART,
  'until: table U6 when.exit 0 -> "<=0"': STATUS,
  'until: table U6/2 when.exit 0 -> "<=0"': STATUS,
  'until: table U6/2 swapped with U7': 'The first U6 before them takes what meets the conditions of both.',
  'until: table U7 when.exit 0 -> "<=0"': STATUS,
  'until: table U7/2 when.exit 0 -> "<=0"': STATUS,
  'until: table U7/2 swapped with U10': 'The first U7 before them takes what meets the conditions of both.',
  'until: table U10 when.exit 0 -> "<=0"': STATUS,
  'until: table U10/2 when.exit 0 -> "<=0"': STATUS,
  'until: table U10/2 swapped with U8': 'The first U10 before them takes what meets the conditions of both.',
  'until: promises U-bare when.exit 0 -> "<=0"': STATUS,
  'until: promises U-clean when.exit 0 -> "<=0"': STATUS,
  'until: promises U-clean when.critical 0 -> "<=0"': COUNT,
};

/** The mutants of a built-in loop, by its file. */
export function builtinMutants(root: string, loop: string): readonly Mutant[] {
  const text = readFileSync(join(root, 'packages', 'core', 'src', 'loops', `${loop}.yaml`), 'utf8');
  return mutantsOf(parse(text) as Readonly<Record<string, unknown>>);
}

/** The mutant as a loop; null if it does not load. */
function load(mutant: Mutant): Loop | null {
  try {
    return defineLoop(mutant.file as LoopInput);
  } catch (error) {
    if (isUmpireError(error)) return null;
    throw error;
  }
}

export function fateOf(loop: string, mutant: Mutant): Fate {
  const loaded = load(mutant);
  if (loaded === null) return { loop, mutant: mutant.name, caught: 'loading' };
  const check = checkLoop(loaded).complaints.length > 0;
  const enumeration = differences(loaded, rulesOf(loop), 1).length > 0;
  const caught = check && enumeration ? 'both' : check ? 'check' : enumeration ? 'enumeration' : 'nothing';
  return { loop, mutant: mutant.name, caught };
}

/** The statement that a loop is compared with. */
function rulesOf(loop: string): Rules {
  const rules = RULES[loop];
  if (rules === undefined) throw new Error(`There is no statement of the rules of ${loop}.`);
  return rules;
}

export interface Score {
  readonly loop: string;
  readonly mutants: number;
  readonly caught: number;
  readonly loading: number;
  /** Counted even if another check caught it too. */
  readonly check: number;
  readonly enumeration: number;
  readonly equivalent: number;
  readonly unexplained: number;
}

/** The counts of one loop, or of all under another name. */
export function scoreOf(loop: string, fates: readonly Fate[]): Score {
  const count = (...kinds: readonly Caught[]) => fates.filter((fate) => kinds.includes(fate.caught)).length;
  const survivors = fates.filter((fate) => fate.caught === 'nothing');
  const equivalent = survivors.filter((fate) => fate.mutant in EQUIVALENT).length;
  return {
    loop,
    mutants: fates.length,
    caught: fates.length - survivors.length,
    loading: count('loading'),
    check: count('check', 'both'),
    enumeration: count('enumeration', 'both'),
    equivalent,
    unexplained: survivors.length - equivalent,
  };
}
