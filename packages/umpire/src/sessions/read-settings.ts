// Reads settings files: the project's umpire.config.yaml and the person's own. Loaded late, because most verdicts need no settings.

import { STRICTER_SETTINGS, settingKey } from '@umpire/core/model/options.js';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { isPlain } from '@umpire/core/model/schema.js';
import type { Infer } from '@umpire/core/model/schema.js';
import { describeComplaint, readWithoutDefaults } from '@umpire/core/formats/read-schema.js';
import type { FilePlace } from '@umpire/core/formats/read-schema.js';
import { readYaml } from '@umpire/core/formats/yaml-text.js';
import { SETTINGS, completeSettings } from './settings.js';
import type { AgentSettings, Settings } from './settings.js';

/** Keys of the person's own, such as anchors that the settings below repeat. */
export const OWN_KEY = /^x-/;

/** Throws `config-invalid` with the line and what is allowed there. */
export function parseSettings(source: string, file: string): Settings {
  return completeSettings(readFields({ source, file }).read);
}

export interface SettingsFile {
  readonly source: string;
  readonly file: string;
}

export interface CombinedSettings {
  readonly settings: Settings;
  /** Settings of the project that do not count, since nobody trusted them. */
  readonly ignored: readonly string[];
  /** Why settings that nobody trusted cannot be read; null if they can. */
  readonly fault: string | null;
}

export interface ProjectSettingsFile extends SettingsFile {
  readonly isTrusted: boolean;
  /** Names of agents that a project cannot redefine. */
  readonly reserved: readonly string[];
}

/**
 * The project's settings and the person's own, which win. Of a project that nobody trusts, only stricter settings count, and none where they
 * cannot be read: a clone must not stop a command by an invalid value.
 */
export function combineSettings(project: ProjectSettingsFile | null, own: SettingsFile | null): CombinedSettings {
  const { read: theirs, fault } = project === null ? NO_SETTINGS : readTrustedFields(project);
  const isTrusted = project?.isTrusted ?? true;
  if (project !== null && isTrusted) refuseReserved(theirs.read, project);
  const counted = isTrusted ? theirs.read : keepStricter(theirs.read);
  const settings = completeSettings(own === null ? counted : mergeDeep(counted, readFields(own).read));
  if (isTrusted) return { settings, ignored: [], fault };
  const untrustedAgents = Object.keys(theirs.read.agents ?? {}).filter((name) => !Object.hasOwn(settings.agents, name));
  return { settings: { ...settings, untrustedAgents }, ignored: listIgnored(theirs), fault };
}

const NO_SETTINGS: TrustedFields = { read: { read: {}, written: {} }, fault: null };

interface TrustedFields {
  readonly read: ReadFile;
  readonly fault: string | null;
}

function readTrustedFields(project: ProjectSettingsFile): TrustedFields {
  try {
    return { read: readFields(project), fault: null };
  } catch (error) {
    if (project.isTrusted || !isUmpireError(error)) throw error;
    return { ...NO_SETTINGS, fault: error.message };
  }
}

/** Whoever types `--agent claude` means the agent of this name that comes with Umpire. */
function refuseReserved({ agents = {} }: ReadSettings, { source, file, reserved }: ProjectSettingsFile): void {
  const isRedefined = (name: string, runs: AgentSettings['runs'] | undefined) =>
    runs?.kind !== 'preset' || (runs.uses !== undefined && runs.uses !== name);
  const name = reserved.find((one) => Object.hasOwn(agents, one) && isRedefined(one, agents[one]?.runs));
  if (name === undefined) return;
  const detail = `agents.${name}: a project cannot redefine ${name}. Choose another name, or redefine it in your own settings`;
  const line = lineOfSetting(source, ['agents', name]);
  throw new UmpireError('config-invalid', { file, line, detail });
}

/** Without defaults. */
type ReadSettings = Partial<Infer<typeof SETTINGS>>;

interface ReadFile {
  readonly read: ReadSettings;
  /** As the file has them. */
  readonly written: Readonly<Record<string, unknown>>;
}

function keepStricter(read: ReadSettings): ReadSettings {
  const kept = Object.fromEntries(Object.entries(read).filter(([name]) => STRICTER_SETTINGS.includes(settingKey(name))));
  return { ...kept, ...(read.sandbox === undefined ? {} : { sandbox: { isOn: read.sandbox.isOn, write: [] } }) };
}

/** `agents.mine`, `workspace.setup`: two names deep, as a person looks for them in the file. */
function listIgnored({ read, written }: ReadFile): readonly string[] {
  return Object.keys(read).flatMap((name) => {
    const key = settingKey(name);
    const value = written[key];
    if (key === 'sandbox') return read.sandbox?.write.length === 0 ? [] : ['sandbox.write'];
    if (STRICTER_SETTINGS.includes(key)) return [];
    return isPlain(value) ? Object.keys(value).map((inner) => `${key}.${inner}`) : [key];
  });
}

function mergeDeep(low: unknown, high: unknown): unknown {
  if (!isPlain(low) || !isPlain(high)) return high;
  const merged = Object.entries(high).map(([key, value]) => [key, Object.hasOwn(low, key) ? mergeDeep(low[key], value) : value] as const);
  return { ...low, ...Object.fromEntries(merged) };
}

/** One line of a settings file, for a person to look at. */
export interface ShownSetting {
  readonly name: string;
  readonly value: string;
}

/** Every setting in a file with its value, as written. */
export function listSettings({ source, file }: SettingsFile): readonly ShownSetting[] {
  const yaml = readYaml(source);
  if (!yaml.ok) throw invalid(file, yaml.line, yaml.problem);
  const under = (value: unknown, name: string): readonly ShownSetting[] =>
    isPlain(value)
      ? Object.entries(value).flatMap(([key, inner]) => under(inner, name === '' ? key : `${name}.${key}`))
      : [{ name, value: typeof value === 'string' ? withoutSecret(name, value) : (JSON.stringify(value) ?? '') }];
  return under(withoutOwnKeys(yaml.value ?? {}), '');
}

/** The address of a webhook is a password. */
function withoutSecret(name: string, value: string): string {
  return /^notify\.(?:slack|webhook)$/.test(name) && URL.canParse(value) ? `${new URL(value).origin}/...` : value;
}

function readFields({ source, file }: SettingsFile): ReadFile {
  const yaml = readYaml(source);
  if (!yaml.ok) throw invalid(file, yaml.line, yaml.problem);
  const written = withoutOwnKeys(yaml.value ?? {});
  const result = readWithoutDefaults(SETTINGS, written);
  if (result.ok) return { read: result.value as ReadSettings, written: written as ReadFile['written'] };
  const complaints = result.complaints.map((complaint) => ({ complaint, line: yaml.lineOf(complaint.path) }));
  const [first] = complaints.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  throw invalid(file, first?.line ?? null, first === undefined ? 'it cannot be read' : describeComplaint(first.complaint));
}

function withoutOwnKeys(value: unknown): unknown {
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !OWN_KEY.test(key)));
}

function invalid(file: string, line: number | null, detail: string): UmpireError {
  return new UmpireError('config-invalid', { file, line: line === null ? '' : `:${line}`, detail });
}

/** The line of a setting, as `:LINE`. */
export function lineOfSetting(source: string, path: FilePlace): string {
  const yaml = readYaml(source);
  const line = yaml.ok ? yaml.lineOf(path) : null;
  return line === null ? '' : `:${line}`;
}
