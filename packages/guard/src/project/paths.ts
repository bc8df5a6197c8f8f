// What a file is to the tests, by its path alone: a test, their support, fixtures, snapshots, settings, scripts, or source. Where the file of
// an imported module and the tests of a source file may lie, and which new files stand in for what they are called after.

import type { Language } from '../syntax/nodes.js';
import { RUST_TESTS } from '../syntax/rust/lower.js';
import type { FileChange } from '../change.js';

export type FileRole =
  | 'test'
  | 'support'
  | 'fixture'
  | 'snapshot'
  | 'config'
  | 'ci'
  | 'package'
  | 'scripts'
  | 'lockfile'
  | 'docs'
  | 'source';

const LOCKFILES: ReadonlySet<string> = new Set(
  (
    'package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock poetry.lock Pipfile.lock uv.lock pdm.lock ' +
    'requirements.txt requirements-dev.txt requirements-test.txt dev-requirements.txt test-requirements.txt constraints.txt conda-lock.yml Pipfile'
  ).split(' '),
);

/** What pip and its kin install. */
const PINNED = /^(requirements|constraints)([._-][\w.-]*)?\.(txt|lock|in)$|^pylock(\.[\w-]+)?\.toml$/;

const CONFIG_NAMES: ReadonlySet<string> = new Set(
  (
    '.rspec .simplecov phpunit.xml phpunit.xml.dist phpunit.dist.xml nextest.toml pytest.ini .pytest.ini pytest.toml .pytest.toml tox.ini tox.toml hatch.toml setup.cfg pyproject.toml .coveragerc .coveragerc.toml mypy.ini .mypy.ini .flake8 ruff.toml .ruff.toml pylintrc .pylintrc pylintrc.toml .pylintrc.toml ty.toml pyrefly.toml ' +
    'pyrightconfig.json setup.py bandit.yaml .pre-commit-config.yaml .isort.cfg .style.yapf .bandit codecov.yml .codecov.yml ' +
    'codecov.yaml .codecov.yaml .coveralls.yml sonar-project.properties .eslintignore .prettierignore .npmrc .yarnrc .yarnrc.yml .nvmrc ' +
    '.node-version nx.json turbo.json lerna.json pnpm-workspace.yaml .editorconfig .swcrc .babelrc ' +
    'umpire.config.yaml deno.json deno.jsonc bunfig.toml .lintstagedrc .huskyrc lefthook.yml .lefthook.yml lefthook.yaml .lefthook.yaml Dockerfile tslint.json .jshintrc .nycrc .c8rc .taprc mocha.opts .pnpmfile.cjs .pnpmfile.mjs'
  ).split(' '),
);

const CONFIG_FILE =
  /^(vitest|vite|jest|mocha|karma|ava|playwright|cypress|wallaby|stryker|babel|eslint|prettier|rollup|webpack|tsup|nyc|c8|commitlint|lint-staged|stylelint|biome|oxlint|wdio|jasmine|knip|metro|next|nuxt|svelte|astro|web-test-runner|rstest|cucumber|codecept|nightwatch|protractor)\.(config|conf|workspace|projects|shared|base|preset)(\.[\w-]+)*$|^\.(mocharc|eslintrc|oxlintrc|prettierrc|nycrc|c8rc|babelrc|stylelintrc|swcrc|taprc|lintstagedrc|jestrc|jasminerc|huskyrc|markdownlint)(\.[\w]+)*$|^(tsconfig|jsconfig)([.-][\w-]+)*\.json$|^(biome|oxlintrc|jest|cypress|nodemon|ava|stryker|jasmine|dprint)\.jsonc?$|^(ruff|mypy|pytest)\.(toml|ini)$/;

/** One of several settings of the same tool, told apart by a word: `vitest.unit.config.ts`, `playwright-ct.config.ts`, `jest-e2e.json`. */
const WORDED_CONFIG =
  /^(vitest|jest|mocha|karma|ava|playwright|cypress|wdio|jasmine|eslint|nyc|c8|stryker)([.-][\w-]+)+\.(config|conf)\.[cm]?[jt]s(on)?$|^jest[.-](e2e|unit|integration|int|component|functional|smoke|api|ci|base|common|shared|preset|node|jsdom|browser)\.json$/;

/** They may name another program that runs the tests, and its words. */
const LAUNCHER_CONFIG = /(^|\/)(\.cargo\/config(\.toml)?|\.mvn\/[^/]+|\.tap\/plugins|playwright\/index\.\w+)$|\.runsettings$/;

/** Files that say what a command such as `make test` runs. */
const SCRIPTS =
  /^(\.?mise(\.[\w-]+)*\.toml|(GNU)?[Mm]akefile|\.?[Jj]ustfile|[Tt]askfile(\.dist)?\.ya?ml|noxfile\.py|dodo\.py|duties\.py|Rakefile|Gruntfile\.[cm]?[jt]s|gulpfile\.[cm]?[jt]s|Earthfile|package\.(json5|yaml))$|\.(mk|just)$/;
const SHELL_SCRIPT = /^(run[-_]?)?(all[-_]?)?(tests?|checks?|lint|ci|coverage)\.(sh|bash|zsh|ps1|cmd|bat)$/;

const CI =
  /^\.github\/(workflows|actions)\/|^\.gitlab-ci|^\.gitlab\/|^\.circleci\/|^azure-pipelines|^\.azure|^\.travis\.ya?ml$|^Jenkinsfile|^bitbucket-pipelines|^\.buildkite\/|^\.drone\.ya?ml$|^appveyor\.ya?ml$|^\.appveyor|^\.woodpecker|^\.husky\/|^\.teamcity\/|^cloudbuild\.ya?ml$|^buildspec\.ya?ml$|^\.ci\/|^ci\//;

const SNAPSHOT = /(^|\/)__(image_)?snapshots__\/|\.snap(shot)?$|-snapshots\/|\.ambr$|\.approved\.\w+$|(^|\/)snapshots?\//;
const FIXTURE = /(^|\/)(fixtures?|__fixtures__|testdata|test-data|test_data|cassettes|golden|goldens|__data__|samples)\//;
const SUPPORT = /(^|\/)(__mocks__|__fakes__|mocks|fakes|test-utils?|test-helpers?|test_helpers|testing|test-support|support|helpers)\//;
const SETUP =
  /(^|\/)(setup-?tests?|test[-_]?(kit|support)|(vitest|jest|mocha|test)[.-]?setup|test-?(utils?|helpers?)|conftest)(\.[\w]+)+$/i;
/** Data and code of tests that lie beside source: `cart.fixture.json`, `cart.test-helpers.ts`. */
const BESIDE = /[._-](fixtures?|test-?data|test-?(utils?|helpers?|support|kit))\.[\w]+$/i;
const TEST_FOLDER = /(^|\/)(__tests__|tests?)\/|^((packages|apps|libs|modules)\/[^/]+\/)?(spec|specs|e2e|integration|cypress)\//;
/** Names by which one runner or another knows its tests. */
export const TEST_FILE =
  /([._-](tests?|specs?)|\.test-d|\.spec-d|\.e2e|\.cy)\.[cm]?[jt]sx?$|(^|\/)test[-_][\w-]*\.[cm]?[jt]sx?$|(^|\/)test\.[cm]?[jt]sx?$|(^|\/)test_[^/]*\.py$|_test\.py$|(^|\/)tests?\.py$/;
const CODE = /\.([cm]?[jt]sx?|py|pyi|rs)$/;
const DOCS =
  /\.(md|mdx|rst|adoc)$|(^|\/)(LICENSE|CHANGELOG|AUTHORS|NOTICE|CODEOWNERS)[\w.]*$|^docs\/.*\.(txt|png|svg)$|(^|\/)\.git(ignore|attributes|keep)$/;

export function roleOf(path: string): FileRole {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (LOCKFILES.has(name) || PINNED.test(name)) return 'lockfile';
  if (name === 'package.json') return FIXTURE.test(path) ? 'fixture' : 'package';
  if (CI.test(path)) return 'ci';
  if (SNAPSHOT.test(path) && !TEST_FILE.test(path)) return 'snapshot';
  if (FIXTURE.test(path)) return CODE.test(path) && TEST_FILE.test(path) ? 'test' : 'fixture';
  if (SCRIPTS.test(name) || (SHELL_SCRIPT.test(name) && !TEST_FOLDER.test(path))) return 'scripts';
  if (CONFIG_NAMES.has(name) || LAUNCHER_CONFIG.test(path) || CONFIG_FILE.test(name) || WORDED_CONFIG.test(name)) return 'config';
  if ((TEST_FILE.test(path) && CODE.test(path)) || RUST_TESTS.test(path)) return 'test';
  if (SETUP.test(path)) return 'support';
  if (TEST_FOLDER.test(path)) {
    if (!CODE.test(path)) return 'fixture';
    return SUPPORT.test(path) ? 'support' : 'test';
  }
  if (/(^|\/)(__mocks__|__fakes__|test-?utils?|test-?helpers?|test_helpers|test-?support|testing|test-?kit)\//i.test(path))
    return 'support';
  if (BESIDE.test(name)) return CODE.test(name) ? 'support' : 'fixture';
  return DOCS.test(path) ? 'docs' : 'source';
}

const ENDINGS = ['', '.ts', '.js', '.mjs', '.cjs', '.tsx', '.jsx', '.mts', '/index.ts', '/index.js'];

/** Paths in the project, likely ones first; empty for modules that are installed. */
export function candidatePaths(from: string, module: string, name: string, language: Language): readonly string[] {
  const folder = from.slice(0, Math.max(0, from.lastIndexOf('/')));
  if (language === 'javascript') {
    if (!module.startsWith('.')) return [];
    const path = resolveModulePath(folder, module);
    const bare = path.replace(/\.[cm]?js$/, '');
    return [...new Set([path, ...ENDINGS.flatMap((ending) => [path + ending, bare + ending])])].filter((one) => /\.\w+$/.test(one));
  }
  if (language === 'rust') return [];
  const dots = /^\.*/.exec(module)?.[0].length ?? 0;
  const parts = module.slice(dots).replaceAll('.', '/');
  const base = dots === 0 ? '' : resolveModulePath(folder, '../'.repeat(dots - 1));
  const bases = dots > 0 ? [base] : ['', folder];
  return bases.flatMap((start) => {
    const path = resolveModulePath(start, parts);
    return [`${path}.py`, `${path}/__init__.py`, `${path}/${name}.py`].map((one) => one.replace(/^\//, ''));
  });
}

function resolveModulePath(folder: string, path: string): string {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

export function testPaths(path: string): readonly string[] {
  const slash = path.lastIndexOf('/');
  const folder = path.slice(0, Math.max(0, slash));
  const [name = '', ending = ''] = /^(.*?)\.(\w+)$/.exec(path.slice(slash + 1))?.slice(1) ?? [];
  if (name === '') return [];
  const inner = folder.replace(/^(src|lib|source)\/?/, '');
  const joinParts = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('/');
  if (ending === 'py') {
    const last = inner.split('/').slice(1).join('/');
    return [
      joinParts('tests', `test_${name}.py`),
      joinParts('test', `test_${name}.py`),
      joinParts('tests', last, `test_${name}.py`),
      joinParts(folder, `test_${name}.py`),
      joinParts(folder, 'tests', `test_${name}.py`),
      joinParts('testing', `test_${name}.py`),
      `test_${name}.py`,
    ];
  }
  const endings = [ending, 'js', 'ts', 'mjs', 'cjs'].filter((one, index, all) => all.indexOf(one) === index);
  return endings.flatMap((end) => [
    joinParts(folder, `${name}.test.${end}`),
    joinParts(folder, `${name}.spec.${end}`),
    joinParts(folder, '__tests__', `${name}.test.${end}`),
    ...['test', 'tests', '__tests__'].flatMap((root) => [
      joinParts(root, `${name}.test.${end}`),
      joinParts(root, `${name}.${end}`),
      joinParts(root, inner, `${name}.test.${end}`),
      joinParts(root, inner, `${name}.${end}`),
      joinParts(root, 'unit', `${name}.${end}`),
      joinParts(root, 'unit', `${name}.test.${end}`),
    ]),
  ]);
}

/** What runs Python tests and what they check with; files that Python runs before everything else. */
const PYTHON_TOOLS =
  /^(pytest|_pytest|py\.test|pluggy|iniconfig|unittest|doctest|nose2?|hypothesis|assertpy|hamcrest|pytest_\w+|coverage|tox|sitecustomize|usercustomize)$/;

/** Where Python looks first: the folder that it is started in, and those that the runner adds. */
const PYTHON_ROOT = /^(?:(?:src|lib|python|tests?)\/)?$/;

const NODE_TOOLS =
  /(?:^|\/)(?:node_modules|__mocks__)\/(?:\.bin\/|@vitest\/|@jest\/|@testing-library\/|(?:vitest|jest|jest-[\w-]+|mocha|chai|chai-[\w-]+|expect|jasmine|jasmine-core|ava|tape|tap|uvu|sinon|c8|nyc|playwright|@playwright\/test|cypress|tsx|ts-node|typescript|eslint)(?:\/|\.[cm]?[jt]s$))/;

/** What the file would stand in for; null: it stands for itself. `isThere`: after the change. What moved stands for itself. */
export function standsFor({ path, before, after, renamedFrom }: FileChange, isThere: (path: string) => boolean): string | null {
  if (after === null || (before !== null && renamedFrom === undefined)) return null;
  const module = /^(.*?)([^/]+)(?:\.pyi?|\/__init__\.py)$/.exec(path);
  if (module === null) {
    if (path.endsWith('.pth')) return 'what Python loads at its start';
    return NODE_TOOLS.test(path) && !/(^|\/)(__)?fixtures?(__)?\//.test(path) ? (path.split('/node_modules/').at(-1) ?? path) : null;
  }
  const [, folder = '', name = ''] = module;
  // A folder of unit tests may bear the name of a tool.
  const isPackage = path.endsWith('/__init__.py');
  if (PYTHON_TOOLS.test(name) && PYTHON_ROOT.test(folder) && !(isPackage && /^tests?\//.test(folder))) return name;
  // A folder of tests that is no package: pytest has Python look there before all others.
  return isPackage || !(/(^|\/)tests?\/$/.test(folder) && !isThere(`${folder}__init__.py`)) ? null : besideTests(name, isThere);
}

function besideTests(name: string, isThere: (path: string) => boolean): string | null {
  const found = [`${name}.py`, `${name}/__init__.py`, `src/${name}.py`, `src/${name}/__init__.py`].find(isThere);
  // pytest reads the conftest.py of every folder, and tests of one name may lie in two.
  return found !== undefined && roleOf(found) === 'source' ? found : null;
}
