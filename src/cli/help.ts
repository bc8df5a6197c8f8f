// Help texts: one literal a command, examples last.

export { VERSION } from './version.generated.js';

export const HELP = {
  umpire: `Umpire judges generator-critic loops of coding agents.
It reads the critic's evidence and decides: done, another round, or call a person.

Usage
  umpire decide <loop> <session>   judge the critic's latest result
  umpire help                      this text
  umpire --version

Loops
  design, testing, debt, review, brainstorm, or the path of a loop file of your own.

Exit status
  0 converge or accept · 3 revise · 4 escalate · 5 partial · 1 error · 2 usage

Examples
  umpire decide review .umpire/sessions/review-payments-2026-03-01
  umpire decide testing ./session --layer L1 --json
  umpire decide ./my-loop.yaml ./session --dry-run
`,
  decide: `umpire decide <loop> <session>

Judges the latest result of the loop's critic in a session folder, and writes the verdict, its tasks
and its history there. Judging the same evidence again gives the same verdict and writes nothing.

  <loop>            design, testing, debt, review, brainstorm, or a loop file such as ./my-loop.yaml
  <session>         the session folder

  --round N         raise the round to N; a session never goes back
  --max-rounds N    change the cap, as a person may; recorded in the journal
  --layer L1        the layer to judge (testing), where there are several
  --deadline-ms N   give a partial verdict after so many milliseconds
  --strict          approve nothing by waiver: escalate instead
  --dry-run         judge, but write nothing
  --json            print the verdict as one JSON object instead of Markdown

Exit status
  0 converge or accept · 3 revise · 4 escalate · 5 partial · 1 error · 2 usage

Examples
  umpire decide design .umpire/sessions/design-button-2026-03-01
  umpire decide testing ./session --layer L2 --json
  umpire decide ./docs-review.yaml ./session --max-rounds 5
`,
} as const;
