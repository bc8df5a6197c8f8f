// Where evidence is looked for. Gathering knows this and no more, so that it works the same on the session folder and on
// what a verdict recorded of it.

import type { Discovery, Grade } from '@umpire/core/model.js';
import type { Board } from './board.js';
import { listFiles, readBytes } from './folder.js';
import type { FileRead, SessionFolder } from './folder.js';

/** Entries of one type on the board, in its order. */
export type BoardPart =
  | { readonly state: 'ok'; readonly entries: readonly Discovery[] }
  | { readonly state: 'unreadable'; readonly problem: string }
  | { readonly state: 'unread' };

export interface Place {
  /** There is time to read the evidence of this name. */
  readonly isReached: (name: string) => boolean;
  /** `large`: there, but decided nothing then and was not kept. */
  readonly read: (path: string) => FileRead | { readonly kind: 'large' };
  /** The names of the files in a folder. */
  readonly list: (folder: string) => readonly string[];
  readonly board: (name: string, type: string) => BoardPart;
  /** Another grade than the loop gives the file at this path; undefined: the loop's. */
  readonly gradeOf?: (path: string) => Grade | undefined;
}

/** The session folder as it is now. */
export function folderPlace(folder: SessionFolder, board: Board, expired: () => boolean): Place {
  return {
    isReached: () => !expired(),
    read: (path) => readBytes(folder, path),
    list: (path) => listFiles(folder, path),
    board: (_, type) => {
      if (board.state === 'unread') return { state: 'unread' };
      if (board.state === 'unreadable') return { state: 'unreadable', problem: board.problem ?? 'it could not be read' };
      return { state: 'ok', entries: board.scan.entries.filter((entry) => entry.type === type) };
    },
  };
}
