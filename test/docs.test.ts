// The pages agree with the code: generated pages are fresh, examples parse, links have a target, and the README shows the real output of
// the commands.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DiscoveryScanner } from '@umpire/core/formats/discoveries.js';
import { readProvenance } from '@umpire/core/formats/provenance.js';
import { READERS } from '@umpire/core/formats/readers.js';
import { parseTasks } from '@umpire/core/formats/tasks-csv.js';
import { checkGraph } from '@umpire/core/decider/waves.js';
import { generatedPages } from '@umpire/umpire/doors/cli/generated-pages.js';
import { SOAK } from './support/campaign.js';
import { playPage, playTour } from './support/console.js';
import { readPage } from './support/page.js';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const PAGES = ['docs', 'docs/reference'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`),
);

/** Runs `work` in a new folder that is removed afterwards. */
async function inFolder(work: (folder: string) => number | Promise<number>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'umpire-docs-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('generated pages', () => {
  it.each(Object.entries(generatedPages()))('%s is fresh (npm run docs writes it)', (path, text) => {
    expect(read(path)).toBe(text);
  });
});

/** Blocks of a session that Umpire runs; docs-run.test.ts compares them with real ones. */
const RUN = ['session-state', 'interactive-result', 'event-stream'];

describe('docs/session-files.md', () => {
  const found = readPage('docs/session-files.md').blocks.map(({ kind, name, text }) => ({ kind: name === '' ? kind : name, text }));

  it('has an example of every file that Umpire reads', () => {
    const kinds = found.map((example) => example.kind);
    expect(kinds).toEqual(['csv', 'ndjson', 'audit', 'run-json', 'validation-json', 'review-json', 'command-result', 'provenance', ...RUN]);
  });

  it.each(found.filter((example) => example.kind in READERS))('$kind', ({ kind, text }) => {
    const reader = READERS[kind];
    expect(reader?.(text, { path: 'example' })).toMatchObject({ ok: true, reading: { notes: [] } });
  });

  it('provenance', () => {
    const { provenance } = JSON.parse(found.find((example) => example.kind === 'provenance')?.text ?? '{}') as { provenance?: unknown };
    expect(readProvenance(JSON.stringify({ provenance }))).toEqual(provenance);
  });

  it('tasks.csv', () => {
    const { tasks } = parseTasks(found.find((example) => example.kind === 'csv')?.text ?? '');
    expect([...checkGraph(tasks)]).toEqual([1, 2, 3]);
  });

  it('discoveries.ndjson', () => {
    const scanner = new DiscoveryScanner(new Set(['critique', 'gc_decision']));
    scanner.push(Buffer.from(found.find((example) => example.kind === 'ndjson')?.text ?? ''));
    expect(scanner.end()).toMatchObject({ malformed: 0, entries: [{ type: 'critique' }, { type: 'gc_decision' }] });
  });
});

describe('README.md', () => {
  it('shows the real output of the commands', async () => {
    const page = readPage('README.md');
    const start = page.blocks.find(({ kind }) => kind === 'sh')?.text ?? '';
    const [alias = expect.fail('The README does not say how to call the command.')] = /^alias umpire=.*?(?=  +#|$)/m.exec(start) ?? [];
    expect(await inFolder((folder) => playTour(page, alias, folder))).toBeGreaterThan(7);
  });

  it('is short, and names the two commands', () => {
    expect(read('README.md').split('\n').length).toBeLessThan(140);
    expect(read('README.md')).toMatch(/^npm start\b.*\nnpm test\b/m);
    expect(read('ARCHITECTURE.md').split('\n').length).toBeLessThanOrEqual(200);
  });
});

for (const [name, options] of [
  ['review-a-change', SOAK],
  ['pull-requests-and-ci', {}],
  ['pay-down-debt', SOAK],
  ['brainstorm', {}],
  ['judge-a-loop-you-run-yourself', {}],
] as const)
  it(`docs/${name}.md shows the real output of the commands`, options, async () => {
    expect(await inFolder((folder) => playPage(readPage(`docs/${name}.md`), folder))).toBeGreaterThan(1);
  });

it('the pages have no more words than allowed (npm run words)', () => {
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'scripts', 'words.mjs')], { encoding: 'utf8' });
  expect({ status, said: stdout.split('\n').at(-2) }).toEqual({ status: 0, said: expect.stringMatching(/^[\d,]+ of [\d,]+ words/) });
});

describe('ARCHITECTURE.md', () => {
  it('names only files and folders that exist', () => {
    const named = [...read('ARCHITECTURE.md').matchAll(/`((?:[a-z-]+\/)+(?:[a-z-]+(?:\.test)?\.(?:ts|json))?)`/g)].map(
      ([, path = '']) => path,
    );
    const places = ['', 'packages/', 'packages/core/src/', 'packages/umpire/src/'];
    expect(named.filter((path) => !places.some((place) => existsSync(join(root, place, path))))).toEqual([]);
    expect(named.filter((path) => path.endsWith('.ts')).length).toBeGreaterThan(15);
    expect(named.length).toBeGreaterThan(25);
  });
});

/** A heading as its link is written. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

describe('links between pages', () => {
  const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'examples/README.md', ...PAGES];
  const anchorsOf = (path: string) => [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => slugOf(heading));

  it.each(pages)('of %s have a target', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)/g)];
    const broken = links.filter(([, path = '', anchor]) => {
      const target = path === '' ? page : join(dirname(page), path);
      return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it('lead from the index to every page', () => {
    const index = read('docs/README.md');
    expect(PAGES.filter((page) => page !== 'docs/README.md' && !index.includes(`(${page.slice('docs/'.length)}`))).toEqual([]);
  });
});

it('messages and comments name only pages and headings that exist', () => {
  const files = ['packages', 'scripts', 'examples', 'roles'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:ts|mjs|md|yaml)$/.test(name) && !/node_modules|\.test\.ts$/.test(name))
      .map((name) => join(folder, name)),
  );
  const named = files.flatMap((file) => [...read(file).matchAll(/\bdocs\/[a-z/-]+\.md(?:, "([^"]+)")?/g)]);
  const isThere = (path: string, heading: string | undefined) =>
    PAGES.includes(path) && (heading === undefined || read(path).includes(`\n## ${heading}\n`));
  const missing = named.filter(([text, heading]) => !isThere(text.replace(/,.*/, ''), heading) && !text.startsWith('docs/a.md'));
  expect(missing.map(([text]) => text)).toEqual([]);
  expect(named.length).toBeGreaterThan(10);
});
