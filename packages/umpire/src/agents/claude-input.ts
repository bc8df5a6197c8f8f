// The input of Claude Code as a stream of JSON messages. Unlike a signal, an interrupt over it lets the agent report what it spent.

import type { Dialogue, DialogueInput } from './child-process.js';

export class ClaudeInput implements Dialogue {
  private line: DialogueInput | null = null;

  constructor(private readonly prompt: string) {}

  begin(line: DialogueInput): void {
    this.line = line;
    this.send({ type: 'user', message: { role: 'user', content: this.prompt } });
  }

  finish(): boolean {
    this.send({ type: 'control_request', request_id: 'umpire', request: { subtype: 'interrupt' } });
    return true;
  }

  /** Call this when the turn has ended: the agent would wait for another message. */
  end(): void {
    this.line?.leave(false);
  }

  private send(message: object): void {
    this.line?.say(`${JSON.stringify(message)}\n`);
  }
}
