import type { V1Capabilities, V1SecurityContext } from '@kubernetes/client-node';

/** User and group of the agent and of steps in the worker image. */
export const WORKER_USER = 65_532;

/** What package managers and servers started as root need, out of what the baseline standard allows. */
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

/** Passes the Pod Security Standard `baseline`. The image names the user. */
export function baselineContext(): V1SecurityContext {
  const capabilities: V1Capabilities = { drop: ['ALL'], add: BASELINE_CAPABILITIES };
  return { allowPrivilegeEscalation: false, capabilities };
}
