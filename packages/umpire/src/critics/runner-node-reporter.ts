// The reporter that node:test is handed: every test with its file, in the form of Jest's JSON. A file without a single test, which
// node counts as one that passed, is left out; one that broke before its tests, or whose process ended well before it told of one that it
// plainly has, is a failed suite.

export const REPORTER = `
import { readFileSync } from 'node:fs';

const suites = new Map();
// Titles from the outermost to the one at work: node reports in the order of the files.
const open = [];

function suiteOf(file) {
  if (!suites.has(file)) suites.set(file, { name: file, status: 'passed', message: '', assertionResults: [] });
  return suites.get(file);
}

const told = new Set();

// Helpers lie beside tests and have none.
function hasTests(file) {
  try {
    const text = readFileSync(file, 'utf8');
    return /['"](?:node:)?test['"]/.test(text) && /^(?:await\\s+)?(?:test|it|describe|suite)(?:\\.\\w+)*\\(/m.test(text);
  } catch {
    return false;
  }
}

function messageOf(error) {
  const cause = error?.cause ?? error;
  return String(cause?.stack ?? cause?.message ?? cause ?? 'it failed');
}

export default async function* report(source) {
  for await (const { type, data } of source) {
    if (type === 'test:start') {
      open.length = data.nesting;
      open[data.nesting] = data.name;
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const file = data.file ?? '';
    const suite = suiteOf(file);
    const isFile = data.nesting === 0 && (data.name === file || file.endsWith('/' + data.name));
    const failed = type === 'test:fail' && data.todo === undefined && data.skip === undefined;
    if (failed) suite.status = 'failed';
    if (isFile) {
      if (failed) suite.message = messageOf(data.details?.error);
      continue;
    }
    told.add(file);
    const isDerived = data.details?.error?.failureType === 'subtestsFailed';
    if (data.details?.type === 'suite' && (!failed || isDerived)) continue;
    const status = data.skip !== undefined ? 'pending' : data.todo !== undefined ? 'todo' : failed ? 'failed' : 'passed';
    const ancestorTitles = open.slice(0, data.nesting).filter((title) => title !== undefined);
    suite.assertionResults.push({
      ancestorTitles,
      title: data.name,
      fullName: [...ancestorTitles, data.name].join(' '),
      status,
      duration: data.details?.duration_ms ?? null,
      location: data.line === undefined ? null : { line: data.line, column: data.column ?? 1 },
      failureMessages: failed ? [messageOf(data.details?.error)] : [],
    });
  }
  for (const suite of suites.values()) {
    if (suite.status !== 'passed' || told.has(suite.name) || !hasTests(suite.name)) continue;
    suite.status = 'failed';
    suite.message = 'Its process ended, with status 0, before it told of a test: something in it, or in what it loads, ends the process.';
  }
  const testResults = [...suites.values()].filter(({ assertionResults, status }) => assertionResults.length > 0 || status === 'failed');
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const count = (status) => all.filter((test) => test.status === status).length;
  yield JSON.stringify({
    numTotalTests: all.length,
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    success: testResults.every(({ status }) => status === 'passed'),
    testResults,
  });
}
`;
