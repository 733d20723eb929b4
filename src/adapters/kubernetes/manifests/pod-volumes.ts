import type { V1Volume, V1VolumeMount } from '@kubernetes/client-node';
import { WORKDIR } from '#domain/planning/plan-build.ts';
import type { PodWork } from './pod-work.ts';

export const GATEWAY_AUDIENCE = 'millrace-gateway';
export const SHIM_FOLDER = '/millrace/shim';
export const TOKEN_FILE = '/var/run/secrets/millrace.dev/token';

const TOKEN_FOLDER = '/var/run/secrets/millrace.dev';
const TOKEN_SECONDS = 3600;
/** The shim has some 2 MB. */
const MAX_SHIM_FOLDER = '16Mi';

/** Which volumes a Pod has. */
export interface PodVolumes {
  /** The work directory and the folder of the shim, shared with containers that run other images. */
  shared: boolean;
  /** A service account token for the agent. */
  token: boolean;
}

/**
 * A Pod whose steps all use the worker image has no volume, because any volume costs some 290 ms. The token
 * can be read in this Pod only, so it is a better proof than the nonce: a Pod that has volumes anyway gets one
 * (docs/adr/0004-agent-session.md).
 */
export function volumesOf({ containers, nonce }: Pick<PodWork, 'containers' | 'nonce'>): PodVolumes {
  const shared = containers.some((container) => container.image !== undefined);
  return { shared, token: shared || nonce === undefined };
}

export function podVolumes({ shared, token }: PodVolumes, workdirLimit: string | undefined): V1Volume[] {
  return [...(shared ? sharedVolumes(workdirLimit) : []), ...(token ? [tokenVolume()] : [])];
}

function sharedVolumes(workdirLimit: string | undefined): V1Volume[] {
  return [
    { name: 'workdir', emptyDir: workdirLimit === undefined ? {} : { sizeLimit: workdirLimit } },
    { name: 'shim', emptyDir: { sizeLimit: MAX_SHIM_FOLDER } },
  ];
}

function tokenVolume(): V1Volume {
  const serviceAccountToken = {
    audience: GATEWAY_AUDIENCE,
    expirationSeconds: TOKEN_SECONDS,
    path: 'token',
  };
  return { name: 'token', projected: { sources: [{ serviceAccountToken }] } };
}

export function agentMounts({ shared, token }: PodVolumes): V1VolumeMount[] {
  return [
    ...(shared ? [WORKDIR_MOUNT, SHIM_MOUNT] : []),
    ...(token ? [{ name: 'token', mountPath: TOKEN_FOLDER, readOnly: true }] : []),
  ];
}

/** The worker image contains the shim, so its containers mount the work directory only. */
export function stepMounts({ shared }: PodVolumes, hasShim: boolean): V1VolumeMount[] {
  if (!shared) return [];
  return hasShim ? [WORKDIR_MOUNT] : [WORKDIR_MOUNT, { ...SHIM_MOUNT, readOnly: true }];
}

const WORKDIR_MOUNT = { name: 'workdir', mountPath: WORKDIR };
const SHIM_MOUNT = { name: 'shim', mountPath: SHIM_FOLDER };
