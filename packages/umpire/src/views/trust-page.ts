// What a person is asked to trust: every setting of the project with its value, by what it does, and the texts that agents get.

import { lineOf } from './safe-text.js';
import { count } from './words.js';

export interface OfferedSetting {
  readonly name: string;
  readonly value: string;
}

export interface OfferedFile {
  /** From the top of the repository. */
  readonly path: string;
  readonly kind: 'settings' | 'role' | 'loop';
  /** The settings of a settings file. */
  readonly settings: readonly OfferedSetting[];
  readonly lines: number;
}

export interface TrustOffer {
  readonly project: string;
  readonly files: readonly OfferedFile[];
}

const MOST_CHARACTERS = 200;

/** Programs first: they are the reason to look. */
export function trustPage({ project, files }: TrustOffer): string {
  const lines = files.flatMap(({ path, kind, settings, lines: length }) => {
    const name = lineOf(path, MOST_CHARACTERS);
    if (kind !== 'settings')
      return [`${name}: ${kind === 'role' ? 'instructions for agents' : 'the rules of a loop'}, ${count(length, 'line')}`];
    const shown = settings.map((setting) => ({ ...setting, kind: classifySetting(setting.name) }));
    return [
      name,
      ...KINDS.flatMap((one) =>
        shown
          .filter((setting) => setting.kind === one)
          .map(
            ({ name, value, kind }: OfferedSetting & { readonly kind: SettingKind }): string =>
              `  ${kind.padEnd(7)}${lineOf(name, MOST_CHARACTERS)}: ${lineOf(value, MOST_CHARACTERS)}`,
          ),
      ),
    ];
  });
  const folder = lineOf(project, MOST_CHARACTERS);
  if (files.length === 0)
    return `${folder} has no settings of its own.\nIn a project that you trust, umpire doctor starts its test runners.\n`;
  return [`These files of ${folder} are not trusted yet:`, '', ...lines, ''].join('\n');
}

const KINDS = ['runs', 'rights', 'sets'] as const;
type SettingKind = (typeof KINDS)[number];

const RUNS = /^(agents\.[^.]+\.(command|acp|script)|notify(\.command)?|workspace\.setup|critics\.debt\.(types|lint|quality))$/;
const RIGHTS = /^(sandbox|agents\.[^.]+\.(allow|env)|workspace|notify|guard|critics\.(tests|quarantine))(\.|$)/;

function classifySetting(name: string): SettingKind {
  if (RUNS.test(name)) return 'runs';
  return RIGHTS.test(name) ? 'rights' : 'sets';
}
