import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { Agent, request } from 'undici';
import { makeCertificate } from '#testing/network/certificate.ts';

export interface IdentityProvider {
  issuer: string;
  /** Its self-signed certificate, which clients must trust. */
  ca: string;
  /** The person who signs in next. */
  person: string;
  /** Makes the provider sign with another key from now on. */
  rotateKeys(): Promise<void>;
  close(): Promise<void>;
}

export const CLIENT = { id: 'millrace', secret: 'a secret of our client, 32 bytes' };

/** Starts an OpenID-certified identity provider over HTTPS, whose users consent to everything. */
export async function startIdentityProvider(redirectUris: string[]): Promise<IdentityProvider> {
  const { key, cert } = await makeCertificate(`identity provider ${randomUUID()}`);
  let handle = ignore;
  const server = createServer({ key, cert }, (incoming, response) => handle(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  const issuer = `https://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
  const identityProvider: IdentityProvider = {
    issuer,
    ca: cert,
    person: 'ann',
    async rotateKeys() {
      handle = await startProvider(identityProvider, redirectUris);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  await identityProvider.rotateKeys();
  return identityProvider;
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;
const ignore: RequestHandler = () => undefined;

async function startProvider(
  identityProvider: IdentityProvider,
  redirectUris: string[],
): Promise<RequestHandler> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256' };
  const provider = new Provider(identityProvider.issuer, {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: redirectUris }],
    jwks: { keys: [jwk] },
    cookies: { keys: ['a key for tests only'] },
    features: { devInteractions: { enabled: false } },
    claims: { email: ['email'], profile: ['name', 'preferred_username'] },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({
        sub: id,
        name: `The ${id}`,
        preferred_username: id,
        email: `${id}@example.org`,
      }),
    }),
    loadExistingGrant: async (context: {
      oidc: { client: { clientId: string }; session: { accountId: string } };
    }) => {
      const { client, session } = context.oidc;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  });
  const inner = provider.callback();
  return (incoming: IncomingMessage, response: ServerResponse): void => {
    if (incoming.url?.startsWith('/interaction/') !== true) return inner(incoming, response);
    void provider.interactionFinished(incoming, response, { login: { accountId: identityProvider.person } });
  };
}

export interface ReceivedPage {
  url: string;
  status: number;
  text: string;
}

interface Posted {
  url: string;
  fields: Readonly<Record<string, string>>;
}

/** A minimal browser: stores cookies by host and follows redirects. Requests to `origin` go to `base`. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();
  readonly #agent: Agent;
  readonly #served: { origin: string; base: string };

  constructor(served: { origin: string; base: string }, ca: string[]) {
    this.#served = served;
    this.#agent = new Agent({ connect: { ca } });
  }

  cookiesOf(url: string): string {
    const { host } = new URL(url);
    return [...(this.#cookies.get(host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Forgets the cookies of the host. */
  forget(url: string): void {
    this.#cookies.delete(new URL(url).host);
  }

  /** Follows redirects until a page, or until the next address begins with `until`. */
  async go(first: string, until?: string): Promise<ReceivedPage> {
    return await this.#follow({ url: first }, until);
  }

  /** Sends a form, and follows redirects as `go` does. */
  async submit(form: Posted, until?: string): Promise<ReceivedPage> {
    return await this.#follow(form, until);
  }

  async #follow(first: Posted | { url: string }, until?: string): Promise<ReceivedPage> {
    let url = first.url;
    for (let times = 0; times < 20; times += 1) {
      if (until !== undefined && times > 0 && url.startsWith(until)) return { url, status: 0, text: '' };
      const form =
        times === 0 && 'fields' in first ? new URLSearchParams(first.fields).toString() : undefined;
      const { statusCode, headers, body } = await request(this.#addressOf(url), {
        dispatcher: this.#agent,
        headers: {
          cookie: this.cookiesOf(url),
          ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(form !== undefined && { method: 'POST', body: form }),
      });
      this.#storeCookies(url, headers['set-cookie']);
      const text = await body.text();
      const { location } = headers;
      if (typeof location !== 'string') return { url, status: statusCode, text };
      url = new URL(location, url).href;
    }
    throw new Error(`too many redirects from ${first.url}`);
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }

  #addressOf(url: string): string {
    const { origin, base } = this.#served;
    return url.startsWith(origin) ? `${base}${url.slice(origin.length)}` : url;
  }

  #storeCookies(url: string, cookies: string | string[] | undefined): void {
    const { host } = new URL(url);
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    for (const cookie of [cookies ?? []].flat()) {
      const [pair = '', ...attributes] = cookie.split(';');
      const [name = '', ...value] = pair.split('=');
      if (attributes.some((attribute) => /expires=Thu, 01 Jan 1970/i.test(attribute))) jar.delete(name);
      else jar.set(name, value.join('='));
    }
    this.#cookies.set(host, jar);
  }
}
