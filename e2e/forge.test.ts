import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isEmbedded } from '#e2e/support/embedded.ts';
import { eventually } from '#e2e/support/eventually.ts';
import {
  buildEnded,
  createPipeline,
  createTeam,
  deleteTeam,
  teamName,
  UNTIL_RELEASED,
} from '#e2e/support/fixtures.ts';
import { enterWebhook, startForge, storeToken } from '#e2e/support/forge.ts';
import { pipelineApi } from '#e2e/support/gateway.ts';
import type { GiteaRepository } from '#testing/forges/gitea-repository.ts';
import type { Gitea } from '#testing/forges/gitea.ts';

/* A pull request in a real Gitea: its webhook starts a check, and the build sets the status of its commit. */
const TEAM = teamName('e2e-forge');
const embedded = isEmbedded ? describe : describe.skip;

const configOf = (url: string): string => `
variable "token" {
  type = string
}
notification "commit-status" "app" {
  on = ["all"]
  params {
    url      = "${url}"
    provider = "gitea"
    token    = var.token
  }
}
resource "git" "app" {
  check_interval = "@yearly"
  params {
    url      = "${url}"
    provider = "gitea"
    name     = "app"
    token    = var.token
    pr       = true
  }
}
job "test" {
  on_trigger {
    notify "commit-status" "app" {
      state = "pending"
    }
  }
  get "git" "app" {
    trigger = true
  }
  task "test" {
    run "shell" {
      cmd = "sh app/test.sh"
    }
  }
}
`;

let gitea: Gitea;
let repository: GiteaRepository;
const api = pipelineApi(TEAM, 'app');

/** Opens a pull request whose build runs this script, and returns the commit. */
async function openPullRequest(branch: string, script: string): Promise<string> {
  const files = { 'test.sh': script };
  const commit = await repository.commit({ message: branch, branch, files, onto: 'origin/main' });
  await repository.openRequest({ title: branch, branch });
  return commit;
}

/** The number of the build of this commit, once there is one. */
const buildOf = async (commit: string): Promise<string> =>
  await eventually(async () => {
    for (const { number } of await api.builds('test')) {
      const { inputs = [] } = await api.build('test', number);
      if (inputs.some(({ version }) => version['ref'] === commit)) return number;
    }
    throw new Error(`no build has the commit ${commit}`);
  });

const stateOf = async (commit: string): Promise<string | undefined> =>
  (await repository.statuses(commit))[0]?.state;

embedded('a pull request in a real Gitea', () => {
  beforeAll(async () => {
    gitea = await startForge();
    repository = await gitea.createRepository('app', { private: true });
    await repository.commit({ message: 'Begin' });
    await createTeam(TEAM);
    await createPipeline(TEAM, 'app', configOf(repository.url), await storeToken(TEAM, gitea));
    await enterWebhook(repository, api, 'git.app');
  }, 1_200_000);
  afterAll(async () => {
    await deleteTeam(TEAM);
    await gitea.stop();
  }, 600_000);

  test.each([
    ['green', 'echo passed', 'succeeded', 'success'],
    ['red', 'echo failed; exit 1', 'failed', 'failure'],
  ])(
    'becomes %s in Gitea when its build has ended',
    async (branch, script, status, state) => {
      const commit = await openPullRequest(branch, script);
      const number = await buildOf(commit);
      expect(await buildEnded(TEAM, 'app', 'test', number)).toMatchObject({ status });
      await eventually(async () => expect(await stateOf(commit)).toBe(state));
      const statuses = await repository.statuses(commit);
      expect(statuses.map((commitStatus) => commitStatus.state)).toEqual([state, 'pending']);
      expect(new Set(statuses.map(({ context }) => context))).toEqual(new Set(['app/test']));
      expect(await api.log('test', number)).not.toContain(gitea.owner.token);
    },
    600_000,
  );

  test('whose build is cancelled does not stay pending', async () => {
    const commit = await openPullRequest('cancelled', `until ${UNTIL_RELEASED}; do sleep 0.2; done`);
    const number = await buildOf(commit);
    await eventually(async () => expect(await stateOf(commit)).toBe('pending'));
    expect((await api.post(`jobs/test/builds/${number}/cancel`)).status).toBeLessThan(300);
    expect(await buildEnded(TEAM, 'app', 'test', number)).toMatchObject({ status: 'cancelled' });
    await eventually(async () => expect(await stateOf(commit)).toBe('error'));
    const [last] = await repository.statuses(commit);
    expect(last?.description).toContain('was cancelled');
  }, 600_000);
});
