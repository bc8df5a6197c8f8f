// Files that say both what a project is made of and how it is judged: package.json, composer.json, Cargo.toml, pyproject.toml. Taken apart
// by section.

const JSON_PARTS: ReadonlySet<string> = new Set(
  'scripts jest vitest mocha ava tap c8 nyc eslintConfig eslintIgnore prettier stylelint autoload-dev'.split(' '),
);

/** Sections of `pyproject.toml` that install and build; all others of `tool` judge. */
const PYTHON_PRODUCT = /^tool\.(?:poetry|setuptools|flit|pdm|uv|hatch\.(?:build|version|metadata))\b/;

const isCargo = (path: string): boolean => /(?:^|\/)Cargo\.toml$/.test(path);

export function isManifest(path: string): boolean {
  return /(?:^|\/)(?:package\.json|composer\.json|pyproject\.toml|Cargo\.toml)$/.test(path);
}

/** What judges in it. Null: it cannot be read. */
export function judgingPart(path: string, text: string): string | null {
  if (path.endsWith('.toml')) return judgingToml(path, text).join('');
  const json = readJson(text);
  return json === null ? null : JSON.stringify(Object.entries(json).filter(([key]) => JSON_PARTS.has(key)));
}

/** The manifest of `source` with what judges in that of `judge`. Null where one of them cannot be read. */
export function mergeManifests(path: string, judge: string, source: string): string | null {
  if (path.endsWith('.toml')) return mergeToml(path, judge, source);
  const [ours, theirs] = [readJson(judge), readJson(source)];
  if (ours === null || theirs === null) return null;
  const merged = { ...theirs };
  for (const part of JSON_PARTS) {
    delete merged[part];
    if (Object.hasOwn(ours, part)) merged[part] = ours[part];
  }
  return `${JSON.stringify(merged, null, 2)}\n`;
}

function readJson(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

interface Section {
  /** Empty: what stands before the first header. */
  readonly name: string;
  readonly lines: readonly string[];
}

function sectionsOf(text: string): readonly Section[] {
  const found: { name: string; lines: string[] }[] = [{ name: '', lines: [] }];
  for (const line of text.split(/(?<=\n)/)) {
    const name = /^\s*\[+\s*([^\]]+?)\s*\]+\s*(?:#.*)?$/.exec(line.trimEnd())?.[1];
    if (name === undefined) found.at(-1)?.lines.push(line);
    else found.push({ name, lines: [line] });
  }
  return found;
}

function isJudging(path: string, { name }: Section): boolean {
  if (isCargo(path)) return /^(?:test|bench|profile\.test|lints|workspace\.lints)\b/.test(name);
  return name.startsWith('tool.') && !PYTHON_PRODUCT.test(name);
}

/** Within other sections: what of a crate is tested. */
const CARGO_KEYS = /^\s*(?:test|doctest|harness|autotests|default-members|exclude)\s*=/;

function judgingToml(path: string, text: string): readonly string[] {
  return sectionsOf(text).flatMap((section) => {
    if (isJudging(path, section)) return section.lines;
    const lines = isCargo(path) ? section.lines.filter((line) => CARGO_KEYS.test(line)) : [];
    return lines.length === 0 ? [] : [`[${section.name}]\n`, ...lines];
  });
}

function mergeToml(path: string, judge: string, source: string): string {
  const [ours, theirs] = [sectionsOf(judge), sectionsOf(source)];
  const keys = (name: string): readonly string[] =>
    isCargo(path)
      ? ours
          .filter((one) => one.name === name && !isJudging(path, one))
          .flatMap(({ lines }) => lines.filter((line) => CARGO_KEYS.test(line)))
      : [];
  const product = theirs.flatMap((section) => {
    if (isJudging(path, section)) return [];
    if (!isCargo(path)) return section.lines;
    const [header = '', ...lines] = section.name === '' ? ['', ...section.lines] : section.lines;
    return [header, ...keys(section.name), ...lines.filter((line) => !CARGO_KEYS.test(line))];
  });
  const text = product.join('');
  const judging = ours.filter((one) => isJudging(path, one)).flatMap(({ lines }) => lines);
  return `${text}${text === '' || text.endsWith('\n') || judging.length === 0 ? '' : '\n'}${judging.join('')}`;
}
