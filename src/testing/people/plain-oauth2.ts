import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { makeCertificate } from '#testing/network/certificate.ts';
import { CLIENT } from './identity-provider.ts';

export interface PlainProvider {
  base: string;
  ca: string;
  close(): Promise<void>;
}

/** Starts a provider with OAuth 2.0 but without OpenID. Every sign-in succeeds as user 42. */
export async function startPlainProvider(): Promise<PlainProvider> {
  const { key, cert } = await makeCertificate(`plain provider ${randomUUID()}`);
  const challenges = new Map<string, string>();
  const server = createServer(
    { key, cert },
    (request, response) => void answer(request, response, challenges),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  return {
    base: `https://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`,
    ca: cert,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Challenges = Map<string, string>;

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  challenges: Challenges,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'https://x');
  const sendJson = (status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (url.pathname === '/authorize') response.writeHead(302, { location: authorize(url, challenges) }).end();
  else if (url.pathname === '/token') {
    if (isValidTokenRequest(new URLSearchParams(await text(request)), challenges)) {
      sendJson(200, { access_token: 'opened', token_type: 'bearer' });
    } else sendJson(400, { error: 'invalid_grant' });
  } else if (request.headers.authorization === 'Bearer opened') {
    sendJson(200, { id: 42, login: 'Ann-Of-Forge', name: 'Ann Of Forge', email: 'root@example.org' });
  } else sendJson(401, {});
}

function authorize({ searchParams: parameters }: URL, challenges: Challenges): string {
  const code = randomUUID();
  challenges.set(code, parameters.get('code_challenge') ?? '');
  const redirect = new URL(parameters.get('redirect_uri') ?? '');
  redirect.search = new URLSearchParams({ code, state: parameters.get('state') ?? '' }).toString();
  return redirect.href;
}

function isValidTokenRequest(form: URLSearchParams, challenges: Challenges): boolean {
  const proof = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url');
  return proof === challenges.get(form.get('code') ?? '') && form.get('client_secret') === CLIENT.secret;
}
