// Runs the console examples of a page, one command after the other in one folder, and compares what each really prints.
// Of `umpire decide` the lines for people (stderr) are shown, of other commands all that a terminal would show.

import { spawnSync } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** Gives a folder the samples and the command. */
export function prepareConsole(folder: string): void {
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true });
  symlinkSync(join(root, 'dist', 'umpire.cjs'), join(folder, 'umpire'));
}

/** Runs the commands of one example after the other; returns each with what is shown for it and what it printed. */
export function runConsole(
  text: string,
  folder: string,
): readonly { readonly line: string; readonly shown: string; readonly printed: string }[] {
  let status = 0;
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((command) => {
      const [line = '', ...shown] = command.trimEnd().split('\n');
      const result = spawnSync('sh', ['-c', line.replace('$?', String(status))], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` },
      });
      status = result.status ?? 1;
      const printed = line.startsWith('umpire decide') ? result.stderr : result.stderr + result.stdout;
      return { line, shown: shown.join('\n'), printed: printed.trimEnd() };
    });
}

/** `folder` is prepared, and every command run. Returns how many there were. */
export function checkConsole(texts: readonly string[], folder: string): number {
  prepareConsole(folder);
  const ran = texts.flatMap((text) => runConsole(text, folder));
  for (const { line, shown, printed } of ran) expect({ line, printed }).toEqual({ line, printed: shown });
  return ran.length;
}
