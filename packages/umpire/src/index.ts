// The library: everything a program can import.

export { resolve, resume, run } from './doors/library/run.js';
export type { OpenQuestion, ResolveRequest, ResumeRequest, RunReport, RunRequest } from './doors/library/run.js';
export type { Agent, AgentFunction, Ending } from './doors/library/function-agents.js';
export type { Assignment, Turn, Usage, Watch } from '@umpire/core/model/ports.js';
export { apply, clean, diff } from './doors/library/sessions.js';
export type { ApplyOptions, WorkOptions } from './doors/library/sessions.js';
export type { CleanResult } from './engine/clean.js';
export type { Applied } from './work/apply.js';
export { list, report, status } from './doors/library/sessions.js';
export type { ListRequest, SessionStatus } from './doors/library/sessions.js';
export type { SessionEntry } from './views/list-page.js';
export type { SessionView } from './views/session-view.js';
export { doctor, init } from './doors/library/sessions.js';
export type { DoctorRequest, InitRequest } from './doors/library/sessions.js';
export type { DoctorCheck as Check, DoctorReport as Checkup } from './views/doctor-page.js';
export type { FirstSettings } from './doors/init.js';
export { check, critique, decide, guard, readReports, replay, replayAll } from './doors/library/judge.js';
export type { GuardRequest } from './doors/library/judge.js';
export type { CritiqueReport, CritiqueRequest } from './engine/critique.js';
export type { DecideRequest, Decision } from './engine/decide.js';
export type { GuardRun } from './engine/guard.js';
export type { GuardFinding } from '@umpire/guard/findings/finding.js';
export type { Checked } from './sessions/check-loop.js';
export type { ReplayAllRequest, ReplayRequest } from './sessions/replay.js';
export type { ProjectReplay, Replay } from './views/replay-page.js';
export type { ReadRequest, ReportRead, ReportsRead } from './engine/read.js';
export type { SessionState } from '@umpire/core/decider/evolve.js';
export type { Event, Recorded } from '@umpire/core/decider/events.js';
export type { Answer, Question } from '@umpire/core/model/questions.js';
export type { RunState } from '@umpire/core/decider/run-state.js';
export { openReport } from '@umpire/reports/open-report.js';
export type { OpenOptions, OpenReport } from '@umpire/reports/open-report.js';
export { ERRORS } from '@umpire/core/model/error-catalogue.js';
export { UmpireError, isUmpireError } from '@umpire/core/model/errors.js';
export type { ErrorCode } from '@umpire/core/model/errors.js';
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
} from '@umpire/core/model/vocabulary.js';
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
export { defineLoop } from '@umpire/core/loops/define-loop.js';
export { parseLoop } from '@umpire/core/loops/loop-file.js';
export type { LoopInput } from '@umpire/core/loops/define-loop.js';
export type { PipelinesInput } from '@umpire/core/loops/pipeline.js';
export { checkLoop } from '@umpire/core/proof/check.js';
export type { Proof } from '@umpire/core/proof/check.js';
export type { Refutation, ExplainedVerdict as Scene, Explanation as Story } from '@umpire/core/proof/refutation.js';
export { verdictJson } from './views/verdict-page.js';
