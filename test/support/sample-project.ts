// Copies of the sample projects in fixtures/projects, with a link to the packages of this repository.

import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './git-project.js';

const root = join(import.meta.dirname, '..', '..');

export function sampleProject(name: string): string {
  const project = join(temporaryFolder(), name);
  cpSync(join(root, 'fixtures', 'projects', name), project, { recursive: true });
  linkPackages(project);
  return project;
}

export function linkPackages(project: string): void {
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
}
