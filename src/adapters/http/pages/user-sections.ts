import type { Listed } from '#flows/page.ts';
import type { Account } from '#flows/people/ports.ts';
import { htmlTable } from './data-table.ts';
import { checkField, formProblem, textField, type FormState } from './form-fields.ts';
import { html, type Html } from './html.ts';
import { csrfField, scrolling, timeElement, type Viewer } from './layout.ts';

interface UsersParts {
  accounts: Listed<Account>;
  search: string;
  newAccount: FormState;
  viewer: Viewer | undefined;
}

export function usersMain({ accounts, search, newAccount, viewer }: UsersParts): Html {
  const { rows, hasMore } = accounts;
  const next = new URLSearchParams({ ...(search !== '' && { search }), before: String(rows.at(-1)?.id) });
  return html`<form method="get" action="/users" class="team-filter" role="search">
      ${textField({
        id: 'user-search',
        name: 'search',
        label: 'Username or full name',
        type: 'search',
        maxLength: 100,
        state: { values: { search } },
      })}
      <div class="actions">
        <button type="submit">Search</button>
        ${search !== '' && html`<a class="button quiet" href="/users">Show all</a>`}
      </div>
    </form>
    ${rows.length === 0 ? html`<p>No account matches.</p>` : userTable(rows)}
    ${hasMore && html`<p><a href="/users?${next.toString()}">Older accounts</a></p>`}
    ${createSection(newAccount, viewer)}`;
}

function userTable(users: readonly Account[]): Html {
  return scrolling(
    'Accounts',
    htmlTable(
      users,
      [
        {
          title: 'Username',
          cell: (user) =>
            html`<a href="/users/${encodeURIComponent(user.username)}">${user.username}</a
              >${accountTags(user)}`,
        },
        { title: 'Full name', cell: ({ fullName }) => fullName },
        { title: 'Teams', cell: ({ teams }) => teamsOf(teams) },
        { title: 'Created', cell: ({ createdAt }) => timeElement(createdAt) },
      ],
      'Accounts, newest first',
    ),
  );
}

export function accountTags({ globalAdmin, disabled }: Account): Html {
  return html`${globalAdmin && html` <span class="tag">global admin</span>`}${
    disabled && html` <span class="tag">disabled</span>`
  }`;
}

const MAX_TEAMS = 5;

function teamsOf(teams: Account['teams']): string {
  const roles = Object.entries(teams).map(([team, role]) => `${team} (${role})`);
  const others = roles.length > MAX_TEAMS ? [`and ${roles.length - MAX_TEAMS} more`] : [];
  return roles.length === 0 ? '–' : [...roles.slice(0, MAX_TEAMS), ...others].join(', ');
}

function createSection(newAccount: FormState, viewer: Viewer | undefined): Html {
  return html`<details class="team-more" ${newAccount.problem !== undefined && html` open`}>
    <summary>Create an account</summary>
    <p class="help">If somebody signs in with an identity provider, Millrace creates their account.</p>
    <form method="post" action="/users" class="team-form">
      ${csrfField(viewer)} ${formProblem(newAccount)}
      ${textField({
        id: 'user-name',
        name: 'username',
        label: 'Username',
        help: 'Lower-case letters, digits, dots, hyphens and underscores. It cannot be changed later.',
        state: newAccount,
        required: true,
        maxLength: 100,
      })}
      ${textField({ id: 'user-full-name', name: 'full_name', label: 'Full name', state: newAccount })}
      ${textField({
        id: 'user-password',
        name: 'password',
        label: 'First password',
        help: 'At least 8 characters. The user must change it at the first sign-in. Leave it empty if the user signs in with a provider.',
        type: 'password',
        autocomplete: 'new-password',
        maxLength: 1024,
        state: newAccount,
        secret: true,
      })}
      ${checkField({
        id: 'user-admin',
        name: 'global_admin',
        label: 'Global admin',
        help: 'Can administer all teams, accounts and identity providers.',
        state: newAccount,
      })}
      <button type="submit">Create account</button>
    </form>
  </details>`;
}
