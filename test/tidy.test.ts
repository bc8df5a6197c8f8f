// The structure of the code base: every folder has its layer, imports point one way and never in a circle, pure folders use no clock, disk
// or randomness, and no file is unused.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, normalize, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { READERS } from '@umpire/core/formats/readers.js';

const root = join(import.meta.dirname, '..');

/** The other packages that each package may import. The dashboard may import only types of the server's answers. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  core: [],
  reports: ['core'],
  guard: ['core'],
  umpire: ['core', 'reports', 'guard'],
};

/** Rooms of each package from the bottom up: lower rooms know nothing of higher ones. A room is a folder of `src/` or a file in it. */
const FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  core: [['model'], ['formats'], ['loops'], ['decider'], ['proof']],
  guard: [
    ['change'],
    ['syntax'],
    ['findings'],
    ['test-model'],
    ['inline'],
    ['compare'],
    ['project'],
    ['evidence'],
    ['retrial'],
    ['rules'],
    ['guard'],
    ['revert'],
  ],
  umpire: [
    ['views'],
    ['sessions'],
    ['work', 'agents', 'telemetry'],
    ['runners'],
    ['critics'],
    ['retrial'],
    ['forge'],
    ['engine'],
    ['doors'],
    ['doors/library'],
    ['doors/mcp', 'doors/http'],
    ['doors/cli', 'index', 'run'],
  ],
};

/** Packages and folders that use no clock, disk, process or randomness. */
const PURE = new Set(['core', 'reports', 'guard', 'umpire/views']);

/** Where reading starts: the library, the command, modules that are loaded late, and the writer of the generated pages. */
const ENTRANCES = [
  'packages/umpire/src/index.ts',
  'packages/umpire/src/run.ts',
  'packages/umpire/src/doors/cli/main.ts',
  'packages/umpire/src/sessions/loop-files.ts',
  'packages/umpire/src/doors/cli/generated-pages.ts',
];

function filesIn(folder: string, wanted: (name: string) => boolean): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && wanted(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split('/').includes('node_modules'))
    .toSorted();
}

const sources = Object.keys(PACKAGES).flatMap((name) =>
  filesIn(`packages/${name}/src`, (file) => file.endsWith('.ts') && !file.endsWith('.test.ts')),
);
const text = new Map(sources.map((path) => [path, readFileSync(join(root, path), 'utf8')]));

function packageOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** `doors` has a room for each way in. */
function roomOf(path: string): string {
  const [room = '', inner = ''] = path.split('/').slice(3);
  return room === 'doors' && !inner.endsWith('.ts') ? `${room}/${inner}` : room.replace(/\.ts$/, '');
}

/** 0 in packages without floors. */
function floorOf(path: string): number {
  const floors = FLOORS[packageOf(path)];
  return floors === undefined ? 0 : floors.findIndex((rooms) => rooms.includes(roomOf(path)));
}

/** Specifiers of static, dynamic and type imports, comments left out. */
function importsOf(path: string): readonly string[] {
  const code = (text.get(path) ?? '').replace(/^\s*\/\/.*$/gm, '');
  return [...code.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
}

/** Files of this repository that a file imports: beside it, or in another package by its name. */
function localImports(path: string): readonly string[] {
  return importsOf(path)
    .filter((specifier) => specifier.startsWith('.') || specifier.startsWith('@umpire/'))
    .map((specifier) => {
      const [, name = '', file = ''] = /^@umpire\/([a-z]+)\/(.+)$/.exec(specifier) ?? [];
      return normalize(name === '' ? join(dirname(path), specifier) : `packages/${name}/src/${file}`).replace(/\.js$/, '.ts');
    });
}

/** The code without strings and comments: the guard mentions clocks and `.only` in its texts. */
function codeOnly(path: string): string {
  const source = readFileSync(join(root, path), 'utf8');
  const { program, comments } = parseSync(path, source);
  const spans: { readonly start: number; readonly end: number }[] = [...comments];
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(walk);
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
    const { type, value, start, end } = node as { type?: string; value?: unknown; start: number; end: number };
    if (type === 'TemplateElement' || (type === 'Literal' && (typeof value === 'string' || 'regex' in node))) spans.push({ start, end });
    for (const child of Object.values(node)) if (typeof child === 'object') walk(child);
  };
  walk(program);
  let code = '';
  let at = 0;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    code += source.slice(at, Math.max(at, start));
    at = Math.max(at, end);
  }
  return code + source.slice(at);
}

describe('the code base', () => {
  it('has a layer for every folder', () => {
    expect(sources.filter((path) => floorOf(path) < 0)).toEqual([]);
    const empty = Object.entries(FLOORS).flatMap(([name, floors]) =>
      floors.flat().filter((room) => !sources.some((path) => packageOf(path) === name && roomOf(path) === room)),
    );
    expect(empty).toEqual([]);
    expect(sources.length).toBeGreaterThan(300);
  });

  it('imports only from lower layers', () => {
    const upward = sources.flatMap((path) =>
      localImports(path)
        .filter((target) => {
          if (packageOf(target) !== packageOf(path)) return !PACKAGES[packageOf(path)]?.includes(packageOf(target));
          if (roomOf(target) === roomOf(path) || FLOORS[packageOf(path)] === undefined) return false;
          return floorOf(target) > floorOf(path) || floorOf(target) === floorOf(path);
        })
        .map((target) => `${path} imports ${target}`),
    );
    expect(upward).toEqual([]);
  });

  it('declares the dependencies of every package, in the root too', () => {
    const manifest = (folder: string) =>
      JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as { readonly dependencies?: Readonly<Record<string, string>> };
    const declared = Object.keys(PACKAGES).map((name) => [name, manifest(`packages/${name}`).dependencies ?? {}] as const);
    const own = declared.map(([name, dependencies]) => [name, Object.keys(dependencies).filter((one) => one.startsWith('@umpire/'))]);
    expect(own).toEqual(Object.entries(PACKAGES).map(([name, may]) => [name, may.map((one) => `@umpire/${one}`).toSorted()]));
    const foreign = declared.flatMap(([, dependencies]) => Object.entries(dependencies).filter(([one]) => !one.startsWith('@umpire/')));
    // The build puts marked into our own files: it is an ES module, which Node before 20.19 cannot require.
    const shipped = foreign.filter(([one]) => one !== 'marked');
    expect(Object.fromEntries(shipped.toSorted())).toEqual(manifest('.').dependencies);
  });

  it('gives a type name one meaning', () => {
    // The library has its own `Agent` and `Ending`: simpler ones, under the names that programs know.
    const owned = sources.filter((path) => packageOf(path) !== 'guard' && roomOf(path) !== 'doors/library');
    const places = new Map<string, string[]>();
    for (const path of owned)
      for (const [, name = ''] of (text.get(path) ?? '').matchAll(/^(?:export )?(?:interface|type|class) (\w+)/gm))
        places.set(name, [...(places.get(name) ?? []), path]);
    expect([...places].filter(([, paths]) => paths.length > 1)).toEqual([]);
  });

  it('has a README in every package on what it owns and may import', () => {
    for (const name of [...Object.keys(PACKAGES), 'dashboard']) {
      const page = readFileSync(join(root, 'packages', name, 'README.md'), 'utf8');
      for (const heading of ['## Owns', '## May import', '## Try it']) expect([name, page.includes(heading)]).toEqual([name, true]);
    }
  });

  it('imports only files that exist', () => {
    const missing = sources.flatMap((path) =>
      localImports(path)
        .filter((target) => !text.has(target))
        .map((target) => `${path} imports ${target}`),
    );
    expect(missing).toEqual([]);
  });

  it('has no circular imports', () => {
    const done = new Set<string>();
    const circles: string[] = [];
    const walk = (path: string, way: readonly string[]): void => {
      if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(' → '));
      if (done.has(path) || way.includes(path)) return;
      for (const target of localImports(path)) walk(target, [...way, path]);
      done.add(path);
    };
    for (const path of sources) walk(path, []);
    expect(circles).toEqual([]);
  });

  it('keeps clock, disk and randomness out of the pure folders', () => {
    const impure = sources
      .filter((path) => PURE.has(packageOf(path)) || PURE.has(`${packageOf(path)}/${roomOf(path)}`))
      .flatMap((path) => {
        const clocks = [...codeOnly(path).matchAll(/\bDate\b|\bMath\.random\b|\bperformance\.|\bprocess\.|\bsetTimeout\b|\bfetch\(/g)];
        const found = [...importsOf(path).filter((name) => name.startsWith('node:')), ...clocks.map((match) => match[0])];
        return found.map((what) => `${path}: ${what}`);
      });
    expect(impure).toEqual([]);
  });

  it('uses one function to look up paths, which does not throw if a parent is a file', () => {
    const others = sources.filter(
      (path) => path !== 'packages/umpire/src/sessions/file-system.ts' && text.get(path)?.includes('throwIfNoEntry'),
    );
    expect(others).toEqual([]);
  });

  it('lets the dashboard import only the types of the server', () => {
    const pages = filesIn('packages/dashboard/src', (name) => /\.tsx?$/.test(name));
    expect(pages.length).toBeGreaterThan(5);
    const upward = pages.flatMap((path) => {
      const source = readFileSync(join(root, path), 'utf8');
      expect([path, source.startsWith('// ')]).toEqual([path, true]);
      return [...source.matchAll(/^import (type )?[^;]*? from '(@umpire\/[^']+)'/gm)]
        .filter(
          ([, isType, from = '']) =>
            isType === undefined ||
            !/^@umpire\/(umpire\/doors\/http\/answers|core\/model\/vocabulary|umpire\/views\/[a-z-]+)\.js$/.test(from),
        )
        .map(([line]) => `${path}: ${line}`);
    });
    expect(upward).toEqual([]);
  });

  it('has no unused file', () => {
    const reached = new Set<string>();
    const open = [...ENTRANCES];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (reached.has(path)) continue;
      reached.add(path);
      open.push(...localImports(path));
    }
    expect(sources.filter((path) => !reached.has(path))).toEqual([]);
  });

  it('names files in kebab-case, and starts each with a comment on what it owns', () => {
    const odd = sources.filter(
      (path) =>
        !/^[a-z0-9]+(-[a-z0-9]+)*(\.generated)?\.ts$/.test(basename(path)) ||
        /^(utils?|helpers?|types|misc|common)\.ts$/.test(basename(path)),
    );
    const silent = sources.filter((path) => !(text.get(path) ?? '').startsWith('// '));
    expect({ odd, silent }).toEqual({ odd: [], silent: [] });
  });

  it('registers every reader and ships every role that a loop names', () => {
    const shipped = new Set(filesIn('roles', (name) => name.endsWith('.md')));
    const readers = new Set<string>();
    const roles = new Set<string>();
    for (const path of filesIn('packages/core/src/loops', (name) => name.endsWith('.yaml'))) {
      const walk = (node: unknown, key: string): void => {
        if (typeof node === 'string' && key === 'reader') readers.add(node);
        if (typeof node === 'string' && key === 'role') roles.add(`roles/${basename(path, '.yaml')}/${node}.md`);
        if (typeof node !== 'object' || node === null) return;
        for (const [inner, value] of Object.entries(node)) walk(value, key === 'roles' ? 'role' : inner);
      };
      walk(parseYaml(readFileSync(join(root, path), 'utf8')), '');
    }
    expect({
      unknown: [...readers].filter((name) => !(name in READERS)),
      missing: [...roles].filter((role) => !shipped.has(role)),
    }).toEqual({
      unknown: [],
      missing: [],
    });
    // judge.md is the default for loops that users write. Every other role belongs to a built-in loop.
    expect([...shipped].filter((role) => !roles.has(role))).toEqual(['roles/judge.md']);
    expect(readers.size).toBeGreaterThan(8);
  });

  it('has a place for each seeded bug', async () => {
    const { BUGS } = (await import(pathToFileURL(join(root, 'scripts', 'seeded-bugs.mjs')).href)) as {
      readonly BUGS: readonly { readonly file: string; readonly from: string; readonly tests: readonly string[] }[];
    };
    expect(BUGS.length).toBe(10);
    const lost = BUGS.filter(
      ({ file, from }) => !existsSync(join(root, file)) || readFileSync(join(root, file), 'utf8').split(from).length !== 2,
    );
    expect(lost.map(({ file, from }) => `${file}: ${from}`)).toEqual([]);
  });

  it('has no skipped or focused test', () => {
    const tests = [...filesIn('test', (name) => name.endsWith('.ts')), ...filesIn('packages', (name) => name.endsWith('.test.ts'))].filter(
      (path) => path !== 'test/tidy.test.ts',
    );
    const marked = tests.filter((path) => /\b(it|test|describe)\.(only|skip|todo)\b/.test(codeOnly(path)));
    expect(marked).toEqual([]);
  });
});
