// The one table of installers: which folder they fill, by which lockfile, and the command that installs exactly what it says. An agent may have
// written into a cache that was linked into the checkout's packages, so a manager that does not check the content of its cache by the
// lockfile gets an empty one.

import { readFileSync } from 'node:fs';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { homeFolder } from '../sessions/environment.js';
import { isFile, isFolder, namesIn } from '../sessions/file-system.js';
import { isPythonEnvironment } from '../sessions/python-environment.js';

/**
 * What is installed in it. `plug-n-play`: the file of Yarn that says where packages are. `cache`: a lockfile whose packages lie in a cache that
 * all projects of a person share.
 */
export const PACKAGE_KINDS = ['node', 'plug-n-play', 'python', 'ruby', 'php', 'other', 'cache'] as const;
export type PackageKind = (typeof PACKAGE_KINDS)[number];

interface InstallerRow {
  readonly fills: readonly PackageKind[];
  readonly lockfile: RegExp;
  /** Only where the lockfile says this. */
  readonly says?: RegExp;
  /** It names ranges of versions. Asked where no lockfile is, and only to replace packages that were changed. */
  readonly isManifest?: true;
  /** The program on the person's PATH. */
  readonly program: string;
  /** For a shell, in the folder of the lockfile. `$PACKAGES`: the folder to fill. `$EMPTY`: a cache that is new. */
  readonly command: string;
}

const makeVenv = (flags: string) =>
  `python3 -m venv ${flags} "$PACKAGES" && export VIRTUAL_ENV="$PWD/$PACKAGES" PATH="$PWD/$PACKAGES/bin:$PATH" &&`;

export const INSTALLERS: readonly InstallerRow[] = [
  {
    fills: ['node'],
    lockfile: /^(?:package-lock|npm-shrinkwrap)\.json$/,
    program: 'npm',
    command: 'npm ci --prefer-offline --fetch-retries 1 --no-audit --no-fund',
  },
  {
    fills: ['node'],
    lockfile: /^pnpm-lock\.yaml$/,
    program: 'pnpm',
    command:
      'CI=true pnpm install --frozen-lockfile --config.fetch-retries=1 --store-dir "$EMPTY" --config.enable-global-virtual-store=false',
  },
  {
    fills: ['node', 'plug-n-play'],
    lockfile: /^yarn\.lock$/,
    says: /^__metadata:/m,
    program: 'yarn',
    // It checks its cache by the lockfile, and refuses a changed one: then from the network, into the worktree.
    command: 'yarn install --immutable || YARN_GLOBAL_FOLDER="$EMPTY" YARN_ENABLE_GLOBAL_CACHE=false yarn install --immutable',
  },
  {
    fills: ['node'],
    lockfile: /^yarn\.lock$/,
    program: 'yarn',
    command: 'yarn install --frozen-lockfile --non-interactive --cache-folder "$EMPTY"',
  },
  {
    fills: ['node'],
    lockfile: /^bun\.lockb?$/,
    program: 'bun',
    command: 'BUN_INSTALL_CACHE_DIR="$EMPTY" bun install --frozen-lockfile',
  },
  {
    fills: ['python'],
    lockfile: /^uv\.lock$/,
    program: 'uv',
    command: 'unset VIRTUAL_ENV; UV_PROJECT_ENVIRONMENT="$PACKAGES" uv sync --frozen --no-cache',
  },
  {
    fills: ['python'],
    lockfile: /^poetry\.lock$/,
    program: 'poetry',
    command: `${makeVenv('--without-pip')} poetry install --no-interaction --no-cache`,
  },
  {
    fills: ['python'],
    lockfile: /^Pipfile\.lock$/,
    program: 'pipenv',
    command: `${makeVenv('--without-pip')} PIPENV_CACHE_DIR="$EMPTY" pipenv sync --dev`,
  },
  {
    fills: ['python'],
    lockfile: /^requirements[\w.-]*\.txt$/,
    program: 'python3',
    command: `${makeVenv('')} for file in requirements*.txt; do set -- "$@" -r "$file"; done && python -m pip install --no-cache-dir --disable-pip-version-check "$@"`,
  },
  {
    fills: ['ruby'],
    lockfile: /^Gemfile\.lock$/,
    program: 'bundle',
    command: 'BUNDLE_FROZEN=true BUNDLE_PATH="$PACKAGES" BUNDLE_USER_CACHE="$EMPTY" bundle install',
  },
  {
    fills: ['php'],
    lockfile: /^composer\.lock$/,
    program: 'composer',
    command: 'composer install --no-interaction --no-progress --no-cache',
  },
  { fills: ['other'], lockfile: /^mix\.lock$/, program: 'mix', command: 'mix deps.get --check-locked' },
  {
    fills: ['node'],
    lockfile: /^package\.json$/,
    isManifest: true,
    program: 'npm',
    command: 'npm install --no-package-lock --cache "$EMPTY" --fetch-retries 1 --no-audit --no-fund',
  },
];

/** Folders of packages that are not known by their content: in the settings' `link`. Other linked folders are work in common. */
const OTHER_FOLDERS: ReadonlySet<string> = new Set(['vendor', 'deps']);

export const PLUG_N_PLAY = '.pnp.cjs';

/** What is installed at a path of the checkout; null where it is no folder of packages. */
export function packageKind(root: string, path: string): PackageKind | null {
  const name = basename(path);
  const place = join(root, path);
  if (name === 'node_modules') return 'node';
  if (name === PLUG_N_PLAY) return 'plug-n-play';
  if (isPythonEnvironment(place)) return 'python';
  if (name === 'bundle' && isFile(join(place, '..', '..', 'Gemfile.lock'))) return 'ruby';
  if (name === 'vendor' && isFile(join(place, 'composer', 'installed.json'))) return 'php';
  return OTHER_FOLDERS.has(name) ? 'other' : null;
}

export interface Installer {
  /** Where the lockfile is, absolute. */
  readonly folder: string;
  /** The lockfile, by its path in the worktree. */
  readonly lockfile: string;
  readonly isManifest: boolean;
  readonly program: string;
  readonly command: string;
  /** What it fills, relative to its folder. */
  readonly packages: string;
}

/** The installer of packages in a worktree, by the nearest lockfile, else the nearest manifest; null where there is neither. */
export function findInstaller(root: string, path: string, kind: PackageKind): Installer | null {
  return findNearest(root, path, kind, false) ?? findNearest(root, path, kind, true);
}

function findNearest(root: string, path: string, kind: PackageKind, wantsManifest: boolean): Installer | null {
  const rows = INSTALLERS.filter(({ fills, isManifest = false }) => fills.includes(kind) && isManifest === wantsManifest);
  for (let at = dirname(path); ; at = dirname(at)) {
    const folder = join(root, at);
    const names = namesIn(folder);
    for (const { lockfile, says, isManifest = false, program, command } of rows) {
      const name = names.find((each) => lockfile.test(each) && isFile(join(folder, each)));
      if (name === undefined || says?.test(readFileSync(join(folder, name), 'utf8')) === false) continue;
      return { folder, lockfile: join(at, name), isManifest, program, command, packages: relative(folder, join(root, path)) };
    }
    if (at === '.') return null;
  }
}

/** Lockfiles of languages without a folder of packages, and where the packages that they name lie. */
const CACHES: readonly (readonly [lockfile: string, listPlaces: (text: string) => readonly string[]])[] = [
  ['Cargo.lock', listCrates],
  ['go.sum', listGoModules],
];

/** What the lockfile in this folder has in a shared cache. */
export function listCachedPackages(folder: string): readonly { readonly lockfile: string; readonly places: readonly string[] }[] {
  return CACHES.flatMap(([lockfile, listPlaces]) => {
    const path = join(folder, lockfile);
    const places = isFile(path) ? listPlaces(readFileSync(path, 'utf8')).filter((place) => isFolder(place)) : [];
    return places.length === 0 ? [] : [{ lockfile, places }];
  });
}

function listCrates(text: string): readonly string[] {
  const sources = join(folderOf('CARGO_HOME', '.cargo'), 'registry', 'src');
  const crates = [...text.matchAll(/^name = "([\w-]+)"\r?\nversion = "([\w.+-]+)"\r?\nsource = "(?:registry|sparse)/gm)];
  return namesIn(sources).flatMap((registry) => crates.map(([, name = '', version = '']) => join(sources, registry, `${name}-${version}`)));
}

function listGoModules(text: string): readonly string[] {
  const cache = folderOf('GOMODCACHE', '') || join(folderOf('GOPATH', 'go').split(delimiter)[0] ?? '', 'pkg', 'mod');
  // Some file systems do not tell the case of letters apart, so Go writes !m for M.
  const written = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
  const modules = [...text.matchAll(/^([\w.~/-]+) (v[\w.+-]+) h1:/gm)];
  return modules.map(([, name = '', version = '']) => join(cache, `${written(name)}@${written(version)}`));
}

/** Empty where neither the variable nor the home folder says. */
function folderOf(variable: string, inHome: string): string {
  const named = process.env[variable] ?? '';
  if (named !== '') return named;
  return inHome === '' || homeFolder() === '' ? '' : join(homeFolder(), inHome);
}
