import type { ForgeUnderTest, ForgeUser } from './forge-under-test.ts';
import { caller, type Call } from './gitea-calls.ts';
import { startGiteaProcess } from './gitea-process.ts';
import { createRepository, type GiteaRepository } from './gitea-repository.ts';
import type { GiteaOptions } from './gitea-settings.ts';

/** The password of every user. */
export const PASSWORD = 'a password of the tests';

/** A real Gitea. The owner is its administrator. */
export interface Gitea extends ForgeUnderTest {
  readonly kind: 'gitea';
  /** Calls its API as the administrator. */
  readonly call: Call;
  createRepository(...about: Parameters<ForgeUnderTest['createRepository']>): Promise<GiteaRepository>;
}

export async function startGitea(about: GiteaOptions = {}): Promise<Gitea> {
  const process = await startGiteaProcess(about);
  const { address } = process;
  const person = ['--username', 'root-of-tests', '--email', 'root@example.org', '--password', PASSWORD];
  const tokenOptions = ['--access-token', '--access-token-scopes', 'all'];
  const output = await process.command('admin', 'user', 'create', '--admin', ...person, ...tokenOptions);
  const token = /\b[0-9a-f]{40}\b/.exec(output)?.[0];
  if (token === undefined) throw new Error(`Gitea gave no token: ${output}`);
  const owner: ForgeUser = { name: 'root-of-tests', token };
  const call = caller(address, `token ${token}`, about.certificate?.cert);
  const callAs = (user: ForgeUser): Call => caller(address, `token ${user.token}`, about.certificate?.cert);
  return {
    kind: 'gitea',
    address,
    owner,
    call,
    pageSize: about.pageSize ?? 50,
    // Gitea orders by times in whole seconds.
    orderedAfterMs: 1100,
    misuse: () => [],
    async createUser(name) {
      const user = { username: name, email: `${name}@example.org`, password: PASSWORD };
      await call('POST', '/admin/users', { ...user, must_change_password: false });
      const basic = `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString('base64')}`;
      const callAsNewUser = caller(address, basic, about.certificate?.cert);
      const createdToken = await callAsNewUser<{ sha1: string }>('POST', `/users/${name}/tokens`, {
        name: 'tests',
        scopes: ['all'],
      });
      return { name, token: createdToken.sha1 };
    },
    createRepository: async (name, { owner: by = owner, private: isPrivate = false } = {}) =>
      await createRepository({ address, callAs }, by, { name, private: isPrivate }),
    stop: async () => await process.stop(),
  };
}
