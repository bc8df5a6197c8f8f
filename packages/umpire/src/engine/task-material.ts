// What an agent is told beside the journal's state, so that it need not look it up: the project's commands, why the last check failed, the
// change so far, and which files a layer's tests belong in.

import type { SessionStarted } from '@umpire/core/decider/events.js';
import type { PastVerdict, SessionState } from '@umpire/core/decider/evolve.js';
import { isBuiltinTesting } from '@umpire/core/decider/run-state.js';
import type { RunState, TaskState } from '@umpire/core/decider/run-state.js';
import { isUmpireError } from '@umpire/core/model/errors.js';
import { decodeTolerantly } from '@umpire/core/formats/decode-text.js';
import { isObject, own, parseJson } from '@umpire/core/formats/json-text.js';
import { cellText } from '../agents/result.js';
import { CHECK_PREFIX } from '../work/task-worktree.js';
import { RESULT } from '../critics/check-command.js';
import { describeFailures } from '../critics/failure-lines.js';
import { projectCommands } from '../critics/project-commands.js';
import { describeLayer } from '../critics/test-layers.js';
import { chainThatMade } from '../sessions/assignment.js';
import type { Material } from '../sessions/assignment.js';
import type { Settings } from '../sessions/settings.js';
import type { BlobReader } from '../sessions/recorded-evidence.js';
import type { GitWorkspace } from '../work/workspace.js';

export interface TaskMaterialInput {
  readonly started: SessionStarted;
  readonly config: Pick<Settings, 'critics'>;
  readonly state: () => SessionState;
  readonly readBlob: BlobReader;
  readonly workspace: Pick<GitWorkspace, 'changeSince'> | null;
}

const MAX_FAILURE_CHARS = 8000;
/** A longer change is looked up with `git diff`. */
const MAX_DIFF_CHARS = 12_000;
const MAX_DIFF_FILES = 100;

export function createTaskMaterial({
  started,
  config,
  state,
  readBlob,
  workspace,
}: TaskMaterialInput): (task: TaskState) => Promise<Material> {
  let commands: readonly string[] | null = null;
  const { project, command = null, writers } = started;
  const findCommands = () => (commands ??= writers.length === 0 ? [] : projectCommands(project, config.critics, command));
  return async (task) => {
    const made = chainThatMade(state(), task.id)?.made;
    const layer = task.row['layer'] ?? '';
    // Work that begins something new is not about the change.
    const isAboutChange = made !== undefined || !writers.includes(task.role);
    return {
      commands: findCommands(),
      failure: made === undefined || task.role === started.critic ? '' : failureIn(made, readBlob),
      diff: isAboutChange ? await shortDiff(state().run as RunState, workspace) : '',
      rules: isBuiltinTesting(started) && layer !== '' ? [describeLayer(config.critics.testing, layer)] : [],
    };
  };
}

/** What the judged check of `until` or the failing tests of another loop said, and the code that the tests of a layer miss. */
function failureIn({ scene }: PastVerdict, readBlob: BlobReader): string {
  for (const { path, sha256 = '' } of Object.values(scene.exhibits ?? {})) {
    if (path?.endsWith('.json') !== true) continue;
    const bytes = readBlob(sha256);
    const json = typeof bytes === 'string' ? null : parseJson(decodeTolerantly(bytes));
    if (json?.ok !== true || !isObject(json.value)) continue;
    const said = path === RESULT ? printedIn(json.value) : failuresIn(json.value);
    if (said !== '') return said;
  }
  return '';
}

const CHECK_FOLDER = new RegExp(`(?:file://)?/[^\\s:'"()]*/${CHECK_PREFIX}[\\w-]+/`, 'g');

function printedIn(result: Readonly<Record<string, unknown>>): string {
  const said = [own(result, 'excerpt'), own(result, 'output_tail')].find((text) => typeof text === 'string' && text.trim() !== '');
  // The folder of the check is gone by now; its paths are those of the working folder.
  return typeof said === 'string' ? said.replaceAll(CHECK_FOLDER, '').slice(0, MAX_FAILURE_CHARS) : '';
}

function failuresIn(evidence: Readonly<Record<string, unknown>>): string {
  const listed = own(evidence, 'failures');
  const failures = (Array.isArray(listed) ? listed : []).filter(isObject).map((one) => ({
    id: cellText(own(one, 'name')),
    file: cellText(own(one, 'file')) || null,
    line: Number(own(one, 'line') ?? 0) || null,
    message: cellText(own(one, 'message')),
  }));
  const parts = [cellText(own(evidence, 'failing_output')), describeFailures(failures), uncoveredIn(evidence)];
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n')
    .replaceAll(CHECK_FOLDER, '')
    .slice(0, MAX_FAILURE_CHARS);
}

function uncoveredIn(result: Readonly<Record<string, unknown>>): string {
  const listed = own(result, 'uncovered');
  const lines = (Array.isArray(listed) ? listed : []).filter(isObject).map((one) => {
    return `${cellText(own(one, 'file'))} (${cellText(own(one, 'pct'))} %): lines ${cellText(own(one, 'lines'), ', ')}`;
  });
  return lines.length === 0 ? '' : `Not covered, least covered files first:\n${lines.join('\n')}`.slice(0, MAX_FAILURE_CHARS);
}

async function shortDiff({ started, touched }: RunState, workspace: TaskMaterialInput['workspace']): Promise<string> {
  if (workspace === null || started.workspace === null || touched.size === 0 || touched.size > MAX_DIFF_FILES) return '';
  try {
    const diff = await workspace.changeSince(started.workspace.base);
    return diff.length < MAX_DIFF_CHARS ? diff : '';
  } catch (error) {
    // The prompt names the command; without the diff the agent runs it.
    if (isUmpireError(error)) return '';
    throw error;
  }
}
