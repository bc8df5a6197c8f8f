// A page of the docs as tests read it: fenced blocks and tables. With UMPIRE_REFRESH_DOCS=1 a block that shows outdated output is
// rewritten in the page instead of failing the test.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const FENCE = /^```(\w+)(?: (\S+))?(?: (\S+))?\n([\s\S]*?)^```$/gm;

export const isRefreshing = process.env['UMPIRE_REFRESH_DOCS'] === '1';

/** A fenced block: ```kind name part. */
export interface Block {
  /** Its number in the page, from 0. */
  readonly at: number;
  readonly kind: string;
  readonly name: string;
  readonly part: string;
  readonly text: string;
}

export interface Page {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

export function readPage(path: string): Page {
  const text = readFileSync(join(root, path), 'utf8');
  const blocks = [...text.matchAll(FENCE)].map(([, kind = '', name = '', part = '', body = ''], at) => ({
    at,
    kind,
    name,
    part,
    text: body,
  }));
  return { path, text, blocks };
}

export function findBlock(page: Page, name: string): Block {
  return page.blocks.find((block) => block.name === name) ?? expect.fail(`${page.path} has no block ${name}.`);
}

/** Compares a block with the real text. */
export function expectBlock(page: Page, block: Block, real: string): void {
  if (block.text === real) return;
  if (isRefreshing) replaceBlock(page, block, real);
  else expect({ page: page.path, block: block.name, text: block.text }).toEqual({ page: page.path, block: block.name, text: real });
}

/** Reads the file again first: other blocks of it may have been rewritten since. */
export function replaceBlock({ path }: Page, { at }: Block, text: string): void {
  let index = -1;
  const file = join(root, path);
  const rewritten = readFileSync(file, 'utf8').replace(FENCE, (whole: string) => {
    index++;
    return index === at ? `${whole.slice(0, whole.indexOf('\n') + 1)}${text}\`\`\`` : whole;
  });
  writeFileSync(file, rewritten);
}

/** The rows of every table with this header. An empty first cell repeats the one above. */
export function tableOf({ path, text }: Page, header: string): readonly (readonly string[])[] {
  const bodies = text.split(`| ${header} |\n`).slice(1);
  if (bodies.length === 0) expect.fail(`${path} has no table "${header}".`);
  return bodies.flatMap((body) => {
    const rows = body.split('\n').slice(1);
    const end = rows.findIndex((row) => !row.startsWith('|'));
    let first = '';
    return rows.slice(0, end < 0 ? rows.length : end).map((row) => {
      const [head = '', ...others] = row
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim());
      first = head === '' ? first : head;
      return [first, ...others];
    });
  });
}

/** The texts in backticks. */
export function codeIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}
