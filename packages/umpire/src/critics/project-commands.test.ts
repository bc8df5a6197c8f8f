import { expect, it } from 'vitest';
import { cleanUpAfterwards, temporaryFolder, writeFiles } from '../../../../test/support/git-project.js';
import { DEFAULT_SETTINGS } from '../sessions/settings.js';
import { projectCommands } from './project-commands.js';

cleanUpAfterwards();

function commandsIn(files: Readonly<Record<string, string>>, own: string | null = null): readonly string[] {
  const folder = temporaryFolder();
  writeFiles(folder, files);
  return projectCommands(folder, DEFAULT_SETTINGS.critics, own);
}

const manifest = (scripts: Readonly<Record<string, string>>) => JSON.stringify({ scripts });

it('finds the check scripts of a package in all usual spellings', () => {
  const found = commandsIn({ 'package.json': manifest({ test: 'vitest run', 'lint:css': 'stylelint', build: 'tsc -b' }) });
  expect(found).toEqual(
    expect.arrayContaining(['npm test', 'npm run test', 'npm run -s test', 'npm run lint:css', 'npm run build', 'npx vitest run']),
  );
  expect(found[0]).toBe('npm test');
});

it('leaves out scripts that do more than check, or never end', () => {
  const scripts = {
    'test:watch': 'x',
    'lint:fix': 'x',
    'build:publish': 'x',
    start: 'x',
    deploy: 'x',
    postinstall: 'x',
    'test; rm -rf x': 'x',
  };
  expect(commandsIn({ 'package.json': manifest(scripts) })).toEqual([]);
});

it.each([
  ['pnpm-lock.yaml', 'pnpm lint', 'pnpm run lint'],
  ['yarn.lock', 'yarn lint', 'yarn run lint'],
  ['bun.lock', 'bun run lint', 'bun run --silent lint'],
])('uses the package manager of %s', (lockfile, first, second) => {
  const found = commandsIn({ 'package.json': manifest({ lint: 'x' }), [lockfile]: '' });
  expect(found.slice(0, 2)).toEqual([first, second]);
});

it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ['python', { 'pyproject.toml': '[tool.pytest.ini_options]\n', 'uv.lock': '' }, ['pytest', 'python -m pytest', 'uv run pytest']],
  ['make', { Makefile: 'VAR := 1\ntest: build\n\techo\nlint:\ndeploy:\nclean-build:\n' }, ['make test', 'make lint']],
  ['go', { 'go.mod': 'module x\n' }, ['go test ./...', 'go vet ./...']],
  ['rust', { 'Cargo.toml': '[package]\n' }, ['cargo test', 'cargo clippy']],
  ['ruby', { '.rspec': '--color\n' }, ['bundle exec rspec']],
])('finds the commands of %s', (_, files, expected) => {
  const found = commandsIn(files);
  expect(found).toEqual(expect.arrayContaining([...expected]));
  expect(found.filter((line) => /deploy|clean/.test(line))).toEqual([]);
});

it("names the person's own command first, and finds nothing where there is nothing", () => {
  expect(commandsIn({}, 'sh check.sh')).toEqual(['sh check.sh']);
});
