// The library's front door: named re-exports, nothing else.

export { decide } from './engine/decide.js';
export { check } from './runtime/check.js';
export type { Checked } from './runtime/check.js';
export { replay, replayAll } from './runtime/replay.js';
export type { ReplayAllRequest, ReplayRequest } from './runtime/replay.js';
export type { ProjectReplay, Replay } from './report/replay-page.js';
export type { DecideRequest, Decision } from './engine/decide.js';
export { resolve, resume, run } from './engine/session.js';
export type { ResolveRequest, ResumeRequest, RunReport, RunRequest } from './engine/session.js';
export { apply, clean, diff } from './engine/work.js';
export { readReports } from './engine/read.js';
export type { ReadRequest, ReportRead, ReportsRead } from './engine/read.js';
export { openReport } from './formats/tools/open-report.js';
export type { OpenOptions, OpenReport } from './formats/tools/open-report.js';
export type { Agent, Assignment, Ending, Usage } from './ports.js';
export { ERRORS, UmpireError, isUmpireError } from './errors.js';
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
export type { Mode, Pipeline, PlannedTask } from './loops/pipeline.js';
export { defineLoop, parseLoop } from './loops/loop-file.js';
export type { LoopInput } from './loops/loop-file.js';
export { checkLoop } from './proof/check.js';
export type { Proof } from './proof/check.js';
export type { Refutation, Scene, Story } from './proof/refutation.js';
export { verdictJson } from './report/verdict-json.js';
