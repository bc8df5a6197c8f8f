// What kind of settings differ between two versions of pyproject.toml: packages, scripts, or those of tools. By the headers of its
// tables alone; its values are not read.

import type { FileChange } from '../change.js';

const PACKAGES =
  /^(project|project\.(optional-dependencies|urls|scripts|gui-scripts)|dependency-groups|build-system|tool\.poetry|tool\.poetry\.([\w.-]+\.)?([\w-]*-)?dependencies|tool\.poetry\.(urls|scripts)|tool\.uv|tool\.uv\.sources|tool\.pdm\.dev-dependencies)$/;
const SCRIPTS = /^tool\.(poe|pdm|hatch|rye|taskipy|thx|nox)\b.*\b(tasks|scripts)\b/;

/** `settings` wherever one table of a tool's own differs. */
export function pyprojectPart({ before, after }: FileChange): 'packages' | 'scripts' | 'settings' {
  const [old, now] = [readTomlTables(before ?? ''), readTomlTables(after ?? '')];
  const differing = [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name));
  // In a text of several lines a header may be part of the text.
  if (differing.length === 0 || /"""|'''/.test(`${before ?? ''}${after ?? ''}`)) return 'settings';
  if (differing.every((name) => PACKAGES.test(name))) return 'packages';
  return differing.every((name) => SCRIPTS.test(name) || PACKAGES.test(name)) ? 'scripts' : 'settings';
}

/** The lines of each table, by its name; those above the first have none. */
function readTomlTables(text: string): ReadonlyMap<string, string> {
  const tables = new Map<string, string>();
  let name = '';
  for (const line of text.split('\n').map((one) => one.trim())) {
    // What begins like a header and is none that is known here belongs to nothing known.
    if (line.startsWith('[')) name = /^\[([\w.-]{1,80})\](?:\s*#.*)?$/.exec(line)?.[1] ?? '';
    if (line !== '') tables.set(name, `${tables.get(name) ?? ''}${line}\n`);
  }
  return tables;
}
