// Before the first run, for programs: what is at hand and what would be in its way, and the first settings of a project.

import { checkReadiness } from '../commands/doctor.js';
import { writeFirstSettings } from '../commands/init.js';
import type { FirstSettings } from '../commands/init.js';
import type { Checkup } from '../report/checkup-page.js';
import { FLAG, PATH, TEXT, checkRequest } from './arguments.js';

export interface DoctorRequest {
  /** The project's folder, as it is; where it is left out, the project that the current folder is or lies in. */
  readonly project?: string;
}

/** What is at hand for a run, and what would be in its way. It starts no agent, runs no test and changes nothing. */
export async function doctor(request: DoctorRequest = {}): Promise<Checkup> {
  checkRequest('doctor', request, { project: PATH });
  return checkReadiness(request);
}

export interface InitRequest extends DoctorRequest {
  /** Who does every role; the first that is installed, where it is left out. */
  readonly agent?: string;
  /** Nothing is written. */
  readonly dryRun?: boolean;
}

/** Writes the first `umpire.config.yaml` of a project. One that is there is never written over. */
export async function init(request: InitRequest = {}): Promise<FirstSettings> {
  checkRequest('init', request, { project: PATH, agent: TEXT, dryRun: FLAG });
  const { path, text, written } = await writeFirstSettings(request);
  return { path, text, written };
}
