// The fields of `--json` output: those that docs/session-files.md names, and the real ones.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

const page = join(import.meta.dirname, '..', '..', 'docs', 'session-files.md');

/** `- name: \`{a, b?, c[]}\`` of a section, by name. */
export function documentedFields(heading: string): ReadonlyMap<string, readonly string[]> {
  const text = readFileSync(page, 'utf8');
  const section = text.slice(text.indexOf(`## ${heading}\n`)).split('\n## ')[0] ?? '';
  const list = section.slice(0, section.indexOf('\n|')).replace(/\n {2}/g, ' ');
  const out = new Map<string, readonly string[]>();
  for (const line of list.matchAll(/^- (.*)$/gm)) {
    let about = '';
    for (const [, name = '', fields = ''] of (line[1] ?? '').matchAll(/([a-z ]+): `\{([^}]*)\}`/g)) {
      const full = name.trim().startsWith('its ') ? `${about}: ${name.trim().slice(4)}` : name.trim();
      if (about === '') about = full;
      out.set(full, fields.split(', '));
    }
  }
  return out;
}

/** The keys of these objects as the page writes them: `?` marks keys that some lack, `[]` marks lists. */
export function fieldsOf(objects: readonly unknown[]): readonly string[] {
  const all = objects as readonly Record<string, unknown>[];
  expect(all.length).toBeGreaterThan(0);
  const keys = [...new Set(all.flatMap((one) => Object.keys(one)))];
  return keys.map((key) => `${key}${all.some((one) => Array.isArray(one[key])) ? '[]' : ''}${all.every((one) => key in one) ? '' : '?'}`);
}
