// Test runners that Umpire knows by name and cannot measure with. A script that calls one has tests that are not run here, and that
// has to be said. A linter, a build or a type check beside the tests is none of them.

/** Which tests it is likely to run, for the layer that it counts in. */
export type TestKind = 'unit' | 'integration' | 'e2e';

interface Foreign {
  readonly kind: TestKind;
  /** The word that has to follow it, where the program does other things too: `playwright test`. */
  readonly verb?: string;
}

const UNIT =
  'ava tap tape jasmine karma qunit uvu lab wtr web-test-runner borp zora testem intern cucumber-js ts-mocha electron-mocha mochapack phpunit rspec bats tox nox behave';
const E2E = 'wdio nightwatch testcafe protractor';

const FOREIGN: ReadonlyMap<string, Foreign> = new Map<string, Foreign>([
  ...UNIT.split(' ').map((name): [string, Foreign] => [name, { kind: 'unit' }]),
  ...E2E.split(' ').map((name): [string, Foreign] => [name, { kind: 'e2e' }]),
  ...['bun', 'deno', 'react-scripts', 'ng', 'ember', 'go', 'cargo', 'aegir'].map((name): [string, Foreign] => [
    name,
    { kind: 'unit', verb: 'test' },
  ]),
  ['vue-cli-service', { kind: 'unit', verb: 'test:unit' }],
  ['unittest', { kind: 'unit' }],
  ['playwright', { kind: 'e2e', verb: 'test' }],
  ['cypress', { kind: 'e2e', verb: 'run' }],
  ['codeceptjs', { kind: 'e2e', verb: 'run' }],
  ['detox', { kind: 'e2e', verb: 'test' }],
]);

/** Programs that run another one. */
const AROUND: ReadonlySet<string> = new Set(
  'npx pnpm yarn npm bunx exec dlx run node python python3 poetry uv pipenv hatch c8 nyc xvfb-run dotenv time'.split(' '),
);
/** Programs that run a file. */
const FILE_RUNNERS: ReadonlySet<string> = new Set(['node', 'tsx', 'ts-node', 'ts-node-esm', 'babel-node', 'esmo', 'bun']);
/** A file that runs tests, by its name. A file that prepares them may lie beside it. */
const TEST_FILE = /(?:^|\/)(?:(?:run-)?tests?|tests?\/(?:index|run|all))\.[cm]?[jt]sx?$|\.(?:test|spec)\.[cm]?[jt]sx?$/;

export interface ForeignCall {
  /** For people: `ava`, `playwright`, `node test/run.js`. */
  readonly name: string;
  readonly kind: TestKind;
  /** A file that it runs by itself; it may turn out to be one that node:test knows. */
  readonly file: string | null;
}

/** `words`: of one command, without variables before it. `script`: the name of the script that it stands in. */
export function foreignCall(words: readonly string[], script: string): ForeignCall | null {
  const at = words.findIndex((word) => FOREIGN.has(baseOf(word)));
  const foreign = FOREIGN.get(baseOf(words[at] ?? ''));
  const leading = words.slice(0, Math.max(0, at)).filter((word) => !word.startsWith('-'));
  const following = words.slice(at + 1).find((word) => !word.startsWith('-'));
  if (
    foreign !== undefined &&
    leading.every((word) => AROUND.has(baseOf(word))) &&
    (foreign.verb === undefined || foreign.verb === following)
  )
    return { name: baseOf(words[at] ?? ''), kind: kindOf(script) ?? foreign.kind, file: null };
  const [program = ''] = words;
  const file = FILE_RUNNERS.has(baseOf(program)) ? words.slice(1).find((word) => TEST_FILE.test(word)) : undefined;
  return file === undefined ? null : { name: `${baseOf(program)} ${file.slice(0, 100)}`, kind: kindOf(script) ?? 'unit', file };
}

/** A script says by its name what it tests. */
function kindOf(script: string): TestKind | null {
  if (/(?:^|[:_-])(?:e2e|end-to-end|browser|acceptance)(?:[:_-]|$)/.test(script)) return 'e2e';
  return /(?:^|[:_-])(?:integration|int)(?:[:_-]|$)/.test(script) ? 'integration' : null;
}

/** Where such tests would lie, for whoever sorts tests into layers by their path. */
export function likelyPath(folder: string, kind: TestKind): string {
  const path = { unit: 'test/unit.test.js', integration: 'test/integration/all.integration.test.js', e2e: 'test/e2e/all.e2e.test.js' }[
    kind
  ];
  return folder === '' ? path : `${folder}/${path}`;
}

export function baseOf(word: string): string {
  return word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
}
