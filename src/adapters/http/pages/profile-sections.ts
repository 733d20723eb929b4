import type { LinkedIdentity, StoredProvider } from '#flows/people/oauth-ports.ts';
import type { Account, UserSession } from '#flows/people/ports.ts';
import type { ApiToken } from '#flows/people/token-ports.ts';
import { htmlTable } from './data-table.ts';
import { html, type Html } from './html.ts';
import { action, csrfField, scrolling, timeElement, type Viewer } from './layout.ts';

export function accountSection(
  { username, fullName, teams, globalAdmin }: Account,
  viewer: Viewer | undefined,
): Html {
  const roles = Object.entries(teams);
  return html`<section aria-labelledby="account-title">
    <h2 id="account-title">Account</h2>
    <dl>
      <dt>Username</dt>
      <dd>${username}${globalAdmin && html` <span class="tag">global admin</span>`}</dd>
      <dt>Teams</dt>
      <dd>
        ${roles.length === 0 ? 'none yet' : roles.map(([team, role]) => `${team} (${role})`).join(', ')}
      </dd>
    </dl>
    <form method="post" action="/profile">
      ${csrfField(viewer)}
      <p>
        <label for="full_name">Full name</label>
        <input id="full_name" name="full_name" value="${fullName}" autocomplete="name" maxlength="200" />
      </p>
      <p><button type="submit">Save</button></p>
    </form>
  </section>`;
}

export function linksSection(
  links: readonly LinkedIdentity[],
  providers: readonly StoredProvider[],
  viewer: Viewer | undefined,
): Html {
  const linked = new Set(links.map(({ provider }) => provider));
  const others = providers.filter(({ enabled, canonical }) => enabled && !linked.has(canonical));
  if (links.length === 0 && others.length === 0) return html``;
  return html`<section aria-labelledby="linked">
    <h2 id="linked">Linked accounts</h2>
    ${
      links.length === 0
        ? html`<p>None yet: link one to sign in with it.</p>`
        : html`<ul class="rows">
            ${links.map(
              ({ provider, displayName = provider, linkedAt }) =>
                html`<li>
                  <span>${displayName}, since ${timeElement(linkedAt)}</span>${action({
                    url: `/profile/linked-accounts/${provider}/unlink`,
                    viewer,
                    label: 'Unlink',
                    about: `Unlink ${displayName}`,
                  })}
                </li>`,
            )}
          </ul>`
    }
    ${
      others.length > 0 &&
      html`<div class="actions">
        ${others.map(({ canonical, displayName = canonical }) =>
          action({ url: `/profile/linked-accounts/${canonical}`, viewer, label: `Link ${displayName}` }),
        )}
      </div>`
    }
  </section>`;
}

/**
 * A checkbox to keep the API tokens. Without it they end, because someone who has stolen a token could
 * continue to use it.
 */
export function keepTokensField(id: string): Html {
  return html`<p>
    <input id="${id}" name="keep_tokens" type="checkbox" value="yes" />
    <label for="${id}">Keep my API tokens. Otherwise they end</label>
  </p>`;
}

/** `fields`: the form for another token. */
export function tokensSection(tokens: readonly ApiToken[], fields: Html, viewer: Viewer | undefined): Html {
  return html`<section aria-labelledby="tokens">
    <h2 id="tokens">API tokens</h2>
    ${tokens.length === 0 ? html`<p>You have none.</p>` : tokenTable(tokens, viewer)} ${fields}
  </section>`;
}

function tokenTable(tokens: readonly ApiToken[], viewer: Viewer | undefined): Html {
  const table = htmlTable(tokens, [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'Begins with', cell: ({ prefix }) => html`<span class="code">${prefix}…</span>` },
    {
      title: 'Valid for',
      cell: ({ scope }) => (scope === undefined ? 'everything' : `${scope.team}, ${scope.role}`),
    },
    {
      title: 'Expires',
      cell: ({ expiresAt }) => (expiresAt === undefined ? 'never' : timeElement(expiresAt)),
    },
    { title: 'Last used', cell: ({ lastUsedAt }) => timeElement(lastUsedAt) },
    { title: 'Delete', titleHidden: true, cell: (token) => deleteButton(token, viewer) },
  ]);
  return html`<div class="scroll">${table}</div>`;
}

function deleteButton({ id, name }: Pick<ApiToken, 'id' | 'name'>, viewer: Viewer | undefined): Html {
  const about = `Delete the token ${name}`;
  return action({ url: `/api-tokens/${id}/delete`, viewer, label: 'Delete', about });
}

export function sessionsSection(
  sessions: readonly UserSession[],
  current: string | undefined,
  viewer: Viewer | undefined,
): Html {
  return html`<section aria-labelledby="sessions">
    <h2 id="sessions">Sessions</h2>
    ${scrolling('Sessions', sessionTable(sessions, current, viewer))}
    <div class="actions">
      ${action({
        url: '/auth/logout-everywhere',
        viewer,
        label: 'Log out everywhere',
        fields: keepTokensField('sessions-keep-tokens'),
      })}
    </div>
  </section>`;
}

function sessionTable(
  sessions: readonly UserSession[],
  current: string | undefined,
  viewer: Viewer | undefined,
): Html {
  const end = ({ id, address }: UserSession): Html =>
    action({
      url: `/profile/sessions/${encodeURIComponent(id)}/end`,
      viewer,
      label: 'End',
      about: `End the session from ${address}`,
    });
  return htmlTable(sessions, [
    { title: 'Browser or program', cell: ({ client }) => (client === '' ? 'unknown' : client) },
    { title: 'From', cell: ({ address }) => address },
    { title: 'Since', cell: ({ openedAt }) => timeElement(openedAt) },
    { title: 'Last used', cell: ({ usedAt }) => timeElement(usedAt) },
    {
      title: 'End',
      titleHidden: true,
      cell: (session) => (session.id === current ? html`<span class="tag">this one</span>` : end(session)),
    },
  ]);
}
