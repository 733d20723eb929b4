import { isActive } from '#domain/scheduling/build-changes.ts';
import { isAutomatic } from '#domain/scheduling/decision.ts';
import {
  addVersion,
  jobOf,
  unsettle,
  type History,
  type HistoryGet,
  type HistoryResource,
} from './history.ts';

/**
 * Changes the source of a resource: its type and params, which identify the check scope in the database. Each
 * source has its own versions, and each get has its own marks for each source. A pin moves to the version
 * with the same label, if there is one. Automatic builds that take a version of the resource and have not
 * started are cancelled and release what they used.
 */
export function changeSource(history: History, resource: HistoryResource, source: string): void {
  const oldSource = resource.source ?? '';
  if (oldSource === source) return;
  const gets = history.jobs.flatMap((job) => job.gets).filter((get) => get.resource === resource.id);
  cancelUnstarted(history, resource);
  const former = (resource.former ??= new Map());
  former.set(oldSource, resource.versions);
  const pinned = resource.versions.find(({ id }) => id === resource.pinned)?.label;
  resource.versions = former.get(source) ?? [];
  former.delete(source);
  resource.source = source;
  delete resource.held;
  const samePinned = resource.versions.find(({ label }) => label === pinned);
  if (samePinned !== undefined) resource.pinned = samePinned.id;
  for (const get of gets)
    changeMarks(get, { oldSource, source, newest: Math.max(0, ...resource.versions.map(({ id }) => id)) });
}

/**
 * Exchanges the marks of a get. If the source is new to the get, the baseline covers all known versions of
 * the source.
 */
function changeMarks(
  get: HistoryGet,
  { oldSource, source, newest }: { oldSource: string; source: string; newest: number },
): void {
  const former = (get.former ??= new Map());
  const { baseline, settled, floor = 0 } = get;
  former.set(oldSource, { baseline, settled, floor });
  Object.assign(get, former.get(source) ?? { baseline: newest, settled: 0, floor: 0 });
  former.delete(source);
}

function cancelUnstarted(history: History, { id }: HistoryResource): void {
  for (const build of history.builds) {
    if (!isActive(build.status) || build.status === 'started' || !isAutomatic(build.cause.kind)) continue;
    if (!build.inputs.some(({ resource }) => resource === id)) continue;
    build.status = 'cancelled';
    build.usedNothing = true;
    unsettle(jobOf(history, build.job), build.inputs);
  }
}

/** Adds versions to the history of a source, which may no longer be the source of the resource. */
export function addOfSource(
  history: History,
  resource: HistoryResource,
  { source: versionSource, labels }: { source: string; labels: readonly string[] },
): void {
  const { source = '', versions } = resource;
  if (versionSource === source) {
    for (const label of labels) addVersion(history, resource.id, label);
    return;
  }
  const former = (resource.former ??= new Map());
  resource.versions = former.get(versionSource) ?? [];
  for (const label of labels) addVersion(history, resource.id, label);
  former.set(versionSource, resource.versions);
  resource.versions = versions;
}
