// The library's front door: named re-exports, nothing else.

export { resolve, resume, run } from './library/running.js';
export type { OpenQuestion, ResolveRequest, ResumeRequest, RunReport, RunRequest } from './library/running.js';
export type { Agent, AgentFunction, Ending } from './library/own-agents.js';
export type { Assignment, Turn, Usage, Watch } from './ports.js';
export { apply, clean, diff } from './library/work.js';
export type { WorkOptions } from './library/work.js';
export type { CleanResult } from './engine/clearing.js';
export type { Applied } from './workspace/apply.js';
export { list, report, status } from './library/looking.js';
export type { ListRequest, SessionStatus } from './library/looking.js';
export type { SessionEntry } from './report/list-page.js';
export type { SessionView } from './report/session-view.js';
export { doctor, init } from './library/setting-up.js';
export type { DoctorRequest, InitRequest } from './library/setting-up.js';
export type { Check, Checkup } from './report/checkup-page.js';
export type { FirstSettings } from './engine/first-settings.js';
export { check, critique, decide, guard, readReports, replay, replayAll } from './library/judging.js';
export type { CritiqueRequest, GuardRequest } from './library/judging.js';
export type { CritiqueReport } from './engine/critique.js';
export type { DecideRequest, Decision } from './engine/decide.js';
export type { GuardRun } from './engine/guard.js';
export type { GuardFinding } from './guard/finding.js';
export type { Checked } from './runtime/check.js';
export type { ReplayAllRequest, ReplayRequest } from './runtime/replay.js';
export type { ProjectReplay, Replay } from './report/replay-page.js';
export type { ReadRequest, ReportRead, ReportsRead } from './engine/read.js';
export type { SessionState } from './brain/evolve.js';
export type { Event, Recorded } from './brain/messages.js';
export type { Answer, Question } from './brain/run-messages.js';
export type { RunState } from './brain/run-state.js';
export { openReport } from './formats/tools/open-report.js';
export type { OpenOptions, OpenReport } from './formats/tools/open-report.js';
export { ERRORS } from './error-catalogue.js';
export { UmpireError, isUmpireError } from './errors.js';
export type { ErrorCode } from './errors.js';
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
} from './model.js';
export { computeWaves } from './brain/waves.js';
export { parseTasks, editTasks, printTasks } from './formats/tasks-csv.js';
export type { TasksEdit, TasksFile } from './formats/tasks-csv.js';
export { DiscoveryScanner, printDiscovery } from './formats/discoveries.js';
export { printResults } from './formats/results-csv.js';
export { BUILTIN_NAMES, builtinLoop, builtinLoops } from './loops/builtin.js';
export { compileLoop } from './loops/compile.js';
export { judge } from './loops/judge.js';
export type { Judgement, Params, Refusal } from './loops/judge.js';
export type { Facts, FactValue, Loop } from './loops/loop.js';
export { defineLoop, parseLoop } from './loops/loop-file.js';
export type { LoopInput, PipelinesInput } from './loops/loop-file.js';
export { checkLoop } from './proof/check.js';
export type { Proof } from './proof/check.js';
export type { Refutation, Scene, Story } from './proof/refutation.js';
export { verdictJson } from './report/verdict-json.js';
