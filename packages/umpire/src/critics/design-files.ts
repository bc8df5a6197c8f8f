// Where the design tokens of a project lie: what its settings name, else every JSON file that holds a token. Reading what is in
// them is formats/tokens'.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { readTokenFile } from '@umpire/reports/tokens/token-file.js';
import type { TokenFile } from '@umpire/reports/tokens/token.js';
import { faultOf } from '../sessions/session-folder.js';
import { findFiles } from './project-files.js';

/** Samples for tests and pages of examples are no part of the design. */
const USUAL = [
  '**/*.json',
  '**/*.tokens',
  ...['fixtures', '__fixtures__', '__tests__', 'test', 'tests', 'coverage'].map((name) => `!**/${name}/**`),
];
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_FILES = 500;
/** Of all files together. */
const MOST_TOGETHER = 64 * 1024 * 1024;

export interface FoundTokens {
  readonly files: readonly TokenFile[];
  /** What was left out, one sentence each. */
  readonly notes: readonly string[];
}

/** `mayGoOn`: asked before each file; false ends the search. */
export function findTokens(project: string, patterns: readonly string[], mayGoOn: () => boolean): FoundTokens {
  const isAsked = patterns.length > 0;
  const files: TokenFile[] = [];
  const notes: string[] = [];
  let together = 0;
  for (const path of findFiles(project, isAsked ? patterns : USUAL)) {
    if (!mayGoOn()) break;
    const isNamed = isAsked || path.endsWith('.tokens.json') || path.endsWith('.tokens');
    const text = textOf(join(project, path));
    if (text.problem !== null) {
      if (isNamed) files.push(unreadable(path, text.problem));
      continue;
    }
    if (!isNamed && !/"\$value"\s{0,100}:/.test(text.text) && !/"resolutionOrder"\s{0,100}:/.test(text.text)) continue;
    if (files.length >= MOST_FILES) {
      notes.push(
        `There are more than ${MOST_FILES} token files; the others were not audited. Name the ones to audit under critics.design.tokens.`,
      );
      break;
    }
    together += text.text.length;
    if (together > MOST_TOGETHER) {
      files.push(
        unreadable(path, `the token files up to this one have more than ${MOST_TOGETHER / 1024 / 1024} MB together; no more are read`),
      );
      break;
    }
    const file = readTokenFile(text.text, path);
    const isEmpty = file.unreadable === null && file.tokens.length === 0 && file.themedFiles.length === 0;
    if (isEmpty && isNamed) files.push(unreadable(path, 'there is no token in it; expected at least one object with "$value"'));
    else if (!isEmpty) files.push(file);
  }
  return { files, notes };
}

function textOf(place: string): { readonly text: string; readonly problem: string | null } {
  try {
    const { size } = statSync(place);
    if (size > MOST_BYTES) return { text: '', problem: `it has ${size} bytes; at most ${MOST_BYTES / 1024 / 1024} MB are read` };
    return { text: decodeTolerantly(readFileSync(place)), problem: null };
  } catch (error) {
    return { text: '', problem: faultOf(error) };
  }
}

function unreadable(file: string, problem: string): TokenFile {
  return { file, tokens: [], faults: [], groups: new Set(), root: () => null, themedFiles: [], unreadable: { problem, line: 1 } };
}
