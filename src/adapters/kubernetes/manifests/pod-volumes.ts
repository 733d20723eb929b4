import type { V1Volume, V1VolumeMount } from '@kubernetes/client-node';
import type { MountedVolume, TeamVolume } from '#domain/planning/mount-volumes.ts';
import type { PlanContainer } from '#domain/planning/plan.ts';
import { WORKDIR } from '#domain/planning/workdir.ts';
import type { CacheVolume, PodWork } from './pod-work.ts';

export const GATEWAY_AUDIENCE = 'millrace-gateway';
export const SHIM_FOLDER = '/millrace/shim';
export const TOKEN_FILE = '/var/run/secrets/millrace.dev/token';

const TOKEN_FOLDER = '/var/run/secrets/millrace.dev';
const TOKEN_SECONDS = 3600;
/** The shim has some 2 MB. */
const MAX_SHIM_FOLDER = '16Mi';

/** Which volumes a Pod has. */
export interface PodVolumes {
  /**
   * Whether the Pod has a work directory and a folder for the shim, which containers with other images share.
   */
  shared: boolean;
  /** Whether the Pod has a service account token for the agent. */
  token: boolean;
  /**
   * Whether the shim is copied before the kubelet starts the step containers. Otherwise, the agent copies the
   * shim while the shells of the step containers wait for it, which delays no container
   * (docs/adr/0048-image-configurations.md).
   */
  shimFirst: boolean;
  caches: CacheVolume[];
  /** Volumes of the Team. */
  mounts: readonly MountedVolume[];
}

/**
 * Which volumes a Pod gets. A volume delays the start of a Pod by some 290 ms. So a Pod whose only step
 * container runs the worker image gets none, unless it mounts caches or volumes of the Team, or has no nonce.
 * A Pod that has volumes anyway also gets a token. The token can be read only in this Pod, so it proves
 * better than the nonce in which Pod the agent runs (docs/adr/0004-agent-session.md).
 */
export function volumesOf({
  containers,
  nonce,
  caches = [],
  mounts = [],
}: Pick<PodWork, 'containers' | 'nonce' | 'caches' | 'mounts'>): PodVolumes {
  const shared = containers.length > 1 || containers.some((container) => container.image !== undefined);
  const shimFirst = containers.some(({ withoutShell }) => withoutShell === true);
  const token = shared || caches.length > 0 || mounts.length > 0 || nonce === undefined;
  return { shared, token, shimFirst, caches, mounts };
}

export function podVolumes(
  { shared, token, caches, mounts }: PodVolumes,
  workdirLimit: string | undefined,
): V1Volume[] {
  return [
    ...(shared ? sharedVolumes(workdirLimit) : []),
    ...caches.map(({ claim }, index) => ({
      name: cacheVolumeName(index),
      persistentVolumeClaim: { claimName: claim },
    })),
    ...(token ? [tokenVolume()] : []),
    ...teamVolumes(mounts),
  ];
}

/** Prefix of the names of cache volumes. */
export const CACHE_VOLUME = 'cache-';
const cacheVolumeName = (index: number): string => `${CACHE_VOLUME}${index + 1}`;

/**
 * The volumes of the Team. If no container of the Pod writes to a claim, the whole volume is read-only, so
 * that the kubelet does not change the group of its files to `fsGroup`.
 */
function teamVolumes(mounts: readonly MountedVolume[]): V1Volume[] {
  const byName = Map.groupBy(mounts, ({ volume }) => volume.name);
  return [...byName.values()].flatMap((mountsOfVolume) => {
    const volume = mountsOfVolume[0]?.volume;
    if (volume === undefined) return [];
    const readOnly = mountsOfVolume.every((mount) => mount.readOnly);
    const { configMap, persistentVolumeClaim: claim } = volume;
    return [
      {
        name: podVolumeName(volume),
        ...(configMap && { configMap: { name: configMap.name } }),
        ...(claim && {
          persistentVolumeClaim: { claimName: claim.claimName, ...(readOnly && { readOnly: true }) },
        }),
      },
    ];
  });
}

const podVolumeName = ({ name }: TeamVolume): string => `team-${name}`;

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

/** The mounts of the agent's container. They include caches, because the agent measures their sizes. */
export function agentMounts({ shared, token, caches }: PodVolumes): V1VolumeMount[] {
  return [
    ...(shared ? [WORKDIR_MOUNT, SHIM_MOUNT] : []),
    ...caches.map(({ folder }, index) => ({
      name: cacheVolumeName(index),
      mountPath: folder,
      readOnly: true,
    })),
    ...(token ? [{ name: 'token', mountPath: TOKEN_FOLDER, readOnly: true }] : []),
  ];
}

/**
 * The mounts of a step container. The worker image contains the shim, so its containers do not mount the
 * folder of the shim. Gets of secret types do not see the work directory, and steps do not see the files of
 * such gets.
 */
export function stepMounts(volumes: PodVolumes, { name, image, forSecrets }: PlanContainer): V1VolumeMount[] {
  return [
    ...sharedMounts(volumes, { hasShim: image === undefined, forSecrets: forSecrets === true }),
    ...cacheMounts(volumes, name),
    ...volumes.mounts.filter(({ container }) => container === name).map(teamMount),
  ];
}

function sharedMounts(
  { shared }: PodVolumes,
  { hasShim, forSecrets }: { hasShim: boolean; forSecrets: boolean },
): V1VolumeMount[] {
  if (!shared) return [];
  const mounts: V1VolumeMount[] = [];
  if (!forSecrets) mounts.push(WORKDIR_MOUNT);
  if (!hasShim) mounts.push({ ...SHIM_MOUNT, readOnly: true });
  return mounts;
}

function teamMount({ volume, readOnly }: MountedVolume): V1VolumeMount {
  return { name: podVolumeName(volume), mountPath: volume.mountPath, ...(readOnly && { readOnly }) };
}

function cacheMounts({ caches }: PodVolumes, container: string): V1VolumeMount[] {
  return caches.flatMap(({ folder, containers }, index) =>
    containers.includes(container) ? [{ name: cacheVolumeName(index), mountPath: folder }] : [],
  );
}

const WORKDIR_MOUNT = { name: 'workdir', mountPath: WORKDIR };
const SHIM_MOUNT = { name: 'shim', mountPath: SHIM_FOLDER };
