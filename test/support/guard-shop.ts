// A small shop with tests, which the tests of `umpire guard` change, and helpers to read the output of the command.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { runGuard } from '@umpire/umpire/doors/cli/guard.js';
import { given, silentOutput } from './in-process.js';
import type { Ran, RunProject } from './run-project.js';

export const CART = 'export const total = (prices: number[], tax = 0.2): number => prices.reduce((a, b) => a + b, 0) * (1 + tax);\n';
export const TESTS = `import { describe, expect, it } from 'vitest';
import { total } from './cart';

describe('cart', () => {
  it('adds', () => {
    expect(total([1, 2], 0)).toBe(3);
  });

  it('adds the tax', () => {
    expect(total([10])).toBe(12);
  });

  it('takes an empty cart', () => {
    expect(total([])).toEqual(0);
  });
});
`;
export const FILES = {
  'package.json': '{"name":"shop","scripts":{"test":"vitest run"}}\n',
  'src/cart.ts': CART,
  'src/cart.test.ts': TESTS,
};
export const SKIPPED = TESTS.replace("it('adds the tax'", "it.skip('adds the tax'");
export const WEAKENED = SKIPPED.replace('toEqual(0)', 'toBeDefined()');
export const ADDED = "\n  it('takes one price', () => {\n    expect(total([5], 0)).toBe(5);\n  });\n});\n";
export const FREE =
  "import { expect, it } from 'vitest';\nimport { total } from './cart';\nit('is free', () => expect(total([0])).toBe(0));\n";
export const withMore = (text: string) => text.replace(/\}\);\n$/, ADDED);

export interface Told {
  readonly findings: readonly { readonly rule: string; readonly file: string; readonly line: number; readonly test?: string }[];
  readonly allowed: readonly { readonly rule: string; readonly allowance: { readonly reason: string; readonly new: boolean } }[];
  readonly expired: readonly { readonly until: string }[];
  readonly problems: readonly { readonly file: string }[];
  readonly base: string;
  readonly scope: string;
}

export function jsonOf({ out }: Ran): Told {
  return JSON.parse(out) as Told;
}

export const places = ({ findings }: Told): readonly string[] => findings.map(({ rule, file, line }) => `${rule} ${file}:${line}`);
export const textIn = (project: RunProject, path: string): string => readFileSync(join(project.root, path), 'utf8');

/** Runs `umpire guard` in this process, ten times as fast as a new process. Ignores the git settings of the machine. */
export async function guardIn(project: RunProject, ...args: readonly string[]): Promise<Ran> {
  vi.stubEnv('GIT_CONFIG_GLOBAL', '/dev/null').stubEnv('GIT_CONFIG_NOSYSTEM', '1').stubEnv('HOME', project.beside);
  try {
    const { stdout = '', stderr = '', exit } = await runGuard(given('guard', ...args, '--project', project.root), silentOutput());
    return { exit, out: stdout, err: stderr, session: '' };
  } catch (error) {
    if (!isUmpireError(error)) throw error;
    return { exit: error.exit, out: '', err: `umpire: ${error.message}\n${error.hint}\n`, session: '' };
  } finally {
    vi.unstubAllEnvs();
  }
}
