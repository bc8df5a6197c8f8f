// What a command leaves behind for main.ts to print.

export interface Outcome {
  readonly stdout?: string;
  /** For stdout, after the text: somebody else's, and out as they came. */
  readonly bytes?: Uint8Array;
  readonly stderr?: string;
  readonly exit: number;
}
