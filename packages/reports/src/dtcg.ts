// Design tokens (DTCG 2025.10): what is wrong with one token file by itself. A token may refer to another file, so references that
// lead out of this one are noted and no finding; the audit of the whole set is formats/tokens/audit.ts.

import type { ToolReport } from '@umpire/core/model.js';
import { auditConsistency } from './tokens/audit-consistency.js';
import { readTokenFile } from './tokens/token-file.js';
import { TokenSet } from './tokens/token-set.js';
import type { Format, Head, ReadOptions, ReportReader } from './format.js';
import { Sheet } from './sheet.js';

/** Tokens are read as a whole, and take some fifteen times their text. */
const MOST_BYTES = 32 * 1024 * 1024;

export const dtcg: Format = {
  id: 'dtcg',
  title: 'Design tokens (DTCG)',
  recognises: ({ kind, isArray, text, name, keys }: Head) =>
    kind === 'json' &&
    !isArray &&
    (/"\$value"\s{0,100}:/.test(text) ||
      name.endsWith('.tokens.json') ||
      name.endsWith('.tokens') ||
      (keys.has('resolutionOrder') && keys.has('version'))),
  open: (options: ReadOptions) => new TokensReader(options),
};

class TokensReader implements ReportReader {
  private readonly decoder = new TextDecoder();
  private readonly pieces: string[] = [];
  private bytes = 0;
  private readonly sheet: Sheet;

  constructor(options: ReadOptions) {
    this.sheet = new Sheet('dtcg', 'findings', options);
  }

  write(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    if (this.bytes <= MOST_BYTES) this.pieces.push(this.decoder.decode(chunk, { stream: true }));
    else this.pieces.length = 0;
  }

  end(): ToolReport {
    if (this.bytes > MOST_BYTES)
      this.sheet.fail(`it has ${this.bytes} bytes; a token file of more than ${MOST_BYTES / 1024 / 1024} MB is not read`, {
        byte: MOST_BYTES,
      });
    else this.read(this.text());
    return this.sheet.end();
  }

  /** Handed over: the pieces take as much room again. */
  private text(): string {
    this.pieces.push(this.decoder.decode());
    return this.pieces.splice(0).join('');
  }

  private read(text: string): void {
    const file = readTokenFile(text, '');
    if (file.unreadable !== null) return this.sheet.fail(file.unreadable.problem, { line: file.unreadable.line });
    if (file.tokens.length === 0 && file.themedFiles.length === 0)
      return this.sheet.fail('there is no token in it; expected at least one object with "$value"', { line: 1 });
    const { findings } = auditConsistency(new TokenSet([file]));
    const outside = findings.filter(({ rule }) => rule === 'reference/missing');
    for (const { rule, severity, message, line } of findings.filter(({ rule }) => rule !== 'reference/missing'))
      this.sheet.finding({ severity, message: `${message} (line ${line})`, rule });
    const leads = outside.reduce((sum, { count }) => sum + count, 0);
    const them = leads === 1 ? 'one reference leads to a token that is' : `${leads} references lead to tokens that are`;
    if (leads > 0) this.sheet.note(`${them} not in this file; umpire critique design looks at the files together`);
  }
}
