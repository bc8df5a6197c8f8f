// Design tokens (DTCG 2025.10): the faults of one token file. References to other files are noted, not reported as findings;
// tokens/audit.ts audits the whole set.

import type { Format, FormatReader, Head } from './format.js';
import type { ReportBuilder } from './report-builder.js';
import { auditConsistency } from './tokens/audit-consistency.js';
import { readTokenFile } from './tokens/token-file.js';
import { TokenSet } from './tokens/token-set.js';

/** Tokens are read as a whole and take about fifteen times the memory of their text. */
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
  content: 'findings',
  open: (report) => new TokensReader(report),
};

class TokensReader implements FormatReader {
  private readonly decoder = new TextDecoder();
  private readonly pieces: string[] = [];
  private bytes = 0;

  constructor(private readonly report: ReportBuilder) {}

  write(chunk: Uint8Array): void {
    this.bytes += chunk.length;
    if (this.bytes <= MOST_BYTES) this.pieces.push(this.decoder.decode(chunk, { stream: true }));
    else this.pieces.length = 0;
  }

  end(): void {
    if (this.bytes > MOST_BYTES)
      this.report.fail(`the file has ${this.bytes} bytes; token files over ${MOST_BYTES / 1024 / 1024} MB are not read`, {
        byte: MOST_BYTES,
      });
    else this.read(this.text());
  }

  /** The pieces are released: they take as much memory again. */
  private text(): string {
    this.pieces.push(this.decoder.decode());
    return this.pieces.splice(0).join('');
  }

  private read(text: string): void {
    const file = readTokenFile(text, '');
    if (file.unreadable !== null) return this.report.fail(file.unreadable.problem, { line: file.unreadable.line });
    if (file.tokens.length === 0 && file.themedFiles.length === 0)
      return this.report.fail('the file has no token; expected at least one object with "$value"', { line: 1 });
    const { findings } = auditConsistency(new TokenSet([file]));
    const outside = findings.filter(({ rule }) => rule === 'reference/missing');
    for (const { rule, severity, message, line } of findings.filter(({ rule }) => rule !== 'reference/missing'))
      this.report.addFinding({ severity, message: `${message} (line ${line})`, rule });
    const leads = outside.reduce((sum, { count }) => sum + count, 0);
    if (leads > 0) {
      const them = leads === 1 ? '1 reference leads to a token' : `${leads} references lead to tokens`;
      this.report.note(`${them} outside this file; check the files together with: umpire critique design`);
    }
  }
}
