// Which Python linters a project has settings of, and where: in files of their own, in sections of pyproject.toml, setup.cfg and
// tox.ini. Files are searched for headings, not parsed: the tools themselves say what is wrong with them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../sessions/file-system.js';

export type PythonLinter = 'ruff' | 'flake8' | 'pylint' | 'bandit' | 'mypy' | 'pyright';

interface Home {
  /** Files of its own. */
  readonly files: readonly string[];
  /** Its table in pyproject.toml, under `tool`. */
  readonly tables: readonly string[];
  /** Its sections in files that it shares with others. */
  readonly sections: Readonly<Record<string, RegExp>>;
  /** Does it run by its own defaults, where the project only lists it among its packages? */
  readonly byDefault?: boolean;
}

const HOMES: Readonly<Record<PythonLinter, Home>> = {
  ruff: { files: ['ruff.toml', '.ruff.toml'], tables: ['ruff'], sections: {}, byDefault: true },
  flake8: {
    files: ['.flake8'],
    tables: ['flake8'],
    sections: { 'setup.cfg': /^\[flake8[\]:]/m, 'tox.ini': /^\[flake8[\]:]/m },
    byDefault: true,
  },
  pylint: {
    files: ['pylintrc', '.pylintrc', 'pylintrc.toml', '.pylintrc.toml'],
    tables: ['pylint'],
    sections: { 'setup.cfg': /^\[pylint[\].]/im, 'tox.ini': /^\[pylint[\].]/im },
  },
  bandit: { files: ['.bandit', 'bandit.yaml', 'bandit.yml', '.bandit.yaml', '.bandit.yml'], tables: ['bandit'], sections: {} },
  mypy: { files: ['mypy.ini', '.mypy.ini'], tables: ['mypy'], sections: { 'setup.cfg': /^\[mypy[\]-]/m } },
  pyright: { files: ['pyrightconfig.json'], tables: ['pyright', 'basedpyright'], sections: {} },
};

/** The file that sets it up, relative to the project; null where none does. */
export function settingsOf(project: string, linter: PythonLinter): string | null {
  const { files, tables, sections, byDefault } = HOMES[linter];
  const own = files.find((name) => textAt(project, name) !== null);
  if (own !== undefined) return own;
  const pyproject = textAt(project, 'pyproject.toml') ?? '';
  if (tables.some((table) => hasTable(pyproject, table))) return 'pyproject.toml';
  const shared = Object.entries(sections).find(([name, heading]) => heading.test(textAt(project, name) ?? ''));
  if (shared !== undefined) return shared[0];
  return byDefault === true ? declaredIn(project, linter) : null;
}

function hasTable(toml: string, table: string): boolean {
  return new RegExp(`^\\s{0,8}\\[{1,2}\\s{0,8}tool\\s{0,8}\\.\\s{0,8}"?${table}"?\\s{0,8}[.\\]]`, 'm').test(toml);
}

/** Does mypy's own section say what it checks? Without that it has to be told. */
export function namesItsFiles(project: string): boolean {
  const file = settingsOf(project, 'mypy') ?? '';
  const section = file === 'pyproject.toml' ? '[tool.mypy]' : '[mypy]';
  const lines = (textAt(project, file) ?? '').split('\n').map((line) => line.trim());
  const start = lines.findIndex((line) => line.replaceAll(/\s/g, '').startsWith(section));
  const end = lines.findIndex((line, at) => at > start && line.startsWith('['));
  const own = start < 0 ? [] : lines.slice(start + 1, end < 0 ? undefined : end);
  return own.some((line) => /^"?(?:files|packages|modules|package|module)"?\s{0,20}=/.test(line));
}

/** Lists of packages for development: a line of its own, or a text in a list. */
function declaredIn(project: string, linter: string): string | null {
  const end = `(?:\\[[^\\]]{0,100}\\])?\\s{0,8}(?:[=<>~!@;].{0,200})?`;
  const inToml = new RegExp(`["']${linter}${end}["']|^\\s{0,8}${linter}\\s{0,8}=`, 'm');
  if (inToml.test(textAt(project, 'pyproject.toml') ?? '')) return 'pyproject.toml';
  const inLines = new RegExp(`^${linter}${end}\\s{0,8}(?:#.{0,200})?$`, 'm');
  const lists = namesIn(project).filter((name) => /^(?:dev-|test-)?requirements[\w.-]{0,60}\.(?:txt|in)$/.test(name));
  return lists.find((name) => inLines.test(textAt(project, name) ?? '')) ?? null;
}

const MOST_CHARACTERS = 1024 * 1024;

function textAt(project: string, name: string): string | null {
  try {
    return readFileSync(join(project, name), 'utf8').slice(0, MOST_CHARACTERS).replaceAll('\r\n', '\n');
  } catch {
    return null;
  }
}
