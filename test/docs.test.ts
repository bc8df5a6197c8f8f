// What the pages say is true: generated ones are fresh, examples parse, and the README's output is what the command prints.

import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DiscoveryScanner } from '@umpire/core/formats/discoveries.js';
import { readProvenance } from '@umpire/core/formats/provenance.js';
import { READERS } from '@umpire/core/formats/readers.js';
import { parseTasks } from '@umpire/core/formats/tasks-csv.js';
import { checkGraph } from '@umpire/core/decider/waves.js';
import { generatedPages } from '@umpire/umpire/report/pages.js';
import { checkTour } from './support/console.js';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const PAGES = readdirSync(join(root, 'docs')).map((name) => `docs/${name}`);

describe('generated pages', () => {
  it.each(Object.entries(generatedPages()))('%s is fresh (npm run docs writes it anew)', (path, text) => {
    expect(read(path)).toBe(text);
  });
});

/** Fenced examples of a page with the words behind the fence. */
function examples(page: string): readonly { readonly kind: string; readonly text: string }[] {
  return [...page.matchAll(/^```(\S+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map((match) => ({
    kind: match[2] ?? match[1] ?? '',
    text: match[3] ?? '',
  }));
}

/** Of a session that Umpire runs: held against real ones by docs-run.test.ts. */
const RUN = ['session-state', 'interactive-result', 'event-stream'];

describe('docs/formats.md', () => {
  const found = examples(read('docs/formats.md'));

  it('has an example of every file, and each is read', () => {
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
  it('shows what the commands really print', () => {
    const folder = mkdtempSync(join(tmpdir(), 'umpire-readme-'));
    try {
      const all = examples(read('README.md'));
      const start = all.find((example) => example.kind === 'sh')?.text ?? '';
      const [alias = expect.fail('The README does not say how to call the command.')] = /^alias umpire=.*$/m.exec(start) ?? [];
      const tour = all.filter((example) => example.kind === 'console').map((example) => example.text);
      expect(checkTour(alias, tour, folder)).toBeGreaterThan(8);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('is short, and names the two commands', () => {
    expect(read('README.md').split('\n').length).toBeLessThan(140);
    expect(read('ARCHITECTURE.md').split('\n').length).toBeLessThanOrEqual(250);
  });
});

describe('ARCHITECTURE.md', () => {
  it('names files that are there', () => {
    const named = [...read('ARCHITECTURE.md').matchAll(/`((?:[a-z-]+\/)+[a-z-]+(?:\.test)?\.ts)`/g)].map(([, path = '']) => path);
    const missing = named.filter(
      (path) => ![path, ...['core', 'umpire'].map((name) => `packages/${name}/src/${path}`)].some((place) => existsSync(join(root, place))),
    );
    expect(missing).toEqual([]);
    expect(named.length).toBeGreaterThan(30);
  });
});

describe('links between pages', () => {
  const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'examples/README.md', ...PAGES];

  it.each(pages)('of %s lead somewhere', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, path = '']) => path);
    expect(links.filter((path) => !existsSync(join(root, dirname(page), path)))).toEqual([]);
  });
});
