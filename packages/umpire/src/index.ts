// The library: everything a program can import.

export { resolve, resume, run } from './library/run.js';
export type { OpenQuestion, ResolveRequest, ResumeRequest, RunReport, RunRequest } from './library/run.js';
export type { Agent, AgentFunction, Ending } from './library/function-agents.js';
export type { Assignment, Turn, Usage, Watch } from '@umpire/core/ports.js';
export { apply, clean, diff } from './library/session-work.js';
export type { ApplyOptions, WorkOptions } from './library/session-work.js';
export type { CleanResult } from './commands/clean.js';
export type { Applied } from './workspace/apply.js';
export { list, report, status } from './library/sessions.js';
export type { ListRequest, SessionStatus } from './library/sessions.js';
export type { SessionEntry } from './report/list-page.js';
export type { SessionView } from './report/session-view.js';
export { doctor, init } from './library/setup.js';
export type { DoctorRequest, InitRequest } from './library/setup.js';
export type { DoctorCheck as Check, DoctorReport as Checkup } from './report/doctor-page.js';
export type { FirstSettings } from './commands/init.js';
export { check, critique, decide, guard, readReports, replay, replayAll } from './library/judge.js';
export type { GuardRequest } from './library/judge.js';
export type { CritiqueReport, CritiqueRequest } from './commands/critique.js';
export type { DecideRequest, Decision } from './commands/decide.js';
export type { GuardRun } from './commands/guard.js';
export type { GuardFinding } from '@umpire/guard/finding.js';
export type { Checked } from './sessions/check-loop.js';
export type { ReplayAllRequest, ReplayRequest } from './sessions/replay.js';
export type { ProjectReplay, Replay } from './report/replay-page.js';
export type { ReadRequest, ReportRead, ReportsRead } from './commands/read.js';
export type { SessionState } from '@umpire/core/decider/evolve.js';
export type { Event, Recorded } from '@umpire/core/decider/events.js';
export type { Answer, Question } from '@umpire/core/decider/events.js';
export type { RunState } from '@umpire/core/decider/run-state.js';
export { openReport } from '@umpire/reports/open-report.js';
export type { OpenOptions, OpenReport } from '@umpire/reports/open-report.js';
export { ERRORS } from '@umpire/core/error-catalogue.js';
export { UmpireError, isUmpireError } from '@umpire/core/errors.js';
export type { ErrorCode } from '@umpire/core/errors.js';
export type {
  Anomaly,
  CheckOutcome,
  Counts,
  Coverage,
  Discovery,
  EvidenceRef,
  FileCoverage,
  Finding,
  Grade,
  Outcome,
  ReportProblem,
  RoleRef,
  Severity,
  Share,
  Task,
  TaskRecord,
  TaskStatus,
  TestCounts,
  TestResult,
  ToolReport,
  Verdict,
  VerdictStatus,
} from '@umpire/core/model.js';
export { computeWaves } from '@umpire/core/decider/waves.js';
export { parseTasks, editTasks, printTasks } from '@umpire/core/formats/tasks-csv.js';
export type { TasksEdit, TasksFile } from '@umpire/core/formats/tasks-csv.js';
export { DiscoveryScanner, printDiscovery } from '@umpire/core/formats/discoveries.js';
export { printResults } from '@umpire/core/formats/results-csv.js';
export { BUILTIN_NAMES, builtinLoop, builtinLoops } from '@umpire/core/loops/builtin.js';
export { compileLoop } from '@umpire/core/loops/compile.js';
export { judge } from '@umpire/core/loops/judge.js';
export type { Judgement, Params, Refusal } from '@umpire/core/loops/judge.js';
export type { Facts, FactValue, Loop } from '@umpire/core/loops/loop.js';
export { defineLoop, parseLoop } from '@umpire/core/loops/loop-file.js';
export type { LoopInput, PipelinesInput } from '@umpire/core/loops/loop-file.js';
export { checkLoop } from '@umpire/core/proof/check.js';
export type { Proof } from '@umpire/core/proof/check.js';
export type { Refutation, ExplainedVerdict as Scene, Explanation as Story } from '@umpire/core/proof/refutation.js';
export { verdictJson } from './report/verdict-page.js';
