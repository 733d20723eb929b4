import type { Account } from '#flows/people/ports.ts';
import { checkField, formProblem, textField, type FormState } from './form-fields.ts';
import { html, type Html } from './html.ts';
import { action, csrfField, timeElement, type Viewer } from './layout.ts';
import { settingsPath } from './settings-layout.ts';
import { accountTags } from './user-sections.ts';

/** What a global admin entered on the page of an account, and why it was refused. */
export interface AccountState {
  name: FormState;
  rights: FormState;
  password: FormState;
}

interface AccountParts {
  account: Account;
  path: string;
  state: AccountState;
  viewer: Viewer | undefined;
}

export function accountMain(parts: AccountParts): Html {
  const { account } = parts;
  return html`<dl>
      <dt>Username</dt>
      <dd>${account.username}${accountTags(account)}</dd>
      <dt>Created</dt>
      <dd>${timeElement(account.createdAt)}</dd>
      <dt>Password</dt>
      <dd>${passwordState(account)}</dd>
      <dt>Teams</dt>
      <dd>${teamLinks(account)}</dd>
    </dl>
    ${nameForm(parts)} ${rightsSection(parts)} ${passwordSection(parts)}`;
}

function passwordState({ hasPassword, mustChangePassword }: Account): string {
  if (!hasPassword) return 'none: they sign in with a provider';
  return mustChangePassword ? 'they must change it at the next sign-in' : 'set';
}

function teamLinks({ teams }: Account): Html {
  const roles = Object.entries(teams);
  if (roles.length === 0) return html`none`;
  return html`<ul class="team-plain">
    ${roles.map(([team, role]) => html`<li><a href="${settingsPath(team)}/members">${team}</a>, ${role}</li>`)}
  </ul>`;
}

function nameForm({ account, path, state: { name }, viewer }: AccountParts): Html {
  return html`<section aria-labelledby="name-title">
    <h2 id="name-title">Name</h2>
    <form method="post" action="${path}" class="team-form">
      ${csrfField(viewer)}
      ${textField({ id: 'full-name', name: 'full_name', label: 'Full name', state: name, preset: account.fullName })}
      <button type="submit">Save</button>
    </form>
  </section>`;
}

function rightsSection({ account, path, state: { rights }, viewer }: AccountParts): Html {
  const { globalAdmin, disabled } = account;
  const toggle = (name: string, value: boolean, label: string): Html =>
    action({
      url: path,
      viewer,
      label,
      quiet: true,
      fields: html`<input type="hidden" name="${name}" value="${String(value)}" />`,
    });
  return html`<section aria-labelledby="rights">
    <h2 id="rights">Rights</h2>
    ${formProblem(rights)}
    <p>
      ${globalAdmin ? 'A global admin: admin of every team, accounts and identity providers.' : 'Not a global admin.'}
      ${disabled ? 'The account is disabled: it cannot sign in.' : 'To lock the account, disable it: its sessions end.'}
    </p>
    <div class="actions">
      ${toggle('global_admin', !globalAdmin, globalAdmin ? 'Remove global admin' : 'Make global admin')}
      ${toggle('disabled', !disabled, disabled ? 'Enable' : 'Disable')}
      ${action({ url: `${path}/delete`, viewer, label: 'Delete account…', quiet: true })}
    </div>
  </section>`;
}

function passwordSection({ path, state: { password }, viewer }: AccountParts): Html {
  return html`<section aria-labelledby="password-title">
    <h2 id="password-title">New password</h2>
    <form method="post" action="${path}" class="team-form">
      ${csrfField(viewer)}
      ${textField({
        id: 'password',
        name: 'password',
        label: 'Password',
        help: 'At least 8 characters. Ends all sessions of the user, who must change it at the next sign-in.',
        type: 'password',
        autocomplete: 'new-password',
        maxLength: 1024,
        required: true,
        secret: true,
        state: password,
      })}
      ${checkField({
        id: 'keep-tokens',
        name: 'keep_tokens',
        label: 'Keep their API tokens. Otherwise they end',
        state: password,
      })}
      <button type="submit">Set password</button>
    </form>
  </section>`;
}
