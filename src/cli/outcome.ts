// What a command leaves behind for main.ts to print.

export interface Outcome {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exit: number;
}
