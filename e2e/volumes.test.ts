import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '#e2e/support/eventually.ts';
import {
  buildEnded,
  createPipeline,
  createTeam,
  deleteTeam,
  pipelineManifest,
  teamName,
} from '#e2e/support/fixtures.ts';
import { created, pipelineApi } from '#e2e/support/gateway.ts';
import { apply, condition, kubectl } from '#e2e/support/kubectl.ts';
import { get, list } from '#e2e/support/read-objects.ts';

const TEAM = teamName('e2e-volumes');
const VOLUMES = [
  { name: 'exchange', mountPath: '/srv/exchange', persistentVolumeClaim: { claimName: 'exchange' } },
  { name: 'settings', mountPath: '/srv/settings', configMap: { name: 'settings' } },
];

const task = (name: string, cmd: string): string => `
  task "${name}" {
    run "shell" {
      cmd = <<-EOT
        ${cmd.trim().split('\n').join('\n        ')}
      EOT
    }
  }`;
const NOTHING_MOUNTED = task('look', 'test ! -e /srv/exchange && test ! -e /srv/settings');

const config = `
resource "fs" "settings" {
  params {
    path = "/srv/settings/"
  }
}

resource "fs" "report" {
  params {
    path = "/srv/exchange/reports/latest"
  }
}

resource "artifact" "files" {
  params {
    base_dir = "/srv/exchange/artifacts"
    dir      = "in"
  }
}

job "write" {
  get "fs" "settings" {
    trigger = true
  }
  ${task('make', 'test "$(cat colour)" = blue && mkdir -p report/deep && date >report/deep/date')}
  ${NOTHING_MOUNTED}
  in_parallel {
    put "fs" "report" {
      from = "report"
    }
    put "artifact" "files" {
      dir = "report"
    }
  }
}

job "read" {
  get "fs" "report" {
    trigger = true
    passed  = ["write"]
  }
  get "artifact" "files" {
    passed = ["write"]
  }
  ${NOTHING_MOUNTED}
  ${task('compare', 'test -s deep/date && diff -r deep in/deep')}
}
`;

beforeAll(async () => {
  await createTeam(TEAM);
  const inTeam = (name: string) => ({ name, namespace: TEAM });
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '64Mi' } } };
  await apply({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: inTeam('exchange'), spec });
  await apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: inTeam('settings'),
    data: { colour: 'blue' },
  });
}, 600_000);

afterAll(async () => {
  await deleteTeam(TEAM);
}, 600_000);

const api = pipelineApi(TEAM, 'files');

test('a pipeline with a path outside the volumes of its Team is refused until the Team has that volume', async () => {
  await apply(pipelineManifest(TEAM, 'files', config));
  await eventually(async () => {
    const ready = condition(await get('pipeline', 'files', '--namespace', TEAM), 'Ready');
    expect(ready).toMatchObject({ status: 'False', reason: 'InvalidConfig' });
    expect(ready.message).toContain(
      `4:12: in resource "fs" "settings": fs.settings: /srv/settings/ is on no volume of Team ${TEAM}; ` +
        'its spec.volumes has none',
    );
  });
  const team = { apiVersion: 'millrace.dev/v1alpha1', kind: 'Team', metadata: { name: TEAM } };
  await apply({ ...team, spec: { volumes: VOLUMES } });
  await createPipeline(TEAM, 'files', config);
}, 600_000);

test('files pass from a ConfigMap through two jobs, and a volume is mounted only where it is used', async () => {
  expect((await api.check('fs.settings')).status).toBeLessThan(300);
  expect(await buildEnded(TEAM, 'files', 'write', '1')).toMatchObject({ status: 'succeeded' });
  expect(await buildEnded(TEAM, 'files', 'read', '1')).toMatchObject({ status: 'succeeded' });
  for (const resource of ['fs.report', 'artifact.files']) {
    expect((await api.check(resource)).status).toBeLessThan(300);
    await eventually(async () => expect(await api.versions(resource)).toHaveLength(1));
  }
}, 600_000);

test('a changed ConfigMap is a new version, and each Pod says which volumes it mounts and why', async () => {
  await kubectl('patch', 'configmap', 'settings', '--namespace', TEAM, '--patch', '{"data":{"new":"1"}}');
  await eventually(async () => {
    await api.check('fs.settings');
    expect(await api.versions('fs.settings')).toHaveLength(2);
  });
  const pod = await eventually(async () => {
    const selector = 'millrace.dev/job=write,millrace.dev/build=2';
    const [first] = await list('pods', '--namespace', TEAM, '--selector', selector);
    if (first === undefined) throw new Error('build 2 of job write has no Pod yet');
    return first;
  });
  expect(pod.metadata.annotations?.['millrace.dev/volumes']).toBe(
    'settings for fs.settings, exchange for fs.report, exchange for artifact.files',
  );
  expect(await buildEnded(TEAM, 'files', 'write', '2')).toMatchObject({ status: 'succeeded' });
}, 600_000);

test('a build waits and reports why if its Team no longer has a volume that the build needs', async () => {
  const team = { apiVersion: 'millrace.dev/v1alpha1', kind: 'Team', metadata: { name: TEAM } };
  await apply({ ...team, spec: { volumes: VOLUMES.slice(1) } });
  await eventually(async () => {
    const ready = condition(await get('pipeline', 'files', '--namespace', TEAM), 'Ready');
    expect(ready).toMatchObject({ reason: 'InvalidConfig' });
  });
  const { number } = created(await api.trigger('write'));
  await eventually(async () => {
    const build = await api.build('write', number);
    expect(JSON.stringify(build)).toContain('VolumeRefused');
  });
  await apply({ ...team, spec: { volumes: VOLUMES } });
  expect(await buildEnded(TEAM, 'files', 'write', number)).toMatchObject({ status: 'succeeded' });
}, 600_000);
