import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolReport } from '@umpire/core/model/vocabulary.js';
import type { ReadOptions } from './format.js';
import { openReport } from './open-report.js';
import { sarif } from './sarif.js';

const fixture = (name: string): string => readFileSync(join(import.meta.dirname, '../../../fixtures/tools/sarif', name), 'utf8');

function read(report: unknown, options: ReadOptions = { root: '/project' }): ToolReport {
  const reader = openReport({ ...options, format: sarif });
  reader.write(new TextEncoder().encode(typeof report === 'string' ? report : JSON.stringify(report)));
  return reader.end();
}

const log = (...runs: readonly object[]) => ({ version: '2.1.0', runs });
const tool = (...rules: readonly object[]) => ({ driver: { name: 'Tool', rules } });
const result = (more: object = {}) => ({ ruleId: 'R', message: { text: 'm' }, ...more });
const one = (more: object, rules: readonly object[] = [], run: object = {}) =>
  log({ tool: tool(...rules), results: [result(more)], ...run });
const notes = (report: unknown): readonly string[] => read(report).problems.map(({ message }) => message);
const severities = (report: unknown): readonly string[] => read(report).findings.map(({ severity }) => severity);

describe('sarif', () => {
  it("reads oxlint's", () => {
    const { findings, ...rest } = read(fixture('oxlint.sarif'));
    expect(rest).toEqual({ format: 'sarif', outcome: 'fail', counts: { critical: 0, high: 1, medium: 2, low: 0 }, problems: [] });
    expect(findings.map(({ severity, message, artifact, line, rule }) => [severity, message, artifact, line, rule])).toEqual([
      ['high', 'Unexpected token', 'lint-me.js', 6, 'OXL0001'],
      ['medium', 'Invalid `typeof` comparison value.', 'lint-too.js', 4, 'eslint(valid-typeof)'],
      ['medium', 'Unexpected constant condition', 'lint-too.js', 7, 'eslint(no-constant-condition)'],
    ]);
  });

  it.each([
    [{ level: 'error' }, 'high'],
    [{ level: 'warning' }, 'medium'],
    [{ level: 'note' }, 'low'],
    [{ level: 'none' }, 'low'],
    [{}, 'medium'],
    [{ kind: 'review' }, 'low'],
    [{ kind: 'FAIL', level: 'error' }, 'high'],
    [{ properties: { 'security-severity': '9.1' } }, 'critical'],
    [{ level: 'error', properties: { 'security-severity': 5 } }, 'high'],
    [{ level: 'note', properties: { 'security-severity': '4.0' } }, 'medium'],
    [{ suppressions: [] }, 'medium'],
    [{ suppressions: [{ kind: 'inSource' }, { kind: 'external', status: 'rejected' }] }, 'medium'],
    [{ baselineState: 'unchanged' }, 'medium'],
  ])('counts %j as %s', (more, severity) => {
    expect(severities(one(more))).toEqual([severity]);
  });

  it.each([
    { kind: 'pass' },
    { kind: 'notApplicable' },
    { kind: 'informational' },
    { suppressions: [{ kind: 'inSource' }] },
    { suppressions: [{ kind: 'external', status: 'accepted' }] },
    { baselineState: 'absent' },
  ])('takes %j for no problem', (more) => {
    expect(read(one({ level: 'error', ...more }))).toMatchObject({ outcome: 'pass', findings: [], problems: [] });
  });

  it('counts an unknown level High, and cannot read an unknown kind', () => {
    expect([severities(one({ level: 'odd' })), notes(one({ level: 'odd' }))]).toEqual([
      ['high'],
      ['unknown severity "odd"; counted as High'],
    ]);
    expect([read(one({ kind: 'odd' })).outcome, notes(one({ kind: 'odd' }))[0]]).toEqual(['error', 'unknown result kind "odd"']);
  });

  const rules = [
    { id: 'Q', defaultConfiguration: { level: 'note' } },
    7,
    {
      id: 'R',
      shortDescription: { text: 'Short.' },
      defaultConfiguration: { level: 'error' },
      properties: { 'security-severity': '9.8' },
      messageStrings: { two: { text: '{0} and {1}, {9}' } },
    },
  ];
  it.each([
    ['by id', { ruleId: 'R' }, 'critical', 'm'],
    ['by a case of its id', { ruleId: 'R/1' }, 'critical', 'm'],
    ['by index', { ruleId: undefined, ruleIndex: 2 }, 'critical', 'm'],
    ['by reference', { ruleId: undefined, rule: { index: 0 } }, 'low', 'm'],
    ['of an extension', { ruleId: undefined, rule: { index: 0, toolComponent: { index: 1 } } }, 'medium', 'm'],
    ['for its message', { message: { id: 'two', arguments: ['a', 'b'] } }, 'critical', 'a and b, {9}'],
    ['for want of a message', { message: {} }, 'critical', 'Short.'],
    ['that is not there', { ruleId: 'X', ruleIndex: 99 }, 'medium', 'm'],
  ])('finds a rule %s, before or after the results', (_name, more, severity, message) => {
    const extensions = [{ name: 'e' }, { name: 'f', rules: [{ id: 'E', properties: { 'security-severity': 4 } }] }];
    const results = [result(more)];
    const driver = { name: 'Tool', rules };
    for (const run of [
      { tool: { driver, extensions }, results },
      { results, tool: { driver, extensions } },
    ])
      expect(read(log(run)).findings).toMatchObject([{ severity, message }]);
  });

  it.each([
    [{ uri: 'src/%E2%82%ACx.cs' }, 'src/€x.cs'],
    [{ uri: 'file:///project/src/a%20b.c' }, 'src/a b.c'],
    [{ uri: 'file:///etc/passwd' }, 'etc/passwd'],
    [{ uri: '../../etc/passwd' }, 'etc/passwd'],
    [{ uri: 'a.c', uriBaseId: 'SRC' }, 'src/a.c'],
    [{ uri: 'a.c', uriBaseId: 'ROOT' }, 'a.c'],
    [{ uri: 'a.c', uriBaseId: 'ELSEWHERE' }, 'a.c'],
    [{ uri: 'a.c', uriBaseId: 'EMPTY' }, 'a.c'],
    [{ index: 1 }, 'src/listed.c'],
    [{ index: 99 }, null],
    [{ uri: 'file:///%zz' }, '%zz'],
  ])('places %j in the project', (artifactLocation, artifact) => {
    const more = { locations: [{ physicalLocation: { artifactLocation, region: { startLine: 3 } } }] };
    const run = {
      originalUriBaseIds: {
        SRC: { uri: 'file:///project/src/' },
        ROOT: { uri: 'file:///project/' },
        ELSEWHERE: { uri: 'file:///home/ci/' },
        EMPTY: { uri: 'empty:' },
      },
      artifacts: [{ location: { uri: 'x' } }, { location: { uri: 'src/listed.c' } }],
    };
    for (const report of [log({ ...run, tool: tool(), results: [result(more)] }), log({ results: [result(more)], tool: tool(), ...run })])
      expect(read(report).findings).toMatchObject([{ artifact, line: artifact === null ? null : 3 }]);
  });

  it('keeps the last line of a region over several, before and after the rules', () => {
    const at = (region: object) => result({ locations: [{ physicalLocation: { artifactLocation: { uri: 'a.c' }, region } }] });
    const results = [
      { startLine: 3, endLine: 7 },
      { startLine: 3, endLine: 7, endColumn: 1 },
      { startLine: 3, endLine: 3 },
      { startLine: 3 },
    ];
    for (const run of [
      { tool: tool(), results: results.map(at) },
      { results: results.map(at), tool: tool() },
    ])
      expect(read(log(run)).findings).toEqual(
        [{ endLine: 7 }, { endLine: 6 }, {}, {}].map((end) => ({
          severity: 'medium',
          message: 'm',
          artifact: 'a.c',
          line: 3,
          rule: 'R',
          fingerprint: read(log({ tool: tool(), results: [at({ startLine: 3 })] })).findings[0]?.fingerprint,
          ...end,
        })),
      );
  });

  const setRules = [{ id: 'Q' }, { id: 'R', defaultConfiguration: { level: 'note' } }];
  const by = (invocationIndex: number, more: object = {}) => ({ provenance: { invocationIndex }, ...more });
  it.each([
    ['the override of its invocation', by(1), 'high'],
    ['its own level first', by(1, { level: 'note' }), 'low'],
    ['none, being of another kind', by(1, { kind: 'open' }), 'low'],
    ["the rule's default where its invocation sets nothing", by(0), 'low'],
    ["the rule's default where no invocation is named", {}, 'low'],
    ["the rule's default where there is no such invocation", by(9), 'low'],
    ['an override by index', by(2), 'high'],
    ['an override of a rule that is not listed', by(1, { ruleId: 'X' }), 'high'],
    ['what there is where its rule is another', by(1, { ruleId: 'Q' }), 'medium'],
  ])('takes for the level %s, whatever comes first in the file', (_name, more, severity) => {
    const override = (descriptor: object) => ({ ruleConfigurationOverrides: [{ descriptor, configuration: { level: 'error' } }] });
    const listed = override({ id: 'R' });
    const unlisted = override({ id: 'X' }).ruleConfigurationOverrides;
    const invocations = [
      { executionSuccessful: true },
      { ruleConfigurationOverrides: [...listed.ruleConfigurationOverrides, ...unlisted] },
      override({ index: 1 }),
    ];
    const results = [result(more)];
    for (const run of [
      { tool: tool(...setRules), invocations, results },
      { tool: tool(...setRules), results, invocations },
      { invocations, results, tool: tool(...setRules) },
    ])
      expect(severities(log(run))).toEqual([severity]);
  });

  it('names what it is in where no file is said', () => {
    const more = { locations: [{ logicalLocations: [{ name: 'f', fullyQualifiedName: 'app::f' }] }] };
    expect(read(one(more)).findings).toMatchObject([{ message: 'm (in app::f)', artifact: null }]);
  });

  it.each([
    [{ fingerprints: { 'a/v1': 'one', 'a/v2': 'two' }, partialFingerprints: { p: 'three' } }, 'two'],
    [{ partialFingerprints: { z: 'last', primaryLocationLineHash: 'abc:1' } }, 'abc:1'],
    [{ partialFingerprints: { y: 'y', z: 'z' } }, 'z'],
  ])('keeps the fingerprint of %j', (more, fingerprint) => {
    for (const report of [one(more), log({ results: [result(more)], tool: tool() })])
      expect(read(report).findings).toMatchObject([{ fingerprint }]);
  });

  it('fails where the tool states that its run failed', () => {
    const failed = (more: object) => log({ tool: tool(), invocations: [{ executionSuccessful: false, ...more }], results: [] });
    expect([read(failed({})).outcome, ...notes(failed({}))]).toEqual(['fail', 'the tool states that its run failed']);
    const error = { level: 'error', message: { text: 'out of\nmemory' } };
    expect(notes(failed({ toolExecutionNotifications: [{ level: 'note' }, error] }))).toEqual([
      'the tool states that its run failed: out of memory',
    ]);
    const noted = log({ tool: tool(), invocations: [{ executionSuccessful: true, toolExecutionNotifications: [error] }], results: [] });
    expect([read(noted).outcome, ...notes(noted)]).toEqual(['pass', 'the tool reports 1 error of its own run, first: out of memory']);
    const exited = log({ tool: tool(), invocations: [{ exitCode: 2, toolExecutionNotifications: [error] }], results: [] });
    expect([read(exited).outcome, ...notes(exited)]).toEqual(['fail', 'the tool states that its run failed: out of memory']);
    const found = log({ tool: tool(), invocations: [{ exitCode: 1, executionSuccessful: true }], results: [] });
    expect(read(found).outcome).toBe('pass');
  });

  it('names the commits that it is about', () => {
    const versionControlProvenance = [{ repositoryUri: 'https://example.com/a', revisionId: 'c0ffee1' }, { repositoryUri: 'x' }];
    expect(read(log({ tool: tool(), results: [], versionControlProvenance })).commits).toEqual(['c0ffee1']);
    expect(read(log({ tool: tool(), results: [] }))).not.toHaveProperty('commits');
  });

  it('reads several runs, each with its own rules', () => {
    const run = (level: string) => ({ tool: tool({ id: 'R', defaultConfiguration: { level } }), results: [result()] });
    expect(severities(log(run('error'), run('note'), { tool: tool(), results: [] }))).toEqual(['high', 'low']);
  });

  it('reads results that are beside the runs', () => {
    const report = { ...log({ tool: tool(), results: [] }), inlineExternalProperties: [{ results: [result({ level: 'error' })] }] };
    expect([read(report).outcome, ...notes(report)]).toEqual([
      'fail',
      'parts of its runs are in "inlineExternalProperties"; the results there are read too',
    ]);
  });

  it.each([
    [log(), '"runs" is empty; expected at least one run'],
    [{ version: '2.1.0' }, 'the list "runs" is missing'],
    [{ runs: null }, '"runs" is null; expected a list'],
    [log({ tool: tool() }), 'run 1 has no list "results"; the tool did not run or did not finish'],
    [
      log({ tool: tool(), results: [] }, { tool: tool(), results: null }),
      'run 2 has no list "results"; the tool did not run or did not finish',
    ],
    [log({ tool: tool(), results: {} }), '"results" of a run is an object; expected a list'],
    [log({ tool: tool(), results: [7] }), 'a result is a number; expected an object'],
    [
      log({ results: [], externalPropertyFileReferences: { results: [{ location: { uri: 'more.sarif' } }] } }),
      'the results are in another file (more.sarif); merge it into this report',
    ],
  ])('is an error: %j', (report, why) => {
    expect([read(report).outcome, notes(report)[0]]).toEqual(['error', why]);
  });

  it('notes another version, and parts that lie elsewhere', () => {
    const report = { version: '2.0.0', runs: [{ results: [], externalPropertyFileReferences: { graphs: [] } }] };
    expect([read(report).outcome, ...notes(report)]).toEqual([
      'pass',
      'the SARIF version is "2.0.0"; read as 2.1.0',
      'parts of a run are in other files, which are not read',
    ]);
  });

  it('counts every one of very many results, and keeps the worst', () => {
    const many = Array.from({ length: 30_000 }, (_, index) => result({ ruleId: index === 29_999 ? 'BAD' : 'R' }));
    const rule = (id: string, level: string) => ({ id, defaultConfiguration: { level } });
    const { findings, ...rest } = read(log({ results: many, tool: tool(rule('R', 'note'), rule('BAD', 'error')) }), { keep: 3 });
    expect(rest).toEqual({
      format: 'sarif',
      outcome: 'fail',
      counts: { critical: 0, high: 1, medium: 0, low: 29_999 },
      problems: [],
    });
    expect(findings.map(({ severity, rule: id }) => [severity, id])).toEqual([
      ['high', 'BAD'],
      ['low', 'R'],
      ['low', 'R'],
    ]);
  });
});
