// Help texts: one literal a command, examples last.

export { VERSION } from './version.generated.js';

export const HELP = {
  umpire: `Umpire runs and judges generator-critic loops of coding agents.
It reads the critic's evidence and decides: done, another round, or call a
person.

Usage: umpire <command>

Set up
  umpire doctor                          what would be in the way of a run
  umpire init                            write the first settings
Run
  umpire run <loop> "what is wanted"     agents work, Umpire decides
  umpire until "npm test"                until the command passes
  umpire resume [session]                go on after a stop, a crash, an edit
  umpire resolve <session> <answer>      answer what a session waits on
Look
  umpire status [session]                where it stands
  umpire list                            the sessions of the project
  umpire report [session]                the whole session as Markdown
  umpire logs [session] [task]           what agents printed
  umpire serve                           all of it, in a browser
Take over
  umpire diff [session] [round]          what was changed
  umpire apply <session>                 bring it into your checkout
  umpire clean [session]                 remove worktrees that are done with
Judge alone
  umpire decide <loop> <session>         judge the critic's latest result
  umpire check <loop>                    prove a loop's rules
  umpire replay <session>                judge recorded verdicts again
  umpire critique <loop>                 run the loop's own critic
  umpire read <report...>                what a tool's report says
  umpire guard                           what in a change makes tests lie
For agents
  umpire mcp                             measure, judge and look, over MCP
  umpire hook <event>                    the guard, at an agent's own events

  umpire help [command]                  this text, or a command's
  umpire --version

Loops
  design, testing, debt, review, brainstorm, until, or a loop file of yours

Exit status
  run     0 complete · 4 waits for a person · 1 failed · 130 stopped
  decide  0 converge or accept · 3 revise · 4 escalate · 5 partial
  check   0 proven · 3 refuted · 5 proven in part
  replay  0 the same · 3 a verdict differs · 1 a broken history
  guard   0 clean · 3 a breach
  doctor  0 nothing in the way of a run · 3 a fault
  read, critique  0 pass · 3 fail · 1 error or missing
  all     1 error · 2 usage

Examples
  umpire doctor
  umpire until "npm test" --agent claude
  umpire run testing "cover the parser" --agent codex --target 90
  umpire check ./my-loop.yaml
  umpire decide review .umpire/sessions/review-payments-2026-03-01
  umpire decide testing ./session --layer L1 --json
  umpire decide ./my-loop.yaml ./session --dry-run
`,
  decide: `umpire decide <loop> <session>

Judges the latest result of the loop's critic in a session folder, and writes
the verdict, its tasks and its history there. Judging the same evidence again
gives the same verdict and writes nothing.

  <loop>            design, testing, debt, review, brainstorm, until, or a loop
                    file such as ./my-loop.yaml
  <session>         the session folder

  --round N         raise the round to N; a session never goes back
  --max-rounds N    change the cap, as a person may; recorded in the journal
  --layer L1        the layer to judge (testing), where there are several
  --deadline-ms N   give a partial verdict after so many milliseconds
  --strict          approve nothing by waiver: escalate instead
  --dry-run         judge, but write nothing
  --json            print the verdict as one JSON object instead of Markdown

Exit status
  0 converge or accept · 3 revise · 4 escalate · 5 partial · 1 error
  2 usage

Examples
  umpire decide design .umpire/sessions/design-button-2026-03-01
  umpire decide testing ./session --layer L2 --json
  umpire decide ./docs-review.yaml ./session --max-rounds 5
`,
  check: `umpire check <loop>

Proves a loop over every combination of its facts, absent ones and missing
evidence included, through its repairs, in every round up to the cap and
beyond: every case ends in a row, every critic is stopped, nothing is approved
that should not be, no rule is dead, the promises hold. Otherwise it tells the
shortest story of how they fail. It reads the loop and nothing else.

  <loop>            design, testing, debt, review, brainstorm, until, or a loop
                    file such as ./my-loop.yaml

  --json            print the proof as one JSON object
  --graph           print a Mermaid state diagram of the loop instead
  --table           print its repairs, decision table, waivers and promises in
                    Markdown instead

Exit status
  0 proven · 3 refuted · 1 error · 2 usage
  5 proven in part: too many cases, and it says which facts to merge

Examples
  umpire check design
  umpire check ./my-loop.yaml
  umpire check ./my-loop.yaml --graph > my-loop.mmd
`,
  replay: `umpire replay <session> [--project DIR] [--loop file|name]
umpire replay --all [--project DIR] [--loop file|name]

Judges every recorded verdict again, from the journal and the evidence it
kept, and says whether it comes out the same and whether the history is whole.
It reads journal.ndjson, blobs/ and the names of the pages in verdicts/, and
writes nothing.

  <session>         a session of the project, by its name or a part of it, or
                    the path of a session folder
  --all             every session of the project: those in .umpire/sessions/
                    and .workflow/.csv-wave/
  --project DIR     a folder of the project; the current one, if left out
  --loop L          also judge the recorded evidence by other rules (a loop
                    file or a built-in loop), and show where the verdicts
                    would differ
  --json            print one JSON object instead of Markdown

Exit status: the first of these that is so
  2  usage
  1  a broken history, or a journal that knows fewer verdicts than the folder
  3  a verdict differs, or would by the other rules
  1  evidence or a journal that is gone, changed or unreadable; an error
  0  all the same

Examples
  umpire replay .umpire/sessions/review-payments-2026-03-01
  umpire replay ./session --loop ./stricter-review.yaml
  umpire replay --all --json
`,
} as const;
