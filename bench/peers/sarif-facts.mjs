// What the SARIF contenders draw from a report: how many findings of each severity, and the first of the worst. Plain code, as
// anybody would write it over parsed objects.

const LEVELS = { error: 1, warning: 2, note: 3, none: 3 };
const NAMES = ['critical', 'high', 'medium', 'low'];

/** 0 is critical, 3 low: the worse of the level and the score. */
function rankOf(level, score) {
  const scored = score > 0 ? (score >= 9 ? 0 : score >= 7 ? 1 : score >= 4 ? 2 : 3) : 3;
  return Math.min(LEVELS[level] ?? 1, scored);
}

export class SarifFacts {
  counts = [0, 0, 0, 0];
  first = [null, null, null, null];

  constructor(rules) {
    this.rules = rules;
  }

  add(result) {
    if (result.kind !== undefined && result.kind !== 'fail') return;
    if (result.suppressions?.length > 0) return;
    const rule = this.rules[result.ruleIndex];
    const score = result.properties?.['security-severity'] ?? rule?.properties?.['security-severity'];
    const rank = rankOf(result.level ?? rule?.defaultConfiguration?.level ?? 'warning', Number(score ?? 0));
    this.counts[rank] += 1;
    this.first[rank] ??= result;
  }

  facts() {
    const { message, locations } = this.first.find((result) => result !== null);
    const { artifactLocation, region } = locations[0].physicalLocation;
    return {
      counts: Object.fromEntries(NAMES.map((name, rank) => [name, this.counts[rank]])),
      first: { message: message.text.trim().replace(/\s+/g, ' '), artifact: artifactLocation.uri, line: region.startLine },
    };
  }
}
