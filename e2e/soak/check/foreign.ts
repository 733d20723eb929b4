import { FORGED_VERSION } from '#e2e/soak/tenant.ts';
import type { Rule, Violation } from './evidence.ts';

/**
 * Pods of another tenant that say that they are those of builds and checks: nothing is believed of them, and
 * they are not ours to delete.
 */
export const foreignPodsDoNothing: Rule = ({ history, database }) => {
  const { foreign = [] } = history;
  const uids = new Map(foreign.map((pod) => [pod.uid, pod]));
  const deleted = foreign
    .filter(({ survived }) => survived === false)
    .map(({ name, at }): Violation => ({
      subject: `foreign Pod ${name}`,
      what: 'was deleted, and not by its maker',
      at,
    }));
  const taken = database.attempts.flatMap(({ build, attempt, podUid }): Violation[] => {
    const pod = uids.get(podUid ?? '');
    if (pod === undefined) return [];
    return [
      {
        subject: `build row ${build} attempt ${attempt}`,
        what: `has the foreign Pod ${pod.name}`,
        at: pod.at,
      },
    ];
  });
  const forged = database.versions
    .filter(({ n }) => n === FORGED_VERSION)
    .map(({ id, resource, foundAt }): Violation => ({
      subject: `version ${id} of ${resource}`,
      what: 'is forged',
      at: foundAt,
    }));
  return {
    promise: 'no Pod of another tenant is believed or deleted',
    checked: foreign.length,
    violations: [...deleted, ...taken, ...forged],
  };
};
