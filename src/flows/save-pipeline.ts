import { differenceWithNames, withNames, type Renames } from '#domain/scheduling/definition-difference.ts';
import { definitionRows } from '#domain/scheduling/definition-rows.ts';
import type { PipelineToSave, SavedPipeline } from './ports.ts';
import type { HistoriesSwitched, SaveStore } from './save-ports.ts';

const NO_RENAMES: Renames = { jobs: new Map(), resources: new Map() };
const UNCHANGED: HistoriesSwitched = { changes: [], stopped: [] };

/** Everything that a new revision changes. A digest as before changes the settings and pins only. */
export async function savePipeline(toSave: PipelineToSave, store: SaveStore): Promise<SavedPipeline> {
  return await store.withPipelineToSave(toSave, async (tx) => {
    const { id, digest, live, now, definition: old, revision: last } = tx.before;
    const isNew = digest !== toSave.digest;
    const changed = isNew || !live;
    const revision = isNew ? last + 1 : last;
    if (isNew) await tx.saveRevision();
    const renames = changed ? await tx.carryNames(revision) : NO_RENAMES;
    const before = withNames(old, renames);
    const previous = live ? before : undefined;
    const { definition } = toSave;
    const saving = { pipeline: id, previous, before, definition, now: now.getTime() };
    const switched = changed
      ? await tx.saveDefinition(definitionRows(saving, store.cronNext), revision)
      : UNCHANGED;
    await tx.saveSettings();
    const unpinned = await tx.savePins(pinsOf(toSave));
    const stopped = [...switched.stopped, ...(unpinned ?? [])];
    const difference = differenceWithNames(previous, definition, renames);
    return {
      id,
      revision,
      changed,
      resources: await tx.resources(),
      difference: { ...difference, histories: switched.changes },
      ...((unpinned !== undefined || stopped.length > 0) && { repinned: { stopped } }),
    };
  });
}

/** A pin of the manifest may still have the old name of a resource. */
function pinsOf({ pins = [], definition }: PipelineToSave): NonNullable<PipelineToSave['pins']> {
  const names = new Map(definition.resources.map(({ name, oldName }) => [oldName, name]));
  const named = new Set(pins.map(({ resource }) => resource));
  return pins.map((pin) => {
    const name = names.get(pin.resource);
    return name === undefined || named.has(name) ? pin : { ...pin, resource: name };
  });
}
