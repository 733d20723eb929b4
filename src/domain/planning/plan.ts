/**
 * The plan is data: a job and its chosen versions as a serialisable list of steps, each one command in one
 * container of the build's Pod. The agent runs it and knows nothing of pipelines.
 */
export interface Plan {
  /** Grows when an older agent could misread the plan. */
  format: 1;
  build: BuildName;
  containers: PlanContainer[];
  /** Absolute path of the directory that all steps share: `$WORKDIR` and their working directory. */
  workdir: string;
  /** Wall clock of the steps, counted from the start of the first one. */
  timeoutSeconds: number;
  /** Run one after another; the first that fails ends the plan. */
  steps: PlanStep[];
  /** What people should know of the build before its first step: a line of its log. */
  notice?: string;
  /** Values that must never leave the Pod: the agent masks them in everything it sends. */
  secrets: string[];
  /** Bytes of log that the build may send. The rest is left out, and the log says so. Absent: 64 MiB. */
  logLimitBytes?: number;
}

export interface BuildName {
  /** Row id of the build, decimal. */
  id: string;
  team: string;
  pipeline: string;
  job: string;
  number: string;
  attempt: number;
}

/** A container that steps run in. Steps of one image share it, in turn. */
export interface PlanContainer {
  name: string;
  /** Absent: the default worker image, which has the shim, git, jq, curl, ssh and bash. */
  image?: string;
}

export interface PlanStep {
  /** Stable within the plan: `0`, `1`, … in order. */
  id: string;
  kind: 'get' | 'task' | 'put';
  /** As people know it: `git.app` or the label of a task. */
  name: string;
  /** Absent: nothing to run (`get` of a type without `pull`); the step succeeds at once. */
  command?: PlanCommand;
  env: Record<string, string>;
  /** `get`: the fields that later steps see as `GET_<NAME>_<KEY>`. */
  version?: Record<string, string>;
  /**
   * Prefix of the variables that later steps see: `GET_APP_`, `TASK_UNIT_`. Absent: the step exports nothing.
   */
  exports?: string;
  /** `get` and `put`: canonical name of the resource. */
  resource?: string;
  /** `put`: the version when the push prints none. */
  params?: Record<string, string>;
}

export interface PlanCommand {
  container: string;
  argv: string[];
  /**
   * Text of a file that the shim writes (mode 0700) and whose path it appends to `argv`: scripts never travel
   * in `argv`.
   */
  script?: string;
  /**
   * The last element of `argv` is a path relative to the working directory that must be made executable
   * first.
   */
  makeExecutable?: boolean;
}

/**
 * One check of one resource, run by an agent beside other checks. Its stdout is the answer, its stderr the
 * log.
 */
export interface CheckPlan {
  /** Row id of the check scope, decimal. */
  scope: string;
  resource: string;
  command: PlanCommand;
  env: Record<string, string>;
  timeoutSeconds: number;
}

/** What the agent of a check Pod gets: all checks of its group that are due now. */
export interface CheckRun {
  format: 1;
  /** Row id of the run, decimal. */
  run: string;
  containers: PlanContainer[];
  checks: CheckPlan[];
  /** It runs `on_trigger` hooks instead of checks. */
  hooks?: HooksPlan;
  secrets: string[];
}

/** The hooks that new versions of one resource fire. */
export interface HooksPlan {
  /** Where they start: no build's directory, and no variable names it. */
  workdir: string;
  /** In which they must have ended, counted from when the agent gets this. */
  seconds: number;
  /** Version by version, oldest first. */
  plans: HookPlan[];
  /** How many more there would have been. */
  leftOut: number;
}

export interface HookPlan {
  /** Row id of the version, decimal. */
  version: string;
  job: string;
  /** As people know it: its runner, or `slack.ops`. */
  hook: string;
  command: PlanCommand;
  env: Record<string, string>;
  /** Becomes `$NOTIFY_MESSAGE` once its references are filled in. */
  message?: string;
}
