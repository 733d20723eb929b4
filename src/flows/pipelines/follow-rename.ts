import type { PipelineCluster, PipelineManifest } from './manifest-ports.ts';
import type { PipelineStore } from './ports.ts';
import type { Renaming } from './rename-ports.ts';

export interface FollowRenamePorts {
  store: Pick<PipelineStore, 'renamedTo' | 'renameState' | 'completeRename'>;
  cluster: Pick<PipelineCluster, 'compareRenamed' | 'removeObject'>;
  now: () => Date;
}

/** Why the caller must not apply the object. */
export type RenameOutcome =
  /** Another object has taken over the pipeline of this object. This object is deleted. */
  | { outcome: 'renamed'; to: string }
  /**
   * The object has not taken over the pipeline. `Renaming`: running builds must end first. `RenameRefused`:
   * Millrace refuses the rename.
   */
  | { outcome: 'renaming'; reason: 'Renaming' | 'RenameRefused'; message: string };

/**
 * Does the part of a rename that concerns this object. A new object takes over the pipeline's row, and then
 * the caller applies it. An old object is deleted once the new one has the row. After a crash, the next call
 * continues. Returns undefined if the caller is to apply the object, renamed or not.
 */
export async function followRename(
  manifest: PipelineManifest,
  ports: FollowRenamePorts,
): Promise<RenameOutcome | undefined> {
  const renamed = await ports.store.renamedTo(manifest.uid);
  if (renamed !== undefined) {
    await ports.cluster.removeObject(manifest);
    return { outcome: 'renamed', to: renamed.pipeline };
  }
  const { renamedFrom } = manifest;
  return renamedFrom === undefined ? undefined : await takeOver({ ...manifest, renamedFrom }, ports);
}

async function takeOver(renaming: Renaming, ports: FollowRenamePorts): Promise<RenameOutcome | undefined> {
  const { name } = renaming.renamedFrom;
  const state = await ports.store.renameState(renaming);
  // `own`: a pipeline of this name exists and no rename is requested, so the annotation is ignored.
  if (state === 'done' || state === 'own') return undefined;
  if (state === 'not-requested') return refused(name, `No rename of ${name} to this name is requested.`);
  const old = await ports.cluster.compareRenamed(renaming);
  if (old === 'changed')
    return refused(
      name,
      `${name} has changed since its rename to this name was requested: request the rename again.`,
    );
  if (old === 'managed')
    return refused(name, `${name} is managed by a manifest, so the API cannot rename it.`);
  const completed = await ports.store.completeRename(renaming, ports.now());
  if (completed.answer === 'done') return undefined;
  if (completed.answer === 'not-requested')
    return refused(name, `The rename of ${name} to this name is no longer requested.`);
  if (completed.answer === 'taken')
    return refused(name, `Another pipeline of ${renaming.team} has this name.`);
  if (completed.answer === 'history')
    return refused(name, `A deleted pipeline has its history under this name.`);
  return { outcome: 'renaming', reason: 'Renaming', message: waitingFor(name, completed.builds) };
}

function waitingFor(name: string, builds: number): string {
  return `${name} gets this name once its running builds (${builds}) have ended. It keeps its old name until then.`;
}

const ADVICE =
  'No pipeline runs under this name. Delete this object, ' +
  'or remove its annotation millrace.dev/renamed-from to make it a pipeline of its own.';

function refused(name: string, why: string): RenameOutcome {
  return { outcome: 'renaming', reason: 'RenameRefused', message: `${why} ${ADVICE} ${name} is unchanged.` };
}
