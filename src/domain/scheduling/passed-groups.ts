import type { GetFacts } from './facts.ts';
import type { Snapshot } from './snapshot.ts';
import { solvePassed, type PassedGet, type Solution } from './solve-passed.ts';

/** A get of a job and its position among the gets of the job. */
export interface JobGet {
  position: number;
  get: GetFacts;
}

/**
 * Gets with `passed`, in groups that are solved together because they share upstream jobs, directly or
 * through other gets. Within a group triggers come first: the solver gives earlier gets the newer versions.
 */
export function passedGroups(gets: readonly GetFacts[]): JobGet[][] {
  let groups: { upstreams: Set<number>; members: JobGet[] }[] = [];
  for (const [position, get] of gets.entries()) {
    if (get.passed.length === 0) continue;
    const upstreamJobs = get.passed.map(({ job }) => job);
    const connected = groups.filter(({ upstreams }) => upstreamJobs.some((job) => upstreams.has(job)));
    const upstreams = new Set([...upstreamJobs, ...connected.flatMap((group) => [...group.upstreams])]);
    const members = [{ position, get }, ...connected.flatMap((group) => group.members)];
    groups = [...groups.filter((group) => !connected.includes(group)), { upstreams, members }];
  }
  const rank = ({ position, get }: JobGet): number => position + (get.trigger ? 0 : gets.length);
  return groups.map(({ members }) => members.toSorted((a, b) => rank(a) - rank(b)));
}

/**
 * The newest versions that the gets of a group may take together, in the order of the group. A pinned get
 * takes its pin. The get at the position of `required` takes the version of `required`, whatever is pinned.
 */
export function solveGroup(
  group: readonly JobGet[],
  snapshot: Snapshot,
  required?: { position: number; version: number },
): Solution {
  const gets = group.map(({ position, get }): PassedGet => {
    const { pinned, held } = snapshot.resource(get.resource);
    const only = required?.position === position ? required.version : pinned?.version;
    return {
      resource: get.resource,
      passed: get.passed.map(({ job }) => job),
      ...(only === undefined ? {} : { only }),
      ...(held === undefined ? {} : { isHeld: (version) => snapshot.idOf(version) >= held.from }),
    };
  });
  const solution = solvePassed(gets, snapshot.goodBuilds);
  return 'needs' in solution && snapshot.exhausted ? { tooDeep: true } : solution;
}
