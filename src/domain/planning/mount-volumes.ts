import type { PlanContainer, VolumePath } from './plan.ts';

/** A volume that a Team declares for its resources: a claim or a ConfigMap of its namespace. */
export interface TeamVolume {
  name: string;
  /** Absolute path. No volume is inside another one. */
  mountPath: string;
  persistentVolumeClaim?: { claimName: string; readOnly?: boolean };
  configMap?: { name: string };
}

/** The Team's rules for volumes. */
export interface VolumeRules {
  /** Name of the team. */
  name: string;
  volumes?: readonly TeamVolume[];
}

/** A volume in one container of a Pod. */
export interface MountedVolume {
  volume: TeamVolume;
  container: string;
  readOnly: boolean;
  /** The resource for whose operations the container mounts the volume. */
  resource: string;
}

export interface VolumeRefusal {
  reason: 'VolumeRefused';
  message: string;
}

/**
 * Which volumes a Pod mounts, in which container and for which resource. A container without `volume` mounts
 * none, so other steps cannot see the files on the volumes.
 */
export function mountVolumes(
  containers: readonly PlanContainer[],
  rules: VolumeRules,
): MountedVolume[] | VolumeRefusal {
  const mounts: MountedVolume[] = [];
  for (const { name: container, volume: volumePath } of containers) {
    if (volumePath === undefined) continue;
    const volume = findVolume(volumePath, rules);
    if ('reason' in volume) return volume;
    mounts.push({ volume, container, readOnly: !volumePath.writes, resource: volumePath.resource });
  }
  return mounts;
}

export function isVolumeRefusal(mounts: MountedVolume[] | VolumeRefusal): mounts is VolumeRefusal {
  return 'reason' in mounts;
}

/** The volume of a path, or why a resource cannot have it. */
export function findVolume(
  { resource, path, writes }: VolumePath,
  { name, volumes = [] }: VolumeRules,
): TeamVolume | VolumeRefusal {
  const volume = volumes.find(({ mountPath }) => `${path}/`.startsWith(`${mountPath}/`));
  if (volume === undefined) {
    const instead = volumes.length === 0 ? 'has none' : `has ${volumes.map(describeVolume).join(', ')}`;
    return refuse(`${resource}: ${path} is on no volume of Team ${name}; its spec.volumes ${instead}.`);
  }
  const isReadOnly = volume.configMap !== undefined || volume.persistentVolumeClaim?.readOnly === true;
  if (writes && isReadOnly)
    return refuse(
      `${resource}: the volume ${volume.name} of Team ${name} is read-only, so nothing can put to it.`,
    );
  return volume;
}

const describeVolume = ({ name, mountPath }: TeamVolume): string => `${name} (${mountPath})`;

const refuse = (message: string): VolumeRefusal => ({ reason: 'VolumeRefused', message });
