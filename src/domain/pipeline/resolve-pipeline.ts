import type { ReadBlock } from '#domain/language/read-block.ts';
import type { Block } from '#domain/language/syntax.ts';
import type { CompileContext } from './compile-context.ts';
import { readTypes } from './definitions.ts';
import { jobNames } from './job-names.ts';
import { readJobs, type JobDraft } from './jobs.ts';
import { placeKubernetesSecrets } from './kubernetes-secrets.ts';
import { notificationTypes } from './notification-types.ts';
import { readNotifications, resolveJobs } from './notifications.ts';
import { checkOldNames } from './old-names.ts';
import { resolvePassed } from './passed.ts';
import type { Pipeline, ServiceType } from './pipeline.ts';
import { resourceTypes } from './resource-types.ts';
import { readResources } from './resources.ts';
import { readRunners } from './runner-types.ts';
import { secretTypes } from './secret-types.ts';
import { readSecrets, type SecretBlock } from './secrets.ts';
import { serviceTypes } from './service-types.ts';
import { warnOfSupersede } from './supersede-effect.ts';
import { warnOfTriggerLoops } from './trigger-loops.ts';

/** The blocks of a text. Jobs are not read yet, because their groups are expanded first. */
interface Blocks {
  blocks: readonly ReadBlock[];
  jobs: readonly Block[];
  secrets: readonly SecretBlock[];
  /** A block could not be read. A name that seems unknown may be declared there. */
  incomplete: boolean;
}

/** Resolves references between blocks and checks the rules between them. */
export function resolvePipeline(
  { blocks, jobs, secrets, incomplete }: Blocks,
  contextWithoutRunners: CompileContext,
): { pipeline: Pipeline; jobs: ReadBlock[] } {
  const { report } = contextWithoutRunners;
  const ofType = (type: string): ReadBlock[] => blocks.filter((block) => block.type === type);
  const context = {
    ...contextWithoutRunners,
    runners: readRunners(ofType('runner_type'), contextWithoutRunners),
  };
  const services = readTypes(serviceTypes, ofType('service_type'), context);
  const secretsRead = readSecrets(secrets, readTypes(secretTypes, ofType('secret_type'), context), context);
  const resources = readResources(
    ofType('resource'),
    readTypes(resourceTypes, ofType('resource_type'), context),
    report,
  );
  const notifications = readNotifications(
    ofType('notification'),
    readTypes(notificationTypes, ofType('notification_type'), context),
    report,
  );
  const usedServices = new Map<string, ServiceType>();
  const jobsRead = readJobs(jobs, {
    ...context,
    resources,
    notifications,
    services,
    usedServices,
    incomplete,
  });
  const namesOfJobs = jobNames(
    jobsRead.drafts.map(({ job }) => job.name),
    jobsRead.groups,
    incomplete || jobsRead.incomplete,
  );
  resolvePassed(jobsRead.drafts, namesOfJobs, report);
  warnOfTriggerLoops(jobsRead.drafts, report);
  warnOfSupersede(jobsRead.drafts);
  checkJobNames(jobsRead.drafts);

  const validResources = [...resources.values()].filter((known) => known !== 'broken');
  const validNotifications = [...notifications.values()].filter((known) => known !== 'broken');
  const pipeline: Pipeline = {
    resourceTypes: [...new Map(validResources.map(({ type }) => [type.name, type])).values()],
    resources: validResources.map(({ resource }) => resource),
    jobs: jobsRead.drafts.map(({ job }) => job),
    ...(validNotifications.length > 0 && {
      notificationTypes: [...new Map(validNotifications.map(({ type }) => [type.name, type])).values()],
      notifications: resolveJobs(notifications, namesOfJobs, report),
    }),
    ...(usedServices.size > 0 && { serviceTypes: [...usedServices.values()] }),
    ...secretsRead,
  };
  return { pipeline: placeKubernetesSecrets(pipeline), jobs: jobsRead.blocks };
}

function checkJobNames(drafts: readonly JobDraft[]): void {
  const known = new Set(drafts.map(({ job }) => job.name));
  const renamed = drafts.flatMap(({ job: { name }, oldName: old, report }) =>
    old ? [{ name, old, report }] : [],
  );
  checkOldNames('job', renamed, (name) => known.has(name));
}
