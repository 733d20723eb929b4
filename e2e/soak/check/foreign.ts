import { FORGED_VERSION } from '#e2e/soak/tenant.ts';
import type { Rule, Violation } from './evidence.ts';

/** Pods that another tenant labels as builds and checks have no effect, and Millrace does not delete them. */
export const foreignPodsDoNothing: Rule = ({ history, database }) => {
  const { foreign = [] } = history;
  const uids = new Map(foreign.map((pod) => [pod.uid, pod]));
  const deleted = foreign
    .filter(({ survived }) => survived === false)
    .map(({ name, at }): Violation => ({
      subject: `foreign Pod ${name}`,
      what: 'was deleted, and not by its creator',
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
    invariant: 'no Pod of another tenant is believed or deleted',
    checked: foreign.length,
    violations: [...deleted, ...taken, ...forged],
  };
};
