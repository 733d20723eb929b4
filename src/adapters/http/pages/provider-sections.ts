import { PROVIDER_PRESETS } from '#domain/access/provider-presets.ts';
import type { StoredProvider } from '#flows/people/oauth-ports.ts';
import { secondsInWords } from './amounts.ts';
import { htmlTable } from './data-table.ts';
import { html, type Html } from './html.ts';
import { action, alert, scrolling, type Viewer } from './layout.ts';

interface SignInSettingsParts {
  /** Whether people may sign in with a password. */
  local: boolean;
  providers: readonly StoredProvider[];
  /** The settings that the values of the chart set. */
  settings: {
    sessionSeconds: number;
    idleSeconds: number;
    tokenMaxSeconds: number;
    externalUrl: string | undefined;
  };
  viewer: Viewer | undefined;
  problem: string | undefined;
}

export function signInSettingsMain({
  local,
  providers,
  settings,
  viewer,
  problem,
}: SignInSettingsParts): Html {
  return html`<section aria-labelledby="providers">
      <h2 id="providers">Identity providers</h2>
      ${providers.length === 0 ? html`<p>There is none yet.</p>` : providerTable(providers)}
      <p><a class="button" href="/admin/oauth-providers/presets">Add a provider</a></p>
    </section>
    <section aria-labelledby="passwords">
      <h2 id="passwords">Passwords</h2>
      ${alert(problem)}
      <p>
        ${
          local
            ? 'People can sign in with a password.'
            : 'Nobody can sign in with a password, only with an identity provider.'
        }
      </p>
      ${action({
        url: '/admin/auth-settings',
        viewer,
        label: local ? 'Turn passwords off' : 'Turn passwords on',
        quiet: true,
        fields: html`<input type="hidden" name="local" value="${String(!local)}" />`,
      })}
    </section>
    ${chartSettings(settings)}`;
}

function providerTable(providers: readonly StoredProvider[]): Html {
  return scrolling(
    'Identity providers',
    htmlTable(providers, [
      {
        title: 'Provider',
        cell: ({ canonical, displayName = canonical }) =>
          html`<a href="/admin/oauth-providers/${encodeURIComponent(canonical)}">${displayName}</a>`,
      },
      { title: 'Type', cell: ({ type }) => type },
      { title: 'State', cell: ({ enabled }) => (enabled ? 'enabled' : 'disabled') },
      { title: 'Groups', cell: ({ groupsClaim = '–' }) => groupsClaim },
      {
        title: 'Managed by',
        cell: ({ byApi = false }) => (byApi ? 'these pages and the API' : 'a manifest'),
      },
    ]),
  );
}

const durationOrNoLimit = (seconds: number): string => (seconds === 0 ? 'no limit' : secondsInWords(seconds));

function chartSettings({
  sessionSeconds,
  idleSeconds,
  tokenMaxSeconds,
  externalUrl,
}: SignInSettingsParts['settings']): Html {
  return html`<section aria-labelledby="lifetimes">
    <h2 id="lifetimes">Sessions and tokens</h2>
    <dl>
      <dt>A session ends after</dt>
      <dd>${durationOrNoLimit(sessionSeconds)}</dd>
      <dt>If it is idle, after</dt>
      <dd>${durationOrNoLimit(idleSeconds)}</dd>
      <dt>An API token ends at the latest after</dt>
      <dd>${durationOrNoLimit(tokenMaxSeconds)}</dd>
      <dt>Address that people open</dt>
      <dd>${externalUrl ?? 'any: externalURL is not set'}</dd>
    </dl>
    <p class="help">The values of the chart set these: <code>signIn</code> and <code>externalURL</code>.</p>
  </section>`;
}

/** A list of links: common providers whose URLs are known, and the two types for any other provider. */
export function presetList(path: string): Html {
  const others = [
    { name: 'OIDC', displayName: 'Another provider with OpenID Connect' },
    { name: 'OAuth2', displayName: 'Another provider with OAuth 2' },
  ];
  return html`<p>Choose where people sign in.</p>
    <ul class="rows">
      ${[...PROVIDER_PRESETS, ...others].map(
        ({ name, displayName }) => html`<li><a href="${path}?preset=${name}">${displayName}</a></li>`,
      )}
    </ul>`;
}
