import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '#e2e/support/eventually.ts';
import { buildEnded, createPipeline, createTeam, deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { created, pipelineApi } from '#e2e/support/gateway.ts';
import { kubectl } from '#e2e/support/kubectl.ts';
import { list } from '#e2e/support/read-objects.ts';
import { RELEASE } from '#tools/chart/install.ts';

const TEAM = teamName('e2e-message');
const GATEWAY = 'deployment/millrace-gateway-internal';

/** The push ends only when the internal gateway no longer answers. */
const PIPELINE = `
resource_type "box" {
  check "shell" {
    cmd = "echo '[]'"
  }
  push "shell" {
    cmd = <<-EOT
      echo pushing
      gateway="https://millrace-internal.${RELEASE.namespace}.svc:8443/"
      while curl --silent --insecure --max-time 60 --output /dev/null "$gateway"; do sleep 0.5; done
      echo '{"ref":"pushed"}'
    EOT
  }
}
resource "box" "there" {
}
job "release" {
  put "box" "there" {
  }
}
job "deploy" {
  get "box" "there" {
    passed  = ["release"]
    trigger = true
  }
  task "roll-out" {
    run "shell" {
      cmd = "echo out"
    }
  }
}
`;

const scale = async (replicas: number): Promise<void> => {
  await kubectl('scale', GATEWAY, '--namespace', RELEASE.namespace, `--replicas=${replicas}`);
};

beforeAll(() => createTeam(TEAM), 600_000);
afterAll(async () => {
  await deleteTeam(TEAM);
  await kubectl('rollout', 'status', GATEWAY, '--namespace', RELEASE.namespace, '--timeout=9m');
}, 600_000);

test('a put records its version by the termination message if gateway and Pod disappear', async () => {
  await createPipeline(TEAM, 'ship', PIPELINE);
  const api = pipelineApi(TEAM, 'ship');
  const { number } = created(await api.trigger('release'));
  await eventually(async () => expect(await api.log('release', number)).toContain('pushing'));
  try {
    await scale(0);
    const [pod] = await list('pods', '--namespace', TEAM, '-l', 'millrace.dev/kind=build');
    const name = pod?.metadata.name ?? '';
    const readMessage = [
      'exec',
      name,
      '--namespace',
      TEAM,
      '--container',
      'agent',
      '--',
      'cat',
      '/dev/termination-log',
    ];
    await eventually(async () => expect(await kubectl(...readMessage)).toContain('"succeeded"'));
    await kubectl('delete', 'pod', name, '--namespace', TEAM, '--timeout=9m');
    expect(await buildEnded(TEAM, 'ship', 'release', number)).toMatchObject({
      status: 'succeeded',
      attempt: 1,
      steps: [{ kind: 'put', status: 'succeeded', exit_code: 0 }],
    });
    expect(await api.versions('box.there')).toMatchObject([{ version: { ref: 'pushed' } }]);
  } finally {
    await scale(2);
  }
  expect(await buildEnded(TEAM, 'ship', 'deploy', '1')).toMatchObject({ status: 'succeeded' });
}, 600_000);
