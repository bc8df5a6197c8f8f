// Trust: what a person is asked of a project and of a session that somebody else began, what is recorded, and what is said of files that do
// not count.

import { basename } from 'node:path';
import { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
import { refuseInsideTask } from '../agents/guardian.js';
import { authenticationOf, foldJournal, signJournal } from '../sessions/journal-file.js';
import { keyFolder } from '../sessions/journal-key.js';
import { openFolder } from '../sessions/session-folder.js';
import type { SessionFolder } from '../sessions/session-folder.js';
import { builtinLoop } from '@umpire/core/loops/builtin.js';
import type { Loop } from '@umpire/core/loops/loop.js';
import type { OfferedFile, OfferedSession, TrustOffer } from '../views/trust-page.js';
import { CONFIG } from '../sessions/project.js';
import {
  expectedTrust,
  isProjectTrusted,
  isTrusted,
  loopFiles,
  recordTrust,
  revokeTrust,
  trustsAll,
  untrustedFiles,
} from '../sessions/trust.js';
import type { OwnedFiles, TrustFile } from '../sessions/trust.js';
import { resolveLoop } from '../sessions/resolve-loop.js';
import { projectFor } from './project-folders.js';

const ACTION = 'trust a project';

/** Callbacks for the person at the keyboard. */
export interface TrustWatch {
  readonly onNote?: (note: string) => void;
  /** Asks the person whether to trust these files. Without it, nobody is asked. */
  readonly onTrust?: (offer: TrustOffer) => Promise<boolean>;
}

/** Asks about the project's settings and role texts. Returns the role texts that do not count, for a note: without callbacks none. */
export async function askTrust(project: string, { onNote, onTrust }: TrustWatch): Promise<readonly string[]> {
  if (onNote === undefined && onTrust === undefined) return [];
  const files = untrustedFiles(project);
  if (files.length === 0) return [];
  const offer = onTrust === undefined ? null : await offerReadable(project, files);
  if (offer !== null && (await onTrust?.(offer)) === true) {
    refuseInsideTask(ACTION);
    recordTrust(project, files, true);
    return [];
  }
  return files.flatMap(({ path }) => (path.endsWith('.md') ? [path] : []));
}

/** Throws `loop-untrusted` if a loop file belongs to a project and nobody trusts it. */
export async function requireTrustedLoop(named: string | Loop, loop: Loop, project: string | null, watch: TrustWatch): Promise<void> {
  const owned = ownedLoop(named, loop, project);
  const files = owned?.files.filter((file) => !isTrusted(file.place, file.text, project)) ?? [];
  if (owned === null || files.length === 0) return;
  const isYes = watch.onTrust !== undefined && (await watch.onTrust(await offerOf(owned.owner, files)));
  if (!isYes) throw new UmpireError('loop-untrusted', { path: String(named) });
  refuseInsideTask(ACTION);
  recordTrust(owned.owner, files, false);
}

/**
 * A17: a session that this person's key did not sign starts no program. Throws `session-untrusted` unless they vouch for it; then it is
 * signed and counts as one that they began.
 */
export async function requireOwnSession(folder: SessionFolder, { onTrust }: TrustWatch): Promise<void> {
  if (trustsAll()) return;
  const offer = offerSession(folder);
  if (offer === null) return;
  if (onTrust === undefined || !(await onTrust(offer)))
    throw new UmpireError('session-untrusted', { session: folder.name, path: folder.root });
  vouchFor(folder);
}

/** What a session that somebody else began would run; null where this person's key signed it, or Umpire does not run it. */
export function offerSession(folder: SessionFolder): TrustOffer | null {
  const whose = authenticationOf(folder);
  if (whose === null || whose === 'authenticated') return null;
  const { run } = foldJournal(folder).state;
  if (run === null) return null;
  const { started, settings } = run;
  const session: OfferedSession = {
    name: folder.name,
    loop: started.loop,
    goal: started.goal,
    command: started.command ?? null,
    agents: Object.entries(settings?.agents ?? {}).map(([role, name]) => ({ role, name })),
    agentCommand: settings?.agentCommand ?? null,
  };
  return { project: started.project, files: [], session };
}

/** Signs the session with this person's key. */
export function vouchFor(folder: SessionFolder): void {
  refuseInsideTask('trust a session');
  if (!signJournal(folder)) throw new UmpireError('session-unsignable', { folder: keyFolder() ?? 'a home folder' });
}

/** The session in a folder, for `umpire trust SESSION`; null where this person began it. */
export function planSessionTrust(path: string): { readonly offer: TrustOffer; readonly record: () => void } | null {
  const folder = openFolder(path);
  const offer = offerSession(folder);
  return offer === null ? null : { offer, record: () => vouchFor(folder) };
}

function ownedLoop(named: string | Loop, { loop }: Loop, project: string | null): OwnedFiles | null {
  return typeof named !== 'string' || builtinLoop(named) !== null ? null : loopFiles(named, loop, project);
}

const MOST_NAMED = 6;

/** What is said of settings and role texts that do not count. */
export function describeIgnored(settings: readonly string[], roles: readonly string[]): string {
  const parts = [
    ...(settings.length === 0 ? [] : [`${listFewNames(settings)} (${CONFIG})`]),
    ...(roles.length === 0 ? [] : [listFewNames(roles)]),
  ];
  return `Not trusted, so not used: ${parts.join('; ')}. Look at them and trust them with: umpire trust`;
}

function listFewNames(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return `${names.slice(0, MOST_NAMED).join(', ')}${more}`;
}

export interface TrustRequest {
  readonly project?: string;
  /** Paths of loop files to trust as well. */
  readonly loops?: readonly string[];
}

/** What `umpire trust` would record. */
export interface TrustPlan {
  readonly project: string;
  /** What is not trusted yet. */
  readonly offer: TrustOffer;
  /** Nothing is left to trust. */
  readonly isTrusted: boolean;
  /** The value of `UMPIRE_TRUST`. */
  readonly expected: string;
  readonly record: () => void;
}

export async function planTrust({ project: asked, loops = [] }: TrustRequest): Promise<TrustPlan> {
  const project = projectFor(asked);
  const owned: OwnedFiles[] = [];
  for (const path of loops) {
    const { loop } = await resolveLoop(path);
    const found = ownedLoop(path, loop, project);
    if (found !== null) owned.push(found);
  }
  const beside = owned.map(({ owner, files }) => ({ owner, files: files.filter((file) => !isTrusted(file.place, file.text, project)) }));
  const own = untrustedFiles(project);
  const files = [...own, ...beside.flatMap((loop) => loop.files)];
  return {
    project,
    offer: await offerOf(project, files),
    isTrusted: files.length === 0 && isProjectTrusted(project),
    expected: expectedTrust(project, owned),
    record: () => {
      refuseInsideTask(ACTION);
      recordTrust(project, own, true);
      for (const { owner, files } of beside) recordTrust(owner, files, false);
    },
  };
}

/** False if nothing was trusted. */
export function revoke({ project }: Pick<TrustRequest, 'project'>): boolean {
  return revokeTrust(projectFor(project));
}

function kindOfOffered(path: string): OfferedFile['kind'] {
  if (basename(path) === CONFIG) return 'settings';
  return path.endsWith('.md') ? 'role' : 'loop';
}

/** Null where the settings cannot be shown: nobody can trust what they cannot see. */
async function offerReadable(project: string, files: readonly TrustFile[]): Promise<TrustOffer | null> {
  try {
    return await offerOf(project, files);
  } catch (error) {
    if (isUmpireError(error) && error.code === 'config-invalid') return null;
    throw error;
  }
}

async function offerOf(project: string, files: readonly TrustFile[]): Promise<TrustOffer> {
  const { listSettings } = await import('../sessions/read-settings.js');
  const offered = ({ path, place, text }: TrustFile): OfferedFile => ({
    path,
    kind: kindOfOffered(path),
    settings: kindOfOffered(path) === 'settings' ? listSettings({ source: text, file: place }) : [],
    lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
  });
  return { project, files: files.map(offered) };
}
