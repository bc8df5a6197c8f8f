// SARIF 2.1.0: the results of every run. core/formats/sarif.ts turns a result into a finding.

import type { JsonFormat, ReadOptions } from './format.js';
import { toProjectPath } from './project-path.js';
import { keepObjects, type ReportBuilder, requireList } from './report-builder.js';
import { isObject, type JsonObject, nameOf, own } from '@umpire/core/formats/json-text.js';
import { endLineIn, listIn, objectIn, textIn } from '@umpire/core/formats/json-values.js';
import {
  NO_RESULTS,
  readSarifRules,
  sarifInvocation,
  sarifRevision,
  isSarifProblem,
  sarifFingerprint,
  sarifMessage,
  sarifPlace,
  type SarifPlace,
  sarifRuleId,
  type SarifRules,
  sarifSeverity,
  type SarifRule,
} from '@umpire/core/formats/sarif.js';
import { unknownSeverityNote } from '@umpire/core/formats/severity.js';

const LONGEST_PATH = 1000;
const NO_RULE: SarifRule = { id: '', level: '', score: null, text: '', messages: new Map() };
const KINDS: ReadonlySet<string> = new Set(['', 'fail', 'open', 'review', 'pass', 'notapplicable', 'informational']);

export const sarif: JsonFormat = {
  id: 'sarif',
  title: 'SARIF 2.1.0',
  content: 'findings',
  recognises: ({ isArray, keys, text }) =>
    !isArray && keys.has('runs') && (/sarif/i.test(text) || text.includes('"results"') || text.includes('"tool"')),
  read: (value, report, options) => {
    const runs = requireList(report, value, 'runs');
    if (!isObject(value)) return;
    const version = own(value, 'version');
    if (version !== '2.1.0' && version !== undefined)
      report.note(`the SARIF version is ${JSON.stringify(version).slice(0, 40)}; read as 2.1.0`);
    if (Array.isArray(own(value, 'runs')) && runs.length === 0) report.fail('"runs" is empty; expected at least one run');
    let read = 0;
    for (const [at, run] of keepObjects(report, runs, 'a run').entries()) {
      const results = own(run, 'results');
      if (results === undefined || results === null) report.fail(`run ${at + 1} ${NO_RESULTS}`);
      else if (!Array.isArray(results)) report.fail(`"results" of a run is ${nameOf(results)}; expected a list`);
      readRunItself(run, report);
      read += addResults(run, report, options);
    }
    for (const part of listIn(value, 'inlineExternalProperties').filter(isObject)) {
      report.note('parts of its runs are in "inlineExternalProperties"; the results there are read too');
      read += addResults({ ...part, tool: { driver: own(part, 'driver') } }, report, options);
    }
    report.failIfNothingIsLeft(read);
  },
};

/** What a run says of itself: whether it failed, on which commit it ran, and which of its parts are in other files. */
function readRunItself(run: JsonObject, report: ReportBuilder): void {
  for (const invocation of listIn(run, 'invocations')) {
    const said = sarifInvocation(invocation);
    if (said?.isFailure === true) report.markFailed(said.message);
    else if (said !== null) report.note(said.message);
  }
  for (const entry of listIn(run, 'versionControlProvenance')) report.addCommit(sarifRevision(entry));
  const files = own(run, 'externalPropertyFileReferences');
  if (!isObject(files)) return;
  const names = listIn(files, 'results').map((each) => textIn(objectIn(each, 'location'), 'uri').slice(0, 200));
  if (names.length > 0) report.fail(`the results are in another file (${names.slice(0, 3).join(', ')}); merge it into this report`);
  else report.note('parts of a run are in other files, which are not read');
}

/** How many results could be read. */
function addResults(run: JsonObject, report: ReportBuilder, { root }: ReadOptions): number {
  const rules = readSarifRules(run);
  let read = 0;
  for (const result of keepObjects(report, listIn(run, 'results'), 'a result')) {
    const kind = textIn(result, 'kind');
    if (!KINDS.has(kind.toLowerCase())) {
      // Nobody knows what it means.
      report.drop(`unknown result kind "${kind.slice(0, 40)}"`);
      continue;
    }
    read += 1;
    if (!isSarifProblem(result)) continue;
    const place = sarifPlace(result);
    const rule = findRuleWithLevel(run, result, rules);
    const { severity, unknown } = sarifSeverity(result, rule);
    if (unknown !== null) report.note(unknownSeverityNote(unknown));
    report.addFindingIfKept(severity, () => ({
      severity,
      line: place.line,
      endLine: endLineIn(objectIn(objectIn(listIn(result, 'locations')[0], 'physicalLocation'), 'region')),
      message: sarifMessage(result, rule),
      artifact: findArtifact(run, place, root),
      rule: sarifRuleId(result, rule),
      fingerprint: sarifFingerprint(result),
    }));
  }
  return read;
}

/** The rule of a result. An invocation may set its level for results without one (3.27.10 of the standard). */
function findRuleWithLevel(run: JsonObject, result: JsonObject, rules: SarifRules): SarifRule | null {
  const rule = rules.of(result);
  const index = own(objectIn(result, 'provenance'), 'invocationIndex');
  const kind = textIn(result, 'kind').toLowerCase();
  if (typeof index !== 'number' || textIn(result, 'level') !== '' || (kind !== '' && kind !== 'fail')) return rule;
  const id = sarifRuleId(result, null);
  for (const override of listIn(listIn(run, 'invocations')[index], 'ruleConfigurationOverrides')) {
    const level = textIn(objectIn(override, 'configuration'), 'level');
    const reference = { rule: objectIn(override, 'descriptor') };
    const isMeant = rule === null ? id !== '' && sarifRuleId(reference, null) === id : rules.of(reference) === rule;
    if (level !== '' && isMeant) return { ...(rule ?? NO_RULE), level };
  }
  return rule;
}

/** A base outside of the project is that of another machine: what is relative to it is relative to the project here. */
function findArtifact(run: JsonObject, { uri, base, index }: SarifPlace, root: string | undefined): string | null {
  const listed = textIn(objectIn(listIn(run, 'artifacts')[index], 'location'), 'uri');
  const written = decodeUri((uri || listed).slice(0, LONGEST_PATH));
  if (written === '') return null;
  const start = decodeUri(textIn(objectIn(objectIn(run, 'originalUriBaseIds'), base), 'uri').slice(0, LONGEST_PATH));
  if (root === undefined || !start.toLowerCase().startsWith('file:') || /^(?:[/\\]|[A-Za-z][A-Za-z0-9+.-]*:)/.test(written))
    return toProjectPath(written, root);
  const outside = toProjectPath(start);
  const inside = toProjectPath(start, root);
  return toProjectPath(outside === inside && inside !== null ? written : `${inside ?? ''}/${written}`, root);
}

/** Addresses write `€` and spaces as `%E2%82%AC` and `%20`. */
function decodeUri(uri: string): string {
  if (!uri.includes('%') || uri.toLowerCase().startsWith('file:')) return uri;
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
