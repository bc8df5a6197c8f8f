// Stand-ins for Python's linters in a project's environment: each leaves what the real tool once printed (fixtures/tools), where its
// arguments ask for it, and ends as the real one did.

import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFiles } from './git-project.js';

export const recorded = (path: string): string => readFileSync(join(import.meta.dirname, '../../fixtures/tools', path), 'utf8');

export interface Recorded {
  readonly version?: string;
  readonly report?: string;
  readonly stderr?: string;
  readonly status?: number;
  /** Answers to questions, by a word of the call. */
  readonly answers?: Readonly<Record<string, string>>;
  /** Only where a file of the project holds this text; else `clean`, with 0. */
  readonly where?: readonly [file: string, text: string];
  readonly clean?: string;
}

/** A virtual environment with one more program. */
export function installPython(root: string, name: string, tool: Recorded, environment = '.venv'): void {
  const { version = '1.0.0', ...rest } = tool;
  const script = `#!${process.execPath}
const { existsSync, readFileSync, writeFileSync, appendFileSync } = require('node:fs');
const tool = ${JSON.stringify(rest)};
const args = process.argv.slice(2);
const answer = Object.entries(tool.answers ?? {}).find(([word]) => args.includes(word));
if (answer !== undefined) { process.stdout.write(answer[1]); process.exit(0); }
const [file, text] = tool.where ?? [];
const isThere = file === undefined || (existsSync(file) && readFileSync(file, 'utf8').includes(text));
const report = (isThere ? tool.report : tool.clean) ?? '';
const out = args.find((word) => /^--output(?:-file)?=/.test(word))?.replace(/^[^=]*=/, '');
if (out === undefined) process.stdout.write(report); else if (report !== '') writeFileSync(out, report);
process.stderr.write(tool.stderr ?? '');
process.exitCode = isThere ? (tool.status ?? 0) : 0;
`;
  writeFiles(root, {
    [`${environment}/pyvenv.cfg`]: 'home = /usr/bin\n',
    [`${environment}/bin/${name}`]: script,
    [`${environment}/lib/python3.12/site-packages/${name}-${version}.dist-info/METADATA`]: '',
  });
  chmodSync(join(root, environment, 'bin', name), 0o755);
}
