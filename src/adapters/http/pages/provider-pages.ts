import type { FastifyRequest } from 'fastify';
import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { requireFound } from '#adapters/http/api/found.ts';
import { NamedProvider } from '#adapters/http/api/oauth-providers.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import { PROVIDER_PRESETS } from '#domain/access/provider-presets.ts';
import { callApi } from './call-api.ts';
import { confirmedForm, fillPath } from './confirmed-form.ts';
import { EMPTY_FORM, type FormState } from './form-fields.ts';
import type { Html } from './html.ts';
import { form, page, viewerOf } from './page.ts';
import { enteredProvider, providerProblem, repeatableValues } from './provider-fields.ts';
import { editProviderMain, newProviderMain } from './provider-form.ts';
import { presetList, signInSettingsMain } from './provider-sections.ts';
import { installationSettings } from './settings-layout.ts';

const PROVIDERS = '/admin/oauth-providers';
const PRESETS = `${PROVIDERS}/presets`;
const PROVIDER = `${PROVIDERS}/:canonical`;
const SIGN_IN = { section: 'Sign-in', parent: { name: 'Sign-in', url: PROVIDERS } };

/** The pages on which global admins set how people sign in: by password and by identity providers. */
export function providerPages(ports: AccessPorts): PageRoute[] {
  return [
    page({ url: PROVIDERS, answer: async ({ request }) => await signInPage(ports, request) }),
    localForm(ports),
    page({
      url: PRESETS,
      answer: async ({ query, request }) => newProviderPage(ports, request, query['preset'], EMPTY_FORM),
    }),
    createForm(ports),
    page({
      url: PROVIDER,
      params: NamedProvider,
      answer: async ({ params: { canonical = '' }, request }) =>
        await providerPage(ports, request, canonical, EMPTY_FORM),
    }),
    changeForm(ports),
    confirmedForm(ports, {
      url: `${PROVIDER}/delete`,
      calls: { method: 'DELETE', url: PROVIDER },
      params: NamedProvider,
      ask: ({ canonical = '' }) => ({
        title: `Delete the provider ${canonical}?`,
        consequence:
          `Nobody can sign in with ${canonical} any more, and its groups give no roles. ` +
          'It is not deleted if someone could then no longer sign in.',
        button: `Delete ${canonical}`,
        back: providerPath(canonical),
      }),
      to: () => PROVIDERS,
    }),
  ];
}

const providerPath = (canonical: string): string => `${PROVIDERS}/${encodeURIComponent(canonical)}`;

async function signInPage(ports: AccessPorts, request: FastifyRequest, problem?: string): Promise<Html> {
  const { oauth, codec } = ports;
  const [local, providers] = await Promise.all([oauth.local(), oauth.providers()]);
  const viewer = viewerOf(request, codec);
  return installationSettings({
    section: 'Sign-in',
    title: 'Sign-in',
    viewer,
    main: signInSettingsMain({ local, providers, settings: ports, viewer, problem }),
  });
}

function localForm(ports: AccessPorts): PageRoute {
  const calls = { method: 'PUT', url: '/admin/auth-settings' } as const;
  return form({
    url: '/admin/auth-settings',
    calls,
    answer: async ({ fields, request }) => {
      const { status, problem } = await callApi(request, {
        ...calls,
        body: { local: fields['local'] === 'true' },
        csrfToken: fields['csrf_token'],
      });
      if (problem === undefined) return { to: PROVIDERS };
      return { status, page: await signInPage(ports, request, problem) };
    },
  });
}

/**
 * The page to add a provider with a preset. Without a preset, it lists the presets. The names `OIDC` and
 * `OAuth2` stand for any other provider.
 */
function newProviderPage(
  { codec, externalUrl }: AccessPorts,
  request: FastifyRequest,
  presetName: string | undefined,
  state: FormState,
): Html {
  const viewer = viewerOf(request, codec);
  const preset = PROVIDER_PRESETS.find(({ name }) => name === presetName);
  const otherType = presetName === 'OIDC' || presetName === 'OAuth2' ? presetName : undefined;
  const type = preset?.type ?? otherType;
  if (type === undefined)
    return installationSettings({ ...SIGN_IN, title: 'Add a provider', viewer, main: presetList(PRESETS) });
  return installationSettings({
    ...SIGN_IN,
    title: preset === undefined ? `Add a provider with ${type}` : `Add ${preset.displayName}`,
    viewer,
    main: newProviderMain({ type, preset, externalUrl, state, viewer }),
  });
}

function createForm(ports: AccessPorts): PageRoute {
  return form({
    url: PROVIDERS,
    answer: async ({ fields, request }) => {
      const { canonical = '', client_secret: secret = '', preset } = fields;
      const { status, problem } = await callApi(request, {
        method: 'POST',
        url: PROVIDERS,
        body: { canonical: canonical.trim(), client_secret: secret, ...enteredProvider(fields) },
        csrfToken: fields['csrf_token'],
      });
      if (problem === undefined) return { to: providerPath(canonical.trim()) };
      const state = { values: repeatableValues(fields), problem: providerProblem(problem) };
      return { status, page: newProviderPage(ports, request, preset, state) };
    },
  });
}

async function providerPage(
  { oauth, codec, externalUrl }: AccessPorts,
  request: FastifyRequest,
  canonical: string,
  state: FormState,
): Promise<Html> {
  const providers = await oauth.providers();
  const found = providers.find((candidate) => candidate.canonical === canonical);
  const provider = requireFound(found, `Provider ${canonical}`);
  const viewer = viewerOf(request, codec);
  return installationSettings({
    ...SIGN_IN,
    title: provider.displayName ?? canonical,
    viewer,
    main: editProviderMain({ provider, path: providerPath(canonical), externalUrl, state, viewer }),
  });
}

function changeForm(ports: AccessPorts): PageRoute {
  return form({
    url: PROVIDER,
    calls: { method: 'PUT', url: PROVIDER },
    params: NamedProvider,
    answer: async ({ params, fields, request }) => {
      const { canonical = '' } = params;
      const { status, problem } = await callApi(request, {
        method: 'PUT',
        url: fillPath(PROVIDER, params),
        body: { client_secret: fields['client_secret'] ?? '', ...enteredProvider(fields) },
        csrfToken: fields['csrf_token'],
      });
      if (problem === undefined) return { to: PROVIDERS };
      const state = { values: repeatableValues(fields), problem: providerProblem(problem) };
      return { status, page: await providerPage(ports, request, canonical, state) };
    },
  });
}
