import type { Conversion } from './conversion.ts';
import { findUses } from './convert-git.ts';
import { writeTags, writeWords, type TagText } from './convert-resources.ts';
import { convertPlan, convertStep } from './convert-steps.ts';
import { writeHooks } from './modifiers.ts';
import { convertName, convertTag, isTag, writeOldName } from './names.ts';
import type { JobScope } from './step-scope.ts';
import { splitOnSuccess } from './step-tree.ts';
import { hclAttribute, hclBlock, type HclNode } from './write-hcl.ts';
import { YamlFields } from './yaml-fields.ts';
import { textOfScalar, yamlAt, type YamlMap, type YamlTree } from './yaml-tree.ts';

/** Converts the jobs, in their order. */
export function convertJobs(jobs: readonly YamlTree[], conversion: Conversion): HclNode[] {
  const resourcesOf = new Map<string, Set<string>>();
  for (const job of jobs) recordJob(job, resourcesOf, conversion);
  nameSerialGroups(jobs, conversion.serialGroups);
  return jobs.flatMap((job) => (job.kind === 'map' ? [convertJob(job, resourcesOf, conversion)] : []));
}

/** Records the name of the job in Millrace, and the resources that it gets or puts. */
function recordJob(job: YamlTree, resourcesOf: Map<string, Set<string>>, conversion: Conversion): void {
  const name = textOfScalar(yamlAt(job, 'name'));
  if (name === undefined) return;
  if (resourcesOf.has(name))
    conversion.error(job.span, `there are two jobs "${name}"`, 'Rename one of them.');
  resourcesOf.set(name, new Set(findUses(job).keys()));
  const taken = new Set(conversion.jobs.values());
  if (!conversion.jobs.has(name))
    conversion.jobs.set(name, convertName(name, { taken, span: job.span, allowed: 'name' }, conversion));
}

/**
 * Names the serial groups of all jobs. Groups that keep their names come first, so that no renamed group
 * takes one of these names.
 */
function nameSerialGroups(jobs: readonly YamlTree[], names: Map<string, string>): void {
  const groups = jobs.flatMap((job) => {
    const tree = yamlAt(job, 'serial_groups');
    return tree?.kind === 'list' ? tree.items.flatMap((item) => textOfScalar(item) ?? []) : [];
  });
  for (const group of groups.filter(isTag)) names.set(group, group);
  for (const group of groups)
    if (!names.has(group)) names.set(group, convertTag(group, new Set(names.values())));
}

/**
 * Converts a job. Its `on_success` becomes the last step of the plan, because a failed `on_success` fails the
 * build in Concourse, but a failed hook does not in Millrace.
 */
function convertJob(
  job: YamlMap,
  resourcesOf: ReadonlyMap<string, ReadonlySet<string>>,
  conversion: Conversion,
): HclNode {
  const parts = splitOnSuccess(job);
  const fields = new YamlFields(parts?.before ?? job, 'a job', conversion);
  const name = fields.needed('name') ?? 'unnamed';
  const body: HclNode[] = [];
  const scope: JobScope = { conversion, caches: [], cacheNames: new Set(), tags: [], resourcesOf };
  writeJobSettings(fields, body, conversion);
  const plan = fields.list('plan');
  if (fields.tree('plan') === undefined)
    conversion.error(fields.span, `the job "${name}" has no plan`, 'Add plan.');
  const steps = convertPlan(parts ? [...plan, parts.onSuccess] : plan, 'job', scope);
  const hooks: HclNode[] = [];
  writeHooks(fields, {
    body: hooks,
    place: 'job',
    scope: { ...scope, caches: undefined },
    convert: convertStep,
  });
  const [firstTag] = scope.tags;
  if (firstTag)
    conversion.leaveOut(
      body,
      firstTag.span,
      'tags of steps become tags of the job, whose Pod runs all steps',
    );
  writeTags(scope.tags, body, conversion);
  fields.end(body);
  return hclBlock('job', [conversion.jobs.get(name) ?? name], [...body, ...steps, ...hooks]);
}

/** Writes the attributes of a job, and reports the settings that have no counterpart. */
function writeJobSettings(fields: YamlFields, body: HclNode[], conversion: Conversion): void {
  writeOldName(fields, { body, taken: new Set(conversion.jobs.values()) }, conversion);
  const groups = fields.texts('serial_groups');
  const maxInFlight = fields.number('max_in_flight') ?? 0;
  // In Concourse, a serial group also limits the builds of one job.
  const isSerial = fields.flag('serial') === true || groups.length > 0;
  const concurrency = isSerial ? 1 : maxInFlight;
  if (concurrency > 0) body.push(hclAttribute('concurrency', String(Math.min(concurrency, MAX_CONCURRENCY))));
  writeWords('serial_groups', renameGroups(groups, conversion), body, conversion);
  fields.leaveOut(body, {
    interruptible:
      'builds continue when an operator restarts; the attribute of this name cancels older builds',
    disable_manual_trigger: 'anyone with the role write can trigger every job',
    public: 'a pipeline is public as a whole',
    build_log_retention: 'the installation sets how long builds are stored',
    build_logs_to_retain: 'the installation sets how long builds are stored',
  });
}

/** The serial groups with their names in Millrace. Warns about each group whose name changes. */
function renameGroups(groups: readonly TagText[], conversion: Conversion): TagText[] {
  return groups.map(({ text, span }) => {
    const name = conversion.serialGroups.get(text) ?? text;
    if (name !== text)
      conversion.warn(
        span,
        `the serial group ${text} is renamed to ${name}`,
        'Serial groups have lower-case letters, digits and "-".',
      );
    return { text: name, span };
  });
}

const MAX_CONCURRENCY = 1000;
