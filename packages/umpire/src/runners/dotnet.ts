// dotnet test: TRX of every test project, and Cobertura where the project has coverlet.collector.

import { join } from 'node:path';
import type { TestResult } from '@umpire/core/model/vocabulary.js';
import { namesIn } from '../sessions/file-system.js';
import { findFiles, readText } from './project-files.js';
import { keepFlags } from './runner.js';
import type { Runner, Selection } from './runner.js';
import { askVersion } from './system-program.js';

const PROJECTS = ['**/*.csproj', '**/*.fsproj', '**/*.vbproj'];
const SOLUTION = /\.slnx?$/;
const FLAGS = { withValue: ['-c', '--configuration', '-f', '--framework', '-s', '--settings'], plain: ['--no-restore'] } as const;

export const dotnet: Runner = {
  name: 'dotnet',
  ownFormats: ['trx'],
  title: 'dotnet test',
  language: 'dotnet',
  programs: ['dotnet test'],
  settings: null,
  dependency: null,
  signs: {
    files: ['**/*.sln', '**/*.slnx', ...PROJECTS],
    isShownIn: (folder) => {
      const names = namesIn(folder);
      const isTestProject = (name: string): boolean =>
        name.endsWith('proj') && /Microsoft\.NET\.Test\.Sdk|MSTest\.Sdk|<IsTestProject>true/i.test(readText(join(folder, name)) ?? '');
      return names.some((name) => SOLUTION.test(name)) || names.some(isTestProject);
    },
    coversInner: (outer) => namesIn(outer).some((name) => SOLUTION.test(name)),
  },
  judges: ['**/*.csproj', '**/*.fsproj', '**/Directory.Build.props', '**/Directory.Build.targets', '**/*.runsettings', '**/*.sln'],
  traps: [{ printed: /No test is available|No test matches/, means: 'The test projects have no test that these words choose.' }],
  packages: [],
  commands: ['dotnet test', 'dotnet build'],
  testFiles: () => ['**/*.{cs,fs,vb}', '!**/{bin,obj}/**'],
  testMark: /\[<?(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod|Property)\b/,
  requestNames: () => ({}),
  prepare: async (place, job, scratch) => {
    const { folder, script } = place;
    const version = await askVersion(['dotnet', '--version'], place, job, scratch);
    if (version === null)
      return { absent: 'The .NET SDK is not installed. Install it from https://dot.net or with the packages of your system.' };
    const hasCollector = findFiles(folder, PROJECTS).some((file) => /coverlet\.collector/.test(readText(join(folder, file)) ?? ''));
    const { flags } = keepFlags(script?.args ?? [], FLAGS);
    return {
      ready: {
        version,
        uncovered: hasCollector ? null : 'No coverage: run `dotnet add package coverlet.collector` in the test projects.',
        countAllHint: null,
        listing: null,
        call: (selection, at) => {
          const isMeasured = selection.coverage && hasCollector;
          const collect = isMeasured ? ['--collect', 'XPlat Code Coverage'] : [];
          return {
            argv: ['dotnet', 'test', ...flags, '--logger', 'trx', '--results-directory', at, ...collect, ...chooseClasses(selection)],
            env: { ...script?.env, DOTNET_CLI_TELEMETRY_OPTOUT: '1', DOTNET_NOLOGO: '1' },
            tests: { file: at, files: ['**/*.trx'], format: 'trx' },
            coverage: isMeasured ? { file: at, files: ['**/coverage.cobertura.xml'], format: 'cobertura' } : null,
          };
        },
      },
    };
  },
  locate: (folder, results) => {
    const places = findFiles(folder, dotnet.testFiles({ folder, script: null })).flatMap((file) =>
      findClasses(join(folder, file)).map((name) => [name, file] as const),
    );
    return results.map((result): TestResult => {
      if (result.file !== null) return result;
      const found = [...new Set(places.filter(([name]) => `${result.id}.`.includes(`${name}.`) || result.id.includes(`${name} > `)))];
      return found.length === 1 ? { ...result, file: found[0]?.[1] ?? null } : result;
    });
  },
};

/** With their namespace. */
function findClasses(file: string): readonly string[] {
  const text = readText(file) ?? '';
  const space = /^\s*(?:namespace|module)\s+([\w.]+)/m.exec(text)?.[1];
  const names = [...text.matchAll(/^\s*(?:(?:public|internal|sealed|abstract|static|partial)\s+)*(?:class|record|type)\s+(\w+)/gm)];
  return names.map(([, name = '']) => (space === undefined ? name : `${space}.${name}`));
}

function chooseClasses({ files, others }: Selection): readonly string[] {
  if (others.length === 0) return [];
  return [
    '--filter',
    files
      .flatMap(findClasses)
      .map((name) => `FullyQualifiedName~${name}`)
      .join('|'),
  ];
}
