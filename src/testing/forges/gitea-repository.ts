import { setTimeout as sleep } from 'node:timers/promises';
import type { CommitStatus, ForgeRepository, ForgeRequest, ForgeUser } from './forge-under-test.ts';
import type { Call } from './gitea-calls.ts';
import { pushedRepository } from './pushed-repository.ts';

interface Server {
  readonly address: string;
  callAs(user: ForgeUser): Call;
}

/** A repository of a real forge, which can send webhooks. */
export interface GiteaRepository extends ForgeRepository {
  createWebhook(about: NewWebhook): Promise<void>;
}

interface NewWebhook {
  readonly url: string;
  /** If given, the forge signs its webhooks with this secret. */
  readonly secret?: string;
  readonly events: readonly WebhookEvent[];
}

type WebhookEvent = 'push' | 'request';

export async function createRepository(
  server: Server,
  owner: ForgeUser,
  about: { name: string; private: boolean },
): Promise<GiteaRepository> {
  await server.callAs(owner)('POST', '/user/repos', { ...about, default_branch: 'main' });
  return repository(server, owner, `${owner.name}/${about.name}`);
}

function repository(server: Server, owner: ForgeUser, path: string): GiteaRepository {
  const call = server.callAs(owner);
  const apiPath = `/repos/${path}`;
  const url = `${server.address}/${path}.git`;
  const pushes = pushedRepository(url, owner);
  return {
    owner,
    path,
    url,
    ...pushes,
    async commit(about) {
      const created = await pushes.commit(about);
      // Gitea records the first push after it has answered.
      while ((await call<{ empty: boolean }>('GET', apiPath)).empty) await sleep(20);
      return created;
    },
    async setDefaultBranch(name) {
      await call('PATCH', apiPath, { default_branch: name });
    },
    async renameBranch(name, to) {
      await call('PATCH', `${apiPath}/branches/${name}`, { name: to });
    },
    async fork(by) {
      await server.callAs(by)('POST', `${apiPath}/forks`, {});
      return repository(server, by, `${by.name}/${path.split('/')[1] ?? ''}`);
    },
    async openRequest({ title, branch, from, target = 'main', draft = false }) {
      const author = from?.owner ?? owner;
      const head = from === undefined ? branch : `${from.owner.name}:${branch}`;
      const created = await server.callAs(author)<{ number: number; draft: boolean }>(
        'POST',
        `${apiPath}/pulls`,
        {
          title: draft ? `WIP: ${title}` : title,
          head,
          base: target,
        },
      );
      if (created.draft !== draft) throw new Error(`Gitea opened '${title}' with draft: ${created.draft}`);
      return request(call, apiPath, created.number);
    },
    async pushForReview(by, about) {
      const commit = await pushedRepository(url, by).pushForReview(about);
      const open = await call<{ number: number; head: { sha: string } }[]>(
        'GET',
        `${apiPath}/pulls?limit=50`,
      );
      const created = open.find(({ head }) => head.sha === commit);
      if (created === undefined) throw new Error(`Gitea has no request with the commit ${commit}`);
      return { number: created.number, commit };
    },
    async statuses(commit) {
      const statuses = await call<Status[]>(
        'GET',
        `${apiPath}/commits/${commit}/statuses?sort=recentupdate&limit=50`,
      );
      // Statuses have times in whole seconds, so the ids give the order.
      return statuses.toSorted((a, b) => b.id - a.id).map(toCommitStatus);
    },
    async createWebhook({ url: target, secret, events }) {
      await call('POST', `${apiPath}/hooks`, {
        type: 'gitea',
        active: true,
        config: { url: target, content_type: 'json', ...(secret !== undefined && { secret }) },
        events: events.flatMap((event) => EVENTS[event]),
      });
    },
  };
}

/**
 * Gitea's names of the events. A push to the branch of a request is another event than opening the request.
 */
const EVENTS = { push: ['push'], request: ['pull_request', 'pull_request_sync'] } as const;

function request(call: Call, apiPath: string, number: number): ForgeRequest {
  return {
    number,
    async setLabels(names) {
      const existing = await call<{ name: string }[]>('GET', `${apiPath}/labels?limit=50`);
      for (const name of names.filter((label) => !existing.some((found) => found.name === label)))
        await call('POST', `${apiPath}/labels`, { name, color: '#00aabb' });
      await call('PUT', `${apiPath}/issues/${number}/labels`, { labels: names });
    },
    async close() {
      await call('PATCH', `${apiPath}/pulls/${number}`, { state: 'closed' });
    },
    async reopen() {
      await call('PATCH', `${apiPath}/pulls/${number}`, { state: 'open' });
    },
  };
}

interface Status {
  id: number;
  context: string;
  status: string;
  description: string;
  target_url: string;
}

const toCommitStatus = ({ context, status, description, target_url: url }: Status): CommitStatus => ({
  context,
  state: status,
  description,
  url,
});
