import { isActive } from '#domain/scheduling/build-changes.ts';
import type { InterruptFacts, VersionOrigin } from '#domain/scheduling/interrupt-older.ts';
import { allVersions, type History } from './history.ts';

/** The label `v1@12` is version v1 of pull request 12, `v1@main` is v1 of the branch main. */
export function originOfLabel(label: string): VersionOrigin {
  const [, origin] = label.split('@');
  if (origin === undefined) return {};
  return /^\d+$/.test(origin) ? { pr: origin } : { branch: origin };
}

export function interruptFactsOf({ builds, resources }: History): InterruptFacts {
  const versions = resources.flatMap((resource) => allVersions(resource));
  return {
    open: builds.filter(({ status }) => isActive(status)),
    origins: new Map(versions.map(({ id, label }) => [id, originOfLabel(label)])),
  };
}
