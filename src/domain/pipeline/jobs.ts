import { defined } from '#defined';
import { blocksOf, boolAt, isFullyRead, labelAt, numberAt, stringAt } from '#domain/language/block-values.ts';
import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import { reportForInstance } from '#domain/language/in-instances.ts';
import type { LocatedString } from '#domain/language/read-attribute.ts';
import { readBlock, type ReadBlock } from '#domain/language/read-block.ts';
import { job as jobSchema } from '#domain/language/schema-job.ts';
import type { Block, Label, Range } from '#domain/language/syntax.ts';
import type { CompileContext } from './compile-context.ts';
import { checkConditionNames } from './condition-names.ts';
import { readIdentities } from './identity.ts';
import { warnOfInputCase } from './input-case.ts';
import { readInputs } from './inputs.ts';
import {
  describeInstance,
  groupLabel,
  instanceName,
  JOB_GROUP,
  readInstances,
  withEach,
  withoutGroup,
  type Instance,
} from './instances.ts';
import { LIMITS } from './limits.ts';
import { checkName, claimName } from './name.ts';
import type { Approval, Job } from './pipeline.ts';
import { hooksOf, readHook } from './read-hooks.ts';
import { checkJobCaches, withSaves } from './read-job-caches.ts';
import { readPlan, type PlanContext } from './read-plan.ts';
import { readNotify } from './read-steps.ts';
import { warnOfSharedPrefixes } from './shared-prefix.ts';
import type { GetStep } from './steps.ts';
import { readTags } from './tags.ts';

/** A job that was read, with what the checks between jobs need to know of its text. */
export interface JobDraft {
  job: Job;
  /** Each get, with the names in its `passed` and their ranges in the text. */
  gets: { step: GetStep; passed: LocatedString[]; range: Range }[];
  /** A nested block, such as a step or hook, could not be read. */
  incomplete: boolean;
  /** The former name, and its range in the text. */
  oldName?: LocatedString;
  /** The range of `supersede = false` in the text. */
  supersede?: Range;
  /** Reports what is wrong with the job in relation to other jobs. */
  report: Report;
}

export interface JobsRead {
  drafts: JobDraft[];
  /** Names of the instances by the name of their group. */
  groups: Map<string, string[]>;
  /** Every block as it was read, once for each instance. */
  blocks: ReadBlock[];
  /** A job or the elements of a group could not be read. A name that seems unknown may be defined there. */
  incomplete: boolean;
}

export type JobContext = CompileContext & Omit<PlanContext, 'gets' | 'inBranch'>;

export function readJobs(blocks: readonly Block[], context: JobContext): JobsRead {
  const read: JobsRead = { drafts: [], groups: new Map(), blocks: [], incomplete: false };
  const taken = new Map<string, Label>();
  for (const block of blocks) readJobBlock(block, { read, taken }, context);
  if (read.drafts.length > LIMITS.jobs) {
    const message = `the pipeline has ${read.drafts.length} jobs; at most ${LIMITS.jobs} are allowed`;
    context.report(diagnose('too-many-instances', undefined, message));
  }
  return read;
}

interface Progress {
  read: JobsRead;
  taken: Map<string, Label>;
}

function readJobBlock(block: Block, progress: Progress, context: JobContext): void {
  const { read, taken } = progress;
  const label = groupLabel(block, JOB_GROUP);
  const instances = readInstances(context.reader, block, JOB_GROUP);
  const singleBlock = withoutGroup(block, JOB_GROUP);
  // A missing label is reported elsewhere.
  const isNameValid = block.labels.length > 0 && checkName(context.report, 'name', 'job', label);
  const isNameClaimed =
    block.labels.length > 0 && claimName(taken, context.report, 'job', label) && isNameValid;
  if (instances === 'single') {
    const draft = readInstance(singleBlock, undefined, read, context);
    if (draft && isNameClaimed) read.drafts.push(draft);
  } else if (instances === 'broken') {
    // The content of the block is validated even if its instances are unknown.
    readInstance(singleBlock, 'unknown', read, context);
    read.incomplete = true;
  } else readGroup(singleBlock, instances, { ...progress, isNameClaimed }, context);
}

function readGroup(
  block: Block,
  instances: readonly Instance[],
  { read, taken, isNameClaimed }: Progress & { isNameClaimed: boolean },
  context: JobContext,
): void {
  const label = groupLabel(block, JOB_GROUP);
  const names: string[] = [];
  read.groups.set(label.text, names);
  if (instances.length === 0) readInstance(block, 'unknown', read, context);
  for (const instance of instances) {
    const instanceForMessages = describeInstance(label.text, instance, instances.length);
    const report = reportForInstance(context.report, instanceForMessages);
    const reader = { ...context.reader, report };
    const draft = readInstance(block, instance, read, { ...context, reader, report });
    const name = { text: instanceForMessages.name, range: label.range };
    if (!draft || !isNameClaimed || !claimName(taken, context.report, 'job', name)) continue;
    names.push(name.text);
    read.drafts.push(draft);
  }
}

function readInstance(
  block: Block,
  instance: Instance | 'unknown' | undefined,
  read: JobsRead,
  context: JobContext,
): JobDraft | undefined {
  const readJob = readBlock(withEach(context.reader, instance), block, jobSchema);
  if (!readJob) {
    read.incomplete = true;
    return undefined;
  }
  read.blocks.push(readJob);
  return draftOf(readJob, instance === 'unknown' ? undefined : instance, context);
}

function draftOf(block: ReadBlock, instance: Instance | undefined, context: JobContext): JobDraft {
  const { report } = context;
  const label = labelAt(block, 0).text;
  const plan = { ...context, gets: [], inBranch: false };
  const steps = withSaves(readPlan(block, plan));
  checkJobCaches(block, report);
  const inputs = readInputs(blocksOf(block, 'input'), report);
  const identity = readIdentities(blocksOf(block, 'identity'), report);
  const onTrigger = readHook(block, 'on_trigger', plan);
  const oldName = oldNameOf(block, instance, report);
  const supersede =
    boolAt(block, 'supersede') === false ? block.attributes.get('supersede')?.range : undefined;
  warnOfMissingSteps(block, context);
  warnOfSharedPrefixes(block, report);
  checkConditionNames(block, report);
  warnOfInputCase(block, report);
  return {
    job: {
      name: instance ? instanceName(label, instance.key) : label,
      ...(oldName && { oldName: oldName.text }),
      ...(instance && { group: { name: label, key: instance.key } }),
      ...settingsOf(block, report),
      ...(inputs.length > 0 && { inputs }),
      ...(identity.length > 0 && { identity }),
      ...approvalOf(block, plan),
      steps,
      ...hooksOf(block, plan),
      ...(onTrigger.length > 0 && { onTrigger }),
    },
    gets: plan.gets,
    ...defined({ oldName, supersede }),
    incomplete: !isFullyRead(block),
    report,
  };
}

/** The former name. For an instance, it is the name of the former group's instance with the same key. */
function oldNameOf(
  block: ReadBlock,
  instance: Instance | undefined,
  report: Report,
): LocatedString | undefined {
  const old = stringAt(block, 'old_name');
  if (!old || !checkName(report, 'name', 'job', old)) return undefined;
  return instance ? { ...old, text: instanceName(old.text, instance.key) } : old;
}

function settingsOf(block: ReadBlock, report: Report): Partial<Job> {
  const concurrency = numberAt(block, 'concurrency');
  const timeoutSeconds = numberAt(block, 'timeout');
  const tags = readTags(block, 'tags', report);
  const serialGroups = readTags(block, 'serial_groups', report);
  return {
    ...(concurrency !== undefined && concurrency > 0 && { concurrency }),
    ...defined({ timeoutSeconds }),
    ...(tags.length > 0 && { tags }),
    ...(serialGroups.length > 0 && { serialGroups }),
    ...(boolAt(block, 'disable_retry') === true && { disableRetry: true }),
    ...(boolAt(block, 'allow_failure') === true && { allowFailure: true }),
    ...(boolAt(block, 'interruptible') === true && { interruptible: true }),
    ...(boolAt(block, 'supersede') === false && { supersede: false }),
  };
}

function approvalOf(block: ReadBlock, context: PlanContext): { approval?: Approval } {
  const [approve] = blocksOf(block, 'approve');
  if (!approve) return {};
  const label = labelAt(approve, 0);
  checkName(context.report, 'title', 'gate', label);
  const timeoutSeconds = numberAt(approve, 'timeout');
  return {
    approval: {
      label: label.text,
      approvals: numberAt(approve, 'approvals') ?? 1,
      ...defined({ timeoutSeconds }),
      ...(boolAt(approve, 'not_by_trigger') === true && { notByTrigger: true }),
      notify: blocksOf(approve, 'notify').map((notify) => readNotify(notify, context)),
    },
  };
}

function warnOfMissingSteps(block: ReadBlock, { report, incomplete }: JobContext): void {
  const hasSteps = block.blocks.some(({ type }) => stepTypes.has(type));
  if (hasSteps || block.misread.size > 0 || incomplete) return;
  const label = labelAt(block, 0).text;
  report(diagnose('job-without-steps', block.range, `the job "${label}" has no steps`));
}

const stepTypes = new Set(['get', 'task', 'put', 'notify', 'service', 'in_parallel', 'if']);
