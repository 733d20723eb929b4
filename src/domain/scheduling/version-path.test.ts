import { describe, expect, test } from '@jest/globals';
import { versionPath, type PathBuild, type PathJob, type VersionPath } from './version-path.ts';

const APP = 1;
const IMAGE = 2;
const jobs: PathJob[] = [
  { name: 'deploy', gets: [{ resource: APP, passed: ['unit', 'lint'] }] },
  { name: 'unit', gets: [{ resource: APP, passed: [] }] },
  { name: 'lint', gets: [{ resource: APP, passed: [] }] },
  { name: 'scan', gets: [{ resource: IMAGE, passed: [] }] },
  { name: 'other', gets: [{ resource: 3, passed: [] }] },
];

function build(id: number, name: string, more: Partial<PathBuild> = {}): PathBuild {
  const [job = '', number = ''] = name.split('#');
  return { id, job, number, status: 'succeeded', outputs: [], ...more };
}

function follow(builds: [version: number, ...PathBuild[]][]): VersionPath {
  return versionPath({
    jobs,
    start: { resource: APP, version: 10 },
    builds: new Map(builds.map(([version, ...takers]) => [version, takers])),
  });
}

const describePath = ({ path }: VersionPath): string[] =>
  path.map(({ job, build: newest, retries }) =>
    [newest ? `${job}#${newest.number}` : `${job} none`, ...retries.map(({ number }) => number)].join(' '),
  );

describe('the path of a version', () => {
  test('the path begins with the jobs that take the version and continues along passed, with or without builds', () => {
    expect(describePath(follow([[10, build(1, 'unit#4')]]))).toEqual(['unit#4', 'lint none', 'deploy none']);
  });

  test('the path shows the newest build of each job, with its retries in order', () => {
    const path = follow([
      [
        10,
        build(1, 'unit#4'),
        build(5, 'unit#9'),
        build(7, 'unit#9.2'),
        build(6, 'unit#9.1'),
        build(2, 'unit#4.1'),
      ],
    ]);
    expect(describePath(path)[0]).toBe('unit#9 9.1 9.2');
  });

  test('the path follows versions that puts made once the builds that took it are known', () => {
    const unit = build(1, 'unit#1', { outputs: [{ resource: IMAGE, version: 20 }] });
    const first = follow([[10, unit]]);
    expect(first.needs).toEqual([20]);
    expect(
      describePath(
        follow([
          [10, unit],
          [20, build(2, 'scan#3')],
        ]),
      ),
    ).toEqual(['unit#1', 'lint none', 'scan#3', 'deploy none']);
  });

  test('the path requests the builds of the version itself first', () => {
    expect(follow([]).needs).toEqual([10]);
  });

  test('the path ends even if a job puts what it gets', () => {
    const loop: PathJob[] = [{ name: 'bump', gets: [{ resource: APP, passed: [] }] }];
    const builds = new Map<number, PathBuild[]>();
    for (let version = 1; version <= 500; version += 1)
      builds.set(version, [
        build(version, `bump#${version}`, { outputs: [{ resource: APP, version: version + 1 }] }),
      ]);
    const { path, needs } = versionPath({ jobs: loop, start: { resource: APP, version: 1 }, builds });
    expect(needs).toEqual([]);
    expect(path.map(({ build: newest }) => newest?.number)).toEqual(['100']);
  });
});
