import { expect, it } from 'vitest';
import { CheckFiles } from './check-files.js';
import { guardChange } from '../guard.js';

const FILES: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    main: './plugin.ts',
    bin: { tool: './bin/tool.mjs' },
    scripts: {
      test: 'npm run build && node scripts/run.mjs --fast',
      'lint:all': 'bash ./tools/lint-all',
      verify: 'python -m tools.verify',
      build: 'node scripts/build.mjs',
      'check:last': 'sh -c "node tools/first.mjs 1" && node scripts/bundle.mjs',
      'test:self': 'node src/cli.mjs --self-test',
      'lint:work': 'eslint --fix work.mjs "other-work.mjs" && tsc --checkJs work.mjs && node --check read.mjs',
      'test:e2e': 'node scripts/start.mjs & start-it "node server/index.mjs" http://localhost "cypress run"',
      'test:bin': 'node bin/tool.mjs --help && bin/tool.mjs fixtures',
      'test:made': 'node scripts/compile.mjs && jest',
      'test:hooked': 'c8 node --import ./hook.mjs runner.mjs work.mjs',
      'test:loaded': 'mocha --reporter tools/quiet.mjs -r ./early.mjs work.mjs',
      'test:inner': 'sh -c "node tools/inner.mjs work.mjs"',
      'check:gen': 'node scripts/generate.mjs --check && jest',
    },
  }),
  'scripts/run.mjs': "import { files } from './lib/files.mjs';\nimport { cli } from '../src/cli.mjs';\n",
  'scripts/lib/files.mjs': 'export const files = [];\n',
  'scripts/build.mjs': 'build();\n',
  'scripts/report.py': 'report()\n',
  'tools/lint-all': 'eslint .\n',
  'tools/verify.py': 'verify()\n',
  'src/cli.mjs': 'export const cli = 1;\n',
  Makefile: 'all: build\n\tnode scripts/build.mjs\n\ncheck: all\n\tpython scripts/report.py\n',
  'vitest.config.ts':
    "import { shared } from './config/shared';\nimport { plugin } from './plugin';\nimport { aliases } from './aliases';\nexport default { test: shared, lib: { entry: 'index.ts' } };\n",
  'config/shared.ts': 'export const shared = {};\n',
  'index.ts': 'export {};\n',
  'plugin.ts': 'export const plugin = 1;\n',
  'aliases.ts': 'export const aliases = 1;\n',
  'packages/shop/package.json': '{"scripts":{"test":"node run-all.mjs"}}',
  'packages/shop/run-all.mjs': 'run();\n',
  'packages/shop/other.mjs': 'run();\n',
  'verify.mjs': "import './wanted.mjs';\n",
  'wanted.mjs': 'export const wanted = 1;\n',
  'app.mjs': "import './wanted.mjs';\n",
  'src/check.mjs': 'check();\n',
  'work.mjs': 'work();\n',
  'other-work.mjs': 'work();\n',
  run: 'node verify.mjs\n',
  'read.mjs': 'read();\n',
  'server/index.mjs': 'serve();\n',
  'bin/tool.mjs': 'tool();\n',
  'scripts/start.mjs': 'start();\n',
  'scripts/compile.mjs': 'compile();\n',
  'scripts/generate.mjs': 'generate();\n',
  'scripts/bundle.mjs': 'bundle();\n',
  'hook.mjs': 'hook();\n',
  'runner.mjs': 'run();\n',
  'early.mjs': 'early();\n',
  'tools/quiet.mjs': 'report();\n',
  'tools/inner.mjs': 'inner();\n',
  'packages/site/vite.config.ts': "import { pages } from './pages';\nexport default { plugins: [pages] };\n",
  'packages/site/pages.ts': 'export const pages = [];\n',
};

function ruleOf(path: string, command: string | null): string | null {
  return new CheckFiles((file) => FILES[file] ?? null, command).of(path)?.rule ?? null;
}

it.each([
  ['scripts/run.mjs', 'scripts-changed'],
  ['scripts/lib/files.mjs', 'scripts-changed'],
  ['tools/lint-all', 'scripts-changed'],
  ['tools/verify.py', 'scripts-changed'],
  ['scripts/report.py', 'scripts-changed'],
  ['packages/shop/run-all.mjs', 'scripts-changed'],
  ['config/shared.ts', 'config-changed'],
  ['scripts/build.mjs', null],
  ['src/cli.mjs', null],
  ['aliases.ts', 'config-changed'],
  ['plugin.ts', null],
  ['index.ts', null],
  ['packages/shop/other.mjs', null],
  ['wanted.mjs', null],
  ['work.mjs', null],
  ['other-work.mjs', null],
  ['read.mjs', null],
  ['server/index.mjs', null],
  ['bin/tool.mjs', null],
  ['scripts/start.mjs', null],
  ['scripts/compile.mjs', null],
  ['scripts/generate.mjs', 'scripts-changed'],
  ['scripts/bundle.mjs', 'scripts-changed'],
  ['hook.mjs', 'scripts-changed'],
  ['runner.mjs', 'scripts-changed'],
  ['early.mjs', 'scripts-changed'],
  ['tools/quiet.mjs', 'scripts-changed'],
  ['tools/inner.mjs', 'scripts-changed'],
  ['packages/site/pages.ts', null],
])('%s is named for checks: %s', (path, rule) => {
  expect(ruleOf(path, null)).toBe(rule);
});

it.each([
  ['node verify.mjs', 'verify.mjs', 'scripts-changed'],
  ['node verify.mjs', 'wanted.mjs', null],
  ['cd packages/shop && node ./other.mjs', 'packages/shop/other.mjs', null],
  ['node app.mjs', 'app.mjs', null],
  ['node app.mjs', 'wanted.mjs', null],
  ['npm run build', 'scripts/build.mjs', null],
  ['node src/check.mjs', 'src/check.mjs', null],
  ['npm test', 'app.mjs', null],
  ['grep -q right wanted.mjs', 'wanted.mjs', null],
  ['cat app.mjs | node verify.mjs app.mjs', 'app.mjs', null],
  ['cat app.mjs | node verify.mjs app.mjs', 'verify.mjs', 'scripts-changed'],
  ['CI=1 timeout 60 node --trace-warnings ./verify.mjs', 'verify.mjs', 'scripts-changed'],
  ['node --import ./wanted.mjs verify.mjs', 'verify.mjs', 'scripts-changed'],
  ['./run', 'run', null],
  ['python3 -m tools.verify --fast', 'tools/verify.py', 'scripts-changed'],
  ['./tools/lint-all wanted.mjs', 'tools/lint-all', 'scripts-changed'],
  ['test -s wanted.mjs && ./app.mjs', 'app.mjs', null],
  ['test -s wanted.mjs && ./app.mjs', 'wanted.mjs', null],
])('of %s, %s is %s', (command, path, rule) => {
  expect(ruleOf(path, command)).toBe(rule);
});

it.each([
  'node ./scripts/run',
  './scripts/run.js',
  'yarn build && yarn node scripts/run.js',
  'pnpm exec tsx scripts/run.js',
  'pnpm --filter ./packages/a exec node scripts/run.js',
  'if [ -z "$CI" ]; then node scripts/run.js; fi',
  '! node scripts/run.js',
  './node_modules/.bin/zx scripts/run.js',
  'tsx --tsconfig tsconfig.test.json scripts/run.js',
  'jest --runner=./scripts/run.js',
  "NODE_OPTIONS='--import ./scripts/run.js' vitest run",
])('%s starts or loads scripts/run.js', (test) => {
  const files: Readonly<Record<string, string>> = { 'package.json': JSON.stringify({ scripts: { test } }), 'scripts/run.js': 'run();\n' };
  expect(new CheckFiles((file) => files[file] ?? null, null).of('scripts/run.js')?.rule).toBe('scripts-changed');
});

it('tells a changed script as the guard would', () => {
  const files = [{ path: 'scripts/run.mjs', before: FILES['scripts/run.mjs'] ?? '', after: 'process.exit(0);\n' }];
  const { findings } = guardChange({ change: { files }, scope: 'any', same: (path) => FILES[path] ?? null });
  expect(findings.map(({ rule, message }) => ({ rule, message }))).toEqual([
    { rule: 'scripts-changed', message: 'A script of the package changed, so other tests or checks may run: the script test runs it.' },
  ]);
});
