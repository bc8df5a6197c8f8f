// Help texts of the commands that look at sessions. Loaded late: no verdict needs them.

export const LOOK_HELP = {
  status: `umpire status [session]

Shows where a session stands: its tasks wave by wave, what each waits for,
rounds, time and cost, the question that it waits on and how to answer it. It
takes no lock and writes nothing. Also for sessions that others run.

  [session]         its name, a part of it, or its folder (the latest)
  --project DIR     a folder of the project (the current one)
  --json            print one JSON object instead

Exit status
  0 shown · 1 a broken history (shown as far as it holds), or an error
  2 usage

Examples
  umpire status
  umpire status review-payments-2026-03-01 --json
`,
  list: `umpire list

Lists the sessions of a project, the latest first: those in .umpire/sessions/
and those of others in .workflow/.csv-wave/.

A session is running, awaiting (a person), interrupted (go on with umpire
resume), complete, failed or aborted; judged only or never judged, where others
run it; unreadable, where its history does not hold. "Not applied" is one that
has ended and whose work your checkout does not hold yet.

  --state S         only those in this state; may be given several times
  --loop L          only those of this loop; may be given several times
  --unapplied       only those that have ended and whose work is not applied
  --last N          only so many, the latest
  --project DIR     a folder of the project (the current one)
  --json            print one JSON object instead

Exit status
  0 listed · 1 error · 2 usage

Examples
  umpire list
  umpire list --state awaiting --state failed
  umpire list --project ../shop --loop until --last 20 --json
`,
  report: `umpire report [session]

Prints a whole session as Markdown: what was wanted, what came of it and
whether that was verified, every task and verdict, what people said, what was
taken back, what it cost. It takes no lock and writes nothing.

  [session]         its name, a part of it, or its folder (the latest)
  --project DIR     a folder of the project (the current one)

Exit status
  0 printed · 1 a broken history (printed as far as it holds), or an error
  2 usage

Examples
  umpire report review-payments-2026-03-01 > payments.md
`,
  logs: `umpire logs [session] [task]

Shows what agents printed. Without a task: which output there is, and the last
lines of the latest. Into a pipe or a file it goes as it came; a terminal is
shown its text alone.

  [session]         its name, a part of it, or its folder (the latest)
  [task]            a task's id, for its last run; or one run, as the list
                    names it: DEV-001-1. Alone, of the latest session
  --project DIR     a folder of the project (the current one)

Exit status
  0 shown · 1 there is none, or an error · 2 usage

Examples
  umpire logs
  umpire logs review-payments-2026-03-01 DEV-001
  umpire logs DEV-001 | less -R
`,
  serve: `umpire serve

The sessions of the project in a browser, as they go on: what waits for you,
with the commands that answer it, every task, round, finding, change, and what
agents print. To look at, not to act: it answers nothing and changes nothing.

It listens on 127.0.0.1 only, for who has the address that it prints, and ends
with Ctrl-C. From another machine: ssh -L 4747:127.0.0.1:4747 <this machine>.

  --project DIR     the project (that of the current folder)
  --port N          the port (4747, or one that is free where it is taken)

Exit status
  0 ended · 1 error, such as a port that is taken · 2 usage

Examples
  umpire serve
  umpire serve --port 8080
`,
} as const;
