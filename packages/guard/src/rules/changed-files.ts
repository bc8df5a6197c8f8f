// Rules about files that say what is checked, and how: settings, scripts, the CI, locked packages, and source where only tests may change.

import { changesTestLines } from '../project/build-files.js';
import { loosensChecks, pyprojectPart } from '../project/loosened-settings.js';
import { roleOf, standsFor } from '../project/paths.js';
import { CheckFiles } from '../project/check-files.js';
import type { FileChange } from '../change.js';
import type { Evidence, ReadFile } from '../evidence.js';
import { differing } from '../findings/finding.js';
import type { Sighting } from '../findings/finding.js';
import { PATCH_RULES } from './patched.js';
import type { Rule } from './rule.js';

const WHERE_LOOSENED =
  'A breach where a threshold falls, files are excluded, a check is removed or can no longer fail, retries are added, or a file is loaded that patches assertions or replaces the unit; else a note.';

const RULES = [
  {
    name: 'source-changed',
    severity: 'high',
    message: 'Source changed in a change that may only touch tests.',
    honest: 'Leave source as it is; report what the tests show.',
    levels: 'Looked for where only tests may change.',
    example: { cheat: 'A source file is edited while tests are to be written.', honest: 'Only tests are edited.' },
  },
  {
    name: 'config-changed',
    severity: 'high',
    message: 'Settings of tests, coverage, lint or types changed.',
    honest: 'Leave the settings; make the tests pass under them.',
    levels: WHERE_LOOSENED,
    example: { cheat: 'fail_under = 60 for fail_under = 90', honest: 'A new alias in vitest.config.ts' },
  },
  {
    name: 'ci-changed',
    severity: 'high',
    message: 'What the CI runs changed.',
    honest: 'Leave the CI as it is; change it in a change of its own that a person looks at.',
    levels: WHERE_LOOSENED,
    example: { cheat: 'npm test || true', honest: 'Another version of Node in the matrix' },
  },
  {
    name: 'scripts-changed',
    severity: 'high',
    message: 'A script of the package changed, so other tests or checks may run.',
    honest: 'Leave the scripts as they are.',
    levels: WHERE_LOOSENED,
    example: { cheat: '"test": "exit 0"', honest: '"docs": "typedoc src"' },
  },
  {
    name: 'lockfile-changed',
    severity: 'high',
    message: 'Locked dependencies changed under the tests.',
    honest: 'Leave the lockfile; upgrade in a change of its own.',
    levels: 'A note. A breach where only tests may change.',
    example: { cheat: 'Another version of the runner', honest: 'The lockfile of a new dependency' },
  },
] as const satisfies readonly Omit<Rule, 'find'>[];

type FileRule = (typeof RULES)[number]['name'];

export const CHANGED_FILE_RULES: readonly Rule[] = RULES.map((words) => ({
  ...words,
  find: (evidence) => {
    const known = KNOWN.get(evidence) ?? readSeenFiles(evidence);
    KNOWN.set(evidence, known);
    return known.filter(({ rule }) => rule === words.name).map(({ sighting }) => sighting);
  },
}));

interface Seen {
  readonly rule: FileRule;
  readonly sighting: Sighting;
}

const KNOWN = new WeakMap<Evidence, readonly Seen[]>();

function readSeenFiles(evidence: Evidence): readonly Seen[] {
  const { input, files } = evidence;
  const old = new Map<string, string | null>();
  for (const { change } of files) if (change.renamedFrom !== undefined) old.set(change.path, null);
  for (const { change } of files) old.set(change.renamedFrom ?? change.path, change.before);
  const readOldText = (path: string): string | null => (old.has(path) ? (old.get(path) ?? null) : (input.same?.(path) ?? null));
  const now = new Map(files.map(({ change }) => [change.path, change.after !== null]));
  const existsAfter = (path: string): boolean => now.get(path) ?? readOldText(path) !== null;
  const checkFiles = new CheckFiles(readOldText, input.command ?? null);
  return files.flatMap((file) => {
    const stood = standsFor(file.change, existsAfter);
    if (stood === null) return changedFile(evidence, file, checkFiles);
    return [
      {
        rule: 'config-changed',
        sighting: { file: file.change.path, level: 'breach', ...differing(file.change), why: `it is found in the place of ${stood}` },
      },
    ];
  });
}

function changedFile(evidence: Evidence, file: ReadFile, checkFiles: CheckFiles): readonly Seen[] {
  const { change, role } = file;
  const seen = (
    rule: FileRule,
    level: Sighting['level'] = loosens(evidence, change) ? 'breach' : 'note',
    why?: string,
  ): readonly Seen[] => [{ rule, sighting: { file: change.path, level, ...differing(change), ...(why === undefined ? {} : { why }) } }];
  switch (role) {
    case 'source': {
      if (changesTestLines(change)) return seen('config-changed', undefined, 'it says otherwise which tests run');
      if (targetsDiffer(change)) return seen('scripts-changed', undefined, 'a target that tests or checks is another');
      const checkFile = change.before !== null && evidence.input.scope === 'any' ? checkFiles.of(change.renamedFrom ?? change.path) : null;
      if (checkFile !== null) return seen(checkFile.rule, 'note', checkFile.why);
      const isMovedTest = change.before === null && (file.after?.tests.length ?? 0) > 0;
      return evidence.isTestingOnly && !isMovedTest && evidence.changesProduct(change) ? seen('source-changed', 'breach') : [];
    }
    case 'config': {
      const name = change.path.slice(change.path.lastIndexOf('/') + 1);
      const part = name === 'pyproject.toml' ? pyprojectPart(change) : null;
      if (part === 'packages') return evidence.isTestingOnly ? seen('config-changed', 'breach', 'other packages are asked for') : [];
      return seen(part === 'scripts' ? 'scripts-changed' : 'config-changed');
    }
    case 'scripts':
      return seen('scripts-changed');
    case 'ci':
      return seen('ci-changed');
    case 'lockfile':
      return seen('lockfile-changed', 'note');
    case 'package':
      return packageRules(change).flatMap((rule) =>
        rule === 'dependencies'
          ? evidence.isTestingOnly
            ? seen('config-changed', 'breach', 'other packages are asked for')
            : []
          : seen(rule),
      );
    case 'docs':
    case 'fixture':
    case 'snapshot':
    case 'support':
    case 'test':
      return [];
  }
}

const COMMANDS_IN_SETTINGS = /(^|\/)(tox|hatch|deno|project)\.\w+$/;

function loosens(evidence: Evidence, change: FileChange): boolean {
  if (/(^|\/)umpire\.config\.yaml$/.test(change.path)) return true;
  // A file that is new says how something is checked that was not checked before, or takes over from another file.
  if (change.before === null) return false;
  if (loadsPatch(evidence, change)) return true;
  const runsCommands = (path: string): boolean => ['ci', 'scripts', 'package'].includes(roleOf(path)) || COMMANDS_IN_SETTINGS.test(path);
  return loosensChecks({
    path: change.path,
    before: change.before,
    after: change.after ?? '',
    runsChecks: runsCommands(change.path),
    beside: evidence.files.flatMap(({ change: other }) => (other !== change && runsCommands(other.path) ? [other.after ?? ''] : [])),
  });
}

/** What is loaded before tests, reports them, or stands for a module. */
const LOADING =
  /\b(?:setup\w*|globalSetup|\w*[rR]eporters?|transform|resolver|\w*[rR]unner|\w*environment|require|import|moduleNameMapper|alias|paths)\b/;
const ALIASING = /\b(?:moduleNameMapper|alias|paths)\b/;
const MOCKS_UNIT = /\b(?:jest|vi|mock|t\.mock)\.(?:mock|doMock|module)\(\s*['"`]\.{1,2}\//;

/** New lines name another file of the change that replaces the unit, or patches assertions or the runner. */
function loadsPatch(evidence: Evidence, change: FileChange): boolean {
  const added = evidence.addedText(change);
  if (!LOADING.test(change.after ?? '')) return false;
  const named = evidence.files.filter(
    ({ change: other }) => other !== change && other.after !== null && added.includes(other.path.replace(/^.*\/|\.\w+$/g, '')),
  );
  if (named.length === 0) return false;
  const patching = new Set(PATCH_RULES.flatMap((rule) => rule.find(evidence)).map(({ file }) => file));
  return named.some(
    ({ change: { path, after }, role }) =>
      patching.has(path) || MOCKS_UNIT.test(after ?? '') || (ALIASING.test(added) && role !== 'source' && role !== 'config'),
  );
}

const DEPENDENCIES: ReadonlySet<string> = new Set(
  'dependencies devDependencies peerDependencies optionalDependencies overrides resolutions bundledDependencies peerDependenciesMeta'.split(
    ' ',
  ),
);
const HARMLESS: ReadonlySet<string> = new Set(
  'version description keywords author contributors license homepage repository bugs funding private files exports main module types'.split(
    ' ',
  ),
);

function packageRules(change: FileChange): readonly (FileRule | 'dependencies')[] {
  const [before, after] = [parseJsonObject(change.before), parseJsonObject(change.after)];
  if (before === null || after === null) return ['scripts-changed'];
  const rules = new Set<FileRule | 'dependencies'>();
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (JSON.stringify(before[key]) === JSON.stringify(after[key]) || HARMLESS.has(key)) continue;
    rules.add(key === 'scripts' ? 'scripts-changed' : DEPENDENCIES.has(key) ? 'dependencies' : 'config-changed');
  }
  return [...rules];
}

/** Of Nx and Angular: what `nx test` and `ng lint` run stands among other things in a file with a common name. */
function targetsDiffer(change: FileChange): boolean {
  if (!/(^|\/)(project|workspace|angular)\.json$/.test(change.path)) return false;
  return JSON.stringify(checkingTargets(parseJsonObject(change.before))) !== JSON.stringify(checkingTargets(parseJsonObject(change.after)));
}

function checkingTargets(settings: unknown): readonly unknown[] {
  if (typeof settings !== 'object' || settings === null) return [];
  const { projects, targets, architect } = settings as Readonly<Record<string, unknown>>;
  const own = Object.entries(targets ?? architect ?? {}).filter(([name]) => /test|e2e|spec|lint|type-?check|cover|^check/i.test(name));
  return [...own, ...Object.values(projects ?? {}).flatMap(checkingTargets)];
}

function parseJsonObject(text: string | null): Readonly<Record<string, unknown>> | null {
  if (text === null) return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
