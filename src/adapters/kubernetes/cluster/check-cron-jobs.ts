import { orAbsent, orThrow } from '#adapters/kubernetes/api/answer.ts';
import { applyIfChanged } from '#adapters/kubernetes/api/apply-if-changed.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import { checkCronJob } from '#adapters/kubernetes/manifests/check-cron-job.ts';
import type { Installation, TeamRules } from '#adapters/kubernetes/manifests/installation.ts';
import { LABEL, labelValue, MANAGED_BY, OWNED_BY_MILLRACE } from '#adapters/kubernetes/manifests/labels.ts';
import type { ScheduledPipeline } from '#flows/pipelines/manifest-ports.ts';
import { shimKeys } from './shim-keys.ts';

export interface CheckCronJobsOptions {
  client: Pick<ApiClient, 'list' | 'get' | 'apply' | 'delete'>;
  installation(): Installation;
  rulesOf(team: string): TeamRules | undefined;
  agentKey: Buffer;
}

type CronJob = ReturnType<typeof checkCronJob>;
interface CronJobToApply {
  cronJob: Wire<CronJob>;
  resources: readonly string[];
}

/**
 * Applies the CronJobs of a pipeline and deletes outdated ones. Skips a CronJob if somebody else's CronJob
 * has its name. Returns a message for each skipped CronJob, with the first five resources that it should
 * check.
 */
export async function applyCheckCronJobs(
  pipeline: ScheduledPipeline,
  options: CheckCronJobsOptions,
): Promise<string[]> {
  const { client } = options;
  const { namespace } = pipeline;
  const existing = await ownCronJobs(pipeline, client);
  const wanted = new Set<string>();
  const blocked: string[] = [];
  for (const { cronJob, resources } of cronJobsOf(pipeline, options)) {
    const name = cronJob.metadata?.name ?? '';
    const current = existing.get(name);
    wanted.add(name);
    if (current === undefined && (await isTaken({ namespace, name }, pipeline, client))) {
      blocked.push(blockedBy({ namespace, name }, resources));
      continue;
    }
    orThrow(
      await applyIfChanged(client, KINDS.cronJobs, cronJob, current),
      `applying the CronJob ${namespace}/${name}`,
    );
  }
  for (const [name, { metadata }] of existing) {
    if (wanted.has(name)) continue;
    const uid = metadata?.uid;
    const answer = await client.delete(KINDS.cronJobs, { namespace, name }, uid === undefined ? {} : { uid });
    orThrow(answer, `deleting the CronJob ${namespace}/${name}`);
  }
  return blocked;
}

/** The CronJobs that this Pipeline object owns, by name. */
async function ownCronJobs(
  { namespace, pipeline, uid }: ScheduledPipeline,
  client: CheckCronJobsOptions['client'],
): Promise<Map<string, Wire<CronJob>>> {
  const selector = `${OWNED_BY_MILLRACE},${LABEL.pipeline}=${labelValue(pipeline)}`;
  const byName = new Map<string, Wire<CronJob>>();
  const listed = await client.list(KINDS.cronJobs, { namespace, labelSelector: selector }, (items) => {
    for (const item of items) if (ownedBy(item, uid)) byName.set(item.metadata?.name ?? '', item);
  });
  orThrow(listed, `listing the CronJobs of ${namespace}/${pipeline}`);
  return byName;
}

/**
 * Whether this Pipeline owns the CronJob. The garbage collector deletes CronJobs of an earlier Pipeline with
 * the same name.
 */
function ownedBy(object: Wire<CronJob>, uid: string): boolean {
  return object.metadata?.ownerReferences?.some((owner) => owner.uid === uid) ?? false;
}

interface ObjectName {
  namespace: string;
  name: string;
}

/**
 * Whether somebody else has a CronJob of this name: one that neither this Pipeline nor an earlier Pipeline of
 * the same name owns. Applying a CronJob would take over that object.
 */
async function isTaken(
  ref: ObjectName,
  { pipeline }: ScheduledPipeline,
  client: CheckCronJobsOptions['client'],
): Promise<boolean> {
  const found = orAbsent(
    await client.get(KINDS.cronJobs, ref),
    `reading the CronJob ${ref.namespace}/${ref.name}`,
  );
  if (found === undefined) return false;
  const { labels = {}, ownerReferences = [] } = found.metadata ?? {};
  const { apiVersion, kind } = KINDS.pipelines;
  const owned = ownerReferences.some(
    (owner) => owner.apiVersion === apiVersion && owner.kind === kind && owner.name === pipeline,
  );
  return labels[MANAGED_BY] !== 'millrace' || !owned;
}

function blockedBy({ namespace, name }: ObjectName, resources: readonly string[]): string {
  const listed = resources.slice(0, MAX_LISTED_RESOURCES).join(', ');
  const more =
    resources.length > MAX_LISTED_RESOURCES ? ` and ${resources.length - MAX_LISTED_RESOURCES} more` : '';
  return (
    `Millrace did not create the CronJob ${namespace}/${name}, so it does not check: ${listed}${more}. ` +
    `If nobody needs the CronJob, delete it: kubectl -n ${namespace} delete cronjob ${name}`
  );
}

const MAX_LISTED_RESOURCES = 5;

function cronJobsOf(pipeline: ScheduledPipeline, options: CheckCronJobsOptions): CronJobToApply[] {
  const rules = options.rulesOf(pipeline.team);
  if (rules === undefined) throw new Error(`Team ${pipeline.team} is not ready yet.`);
  const { apiVersion, kind } = KINDS.pipelines;
  const owner = { apiVersion, kind, name: pipeline.pipeline, uid: pipeline.uid };
  return pipeline.checks.map((check) => {
    const manifest = checkCronJob(
      {
        ...check,
        team: pipeline.team,
        pipeline: pipeline.pipeline,
        pipelineId: pipeline.id,
        shim: shimKeys(options.agentKey, `check ${pipeline.uid} ${check.group.key}`),
        owner,
      },
      { ...rules, namespace: pipeline.namespace },
      options.installation(),
    );
    const cronJob: Wire<CronJob> = JSON.parse(JSON.stringify(manifest));
    return { cronJob, resources: check.group.resources };
  });
}
