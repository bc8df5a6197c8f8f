// Where the sessions of a project lie: its own, and foreign ones. Which of them a person means is in sessions.ts.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { UmpireError } from '@umpire/core/errors.js';
import { isFolder } from './entry.js';
import { openFolder } from './folder.js';
import { findProject } from './project.js';

const SESSIONS = ['.umpire/sessions', '.workflow/.csv-wave'];

/** The project that a folder is or lies in; the folder itself, where there is none. Throws where there is no folder. */
export function projectAt(path: string): string {
  let start: string;
  try {
    start = openFolder(path).root;
  } catch {
    throw new UmpireError('project-missing', { path });
  }
  return findProject(join(start, 'x')) ?? start;
}

/** Absolute, by place and name. */
export function sessionFolders(project: string): readonly string[] {
  return SESSIONS.flatMap((place) => foldersIn(join(project, place)));
}

function foldersIn(place: string): readonly string[] {
  try {
    return readdirSync(place)
      .toSorted()
      .map((name) => join(place, name))
      .filter(isFolder);
  } catch {
    return [];
  }
}
