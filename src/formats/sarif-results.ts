// The results of SARIF runs as plain findings: level, message, place, and the security severity of the result or its rule.

import { isObject, own, type JsonObject } from './json-text.js';

const MOST_RESULTS = 20_000;

export function sarifResults(runs: readonly unknown[]): readonly JsonObject[] {
  return runs.filter(isObject).flatMap((run) => {
    const results = own(run, 'results');
    const rules = rulesOf(run);
    return Array.isArray(results)
      ? results
          .slice(0, MOST_RESULTS)
          .filter(isObject)
          .filter(isProblem)
          .map((result) => findingOf(result, rules))
      : [];
  });
}

function isProblem(result: JsonObject): boolean {
  const kind = own(result, 'kind');
  const suppressions = own(result, 'suppressions');
  return (
    (kind === undefined || kind === 'fail' || kind === 'open' || kind === 'review') &&
    !(Array.isArray(suppressions) && suppressions.length > 0)
  );
}

function rulesOf(run: JsonObject): readonly JsonObject[] {
  const driver = at(at(run, 'tool'), 'driver');
  const rules = own(driver, 'rules');
  return Array.isArray(rules) ? rules.filter(isObject) : [];
}

function findingOf(result: JsonObject, rules: readonly JsonObject[]): JsonObject {
  const index = own(result, 'ruleIndex');
  const rule =
    (typeof index === 'number' ? rules[index] : undefined) ?? rules.find((each) => own(each, 'id') === own(result, 'ruleId')) ?? {};
  const location: unknown = own(result, 'locations');
  const physical = at(isObject(firstOfList(location)) ? (firstOfList(location) as JsonObject) : {}, 'physicalLocation');
  return {
    level: own(result, 'level') ?? own(at(rule, 'defaultConfiguration'), 'level') ?? 'warning',
    message: own(at(result, 'message'), 'text') ?? own(result, 'message'),
    ruleId: own(result, 'ruleId'),
    file: own(at(physical, 'artifactLocation'), 'uri'),
    line: own(at(physical, 'region'), 'startLine'),
    'security-severity': own(at(result, 'properties'), 'security-severity') ?? own(at(rule, 'properties'), 'security-severity'),
  };
}

function firstOfList(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}

function at(object: JsonObject, key: string): JsonObject {
  const value = own(object, key);
  return isObject(value) ? value : {};
}
