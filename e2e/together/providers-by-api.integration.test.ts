import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { KINDS, type ApiKind } from '#adapters/kubernetes/api/kinds.ts';
import {
  eventually,
  startTestInstallation,
  type TestInstallation,
} from '#testing/together/operator-and-gateway.ts';

/*
 * Providers managed through the API, with a real API server, the chart's policies and an operator that sees
 * the same objects.
 */
let installation: TestInstallation;
let root: string;

const SECRET = 'planted-client-secret-4711';
const OTHER = 'planted-client-secret-4712';
const COMPANY = {
  canonical: 'company',
  type: 'OIDC',
  client_id: 'millrace',
  client_secret: SECRET,
  issuer_url: 'https://id.example.org',
};

beforeAll(async () => {
  installation = await startTestInstallation({ sessionSeconds: 0 });
}, 600_000);
beforeEach(async () => {
  for (const name of ['company', 'other']) await deleteProvider(name);
  await installation.stores.empty();
  await installation.gateway.account('root', { globalAdmin: true, password: 'a long password' });
  root = await installation.gateway.session('root');
});
afterAll(async () => await installation.close(), 600_000);

/** Deletes a provider without the check that nobody is locked out. */
async function deleteProvider(name: string): Promise<void> {
  await installation.stores.pool.query(rows()`DELETE FROM oauth_identities`);
  orThrow(await installation.client.delete(KINDS.oauthProviders, { name }), 'deleting');
  await eventually(
    async () => (await installation.client.get(KINDS.oauthProviders, { name })).ok,
    (exists) => !exists,
  );
}

interface Body {
  data: Record<string, unknown>;
  type: string;
  detail: string;
}
const ask = async (request: string, body?: unknown) =>
  await installation.gateway.ask<Body>(request, { as: root, ...(body !== undefined && { body }) });
const problemOf = ({ type }: Body): string => type.split('/').at(-1) ?? '';
const objectOf = async (name = 'company') =>
  orThrow(await installation.client.get(KINDS.oauthProviders, { name }), 'reading');
const secretOf = async (name = 'company') =>
  await installation.cluster.clientSecret((await objectOf(name)).spec.clientSecretRef.key);
const readyOf = async (name = 'company', reason = 'Accepted') =>
  await eventually(
    async () => (await objectOf(name)).status?.conditions?.find(({ type }) => type === 'Ready'),
    (ready) => ready?.reason === reason,
  );
/** Creates an account that can sign in only through the provider. */
async function createDependentAccount(issuer = 'https://id.example.org'): Promise<void> {
  const id = await installation.gateway.account('ann');
  await installation.stores.pool.query(rows()`
    INSERT INTO oauth_identities (issuer, subject, user_id, provider, linked_at)
    VALUES (${issuer}, 'ann-1', ${id}, 'company', now())`);
}

describe('a provider of the API', () => {
  test('is created as an object and a Secret, offered for sign-in at once, and accepted by the operator', async () => {
    const made = await ask('POST /admin/oauth-providers', COMPANY);
    expect([made.status, made.body.data]).toEqual([
      201,
      {
        canonical: 'company',
        type: 'OIDC',
        client_id: 'millrace',
        issuer_url: 'https://id.example.org',
        scopes: [],
        enabled: true,
        managed_by: 'api',
        callback_url: 'https://ci.example.org/auth/oauth/company/callback',
      },
    ]);
    const methods = await ask('GET /auth/methods');
    expect(methods.body.data['providers']).toMatchObject([{ canonical: 'company' }]);
    const { metadata, spec } = await objectOf();
    expect(metadata.labels).toEqual({ 'millrace.dev/managed-by': 'api' });
    expect(spec.clientSecretRef.name).toBe('millrace-oauth-api');
    expect(await secretOf()).toBe(SECRET);
    await readyOf();
    const audit = await installation.gateway.ask<{ data: { action: string; actor: string }[] }>(
      'GET /admin/audit?action=provider.created',
      { as: root },
    );
    expect(audit.body.data.map(({ actor }) => actor)).toEqual(['root']);
  });

  test('keeps its secret unless an update sends a new one', async () => {
    await ask('POST /admin/oauth-providers', COMPANY);
    const edited = await ask('PUT /admin/oauth-providers/company', {
      client_secret: '',
      display_name: 'Company',
      scopes: ['openid'],
    });
    expect([edited.status, edited.body.data]).toMatchObject([
      200,
      { display_name: 'Company', scopes: ['openid'] },
    ]);
    expect(await secretOf()).toBe(SECRET);
    expect(
      (await ask('PUT /admin/oauth-providers/company', { client_secret: OTHER, display_name: '' })).status,
    ).toBe(200);
    expect(await secretOf()).toBe(OTHER);
    const stored = orThrow(
      await installation.client.get(KINDS.secrets, {
        namespace: 'millrace-system',
        name: 'millrace-oauth-api',
      }),
      'reading',
    );
    expect(Object.keys(stored.data ?? {})).toHaveLength(1);
    expect((await objectOf()).spec).not.toHaveProperty('displayName');
  });

  test('moves to another server only if the client secret is sent again', async () => {
    await ask('POST /admin/oauth-providers', COMPANY);
    const body = { issuer_url: 'https://evil.example' };
    const refused = await ask('PUT /admin/oauth-providers/company', body);
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      'The new issuerUrl would send the client secret to another server: send client_secret again with this change.',
    ]);
    expect((await objectOf()).spec).toMatchObject({ issuerURL: 'https://id.example.org' });
    const within = { issuer_url: 'https://id.example.org/realms/company' };
    expect((await ask('PUT /admin/oauth-providers/company', within)).status).toBe(200);
    expect((await ask('PUT /admin/oauth-providers/company', { ...body, client_secret: OTHER })).status).toBe(
      200,
    );
    expect(await secretOf()).toBe(OTHER);
  });

  test('never shows its secret in answers, logs, objects, Events or tables', async () => {
    const answers = [
      await ask('POST /admin/oauth-providers', COMPANY),
      await ask('POST /admin/oauth-providers', COMPANY),
      await ask('PUT /admin/oauth-providers/company', { client_secret: OTHER, issuer_url: 'nonsense' }),
      await ask('PUT /admin/oauth-providers/company', { client_secret: OTHER }),
      await ask('GET /admin/oauth-providers'),
      await ask('GET /admin/audit'),
    ];
    await readyOf();
    const events: unknown[] = [];
    await installation.client.list(KINDS.events, {}, (items) => void events.push(...items));
    const dump = await installation.stores.pool.any(rows<{ row: string }>()`
      SELECT to_jsonb(p)::text AS row FROM oauth_providers p UNION ALL SELECT to_jsonb(a)::text FROM audit_log a`);
    const seen = JSON.stringify([
      answers.map(({ text }) => text),
      installation.gateway.lines,
      await objectOf(),
      events,
      dump,
    ]);
    expect(seen).toContain('company');
    for (const secret of [SECRET, OTHER]) {
      expect(seen).not.toContain(secret);
      expect(seen).not.toContain(Buffer.from(secret).toString('base64'));
    }
  });

  test('takes defaults from a preset', async () => {
    const made = await ask('POST /admin/oauth-providers', {
      canonical: 'company',
      preset: 'github',
      client_id: 'x',
      client_secret: SECRET,
    });
    expect(made.body.data).toMatchObject({ type: 'OAuth2', username_claim: 'login', display_name: 'GitHub' });
    const withoutIssuer = await ask('POST /admin/oauth-providers', {
      canonical: 'other',
      preset: 'keycloak',
      client_id: 'x',
      client_secret: SECRET,
    });
    expect([withoutIssuer.status, withoutIssuer.body.detail]).toEqual([
      400,
      expect.stringContaining('issuerUrl must be a URL'),
    ]);
  });

  test('is deleted, and can be created again', async () => {
    await ask('POST /admin/oauth-providers', COMPANY);
    expect((await ask('DELETE /admin/oauth-providers/company')).status).toBe(204);
    expect((await ask('GET /admin/oauth-providers')).body.data).toEqual([]);
    await eventually(
      async () => (await installation.client.get(KINDS.oauthProviders, { name: 'company' })).ok,
      (exists) => !exists,
    );
    expect((await ask('DELETE /admin/oauth-providers/company')).status).toBe(404);
    expect((await ask('POST /admin/oauth-providers', COMPANY)).status).toBe(201);
  });
});

describe('nobody is locked out', () => {
  beforeEach(async () => {
    await ask('POST /admin/oauth-providers', COMPANY);
    await createDependentAccount();
  });

  test.each([
    ['disabling', 'PUT', { enabled: false }],
    ['another issuer', 'PUT', { issuer_url: 'https://elsewhere.example.org' }],
    ['deleting', 'DELETE', undefined],
  ])('by %s: the answer names the accounts, and nothing has changed', async (_, method, body) => {
    const before = (await objectOf()).spec;
    const refused = await ask(`${method} /admin/oauth-providers/company`, body);
    expect([refused.status, problemOf(refused.body), refused.body.detail]).toEqual([
      409,
      'would-lock-out',
      expect.stringContaining('ann'),
    ]);
    const { spec, metadata } = await objectOf();
    expect([spec, metadata.deletionTimestamp]).toEqual([before, undefined]);
    expect((await ask('GET /admin/oauth-providers')).body.data).toMatchObject([
      { enabled: true, issuer_url: 'https://id.example.org' },
    ]);
  });

  test('when two providers are disabled at the same moment, one through the API and one in its object', async () => {
    await ask('POST /admin/oauth-providers', {
      ...COMPANY,
      canonical: 'other',
      issuer_url: 'https://other.example.org',
    });
    await installation.stores.pool.query(rows()`
      INSERT INTO oauth_identities (issuer, subject, user_id, provider, linked_at)
      SELECT 'https://other.example.org', 'ann-2', id, 'other', now() FROM users WHERE username = 'ann'`);
    await readyOf('other');
    await Promise.all([
      ask('PUT /admin/oauth-providers/company', { enabled: false }),
      installation.client.patchMerge(KINDS.oauthProviders, { name: 'other' }, { spec: { enabled: false } }),
    ]);
    const providers = await eventually(
      async () => await installation.stores.access.oauth.providers(),
      (all) => all.some(({ enabled }) => !enabled),
    );
    expect(providers.filter(({ enabled }) => enabled)).toHaveLength(1);
  });
});

describe('a provider of a manifest', () => {
  test('cannot be changed through the API', async () => {
    const spec = {
      type: 'OIDC',
      clientID: 'millrace',
      clientSecretRef: { name: 'millrace-oauth', key: 'company' },
      issuerURL: 'https://id.example.org',
    };
    await installation.apply(KINDS.oauthProviders, { metadata: { name: 'company' }, spec });
    await readyOf();
    expect((await ask('GET /admin/oauth-providers')).body.data).toMatchObject([{ managed_by: 'manifest' }]);
    for (const [request, body] of [
      ['PUT /admin/oauth-providers/company', { enabled: false }],
      ['DELETE /admin/oauth-providers/company', undefined],
    ] as const) {
      const refused = await ask(request, body);
      expect([request, refused.status, problemOf(refused.body)]).toEqual([
        request,
        409,
        'managed-by-manifest',
      ]);
    }
    expect(problemOf((await ask('POST /admin/oauth-providers', COMPANY)).body)).toBe('already-exists');
  });
});

test('the gateway’s service account has no rights beyond those that the API needs', async () => {
  const spec = {
    type: 'OIDC',
    clientID: 'millrace',
    clientSecretRef: { name: 'millrace-oauth', key: 'company' },
    issuerURL: 'https://id.example.org',
  };
  const { restricted } = installation;
  const create = async (kind: ApiKind<unknown>, more: object) => {
    const object: object = { apiVersion: kind.apiVersion, kind: kind.kind, ...more };
    return await restricted.create<object>({ ...kind, shape: {} }, object);
  };
  const labels = { 'millrace.dev/managed-by': 'api' };
  const unlabelled = await create(KINDS.oauthProviders, { metadata: { name: 'company' }, spec });
  // Two policies deny this, and the API server may name either.
  expect(unlabelled).toMatchObject({
    ok: false,
    message: expect.stringMatching(/makes only objects labelled|names only secrets that it keeps/),
  });
  const withForeignSecret = await create(KINDS.oauthProviders, {
    metadata: { name: 'company', labels },
    spec,
  });
  expect(withForeignSecret).toMatchObject({
    ok: false,
    message: expect.stringContaining('secrets that it keeps'),
  });
  await installation.apply(KINDS.oauthProviders, { metadata: { name: 'company' }, spec });
  const deletion = await restricted.delete(KINDS.oauthProviders, { name: 'company' });
  expect(deletion).toMatchObject({ ok: false, message: expect.stringContaining('only objects labelled') });
  const team = { metadata: { name: 'wide', labels }, spec: { podSecurity: 'baseline' } };
  expect(await create(KINDS.teams, team)).toMatchObject({
    ok: false,
    message: expect.stringContaining('empty spec'),
  });
  const keys = { namespace: 'millrace-system', name: 'millrace-keys' };
  expect(await restricted.get(KINDS.secrets, keys)).toMatchObject({ ok: false, status: 403 });
  expect(await restricted.list(KINDS.secrets, {}, () => undefined)).toMatchObject({ ok: false, status: 403 });
});
