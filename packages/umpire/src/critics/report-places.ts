// Where the findings of a report lie, when it was written elsewhere: from a folder inside the project, or where the project had another
// path, as in a container. What cannot be found in the project is counted: a finding that is lost would approve.

import { dirname, join } from 'node:path';
import type { Finding } from '@umpire/core/model.js';
import { isFile } from '../sessions/file-system.js';

export interface PlacedFindings {
  readonly findings: readonly Finding[];
  /** Files that are not in the project, as the report names them. */
  readonly lost: readonly string[];
}

/** `report`: its path from the project. */
export function placeFindings(project: string, report: string, findings: readonly Finding[]): PlacedFindings {
  const known = new Map<string, string | null>();
  const placeOf = (path: string): string | null => {
    const place = known.get(path);
    if (place !== undefined) return place;
    const found = candidatesFor(path, report).find((each) => isFile(join(project, each))) ?? null;
    known.set(path, found);
    return found;
  };
  const placed = findings.map((finding) => {
    const place = finding.artifact === null ? null : placeOf(finding.artifact);
    return place === null ? finding : { ...finding, artifact: place };
  });
  return { findings: placed, lost: [...known].filter(([, place]) => place === null).map(([path]) => path) };
}

/** As it stands; from the report's own folder and those around it; without what the project lay in, down to a folder and a file. */
function candidatesFor(path: string, report: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(report); folder !== '.' && folder !== '/'; folder = dirname(folder)) folders.push(folder);
  const parts = path.split('/');
  const shorter = parts.slice(1, -1).map((_, at) => parts.slice(at + 1).join('/'));
  return [path, ...folders.map((folder) => `${folder}/${path}`), ...shorter];
}
