// The pinned baseline: what a commit of the project measured, once for the same tools and settings, kept outside what agents write.
// A file that is damaged counts for nothing and is measured again.

import { readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Measurement } from '../formats/debt-measurement.js';
import { isObject, parseJson } from '../formats/json-text.js';
import { cacheHome } from '../runtime/environment.js';
import { faultOf, makeFolders, openFolder, writeAtomically } from '../runtime/folder.js';
import { sha256 } from '../runtime/hash.js';
import { isUmpireError } from '../errors.js';
import type { CriticJob } from './critic.js';
import type { Provenance } from './provenance.js';
import { findPackage } from './tool.js';

export interface Baseline {
  readonly commit: string;
  readonly state: Measurement;
  readonly provenance: Provenance;
}

/** Where baselines of a project are kept: `common` is the repository that all its worktrees share. */
export function baselineHome(common: string): string {
  return join(cacheHome(), 'umpire', `baselines-${sha256(common).slice(0, 12)}`);
}

/** What is measured, and how: changed with every change of the measurement itself. */
const MEASURED = 3;
const TOOLS = [
  'vitest',
  '@vitest/coverage-v8',
  '@vitest/coverage-istanbul',
  'jest',
  'mocha',
  'c8',
  'nyc',
  'typescript',
  'eslint',
  'oxlint',
  '@biomejs/biome',
  'knip',
  'jscpd',
];

/** The same for the same commit, folder, tools and settings. */
export function baselineKey({ project, settings }: Pick<CriticJob, 'project' | 'settings'>, commit: string, prefix: string): string {
  const tools = TOOLS.map((name) => `${name} ${findPackage(project, name)?.version ?? '-'}`);
  const { debt, testing } = settings;
  return sha256(JSON.stringify({ MEASURED, commit, prefix, node: process.versions.node, tools, debt, runner: testing.runner })).slice(
    0,
    32,
  );
}

/** Null where it was not measured yet, or the file is damaged. */
export function readBaseline(home: string, key: string, commit: string): Baseline | null {
  let text: string;
  try {
    text = readFileSync(join(home, `${key}.json`), 'utf8');
  } catch {
    return null;
  }
  const json = parseJson(text);
  if (!json.ok || !isObject(json.value) || !isObject(json.value['baseline'])) return null;
  const { baseline, sha256: sum } = json.value;
  if (sum !== sha256(JSON.stringify(baseline))) return null;
  const kept = baseline as unknown as Baseline;
  return kept.commit === commit ? kept : null;
}

const MOST_KEPT = 20;

/** Why it could not be kept; null where it was. Of many only the latest stay. */
export function keepBaseline(home: string, key: string, baseline: Baseline): string | null {
  try {
    makeFolders(home);
    const sum = sha256(JSON.stringify(baseline));
    writeAtomically(openFolder(home), `${key}.json`, `${JSON.stringify({ sha256: sum, baseline })}\n`, false);
    const files = readdirSync(home).filter((name) => name.endsWith('.json'));
    const byAge = files.map((name) => ({ name, time: statSync(join(home, name)).mtimeMs })).toSorted((a, b) => b.time - a.time);
    for (const { name } of byAge.slice(MOST_KEPT)) rmSync(join(home, name), { force: true });
    return null;
  } catch (error) {
    const why = isUmpireError(error) ? error.message : faultOf(error);
    return `The baseline could not be kept, so it will be measured again: ${why}`;
  }
}
