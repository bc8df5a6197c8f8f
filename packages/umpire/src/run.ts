// The door to running sessions alone: what a program loads that runs loops and writes none.

export { resolve, resume, run } from './library/running.js';
export type { OpenQuestion, ResolveRequest, ResumeRequest, RunReport, RunRequest } from './library/running.js';
export type { Agent, AgentFunction, Ending } from './library/own-agents.js';
export type { Assignment, Watch } from '@umpire/core/ports.js';
export { apply, clean, diff } from './library/work.js';
export { UmpireError, isUmpireError } from '@umpire/core/errors.js';
export type { ErrorCode } from '@umpire/core/errors.js';
