// What a command leaves behind for main.ts to print.

export interface Outcome {
  /** Bytes where they are somebody else's, and go out as they came. */
  readonly stdout?: string | Uint8Array;
  readonly stderr?: string;
  readonly exit: number;
}
