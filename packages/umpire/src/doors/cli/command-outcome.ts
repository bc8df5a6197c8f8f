// The outcome of a command: what main.ts prints, and the exit status.

export interface CommandOutcome {
  readonly stdout?: string;
  /** Written to stdout after the text, unchanged: bytes of a patch or an agent's output. */
  readonly bytes?: Uint8Array;
  readonly stderr?: string;
  /** stderr is a summary of stdout: a terminal that shows both gets it last. */
  readonly sumsUp?: boolean;
  readonly exit: number;
  /** What is done even if stdout cannot be written; the exit status then stays. Without this text, a failed write is an error. */
  readonly stands?: string;
}

type OutputPart = readonly [fd: 1 | 2, data: string | Uint8Array];

/** The parts in the order of writing. `isSeen`: stdout and stderr are both a terminal. */
export function partsOf({ stdout, bytes, stderr, sumsUp }: CommandOutcome, isSeen: boolean): readonly OutputPart[] {
  const data = [stdout, bytes].flatMap((part) => (part === undefined ? [] : [[1, part] as const]));
  const said = stderr === undefined ? [] : [[2, stderr] as const];
  return sumsUp === true && isSeen ? [...data, ...said.map(([fd, text]) => [fd, `\n${text}`] as const)] : [...said, ...data];
}
