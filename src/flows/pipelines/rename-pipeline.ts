import type { PipelineName } from '#flows/names.ts';
import type { ObjectAnswer } from '#flows/people/object-ports.ts';
import type { AuditedAct } from '#flows/people/ports.ts';
import {
  readToChange,
  waitForVerdict,
  waitUntilGone,
  type ChangePipelinePorts,
  type PipelineChanged,
} from './change-pipeline.ts';
import type { PipelineObject } from './object-ports.ts';
import type { RenameAnswer, RenamedFrom, RenameRequests } from './rename-ports.ts';

/** How long a request waits for the deletion of the old object, at most. */
const MAX_DELETION_MS = 2000;

interface RenamePipelinePorts extends Pick<ChangePipelinePorts, 'objects' | 'members' | 'wait' | 'elapsed'> {
  renames: RenameRequests;
}

/**
 * Records the rename, then creates an object with the new name. The operator does the rest, even if this
 * process dies. A repeated call continues where the first one stopped.
 */
export async function renamePipeline(
  name: PipelineName,
  to: string,
  act: AuditedAct,
  ports: RenamePipelinePorts,
): Promise<PipelineChanged> {
  const read = await readToChange(name, ports);
  if (read.answer !== 'done') return read;
  const old = read.value;
  const outcome = await ports.renames.requestRename({ ...name, uid: old.uid, to }, act);
  if (outcome.answer !== 'requested') return refusal(name, to, outcome);
  const renamedFrom = { name: old.name, uid: old.uid, key: outcome.key };
  const created = await createOrUpdate({ old, to, renamedFrom }, act, ports);
  if (created.answer !== 'done') return created;
  // The text is the same as before, so it is not validated and there are no warnings.
  const answer = await waitForVerdict(created.value, [], ports);
  // Once the old object is deleted, its name is free.
  if (answer.answer === 'done' && answer.verdict?.ready === true)
    await waitUntilGone(old, ports, MAX_DELETION_MS);
  return answer;
}

function refusal(
  { pipeline }: PipelineName,
  to: string,
  outcome: Exclude<RenameAnswer, { answer: 'requested' }>,
): Exclude<ObjectAnswer, { answer: 'done' }> {
  if (outcome.answer === 'taken') return { answer: 'exists' };
  if (outcome.answer === 'unknown')
    return refused(`The operator has not applied ${pipeline} yet: wait until it has.`);
  if (outcome.answer === 'history')
    return refused(`A deleted pipeline has its history under the name ${to}. Choose another name.`);
  const builds = outcome.builds === 1 ? 'one of its builds runs' : `${outcome.builds} of its builds run`;
  const advice = 'pause it, and wait for them or cancel them';
  return refused(`${pipeline} cannot be renamed while ${builds}: ${advice}.`);
}

function refused(message: string): { answer: 'refused'; message: string } {
  return { answer: 'refused', message };
}

interface NewName {
  old: PipelineObject;
  to: string;
  renamedFrom: RenamedFrom;
}

/**
 * Creates the new object. If an earlier attempt has created it, gives it the current spec of the pipeline.
 */
async function createOrUpdate(
  { old, to, renamedFrom }: NewName,
  { by }: AuditedAct,
  { objects }: Pick<RenamePipelinePorts, 'objects'>,
): Promise<ObjectAnswer<PipelineObject>> {
  const objectKey = { namespace: old.namespace, name: to };
  const created = await objects.create({ ...objectKey, spec: old.spec, renamedFrom }, by);
  if (created.answer !== 'exists') return created;
  const existing = await objects.read(objectKey);
  const isOfThisRename = existing.answer === 'done' && existing.value.renamedFrom?.key === renamedFrom.key;
  return isOfThisRename ? await objects.replace(existing.value, old.spec, by) : created;
}
