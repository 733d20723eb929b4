import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { KINDS, type ApiKind } from '#adapters/kubernetes/api/kinds.ts';
import { eventually, openHouse, type House } from '#testing/together/house-under-test.ts';

/*
 * Providers through the API, over a real API server with the chart's policies, beside the operator, which
 * sees the same objects.
 */
let house: House;
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
  house = await openHouse({ sessionSeconds: 0 });
}, 600_000);
beforeEach(async () => {
  for (const name of ['company', 'other']) await forget(name);
  await house.stores.empty();
  await house.gateway.account('root', { globalAdmin: true, password: 'a long password' });
  root = await house.gateway.session('root');
});
afterAll(async () => await house.close(), 600_000);

/** Without asking who is locked out. */
async function forget(name: string): Promise<void> {
  await house.stores.pool.query(rows()`DELETE FROM oauth_identities`);
  orThrow(await house.client.delete(KINDS.oauthProviders, { name }), 'deleting');
  await eventually(
    async () => (await house.client.get(KINDS.oauthProviders, { name })).ok,
    (there) => !there,
  );
}

interface Body {
  data: Record<string, unknown>;
  type: string;
  detail: string;
}
const ask = async (what: string, body?: unknown) =>
  await house.gateway.ask<Body>(what, { as: root, ...(body !== undefined && { body }) });
const kind = ({ type }: Body): string => type.split('/').at(-1) ?? '';
const objectOf = async (name = 'company') =>
  orThrow(await house.client.get(KINDS.oauthProviders, { name }), 'reading');
const secretOf = async (name = 'company') =>
  await house.cluster.clientSecret((await objectOf(name)).spec.clientSecretRef.key);
const readyOf = async (name = 'company', reason = 'Accepted') =>
  await eventually(
    async () => (await objectOf(name)).status?.conditions?.find(({ type }) => type === 'Ready'),
    (ready) => ready?.reason === reason,
  );
/** Somebody whose only way in is the provider. */
async function dependent(issuer = 'https://id.example.org'): Promise<void> {
  const id = await house.gateway.account('ann');
  await house.stores.pool.query(rows()`
    INSERT INTO oauth_identities (issuer, subject, user_id, provider, linked_at)
    VALUES (${issuer}, 'ann-1', ${id}, 'company', now())`);
}

describe('a provider that the API makes', () => {
  test('is an object with its secret beside it, offered at once, and accepted by the operator', async () => {
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
    const audit = await house.gateway.ask<{ data: { action: string; actor: string }[] }>(
      'GET /admin/audit?action=provider.created',
      { as: root },
    );
    expect(audit.body.data.map(({ actor }) => actor)).toEqual(['root']);
  });

  test('keeps its secret when an edit sends none, and gets the new one when it does', async () => {
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
      await house.client.get(KINDS.secrets, { namespace: 'millrace-system', name: 'millrace-oauth-api' }),
      'reading',
    );
    expect(Object.keys(stored.data ?? {})).toHaveLength(1);
    expect((await objectOf()).spec).not.toHaveProperty('displayName');
  });

  test('moves to another server only with its secret, which would go there', async () => {
    await ask('POST /admin/oauth-providers', COMPANY);
    const body = { issuer_url: 'https://evil.example' };
    const refused = await ask('PUT /admin/oauth-providers/company', body);
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      'The client secret would go to another server by issuerUrl: send client_secret again with this change.',
    ]);
    expect((await objectOf()).spec).toMatchObject({ issuerURL: 'https://id.example.org' });
    const within = { issuer_url: 'https://id.example.org/realms/company' };
    expect((await ask('PUT /admin/oauth-providers/company', within)).status).toBe(200);
    expect((await ask('PUT /admin/oauth-providers/company', { ...body, client_secret: OTHER })).status).toBe(
      200,
    );
    expect(await secretOf()).toBe(OTHER);
  });

  test('never shows its secret: not in answers, logs, objects, Events or tables', async () => {
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
    await house.client.list(KINDS.events, {}, (items) => void events.push(...items));
    const dump = await house.stores.pool.any(rows<{ row: string }>()`
      SELECT to_jsonb(p)::text AS row FROM oauth_providers p UNION ALL SELECT to_jsonb(a)::text FROM audit_log a`);
    const seen = JSON.stringify([
      answers.map(({ text }) => text),
      house.gateway.lines,
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

  test('begins with a preset', async () => {
    const made = await ask('POST /admin/oauth-providers', {
      canonical: 'company',
      preset: 'github',
      client_id: 'x',
      client_secret: SECRET,
    });
    expect(made.body.data).toMatchObject({ type: 'OAuth2', username_claim: 'login', display_name: 'GitHub' });
    const open = await ask('POST /admin/oauth-providers', {
      canonical: 'other',
      preset: 'keycloak',
      client_id: 'x',
      client_secret: SECRET,
    });
    expect([open.status, open.body.detail]).toEqual([
      400,
      expect.stringContaining('issuerUrl must be a URL'),
    ]);
  });

  test('is gone when it is deleted, with its secret', async () => {
    await ask('POST /admin/oauth-providers', COMPANY);
    expect((await ask('DELETE /admin/oauth-providers/company')).status).toBe(204);
    expect((await ask('GET /admin/oauth-providers')).body.data).toEqual([]);
    await eventually(
      async () => (await house.client.get(KINDS.oauthProviders, { name: 'company' })).ok,
      (there) => !there,
    );
    expect((await ask('DELETE /admin/oauth-providers/company')).status).toBe(404);
    expect((await ask('POST /admin/oauth-providers', COMPANY)).status).toBe(201);
  });
});

describe('nobody is locked out', () => {
  beforeEach(async () => {
    await ask('POST /admin/oauth-providers', COMPANY);
    await dependent();
  });

  test.each([
    ['disabling', 'PUT', { enabled: false }],
    ['another issuer', 'PUT', { issuer_url: 'https://elsewhere.example.org' }],
    ['deleting', 'DELETE', undefined],
  ])('by %s: the answer names them, and nothing has changed', async (_, method, body) => {
    const before = (await objectOf()).spec;
    const refused = await ask(`${method} /admin/oauth-providers/company`, body);
    expect([refused.status, kind(refused.body), refused.body.detail]).toEqual([
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

  test('by two providers that go at the same moment, one through the API and one by kubectl', async () => {
    await ask('POST /admin/oauth-providers', {
      ...COMPANY,
      canonical: 'other',
      issuer_url: 'https://other.example.org',
    });
    await house.stores.pool.query(rows()`
      INSERT INTO oauth_identities (issuer, subject, user_id, provider, linked_at)
      SELECT 'https://other.example.org', 'ann-2', id, 'other', now() FROM users WHERE username = 'ann'`);
    await readyOf('other');
    await Promise.all([
      ask('PUT /admin/oauth-providers/company', { enabled: false }),
      house.client.patchMerge(KINDS.oauthProviders, { name: 'other' }, { spec: { enabled: false } }),
    ]);
    const left = await eventually(
      async () => await house.stores.access.oauth.providers(),
      (all) => all.some(({ enabled }) => !enabled),
    );
    expect(left.filter(({ enabled }) => enabled)).toHaveLength(1);
  });
});

describe('a provider of a manifest', () => {
  test('is not the API’s to change', async () => {
    const spec = {
      type: 'OIDC',
      clientID: 'millrace',
      clientSecretRef: { name: 'millrace-oauth', key: 'company' },
      issuerURL: 'https://id.example.org',
    };
    await house.apply(KINDS.oauthProviders, { metadata: { name: 'company' }, spec });
    await readyOf();
    expect((await ask('GET /admin/oauth-providers')).body.data).toMatchObject([{ managed_by: 'manifest' }]);
    for (const [what, body] of [
      ['PUT /admin/oauth-providers/company', { enabled: false }],
      ['DELETE /admin/oauth-providers/company', undefined],
    ] as const) {
      const refused = await ask(what, body);
      expect([what, refused.status, kind(refused.body)]).toEqual([what, 409, 'managed-by-manifest']);
    }
    expect(kind((await ask('POST /admin/oauth-providers', COMPANY)).body)).toBe('already-exists');
  });
});

test('the gateway’s token does no more than that, whoever holds it', async () => {
  const spec = {
    type: 'OIDC',
    clientID: 'millrace',
    clientSecretRef: { name: 'millrace-oauth', key: 'company' },
    issuerURL: 'https://id.example.org',
  };
  const { restricted } = house;
  const create = async (plural: ApiKind<unknown>, more: object) => {
    const whole: object = { apiVersion: plural.apiVersion, kind: plural.kind, ...more };
    return await restricted.create<object>({ ...plural, shape: {} }, whole);
  };
  const labels = { 'millrace.dev/managed-by': 'api' };
  const unlabelled = await create(KINDS.oauthProviders, { metadata: { name: 'company' }, spec });
  // Two policies refuse it, and the API server names either.
  expect(unlabelled).toMatchObject({
    ok: false,
    message: expect.stringMatching(/makes only objects labelled|names only secrets that it keeps/),
  });
  const reaching = await create(KINDS.oauthProviders, { metadata: { name: 'company', labels }, spec });
  expect(reaching).toMatchObject({ ok: false, message: expect.stringContaining('secrets that it keeps') });
  await house.apply(KINDS.oauthProviders, { metadata: { name: 'company' }, spec });
  const gone = await restricted.delete(KINDS.oauthProviders, { name: 'company' });
  expect(gone).toMatchObject({ ok: false, message: expect.stringContaining('only objects labelled') });
  const team = { metadata: { name: 'wide', labels }, spec: { podSecurity: 'baseline' } };
  expect(await create(KINDS.teams, team)).toMatchObject({
    ok: false,
    message: expect.stringContaining('empty spec'),
  });
  const keys = { namespace: 'millrace-system', name: 'millrace-keys' };
  expect(await restricted.get(KINDS.secrets, keys)).toMatchObject({ ok: false, status: 403 });
  expect(await restricted.list(KINDS.secrets, {}, () => undefined)).toMatchObject({ ok: false, status: 403 });
});
