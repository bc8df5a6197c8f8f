// When cargo-nextest tests a project in place of `cargo test`, where its tests lie, and how a person's command is asked for names.

import { chmodSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cleanUpAfterwards, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import { DEFAULT_SETTINGS } from '../sessions/settings.js';
import { askForNames } from './command-names.js';
import { guessTests } from './find-tests.js';
import { nextest } from './nextest.js';

cleanUpAfterwards();

const path = process.env['PATH'] ?? '';
let installed = '';

beforeEach(() => {
  installed = temporaryFolder();
  writeFiles(installed, { 'cargo-nextest': '#!/bin/sh\n' });
  chmodSync(join(installed, 'cargo-nextest'), 0o755);
  process.env['PATH'] = [installed, path].join(delimiter);
});
afterEach(() => {
  process.env['PATH'] = path;
});

const TEST = '#[test]\nfn adds() {}\n';
const WORKSPACE = {
  '.git/HEAD': '',
  'Cargo.toml': '[workspace]\nmembers = ["shop"]\n',
  'shop/Cargo.toml': '[package]\nname = "the-shop"\n',
  'shop/src/lib.rs': 'mod price;\n',
  'shop/src/price.rs': `mod tests {\n${TEST}}\n`,
  'shop/src/bin/till.rs': TEST,
  'shop/tests/cli/main.rs': `\n${TEST}`,
};

function listPlaces(files: Readonly<Record<string, string>>): readonly string[] {
  const project = temporaryFolder();
  writeFiles(project, files);
  return guessTests(project, DEFAULT_SETTINGS.critics).map(({ place, files: own }) => `${place.runner} ${place.path} ${own.length}`);
}

it('tests a workspace that has settings of it, once', () => {
  expect(listPlaces({ ...WORKSPACE, '.config/nextest.toml': '' })).toEqual(['nextest  3']);
  expect(listPlaces(WORKSPACE)).toEqual(['cargo  3']);
});

it('leaves the tests to cargo test where it is not installed', () => {
  process.env['PATH'] = path;
  expect(listPlaces({ ...WORKSPACE, '.config/nextest.toml': '' })).toEqual(['cargo  3']);
});

it('finds tests by their program and module', () => {
  const project = temporaryFolder();
  writeFiles(project, WORKSPACE);
  const ids = [
    'the-shop > price::tests::adds',
    'the-shop::bin/till > adds',
    'the-shop::cli > adds',
    'the-shop::cli > a (name',
    'other > adds',
  ];
  const results = ids.map((id) => ({ id, status: 'passed', file: null, line: null, message: null, durationMs: null }) as const);
  expect(nextest.locate?.(project, results, []).map(({ file, line }) => `${file}:${line}`)).toEqual([
    'shop/src/price.rs:3',
    'shop/src/bin/till.rs:2',
    'shop/tests/cli/main.rs:3',
    'shop/tests/cli/main.rs:null',
    'null:null',
  ]);
});

it('has a command name all tests, without a file in the project', () => {
  const scratch = temporaryFolder();
  const project = temporaryFolder();
  mkdirSync(join(project, 'src'));
  const ask = (command: string) => askForNames(command, scratch, project);
  expect(ask('cargo nextest run')).toMatchObject({ command: 'cargo nextest run --no-fail-fast', env: { NEXTEST_STATUS_LEVEL: 'skip' } });
  expect(ask('cargo nextest run -- adds').command).toBe('cargo nextest run -- adds');
  expect(ask('cargo nextest run --max-fail=2').command).toBe('cargo nextest run --max-fail=2');
  expect(ask('cargo nextest list').command).toBe('cargo nextest list');
  expect(ask('make test')).toMatchObject({ command: 'make test', env: { NEXTEST_STATUS_LEVEL: 'skip' } });
  process.env['NEXTEST_STATUS_LEVEL'] = 'fail';
  try {
    expect(ask('make test').env['NEXTEST_STATUS_LEVEL']).toBeUndefined();
  } finally {
    delete process.env['NEXTEST_STATUS_LEVEL'];
  }
});
