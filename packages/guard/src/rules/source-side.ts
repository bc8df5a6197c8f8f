// What the rules about source have in common: the changed source files as trees, and which of their lines are new.

import type { Evidence, ReadFile } from '../evidence.js';
import type { Place, Source } from '../syntax/nodes.js';
import { spanOf } from '../findings/finding.js';
import type { Sighting } from '../findings/finding.js';

export interface ChangedSource {
  readonly file: ReadFile;
  readonly source: Source;
  /** The place has a line that the old version does not have. */
  isNew(place: Place): boolean;
}

/** Source files whose new lines say one of the words. */
export function changedSources(evidence: Evidence, words: RegExp): readonly ChangedSource[] {
  if (evidence.isTestingOnly) return [];
  return evidence.files.flatMap((file): readonly ChangedSource[] => {
    const { change, role } = file;
    if (role !== 'source' || (file.after?.tests.length ?? 0) > 0 || !words.test(evidence.addedText(change))) return [];
    const source = evidence.after.source(change.path);
    if (source === null || source.problem !== null) return [];
    const old = new Set((change.before ?? '').split('\n').map((line) => line.trim()));
    const isNew = ({ from, to }: Place): boolean => {
      const start = source.text.lastIndexOf('\n', from) + 1;
      const end = source.text.indexOf('\n', to);
      return source.text
        .slice(start, end < 0 ? undefined : end)
        .split('\n')
        .some((line) => line.trim().length > 2 && !old.has(line.trim()));
    };
    return [{ file, source, isNew }];
  });
}

export function sourceSighting({ file, source }: ChangedSource, place: Place, level: Sighting['level'], why?: string): Sighting {
  return { file: file.change.path, level, before: null, after: spanOf(source, place), ...(why === undefined ? {} : { why }) };
}
