// Edits of a scenario (fixtures/try/README.md): applied by `npm run try` to a checkout, by its agent to a worktree.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Applies edits to a folder. Returns what was done and what could not be done, in words. */
export function applyEdits(folder, edits, env = process.env) {
  const done = [];
  const failed = [];
  for (const edit of edits) {
    const problem = applyEdit(folder, edit, env);
    if (problem === null) done.push(nameEdit(edit));
    else failed.push(`${nameEdit(edit)}: ${problem}`);
  }
  return { done, failed };
}

function nameEdit(edit) {
  if (edit.run !== undefined) return `run ${edit.run}`;
  if (edit.delete !== undefined) return `delete ${edit.delete}`;
  if (edit.move !== undefined) return `move ${edit.move} to ${edit.to}`;
  if (edit.text !== undefined) return `write ${edit.file}`;
  return `edit ${edit.file}`;
}

function applyEdit(folder, edit, env) {
  if (edit.run !== undefined) {
    const { status, stdout, stderr } = spawnSync(edit.run, { cwd: folder, env, shell: true, encoding: 'utf8' });
    return status === 0 ? null : `exit status ${status}: ${`${stdout}${stderr}`.slice(-500)}`;
  }
  if (edit.delete !== undefined) {
    const file = join(folder, edit.delete);
    if (!existsSync(file)) return 'there is no such file';
    rmSync(file, { recursive: true });
    return null;
  }
  if (edit.move !== undefined) {
    if (!existsSync(join(folder, edit.move))) return 'there is no such file';
    mkdirSync(dirname(join(folder, edit.to)), { recursive: true });
    renameSync(join(folder, edit.move), join(folder, edit.to));
    return null;
  }
  const file = join(folder, edit.file);
  if (edit.text !== undefined) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, edit.text);
    return null;
  }
  if (!existsSync(file)) return 'there is no such file';
  const text = readFileSync(file, 'utf8');
  const changed = edit.append === undefined ? replaceText(text, edit) : text + edit.append;
  if (changed === null) return `it must hold exactly one ${JSON.stringify(edit.from)}`;
  writeFileSync(file, changed);
  return null;
}

/** Replaces the only place of `from`, with `all` each of them. */
function replaceText(text, { from, to, all = false }) {
  const parts = text.split(from);
  if (parts.length < 2 || (parts.length > 2 && !all)) return null;
  return parts.join(to);
}
