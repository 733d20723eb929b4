import { defined } from '#defined';
import type { PipelineName } from '#flows/names.ts';
import type { ObjectAnswer } from '#flows/people/object-ports.ts';
import { poll, type PollPorts } from '#flows/people/poll.ts';
import type { AuditedAct, MemberStore } from '#flows/people/ports.ts';
import { findingsOf, type ManifestFinding } from './diagnose-manifest.ts';
import type { Compiler } from './manifest-ports.ts';
import type { PipelineObject, PipelineObjectKey, PipelineObjects, PipelineSpec } from './object-ports.ts';

export interface ChangePipelinePorts extends PollPorts {
  objects: PipelineObjects;
  members: Pick<MemberStore, 'namespaceOf'>;
  compiler: Compiler;
}

export type PipelineChanged =
  | Exclude<ObjectAnswer, { answer: 'done' }>
  | { answer: 'invalid'; findings: ManifestFinding[] }
  /** The object is written. Without `verdict`, the operator has not decided yet. */
  | ({ answer: 'done'; warnings: ManifestFinding[] } & Pick<PipelineObject, 'verdict' | 'undecided'>);

/** Validates a text as `millrace validate` does. Saves nothing. */
export async function validatePipeline(
  { config, vars = {} }: Pick<PipelineSpec, 'config' | 'vars'>,
  compiler: Compiler,
): Promise<ManifestFinding[]> {
  return await findingsOf({ config, vars, varsElsewhere: false }, compiler);
}

export async function createPipeline(
  { team, pipeline }: PipelineName,
  spec: PipelineSpec,
  act: AuditedAct,
  ports: ChangePipelinePorts,
): Promise<PipelineChanged> {
  const objectKey = await objectKeyOf({ team, pipeline }, ports);
  if (objectKey === undefined) return { answer: 'unknown' };
  const findings = await validatePipeline(spec, ports.compiler);
  if (refuses(findings)) return { answer: 'invalid', findings };
  const created = await ports.objects.create({ ...objectKey, spec }, act.by);
  return created.answer === 'done' ? await waitForVerdict(created.value, findings, ports) : created;
}

/**
 * Changes the object, and waits a limited time for the operator's verdict. With `generation`, changes only an
 * object of this generation.
 */
export async function updatePipeline(
  { generation, ...name }: PipelineName & { generation?: number },
  change: (known: PipelineSpec) => PipelineSpec,
  act: AuditedAct,
  ports: ChangePipelinePorts,
): Promise<PipelineChanged> {
  const read = await readToChange(name, ports);
  if (read.answer !== 'done') return read;
  if (generation !== undefined && generation !== read.value.generation) return { answer: 'changed' };
  const spec = change(read.value.spec);
  const findings = await validatePipeline(spec, ports.compiler);
  if (refuses(findings)) return { answer: 'invalid', findings };
  const written = await ports.objects.replace(read.value, spec, act.by);
  return written.answer === 'done' ? await waitForVerdict(written.value, findings, ports) : written;
}

/** Reads the object of a pipeline that the API created. */
export async function readPipeline(
  name: PipelineName,
  ports: Pick<ChangePipelinePorts, 'objects' | 'members'>,
): Promise<ObjectAnswer<PipelineObject>> {
  const objectKey = await objectKeyOf(name, ports);
  return objectKey === undefined ? { answer: 'unknown' } : await ports.objects.read(objectKey);
}

/**
 * Reads a pipeline object that a request is about to change or rename. Refuses an object that the API must
 * not change.
 */
export async function readToChange(
  name: PipelineName,
  ports: Pick<ChangePipelinePorts, 'objects' | 'members'>,
): Promise<ObjectAnswer<PipelineObject>> {
  const read = await readPipeline(name, ports);
  if (read.answer !== 'done') return read;
  const { deleting, others } = read.value;
  if (deleting)
    return {
      answer: 'refused',
      message: 'The pipeline is being deleted. Wait until it is gone, then create it again.',
    };
  if (others.length === 0) return read;
  const message =
    `The Pipeline object has ${others.map((other) => `spec.${other}`).join(', ')}, ` +
    'which a change through the API would remove. Change the object with kubectl.';
  return { answer: 'refused', message };
}

/**
 * Deletes the object, and waits a limited time until it is gone. The operator stops the builds first. The
 * history stays.
 */
export async function deletePipeline(
  name: PipelineName,
  ports: ChangePipelinePorts,
): Promise<Exclude<ObjectAnswer, { answer: 'done' }> | { answer: 'gone' } | { answer: 'waiting' }> {
  const read = await readPipeline(name, ports);
  if (read.answer !== 'done') return read;
  const removed = await ports.objects.remove(read.value);
  if (removed.answer !== 'done' && removed.answer !== 'unknown') return removed;
  return { answer: (await waitUntilGone(read.value, ports)) ? 'gone' : 'waiting' };
}

/** Waits a limited time until the object is deleted. Returns whether it has been deleted. */
export async function waitUntilGone(
  object: PipelineObject,
  { objects, ...ports }: Pick<ChangePipelinePorts, 'objects' | keyof PollPorts>,
  maxWaitMs?: number,
): Promise<boolean> {
  const isGone = async (): Promise<true | undefined> => {
    const read = await objects.read(object);
    if (read.answer === 'unknown') return true;
    return read.answer === 'done' && read.value.uid !== object.uid ? true : undefined;
  };
  return (await poll(isGone, ports, maxWaitMs)) ?? false;
}

async function objectKeyOf(
  { team, pipeline }: PipelineName,
  { members }: Pick<ChangePipelinePorts, 'members'>,
): Promise<PipelineObjectKey | undefined> {
  const namespace = await members.namespaceOf(team);
  return namespace === undefined ? undefined : { namespace, name: pipeline };
}

function refuses(findings: readonly ManifestFinding[]): boolean {
  return findings.some(({ severity }) => severity === 'error');
}

/** Waits a limited time for the operator's verdict. `unknown`: the object was deleted meanwhile. */
export async function waitForVerdict(
  written: PipelineObject,
  warnings: ManifestFinding[],
  { objects, ...ports }: Pick<ChangePipelinePorts, 'objects' | keyof PollPorts>,
): Promise<PipelineChanged> {
  let undecided: PipelineObject['undecided'];
  const decided = await poll(async (): Promise<PipelineChanged | undefined> => {
    const read = await objects.read(written);
    if (read.answer === 'unknown') return read;
    if (read.answer !== 'done' || read.value.generation < written.generation) return undefined;
    const { verdict } = read.value;
    if (verdict !== undefined) return { answer: 'done', verdict, warnings };
    ({ undecided } = read.value);
    return undefined;
  }, ports);
  return decided ?? { answer: 'done', warnings, ...defined({ undecided }) };
}
