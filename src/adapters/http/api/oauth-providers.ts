import { Type, type Static } from 'typebox';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import { PROVIDER_PRESETS, type ProviderPreset } from '#domain/access/provider-presets.ts';
import {
  createProvider,
  deleteProvider,
  updateProvider,
  type ProviderChanged,
  type WantedProvider,
} from '#flows/people/change-oauth-provider.ts';
import type { StoredProvider } from '#flows/people/oauth-ports.ts';
import type { AccessPorts } from './access-ports.ts';
import { actOf } from './caller.ts';
import { requireObjects, requireWritten } from './cluster-objects.ts';
import { requireFound } from './found.ts';
import { body, Nothing, SMALL_BODY } from './request-bodies.ts';
import { answer, answerList } from './schemas.ts';

const Kind = Type.Enum(['OIDC', 'OAuth2']);
const Text = Type.Optional(Type.String());

/** The fields of a provider in a response. The client secret is never one of them. */
export const ProviderFields = {
  canonical: Type.String(),
  display_name: Text,
  type: Kind,
  client_id: Type.String(),
  issuer_url: Text,
  auth_url: Text,
  token_url: Text,
  userinfo_url: Text,
  scopes: Type.Array(Type.String()),
  username_claim: Text,
  groups_claim: Text,
  enabled: Type.Boolean(),
  managed_by: Type.Enum(['api', 'manifest']),
  callback_url: Text,
};

const Url = Type.Optional(Type.String({ maxLength: 2048 }));
const Claim = Type.Optional(Type.String({ maxLength: 256 }));
/**
 * Fields of a body. An empty text removes an optional value, as does an empty list. In an update, an empty
 * `client_secret` keeps the stored secret.
 */
const ProviderBodyFields = {
  display_name: Type.Optional(Type.String({ maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })),
  type: Type.Optional(Kind),
  client_id: Type.Optional(Type.String({ maxLength: 512 })),
  client_secret: Type.Optional(Type.String({ maxLength: 4096 })),
  issuer_url: Url,
  auth_url: Url,
  token_url: Url,
  userinfo_url: Url,
  scopes: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 20 })),
  username_claim: Claim,
  groups_claim: Claim,
  enabled: Type.Optional(Type.Boolean()),
};
const UpdateProviderBody = body(ProviderBodyFields);
type UpdateProviderFields = Static<typeof UpdateProviderBody>;

const Canonical = Type.String({ pattern: '^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$' });
/** The path parameter that names an existing provider. */
export const NamedProvider = Type.Object({ canonical: Canonical });

export function providerRoutes(ports: AccessPorts): Route[] {
  return [
    listRoute(ports),
    presetsRoute(),
    getRoute(ports),
    createRoute(ports),
    changeRoute(ports),
    deleteRoute(ports),
  ];
}

function listRoute({ oauth, externalUrl }: AccessPorts): Route {
  return route({
    method: 'GET',
    url: '/admin/oauth-providers',
    needs: 'global-admin',
    about: 'All providers that the operator or the API has applied, without secrets.',
    schema: { response: answerList(Type.Object(ProviderFields)) },
    handler: async () => ({
      data: (await oauth.providers()).map((provider) => encode(provider, externalUrl)),
    }),
  });
}

function getRoute({ oauth, externalUrl }: AccessPorts): Route {
  return route({
    method: 'GET',
    url: '/admin/oauth-providers/:canonical',
    needs: 'global-admin',
    about: 'One provider, without its secret.',
    schema: { params: NamedProvider, response: answer(ProviderFields) },
    handler: async ({ params: { canonical } }) => {
      const providers = await oauth.providers();
      const provider = providers.find((candidate) => candidate.canonical === canonical);
      return { data: encode(requireFound(provider, `Provider ${canonical}`), externalUrl) };
    },
  });
}

const Preset = {
  preset: Type.String(),
  display_name: Type.String(),
  type: Kind,
  issuer_url: Text,
  auth_url: Text,
  token_url: Text,
  userinfo_url: Text,
  scopes: Type.Array(Type.String()),
  username_claim: Text,
  groups_claim: Text,
};

function presetsRoute(): Route {
  return route({
    method: 'GET',
    url: '/admin/oauth-providers/presets',
    needs: 'global-admin',
    about:
      'Presets of common providers: type, URLs, scopes and claims to start from. Replace `{word}` in a ' +
      'URL.',
    schema: { response: answerList(Type.Object(Preset)) },
    handler: () => ({
      data: PROVIDER_PRESETS.map((preset) => ({
        preset: preset.name,
        display_name: preset.displayName,
        type: preset.type,
        ...encodeTextFields(preset),
        scopes: [...preset.scopes],
      })),
    }),
  });
}

function createRoute(ports: AccessPorts): Route {
  return route({
    method: 'POST',
    url: '/admin/oauth-providers',
    needs: 'global-admin',
    about:
      'Creates a provider: an OAuthProvider object, and its client secret in a Secret. Fields that the ' +
      'body leaves out come from `preset`.',
    bodyLimit: SMALL_BODY,
    schema: {
      body: body({
        ...ProviderBodyFields,
        canonical: Canonical,
        preset: Type.Optional(Type.String({ maxLength: 100 })),
      }),
      response: { 201: Type.Object({ data: Type.Object(ProviderFields) }) },
    },
    handler: async (
      { body: { canonical, preset, client_secret: secret = '', ...fields }, identity },
      reply,
    ) => {
      if (secret === '')
        throw new Problem(
          'invalid-request',
          'A new provider needs a client_secret. Copy it from where you registered Millrace.',
        );
      const { type, ...presetFields } = presetOf(preset);
      const initial = { ...presetFields, canonical, clientId: '', enabled: true };
      const wanted = applyFields({ ...initial, type: type ?? fields.type ?? 'OIDC' }, fields);
      const act = actOf(identity, ports.now());
      const result = await createProvider({ wanted, secret }, act, providerPorts(ports));
      return reply.code(201).send({ data: encode(requireSaved(result, canonical), ports.externalUrl) });
    },
  });
}

const PRESET_NAMES = PROVIDER_PRESETS.map(({ name }) => name).join(', ');

function presetOf(name: string | undefined): Partial<ProviderPreset> {
  if (name === undefined) return {};
  const preset = PROVIDER_PRESETS.find((candidate) => candidate.name === name);
  if (preset === undefined)
    throw new Problem(
      'invalid-request',
      `There is no preset ${name}. Leave preset out, or use one of: ${PRESET_NAMES}.`,
    );
  const { name: _, ...fields } = preset;
  return fields;
}

function changeRoute(ports: AccessPorts): Route {
  return route({
    method: 'PUT',
    url: '/admin/oauth-providers/:canonical',
    needs: 'global-admin',
    about:
      'Changes a provider that was created over the API; every replica uses the change at once. Fields ' +
      'that the body leaves out keep their values, an empty text removes one, and an empty `client_secret` ' +
      'keeps the stored one. 409 if a manifest manages the provider, if someone could no longer sign in, ' +
      'or if somebody else changed it at the same time.',
    bodyLimit: SMALL_BODY,
    schema: { params: NamedProvider, body: UpdateProviderBody, response: answer(ProviderFields) },
    handler: async ({ params: { canonical }, body: { client_secret: newSecret, ...fields }, identity }) => {
      const secret = newSecret === '' ? undefined : newSecret;
      const change = (provider: WantedProvider): WantedProvider => applyFields(provider, fields);
      const act = actOf(identity, ports.now());
      const result = await updateProvider(canonical, { change, secret }, act, providerPorts(ports));
      return { data: encode(requireSaved(result, canonical), ports.externalUrl) };
    },
  });
}

function deleteRoute(ports: AccessPorts): Route {
  return route({
    method: 'DELETE',
    url: '/admin/oauth-providers/:canonical',
    needs: 'global-admin',
    about: 'Deletes a provider that was created over the API, unless someone could no longer sign in.',
    schema: { params: NamedProvider, response: Nothing },
    handler: async ({ params: { canonical }, identity }, reply) => {
      requireSaved(
        await deleteProvider(canonical, actOf(identity, ports.now()), providerPorts(ports)),
        canonical,
      );
      return reply.code(204).send(undefined);
    },
  });
}

function providerPorts({ objects, oauth, now }: AccessPorts) {
  return { objects: requireObjects(objects).providers, oauth, now };
}

function requireSaved(result: ProviderChanged, canonical: string): StoredProvider {
  if (result.answer === 'fault') throw new Problem('invalid-request', result.message);
  if (result.answer === 'lock-out') throw new Problem('would-lock-out', result.message);
  return requireWritten(result, `Provider ${canonical}`);
}

/** The optional texts of a provider: the name in the program, and the field of the API. */
const TEXT_FIELDS = [
  ['displayName', 'display_name'],
  ['issuerUrl', 'issuer_url'],
  ['authUrl', 'auth_url'],
  ['tokenUrl', 'token_url'],
  ['userInfoUrl', 'userinfo_url'],
  ['usernameClaim', 'username_claim'],
  ['groupsClaim', 'groups_claim'],
] as const;

function applyFields(
  provider: WantedProvider,
  fields: Omit<UpdateProviderFields, 'client_secret'>,
): WantedProvider {
  const {
    type = provider.type,
    client_id: clientId = provider.clientId,
    enabled = provider.enabled,
  } = fields;
  const wanted: WantedProvider = { ...provider, type, clientId, enabled };
  for (const [name, field] of TEXT_FIELDS) {
    const text = fields[field];
    if (text === '') delete wanted[name];
    else if (text !== undefined) wanted[name] = text;
  }
  if (fields.scopes?.length === 0) delete wanted.scopes;
  else if (fields.scopes !== undefined) wanted.scopes = fields.scopes;
  return wanted;
}

function encodeTextFields(provider: Partial<StoredProvider>) {
  const entries = TEXT_FIELDS.flatMap(([name, field]) =>
    provider[name] === undefined ? [] : [[field, provider[name]] as const],
  );
  return Object.fromEntries(entries);
}

function encode(provider: StoredProvider, externalUrl: string | undefined) {
  const { canonical, type, clientId, enabled, scopes = [], byApi = false } = provider;
  return {
    canonical,
    type,
    client_id: clientId,
    enabled,
    scopes: [...scopes],
    managed_by: byApi ? ('api' as const) : ('manifest' as const),
    ...encodeTextFields(provider),
    ...(externalUrl !== undefined && { callback_url: `${externalUrl}/auth/oauth/${canonical}/callback` }),
  };
}
