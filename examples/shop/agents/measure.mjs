#!/usr/bin/env node
// An agent that measures: it runs the tests with coverage and writes down what came of it. No model is asked. Needs Node 20.11.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const task = JSON.parse(readFileSync(process.env.UMPIRE_TASK_FILE, 'utf8'));
const results = join(process.env.UMPIRE_SESSION, 'results');
mkdirSync(results, { recursive: true });

// The working folder is the project as the other agents left it.
const lcov = join(results, `coverage-${task.layer}.lcov`);
const report = ['--test-reporter=tap', '--test-reporter-destination=stdout', '--test-reporter=lcov', `--test-reporter-destination=${lcov}`];
const { stdout } = spawnSync(process.execPath, ['--test', '--experimental-test-coverage', ...report], { encoding: 'utf8', maxBuffer: 1e9 });
writeFileSync(join(results, `output-${task.layer}.txt`), stdout);

const count = (word) => Number(stdout.match(new RegExp(`^# ${word} (\\d+)`, 'm'))?.[1] ?? 0);
const sources = readFileSync(lcov, 'utf8')
  .split('end_of_record')
  .filter((record) => /^SF:src\//m.test(record));
const sum = (field) => sources.reduce((all, record) => all + Number(record.match(new RegExp(`^${field}:(\\d+)`, 'm'))?.[1] ?? 0), 0);
const coverage = sum('LF') === 0 ? null : Math.round((1000 * sum('LH')) / sum('LF')) / 10;
const failures = [...stdout.matchAll(/^not ok \d+ - (.*)$/gm)].map(([, name]) => ({ name, message: 'see the output of the run' }));
const [total, passed, failed] = ['tests', 'pass', 'fail'].map(count);
const run = { layer: task.layer, pass_rate: total === 0 ? 0 : passed / total, coverage, total, passed, failed, failures };
writeFileSync(join(results, `run-${task.layer}.json`), `${JSON.stringify(run, null, 2)}\n`);

const result = {
  id: task.id,
  status: 'completed', // The run took place; failing tests are a result.
  findings: `${passed} of ${total} tests pass, ${coverage ?? 'no'}% of the lines are covered.`,
  pass_rate: run.pass_rate,
  coverage_achieved: coverage,
};
writeFileSync(process.env.UMPIRE_RESULT_FILE, JSON.stringify(result));
