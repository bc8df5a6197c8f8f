// What Umpire alone writes in a session folder. Agents are told to leave it alone, are refused it where they ask, and cannot reach it in
// a sandbox.

import { TASKS } from './tasks-file.js';
import { JOURNAL } from './journal-file.js';

export const OWN_FILES: readonly string[] = [TASKS, JOURNAL];

export const OWN_FOLDERS: readonly string[] = ['verdicts', 'blobs', 'logs'];
