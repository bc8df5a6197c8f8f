// Lines from a stream, asked for one at a time. Between questions the stream rests, so that it keeps no process alive; what was
// typed ahead is kept for the next question.

import { StringDecoder } from 'node:string_decoder';

export class Lines {
  private readonly decoder = new StringDecoder('utf8');
  private text = '';
  private over = false;
  private wake: () => void = () => undefined;

  constructor(private readonly input: NodeJS.ReadableStream) {
    // Heard at all times: the end may come while nothing is being asked.
    for (const event of ['end', 'close', 'error']) {
      input.on(event, () => {
        this.over = true;
        this.wake();
      });
    }
  }

  /** The next line without its end; null where the input is over or the signal is given. */
  async next(signal: AbortSignal): Promise<string | null> {
    while (!this.text.includes('\n') && !this.over && !signal.aborted) await this.hear(signal);
    if (signal.aborted) return null;
    const end = this.text.indexOf('\n');
    if (end < 0 && this.text === '') return null;
    const line = end < 0 ? this.text : this.text.slice(0, end);
    this.text = end < 0 ? '' : this.text.slice(end + 1);
    return line.replace(/\r$/, '');
  }

  /** Waits until something comes, the input ends or the signal is given. */
  private hear(signal: AbortSignal): Promise<void> {
    const { input } = this;
    return new Promise((resolve) => {
      const take = (chunk: Buffer | string): void => {
        this.text += typeof chunk === 'string' ? chunk : this.decoder.write(chunk);
        this.wake();
      };
      const wake = (): void => {
        input.off('data', take);
        signal.removeEventListener('abort', wake);
        this.wake = () => undefined;
        input.pause();
        resolve();
      };
      this.wake = wake;
      signal.addEventListener('abort', wake);
      input.on('data', take);
      input.resume();
    });
  }
}
