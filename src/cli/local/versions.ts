import { builtInSource } from '#domain/pipeline/built-in-source.ts';
import type { Job, Pipeline, ResourceType } from '#domain/pipeline/pipeline.ts';
import { isTriggerStream } from '#domain/pipeline/resources.ts';
import { getsOf } from '#domain/pipeline/steps.ts';
import { resourceTypeIn } from '#domain/planning/find-in-pipeline.ts';
import { isRunnable } from '#domain/planning/runnable.ts';

export type VersionSource =
  /** Derived from a local directory. */
  | { from: 'folder'; folder: string; field: 'ref' | 'hash' }
  /** The newest that a check finds. */
  | { from: 'check' }
  /** The current time: a built-in type without a check script, such as cron. */
  | { from: 'clock' }
  /** A made-up event: the type trigger. */
  | { from: 'event' }
  /** The type has no check. */
  | { from: 'nothing' };

/** Where the version of each resource that the job gets comes from. */
export function versionSources(
  pipeline: Pipeline,
  job: Job,
  folders: ReadonlyMap<string, string>,
): Map<string, VersionSource> {
  const names = new Set(getsOf(job.steps).map(({ resource }) => resource));
  return new Map(
    [...names].map((name) => [name, sourceOf(resourceTypeIn(pipeline, name), folders.get(name))] as const),
  );
}

function sourceOf(type: ResourceType, folder: string | undefined): VersionSource {
  if (folder !== undefined)
    return { from: 'folder', folder, field: builtInSource(type) === 'svc://fs' ? 'hash' : 'ref' };
  if (type.check !== undefined && isRunnable(type.check)) return { from: 'check' };
  if (isTriggerStream(type)) return { from: 'event' };
  return { from: type.builtIn ? 'clock' : 'nothing' };
}
