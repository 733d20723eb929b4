import { diagnose } from '#domain/language/diagnostic.ts';
import type { Report } from '#domain/language/diagnostic.ts';
import { blocksOf, boolAt, labelAt, textsAt } from '#domain/language/read-block.ts';
import type { Parameter, ReadBlock } from '#domain/language/read-block.ts';
import type { Text } from '#domain/language/read-attribute.ts';
import { didYouMean } from '#domain/language/suggest.ts';
import type { Label, Range } from '#domain/language/syntax.ts';
import { readCommand } from './command.ts';
import { checkName, claimName } from './name.ts';
import type { Job, PutStep, Step, TaskStep } from './pipeline.ts';
import type { KnownResource, KnownResources } from './resources.ts';

export interface JobDraft {
  job: Job;
  label: Label;
  /** What each get asks of other jobs, with the places in the text. */
  passed: { resource: string; jobs: Text[] }[];
  /** A step could not be read. */
  incomplete: boolean;
}

interface Surroundings {
  resources: KnownResources['byName'];
  report: Report;
  /** Names may seem unknown only because a block could not be read. */
  incomplete: boolean;
}

export function readJobs(blocks: readonly ReadBlock[], around: Surroundings): JobDraft[] {
  const taken = new Map<string, Label>();
  return blocks.flatMap((block) => {
    const label = labelAt(block, 0);
    const named = checkName(around.report, 'name', 'job', label);
    const unique = claimName(taken, around.report, 'job', label);
    const draft = readJob(block, label, around);
    return named && unique ? [draft] : [];
  });
}

function readJob(block: ReadBlock, label: Label, around: Surroundings): JobDraft {
  const incomplete = block.misread.size > 0;
  const draft: JobDraft = { job: { name: label.text, steps: [] }, label, passed: [], incomplete };
  for (const child of block.blocks) {
    const step = readStep(child, draft, around);
    if (step) draft.job.steps.push(step);
  }
  if (block.blocks.length === 0 && block.misread.size === 0 && !around.incomplete) {
    around.report(diagnose('job-without-steps', block.range, `the job "${label.text}" has no steps`));
  }
  warnOfSharedPrefixes(block.blocks, around.report);
  return draft;
}

function readStep(block: ReadBlock, draft: JobDraft, around: Surroundings): Step | undefined {
  switch (block.type) {
    case 'get':
      return readGet(block, draft, around);
    case 'task':
      return readTask(block, around.report);
    default:
      return readPut(block, around);
  }
}

function readGet(block: ReadBlock, draft: JobDraft, around: Surroundings): Step | undefined {
  const found = findResource(block, around);
  const name = `${labelAt(block, 0).text}.${labelAt(block, 1).text}`;
  const passed = textsAt(block, 'passed');
  draft.passed.push({ resource: name, jobs: passed });
  if (found && !found.type.type.check && !found.type.type.pull && !found.type.type.builtIn) {
    const message = `a get cannot use ${name}: its type ${found.type.type.name} can neither check nor pull`;
    around.report(diagnose('get-not-supported', block.range, message));
  }
  return {
    kind: 'get',
    name: labelAt(block, 1).text,
    resource: name,
    trigger: boolAt(block, 'trigger') ?? false,
    passed: [...new Set(passed.map(({ text }) => text))],
  };
}

function readTask(block: ReadBlock, report: Report): TaskStep | undefined {
  const label = labelAt(block, 0);
  const named = checkName(report, 'title', 'task', label);
  const [command] = blocksOf(block, 'run');
  const run = command && readCommand(command, report);
  return run && named ? { kind: 'task', name: label.text, run } : undefined;
}

function readPut(block: ReadBlock, around: Surroundings): PutStep {
  const found = findResource(block, around);
  const name = `${labelAt(block, 0).text}.${labelAt(block, 1).text}`;
  if (found && !found.type.type.push) {
    const message = `a put cannot use ${name}: its type ${found.type.type.name} has no push`;
    around.report(diagnose('put-not-supported', block.range, message));
  }
  const parameters = [
    ...block.parameters,
    ...blocksOf(block, 'params').flatMap((params) => params.parameters),
  ];
  checkPutParameters(parameters, around.report);
  return {
    kind: 'put',
    name: labelAt(block, 1).text,
    resource: name,
    params: Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.text])),
  };
}

function checkPutParameters(parameters: readonly Parameter[], report: Report): void {
  const seen = new Set<string>();
  for (const { name, nameRange } of parameters) {
    if (seen.has(name))
      report(diagnose('duplicate-parameter', nameRange, `the parameter ${name} is set twice`));
    seen.add(name);
    if (!/^\w+$/.test(name))
      report(diagnose('unreadable-parameter', nameRange, `a shell cannot read $put_${name}`));
  }
}

function findResource(
  block: ReadBlock,
  { resources, report, incomplete }: Surroundings,
): KnownResource | undefined {
  const [type, label] = [labelAt(block, 0), labelAt(block, 1)];
  const name = `${type.text}.${label.text}`;
  const found = resources.get(name);
  if (found === 'broken' || incomplete) return undefined;
  if (found) return found;
  const range: Range = { start: type.range.start, end: label.range.end };
  report(
    diagnose(
      'unknown-resource',
      range,
      `there is no resource "${name}"${didYouMean(name, resources.keys())}`,
    ),
  );
  return undefined;
}

function warnOfSharedPrefixes(steps: readonly ReadBlock[], report: Report): void {
  const taken = new Set<string>();
  for (const { type, labels } of steps) {
    const label = labels.at(-1);
    if (!label || type === 'put') continue;
    const prefix = `${type}_${label.text}_`.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
    if (taken.has(prefix))
      report(diagnose('shared-prefix', label.range, `an earlier step of the job also writes $${prefix}*`));
    taken.add(prefix);
  }
}
