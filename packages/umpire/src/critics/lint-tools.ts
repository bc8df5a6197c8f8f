// The linters and type checkers that a project has, found from its own files and packages, and how those for JavaScript are asked for a
// report. Those for Python are lint-python.ts's; how one is run is lint-tool.ts's.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findPythonLinters } from './lint-python.js';
import type { LintTool } from './lint-tool.js';
import { findTool, readManifest } from './tool.js';
import type { FoundTool } from './tool.js';

const SCRIPT = /\.[cm]?[jt]sx?$/;
const WEB = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|jsonc?|css|graphql)$/;

/** Those that the project has both the package and the settings of. */
export function findLintTools(project: string): readonly LintTool[] {
  const names = new Set(existsSync(project) ? readdirSync(project) : []);
  const found = [eslint(project, names), oxlint(project, names), biome(project, names), tsc(project, names)];
  return [...found.filter((tool) => tool !== null), ...findPythonLinters(project)];
}

function eslint(project: string, names: ReadonlySet<string>): LintTool | null {
  const isSet =
    [...names].some((name) => name.startsWith('eslint.config.') || name.startsWith('.eslintrc')) || hasKey(project, 'eslintConfig');
  const tool = isSet ? findTool(project, 'eslint') : null;
  if (tool === null) return null;
  const flat = [...names].some((name) => name.startsWith('eslint.config.'));
  const argv = (report: string, files: readonly string[]) => [
    ...node(tool),
    '--format',
    'json',
    '--output-file',
    report,
    '--no-error-on-unmatched-pattern',
    ...(flat ? ['--no-warn-ignored'] : []),
    '--',
    ...(files.length === 0 ? ['.'] : files),
  ];
  return { ...lint('eslint', tool), takes: (path) => SCRIPT.test(path), argv, prints: false, statuses: [0, 1] };
}

function oxlint(project: string, names: ReadonlySet<string>): LintTool | null {
  const tool =
    names.has('.oxlintrc.json') || names.has('oxlint.config.ts') || isDeclared(project, 'oxlint') ? findTool(project, 'oxlint') : null;
  if (tool === null) return null;
  const argv = (_report: string, files: readonly string[]) => [...node(tool), '--format', 'json', ...files];
  const looks = { argv: (files: readonly string[]) => [...node(tool), '--debug=files', ...files] };
  return { ...lint('oxlint', tool), takes: (path) => SCRIPT.test(path), argv, prints: true, statuses: [0, 1], looks };
}

function biome(project: string, names: ReadonlySet<string>): LintTool | null {
  const tool = names.has('biome.json') || names.has('biome.jsonc') ? findTool(project, '@biomejs/biome', 'biome') : null;
  if (tool === null) return null;
  const argv = (_report: string, files: readonly string[]) => [
    ...node(tool),
    'lint',
    '--reporter=json',
    '--max-diagnostics=10000',
    '--no-errors-on-unmatched',
    ...files,
  ];
  return { ...lint('biome', tool), takes: (path) => WEB.test(path), argv, prints: true, statuses: [0, 1] };
}

function tsc(project: string, names: ReadonlySet<string>): LintTool | null {
  const tool = names.has('tsconfig.json') && !onlyRefers(join(project, 'tsconfig.json')) ? findTool(project, 'typescript', 'tsc') : null;
  if (tool === null) return null;
  // Types are of the whole: a change in one file breaks another.
  const argv = () => [...node(tool), '--project', 'tsconfig.json', '--noEmit', '--pretty', 'false'];
  const common = { name: 'tsc', kind: 'types', language: 'script', version: tool.version, format: 'tsc' } as const;
  const isChecked = /"checkJs"\s{0,20}:\s{0,20}true/.test(configText(join(project, 'tsconfig.json')));
  const looks = {
    argv: () => [...node(tool), '--project', 'tsconfig.json', '--noEmit', '--listFilesOnly'],
    // What is written in JavaScript is loaded for its types, and checked only where that is asked for.
    passesOver: (path: string) => !isChecked && /\.[cm]?jsx?$/.test(path),
  };
  return { ...common, takes: (path) => SCRIPT.test(path), argv, prints: true, statuses: [0, 1, 2], isSilentWhenClean: true, looks };
}

/** It names other projects and no file of its own: `tsc` would check nothing and be silent. Its build mode would write files. */
function onlyRefers(path: string): boolean {
  const text = configText(path);
  return text.includes('"references"') && /"files"\s{0,20}:\s{0,20}\[\s{0,200}\]/.test(text);
}

function configText(path: string): string {
  return readFileSync(path, 'utf8').slice(0, 1024 * 1024);
}

function lint(name: string, tool: FoundTool): Pick<LintTool, 'name' | 'kind' | 'language' | 'version' | 'format'> {
  return { name, kind: 'lint', language: 'script', version: tool.version, format: name };
}

function node(tool: FoundTool): readonly string[] {
  return [process.execPath, tool.bin];
}

function hasKey(project: string, key: string): boolean {
  return Object.hasOwn(readManifest(project) ?? {}, key);
}

function isDeclared(project: string, name: string): boolean {
  const { dependencies, devDependencies } = readManifest(project) ?? {};
  return [dependencies, devDependencies].some((list) => typeof list === 'object' && list !== null && Object.hasOwn(list, name));
}
