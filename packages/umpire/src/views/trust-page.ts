// What a person is asked to trust: every setting of the project with its value, by what it does, and the texts that agents get; or what a
// session that somebody else began would run.

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

/** A session whose journal this person's key did not sign. */
export interface OfferedSession {
  readonly name: string;
  readonly loop: string;
  readonly goal: string;
  /** The person's own check: a shell runs it. */
  readonly command: string | null;
  readonly agents: readonly { readonly role: string; readonly name: string }[];
  readonly agentCommand: string | null;
}

export interface TrustOffer {
  readonly project: string;
  readonly files: readonly OfferedFile[];
  readonly session?: OfferedSession;
}

const MOST_CHARACTERS = 200;

/** Programs first: they are the reason to look. */
export function trustPage({ project, files, session }: TrustOffer): string {
  if (session !== undefined) return sessionPage(project, session);
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

function sessionPage(project: string, { name, loop, goal, command, agents, agentCommand }: OfferedSession): string {
  const rows = [
    ['project', project],
    ['goal', goal],
    ...(command === null ? [] : [['runs', command]]),
    ...(agentCommand === null ? [] : [['runs', `${agentCommand} (the agent)`]]),
    ...agents.map((agent) => ['agent', agent.role === '*' ? agent.name : `${agent.name} (${agent.role})`]),
  ] as const;
  return [
    `You did not begin the session ${lineOf(name, MOST_CHARACTERS)} (${lineOf(loop, MOST_CHARACTERS)}) here. It came with the files.`,
    '',
    ...rows.map(([kind, value]) => `  ${kind.padEnd(9)}${lineOf(value, MOST_CHARACTERS)}`),
    '',
  ].join('\n');
}

const KINDS = ['runs', 'rights', 'sets'] as const;
type SettingKind = (typeof KINDS)[number];

const RUNS = /^(agents\.[^.]+\.(command|acp|script)|notify(\.command)?|workspace\.setup|critics\.debt\.(types|lint|quality))$/;
const RIGHTS = /^(sandbox|agents\.[^.]+\.(allow|env)|workspace|notify|guard|critics\.(tests|quarantine))(\.|$)/;

function classifySetting(name: string): SettingKind {
  if (RUNS.test(name)) return 'runs';
  return RIGHTS.test(name) ? 'rights' : 'sets';
}
