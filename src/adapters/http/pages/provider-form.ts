import type { ProviderPreset } from '#domain/access/provider-presets.ts';
import type { StoredProvider } from '#flows/people/oauth-ports.ts';
import { checkField, formProblem, textField, type FormState } from './form-fields.ts';
import { html, type Html } from './html.ts';
import { action, csrfField, type Viewer } from './layout.ts';

type ProviderValues = Partial<Omit<StoredProvider, 'canonical'>>;

interface NewParts {
  type: StoredProvider['type'];
  preset: ProviderPreset | undefined;
  externalUrl: string | undefined;
  state: FormState;
  viewer: Viewer | undefined;
}

export function newProviderMain({ type, preset, externalUrl, state, viewer }: NewParts): Html {
  const { name = type } = preset ?? {};
  const addressNote =
    externalUrl === undefined
      ? NO_EXTERNAL_URL
      : `Register this address with the provider: ${externalUrl}/auth/oauth/<name>/callback`;
  return html`<p>${addressNote}</p>
    <form method="post" action="/admin/oauth-providers" class="team-form">
      ${csrfField(viewer)} ${formProblem(state)}
      <input type="hidden" name="preset" value="${name}" />
      <input type="hidden" name="type" value="${type}" />
      ${textField({
        id: 'canonical',
        name: 'canonical',
        label: 'Name',
        help: 'Lower-case letters, digits, dots and hyphens. It is part of the address above and never changes.',
        state,
        preset: preset?.name,
        required: true,
        maxLength: 63,
      })}
      ${providerFields(type, preset ?? {}, state)}
      ${secretField(state, 'From the provider. No page shows it again.', true)}
      ${checkField({ id: 'enabled', name: 'enabled', label: 'Enabled', state, preset: true })}
      <button type="submit">Add provider</button>
    </form>`;
}

const NO_EXTERNAL_URL =
  'This installation has no externalURL, so providers cannot send browsers back to it. Set it in the values of the chart.';

interface EditParts {
  provider: StoredProvider;
  path: string;
  externalUrl: string | undefined;
  state: FormState;
  viewer: Viewer | undefined;
}

export function editProviderMain(parts: EditParts): Html {
  const { provider, path, externalUrl, state, viewer } = parts;
  const { canonical, type, byApi = false, enabled } = provider;
  const facts = html`<dl>
    <dt>Name</dt>
    <dd>${canonical}</dd>
    <dt>Type</dt>
    <dd>${type}</dd>
    <dt>Address for the provider</dt>
    <dd>
      <span class="code"
        >${externalUrl === undefined ? NO_EXTERNAL_URL : `${externalUrl}/auth/oauth/${canonical}/callback`}</span
      >
    </dd>
  </dl>`;
  if (!byApi) return html`${facts}${readOnlyFacts(provider)}`;
  return html`${facts}
    <form method="post" action="${path}" class="team-form">
      ${csrfField(viewer)} ${formProblem(state)} ${providerFields(type, provider, state)}
      ${secretField(state, 'Empty: the stored one stays. If an address moves to another server, enter it again.', false)}
      ${checkField({ id: 'enabled', name: 'enabled', label: 'Enabled', state, preset: enabled })}
      <button type="submit">Save</button>
    </form>
    <section aria-labelledby="delete">
      <h2 id="delete">Delete this provider</h2>
      ${action({ url: `${path}/delete`, viewer, label: 'Delete provider…', quiet: true })}
    </section>`;
}

function readOnlyFacts(provider: StoredProvider): Html {
  const { canonical, clientId, scopes = [], enabled, issuerUrl, authUrl, tokenUrl, userInfoUrl } = provider;
  const rows = [
    ['Client ID', clientId],
    ['Issuer', issuerUrl],
    ['Authorization address', authUrl],
    ['Token address', tokenUrl],
    ['User info address', userInfoUrl],
    ['Scopes', scopes.join(' ')],
    ['Claim for the username', provider.usernameClaim],
    ['Claim for groups', provider.groupsClaim],
    ['Enabled', enabled ? 'yes' : 'no'],
  ] as const;
  return html`<p class="team-note">
      A manifest manages this provider. Change the OAuthProvider object <code>${canonical}</code> where your
      cluster's manifests are kept.
    </p>
    <dl>
      ${rows
        .map(
          ([name, value]) =>
            value !== undefined &&
            value !== '' &&
            html`<dt>${name}</dt>
              <dd>${value}</dd>`,
        )
        .filter((row) => row !== false)}
    </dl>`;
}

type ProviderField = Pick<
  Parameters<typeof textField>[0],
  'name' | 'label' | 'preset' | 'maxLength' | 'help' | 'required'
>;

function providerFields(type: StoredProvider['type'], values: ProviderValues, state: FormState): Html {
  const fields: ProviderField[] = [
    { name: 'display_name', label: 'Display name', preset: values.displayName, maxLength: 100 },
    ...addressFields(type, values),
    { name: 'client_id', label: 'Client ID', preset: values.clientId, maxLength: 512, required: true },
    {
      name: 'scopes',
      label: 'Scopes',
      help: 'Separated by spaces.',
      preset: values.scopes?.join(' '),
      maxLength: 1000,
    },
    {
      name: 'username_claim',
      label: 'Claim for the username',
      help: 'It suggests the name of a new account.',
      preset: values.usernameClaim,
      maxLength: 256,
    },
    {
      name: 'groups_claim',
      label: 'Claim for groups',
      help: 'Empty: groups of this provider give no roles.',
      preset: values.groupsClaim,
      maxLength: 256,
    },
  ];
  return html`${fields.map((field) => textField({ ...field, id: field.name, state }))}`;
}

function addressFields(type: StoredProvider['type'], values: ProviderValues): ProviderField[] {
  const address = { maxLength: 2048, required: true };
  return type === 'OIDC'
    ? [
        {
          ...address,
          name: 'issuer_url',
          label: 'Issuer',
          help: 'Replace words in braces. The provider describes itself below this address.',
          preset: values.issuerUrl,
        },
      ]
    : [
        { ...address, name: 'auth_url', label: 'Authorization address', preset: values.authUrl },
        { ...address, name: 'token_url', label: 'Token address', preset: values.tokenUrl },
        { ...address, name: 'userinfo_url', label: 'User info address', preset: values.userInfoUrl },
      ];
}

function secretField(state: FormState, help: string, required: boolean): Html {
  return textField({
    id: 'client_secret',
    name: 'client_secret',
    label: 'Client secret',
    help,
    type: 'password',
    autocomplete: 'off',
    state,
    required,
    secret: true,
    maxLength: 2048,
  });
}
