// Library functions `doctor` and `init`.

import { checkReadiness } from '../doctor.js';
import { writeFirstSettings } from '../init.js';
import type { FirstSettings } from '../init.js';
import type { DoctorReport } from '../../views/doctor-page.js';
import { INIT, PROJECT } from '@umpire/core/model/options.js';
import { checkRequest } from './argument-checks.js';

export interface DoctorRequest {
  /** The project's folder. Default: the project that contains the current folder. */
  readonly project?: string;
}

/** Checks that a run can start. Starts no agent, runs no test and changes nothing. */
export async function doctor(request: DoctorRequest = {}): Promise<DoctorReport> {
  checkRequest('doctor', request, { project: PROJECT });
  return checkReadiness(request);
}

export interface InitRequest extends DoctorRequest {
  /** The agent for every role. Default: the first installed. */
  readonly agent?: string;
  /** Writes nothing. */
  readonly dryRun?: boolean;
}

/** Writes `umpire.config.yaml`. Never overwrites a file. */
export async function init(request: InitRequest = {}): Promise<FirstSettings> {
  checkRequest('init', request, INIT);
  const { path, text, written } = await writeFirstSettings(request);
  return { path, text, written };
}
