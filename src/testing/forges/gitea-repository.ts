import { setTimeout as sleep } from 'node:timers/promises';
import type { CommitStatus, ForgeRepository, ForgeRequest, ForgeUser } from './forge-under-test.ts';
import type { Call } from './gitea-calls.ts';
import { pushedRepository } from './pushed-repository.ts';

interface Server {
  readonly address: string;
  callAs(user: ForgeUser): Call;
}

/** A repository of a real forge, which tells others of what happens in it. */
export interface GiteaRepository extends ForgeRepository {
  createWebhook(about: NewWebhook): Promise<void>;
}

interface NewWebhook {
  readonly url: string;
  /** The forge signs what it sends with it. */
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
  const at = `/repos/${path}`;
  const url = `${server.address}/${path}.git`;
  const pushes = pushedRepository(url, owner);
  return {
    owner,
    path,
    url,
    ...pushes,
    async commit(about) {
      const made = await pushes.commit(about);
      // Gitea records the first push after it has answered.
      while ((await call<{ empty: boolean }>('GET', at)).empty) await sleep(20);
      return made;
    },
    async setDefaultBranch(name) {
      await call('PATCH', at, { default_branch: name });
    },
    async renameBranch(name, to) {
      await call('PATCH', `${at}/branches/${name}`, { name: to });
    },
    async fork(by) {
      await server.callAs(by)('POST', `${at}/forks`, {});
      return repository(server, by, `${by.name}/${path.split('/')[1] ?? ''}`);
    },
    async openRequest({ title, branch, from, target = 'main', draft = false }) {
      const author = from?.owner ?? owner;
      const head = from === undefined ? branch : `${from.owner.name}:${branch}`;
      const made = await server.callAs(author)<{ number: number; draft: boolean }>('POST', `${at}/pulls`, {
        title: draft ? `WIP: ${title}` : title,
        head,
        base: target,
      });
      if (made.draft !== draft) throw new Error(`Gitea opened '${title}' with draft: ${made.draft}`);
      return request(call, at, made.number);
    },
    async statuses(commit) {
      const found = await call<Status[]>(
        'GET',
        `${at}/commits/${commit}/statuses?sort=recentupdate&limit=50`,
      );
      // Its time has whole seconds.
      return found.toSorted((one, other) => other.id - one.id).map(shown);
    },
    async createWebhook({ url: target, secret, events }) {
      await call('POST', `${at}/hooks`, {
        type: 'gitea',
        active: true,
        config: { url: target, content_type: 'json', ...(secret !== undefined && { secret }) },
        events: events.flatMap((event) => EVENTS[event]),
      });
    },
  };
}

/** What it calls the events. A push of commits to a request's branch is another event than the request. */
const EVENTS = { push: ['push'], request: ['pull_request', 'pull_request_sync'] } as const;

function request(call: Call, at: string, number: number): ForgeRequest {
  return {
    number,
    async setLabels(names) {
      const known = await call<{ name: string }[]>('GET', `${at}/labels?limit=50`);
      for (const name of names.filter((wanted) => !known.some((one) => one.name === wanted)))
        await call('POST', `${at}/labels`, { name, color: '#00aabb' });
      await call('PUT', `${at}/issues/${number}/labels`, { labels: names });
    },
    async close() {
      await call('PATCH', `${at}/pulls/${number}`, { state: 'closed' });
    },
    async reopen() {
      await call('PATCH', `${at}/pulls/${number}`, { state: 'open' });
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

const shown = ({ context, status, description, target_url: url }: Status): CommitStatus => ({
  context,
  state: status,
  description,
  url,
});
