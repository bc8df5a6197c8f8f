// Help texts of what coding agents call. Loaded late: no verdict needs them.

export const AGENT_HELP = {
  hook: `umpire hook <event>

Called by a coding agent at its own events, which it tells on stdin.

  SessionStart      Where the agent's session begins is noted, in .umpire/: what
                    it commits itself is then part of its change at a Stop.
  Stop, SubagentStop, AfterAgent
                    The agent wants to stop: its change is looked at by the
                    guard, and it is sent back for what makes tests lie. Once;
                    when it stops with that all the same, you are told.
  PreToolUse, BeforeTool
                    A tool is about to be used: no edit of Umpire's record,
                    and no umpire resolve, --max-rounds or --force in a shell.

  --base REV        what the change is compared with (where the session began;
                    where nobody noted that, as in umpire guard)
  --scope S         any: source may change (any); testing: only tests may

Exit status
  0 go on · 2 not so: the reason is on stderr, for the agent · 1 error, which
  stops no agent

Examples: settings of Claude Code, in "hooks"
  "SessionStart": [{"hooks": [
    {"type": "command", "command": "umpire hook SessionStart"}]}]
  "Stop": [{"hooks": [{"type": "command", "command": "umpire hook Stop"}]}]
  "PreToolUse": [{"hooks": [
    {"type": "command", "command": "umpire hook PreToolUse"}]}]
`,
  mcp: `umpire mcp

Umpire for agents, over the Model Context Protocol on stdin and stdout. An
agent measures (critique), has the session judged (decide), has its change
looked at (guard), and reads the rest: status, report, list, diff, read,
check, replay, doctor. It cannot answer what a person is asked, raise a cap or
start a run: it would be its own judge.

  --project DIR     the project (that of the current folder)

Exit status
  0 the agent has gone · 1 error · 2 usage

Examples
  claude mcp add umpire -- umpire mcp
  codex mcp add umpire -- umpire mcp
  gemini mcp add umpire umpire mcp
`,
} as const;
