// What the exit status of a tool says. A status that is not listed means that the tool ended by its own fault: bad settings, a missing
// plug-in, a wrong call, a crash. Its silence then proves nothing.

/** The statuses of a run that did its work: nothing found, something found. */
export const EXIT_STATUSES = {
  // 2: settings, plug-ins or a crash.
  eslint: [0, 1],
  oxlint: [0, 1],
  biome: [0, 1],
  // 1 and 2: diagnostics, with and without output. 3 and 4: the project file or its references.
  tsc: [0, 1, 2],
  // 2: settings or a crash.
  ruff: [0, 1],
  flake8: [0, 1],
  bandit: [0, 1],
  // A sum of bits, one for each kind of message. 1: fatal, a module could not be checked. 32: a wrong call.
  pylint: Array.from({ length: 16 }, (_, bits) => bits * 2),
  // 2: a crash, a wrong call, or a file that cannot be parsed; the others were not checked then.
  mypy: [0, 1],
  // 2: a crash. 3: settings. 4: a wrong call.
  pyright: [0, 1],
  // Called so that findings do not fail it. 2: settings or a crash.
  knip: [0, 1],
  jscpd: [0],
} as const satisfies Readonly<Record<string, readonly number[]>>;

export type KnownTool = keyof typeof EXIT_STATUSES;

/** Null for a tool that is not listed. */
export function statusesOf(tool: string): readonly number[] | null {
  return Object.hasOwn(EXIT_STATUSES, tool) ? EXIT_STATUSES[tool as KnownTool] : null;
}
