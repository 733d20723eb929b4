import { request } from './gateway.ts';

/* Accounts of people. Their names are unique like those of teams: a cluster may serve several runs. */

/** The password of a new account. Its owner must change the password at the first login. */
export const FIRST_PASSWORD = 'five words from an administrator';
export const PASSWORD = 'five words of their own';

async function send<T>(
  [method, path]: readonly [method: string, path: string],
  body: object,
  session?: string,
): Promise<T> {
  const answer = await request(method, path, {
    'content-type': 'application/json',
    ...(session !== undefined && { authorization: `Bearer ${session}` }),
    body: JSON.stringify(body),
  });
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.body}`);
  const { data }: { data: T } = JSON.parse(answer.body);
  return data;
}

/** Creates an account with the password `FIRST_PASSWORD`. */
export async function createAccount(username: string, { globalAdmin = false } = {}): Promise<void> {
  await send(['POST', '/users'], { username, password: FIRST_PASSWORD, global_admin: globalAdmin });
}

export async function deleteAccount(username: string): Promise<void> {
  await request('DELETE', `/users/${username}`);
}

interface Session {
  token: string;
}

/** Changes `FIRST_PASSWORD` to `PASSWORD` and returns the session. */
export async function choosePassword(username: string): Promise<string> {
  const first = await send<Session>(['POST', '/auth/login'], { username, password: FIRST_PASSWORD });
  const change = { current_password: FIRST_PASSWORD, new_password: PASSWORD };
  return (await send<Session>(['PUT', '/profile/password'], change, first.token)).token;
}

/** Creates a personal API token and returns it. */
export async function createToken(session: string, name: string): Promise<string> {
  return (await send<{ token: string }>(['POST', '/api-tokens'], { name, personal: true }, session)).token;
}

/** Confirms the login of a command line, as the page for people does. */
export async function confirmLogin(session: string, code: string): Promise<void> {
  const authorization = `Bearer ${session}`;
  const { status, body } = await request('POST', `/profile/cli-logins/${code}/confirm`, { authorization });
  if (status !== 204) throw new Error(`confirming ${code} answered ${status}: ${body}`);
}
