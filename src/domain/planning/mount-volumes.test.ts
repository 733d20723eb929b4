import { describe, expect, test } from '@jest/globals';
import { mountVolumes, type TeamVolume } from './mount-volumes.ts';
import type { PlanContainer } from './plan.ts';

const DATA: TeamVolume = {
  name: 'data',
  mountPath: '/srv/data',
  persistentVolumeClaim: { claimName: 'data' },
};
const SHARED: TeamVolume = {
  name: 'shared',
  mountPath: '/srv/shared',
  persistentVolumeClaim: { claimName: 'nfs', readOnly: true },
};
const SETTINGS: TeamVolume = {
  name: 'settings',
  mountPath: '/srv/settings',
  configMap: { name: 'settings' },
};
const RULES = { name: 'blue', volumes: [DATA, SHARED, SETTINGS] };

const container = (path: string, writes = false): PlanContainer => ({
  name: 'volume-1-fs-in',
  volume: { resource: 'fs.in', path, writes },
});

describe('a Pod', () => {
  test('mounts volumes only in containers of the resources that are on them', () => {
    const containers = [
      { name: 'worker' },
      { name: 'image-1-node', image: 'node' },
      container('/srv/data/in'),
    ];
    expect(mountVolumes(containers, RULES)).toEqual([
      { volume: DATA, container: 'volume-1-fs-in', readOnly: true, resource: 'fs.in' },
    ]);
  });

  test('mounts nothing if no resource is on a volume', () => {
    expect(mountVolumes([{ name: 'worker' }], RULES)).toEqual([]);
  });

  const CASES: Record<string, [path: string, writes: boolean, expected: object]> = {
    'mounts the volume whose path is that of the resource': ['/srv/data', false, [{ volume: DATA }]],
    'mounts the volume also for a path that ends with a slash': ['/srv/data/', false, [{ volume: DATA }]],
    'mounts the volume writable for a put': ['/srv/data/out', true, [{ volume: DATA, readOnly: false }]],
    'mounts a ConfigMap read-only': ['/srv/settings/a', false, [{ volume: SETTINGS, readOnly: true }]],
    'is refused for a path whose name only begins like that of a volume': [
      '/srv/data2/in',
      false,
      {
        reason: 'VolumeRefused',
        message:
          'fs.in: /srv/data2/in is on no volume of Team blue; its spec.volumes ' +
          'has data (/srv/data), shared (/srv/shared), settings (/srv/settings).',
      },
    ],
    'is refused for the folder above a volume': ['/srv', false, { reason: 'VolumeRefused' }],
    'is refused for a put to a claim that is read-only': [
      '/srv/shared/out',
      true,
      { message: 'fs.in: the volume shared of Team blue is read-only, so nothing can put to it.' },
    ],
    'is refused for a put to a ConfigMap': ['/srv/settings/a', true, { reason: 'VolumeRefused' }],
  };
  test.each(Object.entries(CASES))('%s', (_, [path, writes, expected]) => {
    expect(mountVolumes([container(path, writes)], RULES)).toMatchObject(expected);
  });

  test('is refused if the Team has no volume', () => {
    expect(mountVolumes([container('/srv/data/in')], { name: 'blue' })).toEqual({
      reason: 'VolumeRefused',
      message: 'fs.in: /srv/data/in is on no volume of Team blue; its spec.volumes has none.',
    });
  });
});
