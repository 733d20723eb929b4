import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '#e2e/support/eventually.ts';
import { buildEnded, createPipeline, createTeam, deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { created, pipelineApi } from '#e2e/support/gateway.ts';
import { kubectl } from '#e2e/support/kubectl.ts';
import { RELEASE } from '#tools/chart/install.ts';

/* The node of the embedded cluster supports user namespaces, so `auto` gives each Pod one. */

const TEAM = teamName('e2e-users');
const OPERATOR = `deployment/${RELEASE.name}-operator`;

/** A container of the worker image and one of another image share the work directory. */
const CONFIG = `
job "work" {
  task "map" {
    run "shell" {
      cmd = "cat /proc/self/uid_map; echo written by the worker > shared"
    }
  }
  task "other" {
    run "docker" {
      image = "localhost/millrace-busybox:dev"
      cmd   = "cat /proc/self/uid_map shared"
    }
  }
}
`;

/** Restarts the operator with the value that the chart would set. */
const setUserNamespaces = async (setting: string): Promise<void> => {
  const inNamespace = ['--namespace', RELEASE.namespace];
  await kubectl('set', 'env', OPERATOR, `MILLRACE_POD_USER_NAMESPACES=${setting}`, ...inNamespace);
  await kubectl('rollout', 'status', OPERATOR, '--timeout=5m', ...inNamespace);
};

beforeAll(async () => {
  await createTeam(TEAM);
  await createPipeline(TEAM, 'users', CONFIG);
  await setUserNamespaces('auto');
}, 600_000);
afterAll(async () => {
  await setUserNamespaces('never');
  await deleteTeam(TEAM);
}, 600_000);

test('with the setting auto, the user IDs of a build are different IDs on the node', async () => {
  const api = pipelineApi(TEAM, 'users');
  // A line of uid_map. The group is the ID on the node that user ID 0 maps to.
  const uidMap = /^ +0 +(\d+) +65536$/gm;
  // The old leader, which has another setting, may create the first Pod.
  const log = await eventually(async () => {
    const { number } = created(await api.trigger('work'));
    const build = await buildEnded(TEAM, 'users', 'work', number);
    const text = await api.log('work', number);
    expect([build.status, [...text.matchAll(uidMap)].length, text]).toEqual(['succeeded', 2, text]);
    return text;
  });
  expect(log).toContain('written by the worker');
  expect([...log.matchAll(uidMap)].map(([, first]) => Number(first) >= 65_536)).toEqual([true, true]);
}, 600_000);
