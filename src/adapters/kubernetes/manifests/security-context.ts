import type { V1Capabilities, V1SecurityContext } from '@kubernetes/client-node';

/** User and group of the agent, of steps in the worker image, and of all steps of teams with `restricted`. */
export const WORKER_USER = 65_532;

/** Capabilities that package managers and servers need as root, and that the standard `baseline` allows. */
const BASELINE_CAPABILITIES = [
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'NET_BIND_SERVICE',
  'SETGID',
  'SETUID',
];

/** Passes the Pod Security Standard `restricted`. */
export function restrictedContext(): V1SecurityContext {
  return {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    runAsNonRoot: true,
    runAsUser: WORKER_USER,
    runAsGroup: WORKER_USER,
  };
}

/** Passes the Pod Security Standard `baseline`. Containers run as the user that their image names. */
export function baselineContext(): V1SecurityContext {
  const capabilities: V1Capabilities = { drop: ['ALL'], add: BASELINE_CAPABILITIES };
  return { allowPrivilegeEscalation: false, capabilities };
}
