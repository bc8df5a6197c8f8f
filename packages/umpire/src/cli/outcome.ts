// What a command leaves behind for main.ts to print.

export interface Outcome {
  readonly stdout?: string;
  /** For stdout, after the text: somebody else's, and out as they came. */
  readonly bytes?: Uint8Array;
  readonly stderr?: string;
  /** stderr is the sum of what stdout holds: in a terminal that shows both it comes last, where it is seen. */
  readonly sumsUp?: boolean;
  readonly exit: number;
  /** What stands wherever stdout cannot be written, in a sentence or two: then the exit status stays, too. Without it that is an error. */
  readonly stands?: string;
}

type Part = readonly [fd: 1 | 2, data: string | Uint8Array];

/** What is written, in order. `isSeen`: both stdout and stderr are a terminal's. */
export function partsOf({ stdout, bytes, stderr, sumsUp }: Outcome, isSeen: boolean): readonly Part[] {
  const data = [stdout, bytes].flatMap((part) => (part === undefined ? [] : [[1, part] as const]));
  const said = stderr === undefined ? [] : [[2, stderr] as const];
  return sumsUp === true && isSeen ? [...data, ...said.map(([fd, text]) => [fd, `\n${text}`] as const)] : [...said, ...data];
}
