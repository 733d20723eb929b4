import type { GetStep } from '#domain/pipeline/pipeline.ts';
import { MOST_UNUSED, type InputFacts, type JobFacts, type Waiting } from './snapshot.ts';

/** What one get of a job would take now. */
export interface Choice {
  version?: number;
  /** Why there is none. */
  missing?: Pick<Waiting, 'code' | 'message'>;
  /** Ungated triggers: versions that each want a build, oldest first. */
  unused: number[];
  /** There are more of them than one decision takes. */
  capped: boolean;
  /** Gated triggers: no build of the job used this version or a newer one. */
  freshlyPassed: boolean;
}

export function chooseInputs(job: JobFacts): Choice[] {
  return job.gets.map((get, index) => {
    const facts = job.inputs[index] ?? { dealtWith: 0, unused: [], good: [] };
    return get.passed.length > 0 ? chooseGated(get, facts) : chooseUngated(get, facts);
  });
}

function chooseUngated(get: GetStep, facts: InputFacts): Choice {
  const none = { unused: [], capped: false, freshlyPassed: false };
  if (facts.latest === undefined) {
    return {
      ...none,
      missing: { code: 'NoVersion', message: `No version of ${get.resource} is known yet.` },
    };
  }
  if (!get.trigger) return { ...none, version: facts.latest };
  const waiting = facts.unused.filter((version) => version > facts.dealtWith).toSorted((a, b) => a - b);
  // The rest comes with the next decision: until then the last one taken counts as the newest, or inputs would repeat.
  const capped = waiting.length > MOST_UNUSED;
  const unused = waiting.slice(0, MOST_UNUSED);
  return { ...none, version: (capped ? unused.at(-1) : undefined) ?? facts.latest, unused, capped };
}

function chooseGated(get: GetStep, facts: InputFacts): Choice {
  const none = { unused: [], capped: false, freshlyPassed: false };
  const version = newestCommon(
    get.passed.map((job) => facts.good.find((good) => good.job === job)?.versions ?? []),
  );
  if (version === undefined) {
    const message = `No version of ${get.resource} has passed ${get.passed.join(' and ')} yet.`;
    return { ...none, missing: { code: 'NothingPassed', message } };
  }
  const newest = Math.max(facts.dealtWith, facts.lastUsed ?? 0);
  return { ...none, version, freshlyPassed: get.trigger && version > newest };
}

function newestCommon(lists: number[][]): number | undefined {
  const [first = [], ...others] = lists;
  const common = first.filter((version) => others.every((list) => list.includes(version)));
  return common.length === 0 ? undefined : Math.max(...common);
}
