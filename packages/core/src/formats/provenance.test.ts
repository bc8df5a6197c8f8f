// Which commits a report names, and whether one of them is the judged one.

import { expect, it } from 'vitest';
import { commitsNamedIn, otherCommit } from './provenance.js';

const JUDGED = 'c0ffee1234567890c0ffee1234567890c0ffee12';
const OTHER = 'decade1234567890decade1234567890decade12';

it("names the commits of Umpire's own record and of SARIF", () => {
  expect(commitsNamedIn(JSON.stringify({ provenance: { commit: JUDGED } }))).toEqual([JUDGED]);
  const versionControlProvenance = [{ repositoryUri: 'https://example.com/a', revisionId: ` ${OTHER} ` }];
  expect(commitsNamedIn(JSON.stringify({ runs: [{ versionControlProvenance }, {}] }))).toEqual([OTHER]);
  expect(
    ['', '"versionControlProvenance"', '{"versionControlProvenance": [', '{"provenance": {"commit": null}}'].flatMap(commitsNamedIn),
  ).toEqual([]);
});

it.each([
  [[OTHER], JUDGED, OTHER],
  [[JUDGED], JUDGED, null],
  [[OTHER, JUDGED.slice(0, 7).toUpperCase()], JUDGED, null],
  [['v1.2', 'abc'], JUDGED, null],
  [[OTHER], null, null],
  [[], JUDGED, null],
])('W4: of %j, judged on %j, another commit is %j', (named, judged, other) => {
  expect(otherCommit(named, judged)).toBe(other);
});
