// The part of the library that runs sessions, for programs that write no loops.

export { resolve, resume, run } from './doors/library/run.js';
export type { OpenQuestion, ResolveRequest, ResumeRequest, RunReport, RunRequest } from './doors/library/run.js';
export type { Agent, AgentFunction, Ending } from './doors/library/function-agents.js';
export type { Assignment, Watch } from '@umpire/core/model/ports.js';
export { apply, clean, diff } from './doors/library/sessions.js';
export { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
export type { ErrorCode } from '@umpire/core/model/errors.js';
