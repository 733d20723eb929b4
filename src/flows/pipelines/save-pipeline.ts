import { defined } from '#defined';
import { differenceWithNames, withNames, type NewNames } from '#domain/scheduling/definition-difference.ts';
import { definitionRows } from '#domain/scheduling/definition-rows.ts';
import { writePin, writeUnpin } from './pin-resource.ts';
import type { PipelineToSave, SavedPipeline } from './ports.ts';
import type { HistoriesSwitched, PipelineBefore, SaveStore, SaveTransaction } from './save-ports.ts';

const NO_RENAMES: NewNames = { jobs: new Map(), resources: new Map() };
const UNCHANGED: HistoriesSwitched = { changes: [], stopped: [] };

/**
 * Saves a new revision with its jobs, resources, settings and pins. If the digest is unchanged and the
 * pipeline was not removed, saves only settings and pins. Undefined: the team has reached its limit of
 * pipelines, so a new one is not saved.
 */
export async function savePipeline(
  toSave: PipelineToSave,
  store: SaveStore,
  at: Date,
): Promise<SavedPipeline | undefined> {
  return await store.withPipelineToSave(toSave, async (tx) => {
    if (!isSurplus(tx.before, toSave)) return await saveRevision(toSave, tx, { store, at });
    await tx.discard();
    return undefined;
  });
}

async function saveRevision(
  toSave: PipelineToSave,
  tx: SaveTransaction,
  { store, at }: { store: Pick<SaveStore, 'cronNext'>; at: Date },
): Promise<SavedPipeline> {
  const { id, digest, live, now, definition: oldDefinition, revision: lastRevision } = tx.before;
  const isNewRevision = digest !== toSave.digest;
  const changed = isNewRevision || !live;
  const revision = isNewRevision ? lastRevision + 1 : lastRevision;
  if (isNewRevision) await tx.saveRevision();
  const renames = changed ? await tx.applyRenames(revision) : NO_RENAMES;
  const before = withNames(oldDefinition, renames);
  const previous = live ? before : undefined;
  const { definition } = toSave;
  const saving = { pipeline: id, previous, before, definition, now: now.getTime() };
  const switched = changed
    ? await tx.saveDefinition(definitionRows(saving, store.cronNext), revision)
    : UNCHANGED;
  await tx.saveSettings();
  const stoppedByPins = await savePins(pinsOf(toSave), tx, at);
  const stopped = [...switched.stopped, ...(stoppedByPins ?? [])];
  const pinsChanged = stoppedByPins !== undefined;
  const schedulingChange = pinsChanged || stopped.length > 0 ? { stopped } : undefined;
  const difference = differenceWithNames(previous, definition, renames);
  return {
    id,
    revision,
    changed,
    resources: await tx.resources(),
    difference: { ...difference, histories: switched.changes },
    ...defined({ schedulingChange }),
  };
}

function isSurplus({ others }: PipelineBefore, { limit }: PipelineToSave): boolean {
  return others !== undefined && limit !== undefined && others >= limit;
}

/**
 * Writes the pins of the manifest that have changed or whose version was found meanwhile, and removes those
 * that the manifest no longer has. Returns the row ids of builds that ended; undefined: no pin changed.
 */
async function savePins(
  pins: NonNullable<PipelineToSave['pins']>,
  tx: SaveTransaction,
  at: Date,
): Promise<number[] | undefined> {
  const changed = await tx.changedPins(pins);
  if (changed.length === 0) return undefined;
  const stopped: number[] = [];
  for (const { resource, wanted, version } of changed) {
    if (wanted === undefined) {
      await writeUnpin(resource, tx.pins);
      continue;
    }
    const pin = { resource, wanted, by: 'manifest', ...defined({ version }) };
    stopped.push(...(await writePin(pin, at, tx.pins)));
  }
  return stopped;
}

/**
 * Replaces old names of resources by new ones: a pin of the manifest may still use the `old_name` of a
 * resource.
 */
function pinsOf({ pins = [], definition }: PipelineToSave): NonNullable<PipelineToSave['pins']> {
  const newNames = new Map(definition.resources.map(({ name, oldName }) => [oldName, name]));
  const pinnedNames = new Set(pins.map(({ resource }) => resource));
  return pins.map((pin) => {
    const newName = newNames.get(pin.resource);
    return newName === undefined || pinnedNames.has(newName) ? pin : { ...pin, resource: newName };
  });
}
