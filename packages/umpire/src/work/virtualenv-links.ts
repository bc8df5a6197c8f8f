// A thin Python virtual environment for a worktree that finds the packages of the person's environment behind it. What a task installs
// stays there, and editable packages lead to the worktree's sources, not to the checkout.

import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync, readdirSync } from 'node:fs';
import { dirname, join, resolve, relative, sep } from 'node:path';
import { findPersonalProgram, personalPath } from '../sessions/environment.js';
import { ENVIRONMENT_NOTE, isPythonEnvironment, originsOf } from '../sessions/python-environment.js';
import { isFile, lstatOf, namesIn, statOf } from '../sessions/file-system.js';

/** `root`: the checkout, links resolved. `from`: the person's environment, absolute. `at`: its path in the worktree. */
export function linkEnvironment(root: string, from: string, at: string): readonly SharedFile[] {
  const move = { root, from, at };
  // A Python without a virtual environment, such as a container's, gets one with its packages behind.
  const said = readSmallText(join(from, ENVIRONMENT_NOTE)) ?? `home = ${join(from, 'bin')}\ninclude-system-site-packages = false\n`;
  const note = `${said.replace(/\n*$/, '\n')}umpire-of = ${from}\n`;
  const libraries = findSitePackages(from);
  return [
    // The person may have recreated theirs with another Python.
    { kind: 'folder', at, isOld: (place) => originsOf(place).length > 0 && readSmallText(join(place, ENVIRONMENT_NOTE)) !== note },
    textFile(`${at}/${ENVIRONMENT_NOTE}`, () => note),
    // Like Python from 3.13 on: git ignores the environment, whatever the project ignores.
    textFile(`${at}/.gitignore`, () => '*\n'),
    { kind: 'folder', at: `${at}/bin` },
    ...namesIn(join(from, 'bin')).flatMap((name) => linkProgram(move, name)),
    ...libraries.flatMap((library) => linkSitePackages(move, library)),
    ...namesIn(from)
      .filter((name) => name === 'include' || name === 'share' || name === 'etc')
      .flatMap((name) => linkFiles(join(from, name), `${at}/${name}`)),
    ...(lstatOf(join(from, 'lib64'))?.isSymbolicLink() === true
      ? [{ kind: 'link', at: `${at}/lib64`, to: join(from, 'lib64'), inside: `${at}/lib` } as const]
      : []),
  ];
}

interface EnvironmentMove {
  readonly root: string;
  readonly from: string;
  readonly at: string;
}

export function hasEditablePackage(root: string, from: string): boolean {
  return findSitePackages(from).some((library) => linkSitePackages({ root, from, at: '' }, library).length > 2);
}

/** `lib/python3.12/site-packages`; links lead to one of these. */
function findSitePackages(from: string): readonly string[] {
  return namesIn(join(from, 'lib'))
    .filter((name) => /^(?:python|pypy)\d/.test(name))
    .map((name) => `lib/${name}/site-packages`)
    .filter((path) => statOf(join(from, path))?.isDirectory() === true);
}

/** Beyond this number it is a whole system. */
const MAX_LINKED_FILES = 5000;

/**
 * Manuals, headers and settings of packages: one link per file, since through a folder link an installation would change the person's own.
 */
function linkFiles(from: string, at: string): readonly SharedFile[] {
  const found: SharedFile[] = [];
  const linkBelow = (path: string): void => {
    if (found.length > MAX_LINKED_FILES) return;
    const source = join(from, path);
    if (lstatOf(source)?.isDirectory() !== true) found.push({ kind: 'link', at: join(at, path), to: source, inside: null });
    else {
      found.push({ kind: 'folder', at: join(at, path) });
      for (const name of namesIn(source)) linkBelow(join(path, name));
    }
  };
  linkBelow('');
  return found.length > MAX_LINKED_FILES ? [{ kind: 'link', at, to: from, inside: null }] : found;
}

const MAX_SCRIPT_BYTES = 256 * 1024;

/** Scripts name their Python, and `activate` its environment: both get this one. Programs are linked. */
function linkProgram({ from, at }: EnvironmentMove, name: string): readonly SharedFile[] {
  const source = join(from, 'bin', name);
  const place = `${at}/bin/${name}`;
  if (lstatOf(source)?.isSymbolicLink() === true) {
    // The resolved path is the system's Python, which looks for its environment around the link: it finds this one.
    const to = resolveLinks(source);
    return to === null ? [] : [{ kind: 'link', at: place, to, inside: null }];
  }
  if (!isFile(source)) return [];
  const text = readSmallText(source);
  const names = [from, resolveLinks(from) ?? from, ...recordedPaths(from)];
  if (text === null || !names.some((path) => mentions(text, path))) return [{ kind: 'link', at: place, to: source, inside: null }];
  const mode = (statOf(source)?.mode ?? 0) & 0o777;
  return [
    textFile(
      place,
      (root) => {
        const own = join(root, at);
        return withShebang(
          names.reduce((moved, path) => moveIn(moved, path, own), text),
          own,
        );
      },
      mode,
    ),
  ];
}

/** The limit of older systems; a longer line is cut off. */
const MAX_SHEBANG_BYTES = 127;

/** A shebang allows neither spaces nor long paths: then the shell starts Python, as in pip's scripts. */
function withShebang(text: string, own: string): string {
  const [first = ''] = text.split('\n', 1);
  const [, name, options = ''] = first.startsWith(`#!${own}/`)
    ? (/^bin\/((?:python|pypy)\S*)(.*)$/.exec(first.slice(own.length + 3)) ?? [])
    : [];
  if (name === undefined || (!/\s/.test(own) && Buffer.byteLength(first) <= MAX_SHEBANG_BYTES)) return text;
  const program = `'${join(own, 'bin', name).replaceAll("'", `'"'"'`)}'`;
  return `#!/bin/sh\n'''exec' ${program}${options.trimEnd()} "$0" "$@"\n' '''${text.slice(first.length)}`;
}

/** The path that it was created with, which differs where that is a link. */
function recordedPaths(from: string): readonly string[] {
  const said = /^\s*VIRTUAL_ENV=["']?(\/[^"'\n]+)/m.exec(readSmallText(join(from, 'bin', 'activate')) ?? '')?.[1];
  return said === undefined ? [] : [said];
}

/** Files of editable packages: paths, old links, and the finders of build tools. */
const EDITABLE_FILE = /\.pth$|\.egg-link$|^_.*editable.*\.py$/;

function linkSitePackages({ root, from, at }: EnvironmentMove, library: string): readonly SharedFile[] {
  const site = join(from, library);
  const place = `${at}/${library}`;
  const own = namesIn(site)
    .filter((name) => EDITABLE_FILE.test(name) && isFile(join(site, name)))
    .flatMap((name) => {
      const text = readSmallText(join(site, name));
      const whole = text === null ? '' : name.endsWith('.pth') ? withWholePaths(text, site) : text;
      return mentions(whole.replaceAll(from, ''), root) ? [textFile(`${place}/${name}`, (to) => moveIn(whole, root, to))] : [];
    });
  return [{ kind: 'folder', at: place }, ...own, textFile(`${place}/zzz-umpire.pth`, (to) => pthText(root, site, to))];
}

/**
 * Python reads .pth files in order of their names, so the worktree's sources come first. The checkout's sources are removed from the path:
 * a module that a task deleted would be found there. Sources that no worktree has, since git does not track them, stay.
 */
function pthText(root: string, site: string, to: string): string {
  const paths = namesIn(site)
    .filter((name) => name.endsWith('.pth'))
    .flatMap((name) => withWholePaths(readSmallText(join(site, name)) ?? '', site).split('\n'));
  const moved = [...new Set(paths)].filter(
    (path) => `${path}/`.startsWith(`${root}/`) && lstatOf(to + path.slice(root.length)) !== undefined,
  );
  const add = `import site, sys; site.addsitedir(${JSON.stringify(site)})`;
  return moved.length === 0 ? `${add}\n` : `${add}; sys.path[:] = [path for path in sys.path if path not in ${JSON.stringify(moved)}]\n`;
}

/** Makes relative paths in a .pth file absolute. */
function withWholePaths(text: string, site: string): string {
  return text
    .split('\n')
    .map((line) => (line.trim() !== '' && !/^(?:#|import[ \t])/.test(line) ? resolve(site, line.trimEnd()) : line))
    .join('\n');
}

function textFile(at: string, text: (root: string) => string, mode = 0o644): SharedFile {
  return { kind: 'text', at, text, mode };
}

/** `/a/b` does not match in `/a/bc`. */
function wholePath(path: string): RegExp {
  return new RegExp(`(?<![\\w.-])${path.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}(?![\\w.-])`, 'g');
}

function mentions(text: string, path: string): boolean {
  return text.includes(path) && wholePath(path).test(text);
}

function moveIn(text: string, path: string, to: string): string {
  return text.replaceAll(wholePath(path), () => to);
}

function readSmallText(path: string): string | null {
  try {
    const bytes = (statOf(path)?.size ?? Infinity) > MAX_SCRIPT_BYTES ? null : readFileSync(path);
    return bytes === null || bytes.includes(0) ? null : bytes.toString('utf8');
  } catch {
    return null;
  }
}

function resolveLinks(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

/**
 * The person's environment outside the project, if it has editable packages of the checkout: the active one, else that of the Python on the
 * PATH if the project has none (`own`).
 */
export function findOuterEnvironment(root: string, project: string, own: readonly string[]): string | null {
  const named = process.env['VIRTUAL_ENV'] ?? '';
  const place = isPythonEnvironment(named) ? resolveLinks(named) : own.length > 0 ? null : prefixOnPath(project);
  return place === null || own.some((path) => resolveLinks(path) === place) || !hasEditablePackage(root, place) ? null : place;
}

/** Files of a Python project; for other projects Python is not run. */
const PROJECT_FILES = ['pyproject.toml', 'setup.py', 'setup.cfg'];

/** The prefix of the Python on the PATH (a shim, a container or conda). The system's Python has no editable packages. */
function prefixOnPath(project: string): string | null {
  if (!PROJECT_FILES.some((name) => isFile(join(project, name)))) return null;
  const python = findPersonalProgram('python3');
  if (python === null) return null;
  const { status, stdout } = spawnSync(python, ['-c', 'import sys; print(sys.prefix)'], {
    cwd: '/',
    // A shim looks for the Python that it stands for.
    env: { ...process.env, PATH: personalPath() },
    encoding: 'utf8',
    timeout: 10_000,
  });
  const place = status === 0 ? resolveLinks(stdout.trim()) : null;
  return place === '/usr' ? null : place;
}

// A node_modules folder for a worktree: a real folder with one link per package. What a task installs or caches stays there, and workspace
// packages lead to the worktree's sources, not to the person's checkout.

/** Something to add to a worktree. Paths are relative to its root. */
export type SharedFile =
  /** A link into the person's checkout; `inside`: the path to prefer if the worktree has it. */
  | { readonly kind: 'link'; readonly at: string; readonly to: string; readonly inside: string | null }
  | { readonly kind: 'copy'; readonly at: string; readonly from: string }
  /** `isOld`: is the existing folder outdated, to be replaced? */
  | { readonly kind: 'folder'; readonly at: string; readonly isOld?: (place: string) => boolean }
  /** A generated file; `text` gets the absolute root of the worktree. */
  | { readonly kind: 'text'; readonly at: string; readonly text: (root: string) => string; readonly mode: number };

/** `root`: the checkout, links resolved. `at`: its node_modules folder. */
export function linkPackages(root: string, at: string): readonly SharedFile[] {
  return [{ kind: 'folder', at }, ...linkEntries(root, at, true)];
}

/** Tools recreate them. Through a link a task would write into the person's own. */
const CACHES: ReadonlySet<string> = new Set(['.cache', '.vite', '.vite-temp', '.vitest', '.tmp']);

const OWN_FOLDERS: ReadonlySet<string> = new Set(['.bin', '.pnpm', '.bun', '.store', '.deno']);

function linkEntries(root: string, at: string, isTop: boolean): readonly SharedFile[] {
  return readdirSync(join(root, at), { withFileTypes: true }).flatMap((entry): readonly SharedFile[] => {
    if (isTop && CACHES.has(entry.name)) return [];
    const path = `${at}/${entry.name}`;
    const source = join(root, path);
    // What a task installs stays in its worktree: also where all packages lie in one folder, with links to each other.
    if (entry.isDirectory() && (isTop ? entry.name.startsWith('@') || OWN_FOLDERS.has(entry.name) : entry.name === 'node_modules'))
      return [{ kind: 'folder', at: path }, ...linkEntries(root, path, false)];
    if (entry.isDirectory()) return [{ kind: 'link', at: path, to: source, inside: null }];
    // Files there are state of package managers, which rewrite them: never through a link.
    if (entry.isFile()) return [{ kind: 'copy', at: path, from: source }];
    return entry.isSymbolicLink() ? [{ kind: 'link', at: path, to: source, inside: insideOf(root, source) }] : [];
  });
}

/** The path in the project that a link leads to; null outside. */
function insideOf(root: string, link: string): string | null {
  let target: string;
  try {
    target = realpathSync.native(link);
  } catch {
    return null;
  }
  const path = relative(root, target);
  const parts = path.split(sep);
  return path === '' || parts[0] === '..' || parts.includes('node_modules') ? null : parts.join('/');
}

// Packages of Ruby and PHP, and Yarn's Plug'n'Play.

/** Deep enough that what a task installs stays in its worktree: `ruby/3.3.0/gems`. */
const BUNDLE_LEVELS = 3;

/** `at`: vendor/bundle. Its settings tell Bundler of the folder. */
export function linkBundle(root: string, at: string): readonly SharedFile[] {
  const settings = join(dirname(dirname(at)), '.bundle', 'config');
  return [
    ...linkLevels(root, at, BUNDLE_LEVELS),
    ...(isFile(join(root, settings)) ? [{ kind: 'copy', at: settings, from: join(root, settings) } as const] : []),
  ];
}

/** `at`: vendor. Composer's own files find the project by their place, so they are copies: through a link it would be the checkout. */
export function linkComposer(root: string, at: string): readonly SharedFile[] {
  const own = ['composer', 'bin'].map((name) => join(at, name));
  const copied = own.filter((path) => lstatOf(join(root, path))?.isDirectory() === true);
  return [
    ...linkLevels(root, at, 1, new Set(copied)),
    ...copied.map((path): SharedFile => ({ kind: 'copy', at: path, from: join(root, path) })),
  ];
}

/** Folders down to a level, links below it. Files above it are copies: package managers rewrite them. */
function linkLevels(root: string, at: string, levels: number, left: ReadonlySet<string> = new Set()): readonly SharedFile[] {
  return [
    { kind: 'folder', at },
    ...namesIn(join(root, at)).flatMap((name): readonly SharedFile[] => {
      const path = join(at, name);
      const source = join(root, path);
      if (left.has(path)) return [];
      const stat = lstatOf(source);
      if (levels > 0 && stat?.isDirectory() === true) return linkLevels(root, path, levels - 1);
      if (stat?.isFile() === true) return [{ kind: 'copy', at: path, from: source }];
      return [{ kind: 'link', at: path, to: source, inside: stat?.isSymbolicLink() === true ? insideOf(root, source) : null }];
    }),
  ];
}

const PLUG_N_PLAY_FILES = ['.pnp.cjs', '.pnp.data.json', '.pnp.loader.mjs', '.yarn/install-state.gz'];
const LOCATION = /("packageLocation": ")(\.\.?\/[^"]*)"/g;

/** `at`: .pnp.cjs. It names archives and unpacked packages by their way from the checkout, and the project's own packages. */
export function linkPlugNPlay(root: string, at: string): readonly SharedFile[] {
  const top = dirname(at);
  return PLUG_N_PLAY_FILES.flatMap((name): readonly SharedFile[] => {
    const path = join(top, name);
    const source = join(root, path);
    if (!isFile(source)) return [];
    if (!/^\.pnp\.(?:cjs|data)/.test(name)) return [{ kind: 'copy', at: path, from: source }];
    const text = readFileSync(source, 'utf8');
    const move = (to: string) =>
      text.replaceAll(LOCATION, (whole, before: string, location: string) =>
        isOwnSource(location) ? whole : `${before}${relative(join(to, top), resolve(root, top, location))}/"`,
      );
    return [{ kind: 'text', at: path, text: move, mode: statOf(source)?.mode ?? 0o644 }];
  });
}

/** Where the packages of Plug'n'Play lie: archives and unpacked folders. */
export function listPlugNPlayPlaces(root: string, at: string): readonly string[] {
  const top = dirname(at);
  const texts = PLUG_N_PLAY_FILES.filter((name) => /^\.pnp\.(?:cjs|data)/.test(name) && isFile(join(root, top, name))).map((name) =>
    readFileSync(join(root, top, name), 'utf8'),
  );
  const locations = texts.flatMap((text) =>
    [...text.matchAll(LOCATION)].flatMap(([, , location = '']) => (isOwnSource(location) ? [] : [location])),
  );
  const places = locations.map((location) => resolve(root, top, /^.*?\.zip(?=\/)/.exec(location)?.[0] ?? location));
  return [...new Set(places)].filter((place) => lstatOf(place) !== undefined);
}

function isOwnSource(location: string): boolean {
  return location.startsWith('./') && !location.startsWith('./.yarn/');
}
