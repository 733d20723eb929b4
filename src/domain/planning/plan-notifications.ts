import { defined } from '#defined';
import type { Job, Pipeline } from '#domain/pipeline/pipeline.ts';
import { getsOf, type NotifyStep } from '#domain/pipeline/steps.ts';
import { containersFor } from './containers.ts';
import { variablePart } from './environment-names.ts';
import { commandOf, jobIn, notificationIn } from './find-in-pipeline.ts';
import { planAction, type ActionContext } from './plan-action.ts';
import { inputVariablesOf } from './plan-build.ts';
import { prefixed } from './plan-command.ts';
import type { CheckRun, HookPlan, PlanContainer } from './plan.ts';
import { secretContainersOf } from './secret-containers.ts';
import { versionThatTriggers, type ChosenVersion } from './version-that-triggers.ts';
import { whyWithoutSecrets } from './withhold-secrets.ts';
import { WORKDIR } from './workdir.ts';

/** A build whose notifications a separate Pod sends, because no agent of the build can. */
export interface BuildToNotify {
  /** Row id of the record that the notifications of the build are due. */
  id: number;
  /** Row id of the build. */
  build: number;
  /**
   * `waiting`: the build starts to wait for approval. Then the `notify` steps of its gate are sent, not
   * `notifications`.
   */
  moment: 'waiting' | 'ended';
  number: string;
  status: 'succeeded' | 'failed' | 'cancelled' | 'waiting';
  /** Code of the reason why the build ended. */
  reason?: string;
  /** Names of the notifications. */
  notifications: string[];
  /** The versions that the build took or would have taken: one for each get, in the order of the gets. */
  versions: Record<string, string>[];
  /** Values of the job's inputs, by name. */
  inputs: Record<string, string>;
}

/** Builds of one job. */
export interface NotificationsToSend {
  job: string;
  builds: BuildToNotify[];
}

export interface NotificationsToPlan extends NotificationsToSend {
  run: string;
  team: string;
  /** Name of the pipeline. */
  name: string;
  pipeline: Pipeline;
  /** The definition with empty strings for secrets, for builds that get none. */
  empty: Pipeline;
}

/** Time limit for all notifications of one Pod. */
const SEND_SECONDS = 120;

/** The notifications of one Pod, build by build. */
export function planNotificationRun(toPlan: NotificationsToPlan): CheckRun {
  const { run, pipeline, builds } = toPlan;
  const containers = notificationContainersOf(pipeline, toPlan);
  return {
    format: 2,
    run,
    containers,
    checks: [],
    hooks: {
      workdir: WORKDIR,
      seconds: SEND_SECONDS,
      plans: builds.flatMap((build) => planNotificationsOf(build, containers, toPlan)),
      leftOut: 0,
    },
  };
}

/** The step containers of the Pod that sends these notifications. */
export function notificationContainersOf(
  pipeline: Pipeline,
  { job, builds }: NotificationsToSend,
): PlanContainer[] {
  const notifies = builds.flatMap((build) => notifiesOf(build, pipeline, job));
  const commands = notifies.map((notify) => commandOf(pipeline, notify));
  const definitions = notifies.map(({ notification }) => notificationIn(pipeline, notification));
  const secrets = secretContainersOf(pipeline, () => [notifies, commands, definitions]);
  return [...containersFor(commands), ...secrets];
}

function notifiesOf({ moment, notifications }: BuildToNotify, pipeline: Pipeline, job: string): NotifyStep[] {
  if (moment === 'waiting') return jobIn(pipeline, job).approval?.notify ?? [];
  return notifications.map((notification) => ({ kind: 'notify', notification, params: {} }));
}

/** The plans of the notifications of one build. A notification whose command has no program is left out. */
function planNotificationsOf(
  build: BuildToNotify,
  containers: PlanContainer[],
  { job, team, name, pipeline: withSecrets, empty }: NotificationsToPlan,
): HookPlan[] {
  const withholdsSecrets = whyWithoutSecrets(withSecrets, job, build.versions) !== undefined;
  const pipeline = withholdsSecrets ? empty : withSecrets;
  const context: ActionContext = {
    build: { id: String(build.build), team, pipeline: name, job, number: build.number, attempt: 1 },
    pipeline,
    containers,
    services: [],
    chosen: new Map(),
    cacheFolders: new Map(),
    variables: variablesOf(build, { team, name }, jobIn(pipeline, job)),
    workdir: WORKDIR,
  };
  return notifiesOf(build, pipeline, job).flatMap((notify, index): HookPlan[] => {
    const { command, env, message } = planAction(
      notify,
      { id: '', before: [], commandContext: 'notificationWithoutPod' },
      context,
    );
    if (command === undefined) return [];
    const hook = notify.notification;
    const id = `${build.id}.${index}`;
    return [{ id, version: String(build.id), job, hook, command, env, ...defined({ message }) }];
  });
}

/** Variables of the build, including its versions. There is no `WORKDIR`, since nothing was fetched. */
function variablesOf(
  { number, status, reason, versions, inputs }: BuildToNotify,
  { team, name }: { team: string; name: string },
  job: Job,
): Record<string, string> {
  const gets = getsOf(job.steps);
  const chosen = gets.map((get, index): ChosenVersion => [get, versions[index] ?? {}]);
  const variablesOfGets = chosen.flatMap(([get, version]) =>
    Object.entries(version).map(([key, value]): [string, string] => [
      `GET_${variablePart(get.name)}_${variablePart(key)}`,
      value,
    ]),
  );
  return {
    BUILD_NUMBER: number,
    BUILD_JOB_NAME: job.name,
    BUILD_PIPELINE_NAME: name,
    BUILD_TEAM_NAME: team,
    notify_build_status: status,
    ...(status === 'waiting' ? {} : { BUILD_STATUS: status, ...defined({ BUILD_REASON: reason }) }),
    ...inputVariablesOf(job, inputs),
    ...Object.fromEntries(variablesOfGets),
    ...prefixed('version_', versionThatTriggers(chosen)),
  };
}
