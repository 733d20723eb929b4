/*
 * Which variables of Millrace a command sees, depending on where it runs. The planner sets variables by this
 * table, the compiler reserves their names, and docs/reference/environment.md is generated from it.
 */

/**
 * Where a command runs. `secretGet`: the command `get` of a secret type. `stepHook`, `jobHook`: a hook that
 * is a single command. `notification`: a notification that the build's Pod sends automatically.
 * `notificationWithoutPod`: a notification of a build that waits, or whose Pod is lost.
 */
export const COMMAND_CONTEXTS = [
  'check',
  'secretGet',
  'get',
  'put',
  'task',
  'notify',
  'service',
  'stepHook',
  'jobHook',
  'notification',
  'notificationWithoutPod',
  'onTrigger',
] as const;
export type CommandContext = (typeof COMMAND_CONTEXTS)[number];

export interface EnvironmentRow {
  /** The variable. If it contains `<`, the row is for all variables that begin with the text before that. */
  name: string;
  /** `pipeline`: the pipeline may also set a variable of this name. Absent: only Millrace may. */
  alsoSetBy?: 'pipeline';
  value: string;
  /** One such variable, as `env` prints it. */
  example: string;
  /** `yes`, or a condition in words. Absent: the context does not see the variable. */
  seenIn: Readonly<Partial<Record<CommandContext, string>>>;
}

const inSteps = { get: 'yes', put: 'yes', task: 'yes', notify: 'yes' };
const inHooks = { stepHook: 'yes', jobHook: 'yes' };
const inBuild = { ...inSteps, ...inHooks, notification: 'yes' };
const ofJobHooks = {
  put: 'in hooks of the job',
  task: 'in hooks of the job',
  notify: 'in hooks of the job',
  jobHook: 'yes',
  notification: 'yes',
};
const ifIdentity = 'if the job has `identity`';
const withIdentity = {
  get: ifIdentity,
  put: ifIdentity,
  task: ifIdentity,
  stepHook: ifIdentity,
  jobHook: ifIdentity,
};
const withBaseUrl = 'with the parameter `base_url`';

export const ENVIRONMENT_TABLE: readonly EnvironmentRow[] = [
  {
    name: 'param_<name>',
    value: 'parameters that the resource, service or notification sets; the others are unset',
    example: 'param_branch=main',
    seenIn: {
      check: 'yes',
      secretGet: 'those of its type, and `param_path`',
      get: 'yes',
      put: 'yes',
      notify: 'yes',
      service: 'yes',
      stepHook: 'those of its step',
      notification: 'yes',
      notificationWithoutPod: 'yes',
      onTrigger: 'of `notify`',
    },
  },
  {
    name: 'version_<key>',
    value: 'fields of the version',
    example: 'version_ref=6a1f0c4',
    seenIn: {
      check: 'last known one',
      get: 'yes',
      put: 'if this build got the resource',
      task: 'of triggers',
      notification: 'of the first get that triggers',
      notificationWithoutPod: 'of the first get that triggers',
      onTrigger: 'yes',
    },
  },
  {
    name: 'KNOWN_BRANCHES',
    value: 'the `ref` of the newest version of each `branch`, as JSON, if the last version has both fields',
    example: 'KNOWN_BRANCHES={"main":"6a1f0c4"}',
    seenIn: { check: 'yes' },
  },
  {
    name: 'put_<name>',
    value: 'parameters of the put',
    example: 'put_tag=build-7',
    seenIn: { put: 'yes', stepHook: 'of a put' },
  },
  {
    name: 'notify_build_status',
    value: 'the same as `BUILD_STATUS`; `waiting` when a build starts to wait',
    example: 'notify_build_status=failed',
    seenIn: { notification: 'yes', notificationWithoutPod: 'yes' },
  },
  {
    name: 'notify_<name>',
    value: 'attributes of the `notify` step',
    example: 'notify_urgency=high',
    seenIn: {
      notify: 'yes',
      stepHook: 'of a `notify`',
      notificationWithoutPod: 'of `approve`',
      onTrigger: 'of `notify`',
    },
  },
  {
    name: 'NOTIFY_MESSAGE',
    value: 'the message, with its references filled in; unset without one',
    example: 'NOTIFY_MESSAGE=test #7: failed',
    seenIn: { notify: 'yes', notification: 'yes', notificationWithoutPod: 'yes', onTrigger: 'of `notify`' },
  },
  {
    name: 'NOTIFY_TEMPLATE',
    value: 'the message before its references are filled in; unset without one',
    example: 'NOTIFY_TEMPLATE=$BUILD_JOB_NAME #$BUILD_NUMBER: $BUILD_STATUS',
    seenIn: { notify: 'yes', notification: 'yes', notificationWithoutPod: 'yes', onTrigger: 'of `notify`' },
  },
  {
    name: 'WORKDIR',
    value: 'where the command starts; shared by the steps of a build',
    example: 'WORKDIR=/workdir',
    seenIn: { check: 'own, empty', secretGet: 'own, empty', ...inBuild, service: 'yes' },
  },
  {
    name: 'CACHE_DIR',
    value: "directory of the resource's cache; unset without one",
    example: 'CACHE_DIR=…/cache/web/shop/git.app',
    seenIn: { check: 'yes', get: 'yes', put: 'yes', stepHook: 'of a get or put' },
  },
  {
    name: 'BUILD_NUMBER',
    value: 'number of the build within its job',
    example: 'BUILD_NUMBER=7.1',
    seenIn: { ...inBuild, service: 'yes', notificationWithoutPod: 'yes' },
  },
  {
    name: 'BUILD_JOB_NAME',
    value: 'name of the job',
    example: 'BUILD_JOB_NAME=test',
    seenIn: { ...inBuild, service: 'yes', notificationWithoutPod: 'yes', onTrigger: 'yes' },
  },
  {
    name: 'BUILD_PIPELINE_NAME',
    value: 'name of the pipeline',
    example: 'BUILD_PIPELINE_NAME=shop',
    seenIn: { check: 'yes', ...inBuild, service: 'yes', notificationWithoutPod: 'yes', onTrigger: 'yes' },
  },
  {
    name: 'BUILD_TEAM_NAME',
    value: 'name of the team',
    example: 'BUILD_TEAM_NAME=web',
    seenIn: { check: 'yes', ...inBuild, service: 'yes', notificationWithoutPod: 'yes', onTrigger: 'yes' },
  },
  {
    name: 'BUILD_STATUS',
    value: '`succeeded`, `failed` or `cancelled`; `failed` for a warning too',
    example: 'BUILD_STATUS=failed',
    seenIn: { ...ofJobHooks, notificationWithoutPod: 'if the build has ended' },
  },
  {
    name: 'BUILD_REASON',
    value: 'code of the reason, for example `StepFailed`, `JobTimeout`',
    example: 'BUILD_REASON=StepFailed',
    seenIn: { ...ofJobHooks, notificationWithoutPod: 'if the build has ended' },
  },
  {
    name: 'BUILD_TIMED_OUT',
    value: '`true` if the step, or in hooks of the job the build, ran out of time; else unset',
    example: 'BUILD_TIMED_OUT=true',
    seenIn: {
      put: 'in hooks',
      task: 'in hooks',
      notify: 'in hooks',
      stepHook: 'yes',
      jobHook: 'yes',
      notification: 'yes',
    },
  },
  {
    name: 'BUILD_URL',
    value: 'page of the build',
    example: 'BUILD_URL=https://ci.example.org/teams/web/pipelines/shop/jobs/test/builds/7',
    seenIn: {
      notify: withBaseUrl,
      stepHook: 'of a `notify`',
      notification: withBaseUrl,
      notificationWithoutPod: withBaseUrl,
    },
  },
  {
    name: 'BUILD_LOG',
    value: 'the last lines of the log so far, masked: a JSON array, at most 50 lines and 8000 characters',
    example: 'BUILD_LOG=["make test","FAIL: 1 of 12"]',
    seenIn: { notify: 'yes', notification: 'yes' },
  },
  {
    name: 'BUILD_ERRORS',
    value: 'errors of compilers in the log so far, masked: a JSON array, at most 50',
    example: 'BUILD_ERRORS=[{"path":"src/a.c","line":3,"column":5,"message":"error: …"}]',
    seenIn: { notify: 'yes', notification: 'yes' },
  },
  {
    name: 'GET_<NAME>_<KEY>',
    alsoSetBy: 'pipeline',
    value: 'versions from earlier gets of the build',
    example: 'GET_MY_APP_REF=6a1f0c4',
    seenIn: { ...inBuild, notificationWithoutPod: 'of all gets' },
  },
  {
    name: 'TASK_<NAME>_<KEY>',
    alsoSetBy: 'pipeline',
    value: 'what earlier tasks wrote to `$SVC_OUTPUT`',
    example: 'TASK_COMPILE_SIZE=12',
    seenIn: inBuild,
  },
  {
    name: 'INPUT_<NAME>',
    alsoSetBy: 'pipeline',
    value: "values of the job's [inputs](../how-to/inputs.md)",
    example: 'INPUT_DRY_RUN=true',
    seenIn: { ...inBuild, service: 'yes', notificationWithoutPod: 'yes' },
  },
  {
    name: 'MILLRACE_ID_TOKEN',
    example: 'MILLRACE_ID_TOKEN=eyJhbGciOiJFUzI1NiIs…',
    value: 'the [identity token](../how-to/identity-tokens.md) of the build; unset for requests from forks',
    seenIn: withIdentity,
  },
  {
    name: 'MILLRACE_ID_TOKEN_<NAME>',
    example: 'MILLRACE_ID_TOKEN_VAULT=eyJhbGciOiJFUzI1NiIs…',
    value: 'the same for the block `identity "<name>"`',
    seenIn: withIdentity,
  },
  {
    name: 'SVC_OUTPUT',
    value: 'path of a file for `KEY=VALUE` lines',
    example: 'SVC_OUTPUT=/tmp/millrace-2180344196/output',
    seenIn: { task: 'yes' },
  },
  {
    name: 'MILLRACE_OUTPUT',
    value: 'the same file',
    example: 'MILLRACE_OUTPUT=/tmp/millrace-2180344196/output',
    seenIn: { task: 'yes' },
  },
];

const exact = new Map(ENVIRONMENT_TABLE.map((row) => [row.name, row]));
const prefixes = ENVIRONMENT_TABLE.flatMap((row) => {
  const end = row.name.indexOf('<');
  return end === -1 ? [] : [{ prefix: row.name.slice(0, end), row }];
});

/** The row of a variable. Undefined: Millrace does not set it. */
export function rowOfVariable(name: string): EnvironmentRow | undefined {
  return exact.get(name) ?? prefixes.find(({ prefix }) => name.startsWith(prefix))?.row;
}

/** Keeps the variables that a context sees, and those that Millrace does not set. */
export function variablesIn(
  context: CommandContext,
  variables: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).filter(([name]) => {
      const row = rowOfVariable(name);
      return row === undefined || row.seenIn[context] !== undefined;
    }),
  );
}

/** Variables that a pipeline cannot set itself. */
export function isReservedVariable(name: string): boolean {
  const row = rowOfVariable(name);
  return name.startsWith('MILLRACE_') || (row !== undefined && row.alsoSetBy === undefined);
}
