// The part of the library that runs sessions, for programs that write no loops.

export { resolve, resume, run } from './library/run.js';
export type { OpenQuestion, ResolveRequest, ResumeRequest, RunReport, RunRequest } from './library/run.js';
export type { Agent, AgentFunction, Ending } from './library/function-agents.js';
export type { Assignment, Watch } from '@umpire/core/ports.js';
export { apply, clean, diff } from './library/session-work.js';
export { UmpireError, isUmpireError } from '@umpire/core/errors.js';
export type { ErrorCode } from '@umpire/core/errors.js';
