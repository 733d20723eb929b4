import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { accountOf } from '#adapters/http/api/caller.ts';
import { requireFound } from '#adapters/http/api/found.ts';
import { ProviderParams } from '#adapters/http/api/oauth.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import { callApi, type ApiCall } from './call-api.ts';
import { fillPath } from './confirmed-form.ts';
import { EMPTY_FORM, type FormState } from './form-fields.ts';
import { html, type Html } from './html.ts';
import { alert, csrfField, layout, type Viewer } from './layout.ts';
import { form, page, viewerOf, type PageAnswer } from './page.ts';
import { problemPage } from './problem-page.ts';
import {
  accountSection,
  keepTokensField,
  linksSection,
  sessionsSection,
  tokensSection,
} from './profile-sections.ts';
import { tokenFields, tokenForm } from './token-form.ts';

const PROFILE = '/profile';

/** The pages of the account of the viewer: name, password, linked accounts, tokens, sessions. */
export function profilePages(ports: AccessPorts): PageRoute[] {
  return [
    profilePage(ports),
    passwordPage(ports),
    passwordForm(ports),
    linkForm(ports),
    tokenForm(ports, async (request, state) => await profile(ports, request, state)),
    ...simpleForms(ports),
  ];
}

function profilePage(ports: AccessPorts): PageRoute {
  return page({
    url: PROFILE,
    answer: async ({ request }) => await profile(ports, request, EMPTY_FORM),
  });
}

/** The profile. `token`: what was entered for a new token, and why it was refused. */
async function profile(ports: AccessPorts, request: FastifyRequest, token: FormState): Promise<Html> {
  const { accounts, oauth, tokens, sessions, idleSeconds, now, codec } = ports;
  const { user, userId, sessionId } = accountOf(request.identity);
  const viewer = viewerOf(request, codec);
  const [account, links, providers, apiTokens, openSessions] = await Promise.all([
    accounts.account(user),
    oauth.links(userId),
    oauth.providers(),
    tokens.tokens(userId),
    sessions.sessions(userId, { at: now(), idleSeconds }),
  ]);
  const existingAccount = requireFound(account, `User ${user}`);
  const allowsEndless = ports.tokenMaxSeconds === 0;
  return layout({
    title: 'Your profile',
    viewer,
    main: html`<h1>Your profile</h1>
      ${accountSection(existingAccount, viewer)}
      <section aria-labelledby="password-title">
        <h2 id="password-title">Password</h2>
        ${passwordFields(viewer, existingAccount.hasPassword)}
      </section>
      ${linksSection(links, providers, viewer)}
      ${tokensSection(apiTokens, tokenFields({ teams: existingAccount.teams, allowsEndless, viewer, state: token }), viewer)}
      ${sessionsSection(openSessions, sessionId, viewer)}`,
  });
}

function passwordFields(viewer: Viewer | undefined, hasPassword: boolean): Html {
  return html`<form method="post" action="/profile/password">
    ${csrfField(viewer)}
    <input type="hidden" name="username" autocomplete="username" value="${viewer?.name}" />
    ${
      hasPassword &&
      html`<p>
        <label for="current">Current password</label>
        <input
          id="current"
          name="current_password"
          type="password"
          autocomplete="current-password"
          required
          maxlength="1024"
        />
      </p>`
    }
    <p>
      <label for="new">New password</label>
      <input
        id="new"
        name="new_password"
        type="password"
        autocomplete="new-password"
        required
        minlength="8"
        maxlength="1024"
        aria-describedby="new-help"
      />
    </p>
    <p class="help" id="new-help">At least 8 characters. All your other sessions end.</p>
    ${keepTokensField('password-keep-tokens')}
    <p><button type="submit">Change the password</button></p>
  </form>`;
}

function passwordOnlyPage(viewer: Viewer | undefined, hasPassword: boolean, problem?: string): Html {
  return layout({
    title: 'Change your password',
    viewer,
    main: html`<div class="narrow">
      <h1>Change your password</h1>
      ${alert(problem)}${passwordFields(viewer, hasPassword)}
    </div>`,
  });
}

/** A page of its own for the password, because users who must change it first may not open their profile. */
function passwordPage({ accounts, codec }: AccessPorts): PageRoute {
  return page({
    url: '/profile/password',
    answer: async ({ request }) => {
      const account = await accounts.account(accountOf(request.identity).user);
      return passwordOnlyPage(viewerOf(request, codec), account?.hasPassword === true);
    },
  });
}

function passwordForm({ accounts, codec }: AccessPorts): PageRoute {
  return form({
    url: '/profile/password',
    calls: { method: 'PUT', url: '/profile/password' },
    answer: async ({ fields, request }) => {
      const { current_password: current, new_password: newPassword = '', csrf_token: csrfToken } = fields;
      const body = {
        new_password: newPassword,
        session: 'cookie',
        keep_tokens: fields['keep_tokens'] === 'yes',
        ...(current !== undefined && current !== '' && { current_password: current }),
      };
      const call: ApiCall = { method: 'PUT', url: '/profile/password', body, csrfToken };
      const { status, problem, cookies } = await callApi(request, call);
      if (problem === undefined) return { to: PROFILE, cookies };
      const { user } = accountOf(request.identity);
      const account = await accounts.account(user);
      return {
        status,
        page: passwordOnlyPage(viewerOf(request, codec), account?.hasPassword === true, problem),
      };
    },
  });
}

/**
 * The form that starts to link a provider. Browsers do not let a form of ours lead to another site, not even
 * by a redirect. So the response is a page with a link to the provider.
 */
function linkForm({ codec }: AccessPorts): PageRoute {
  const url = '/profile/linked-accounts/:canonical';
  return form({
    url,
    params: ProviderParams,
    answer: async ({ params, fields, request }) => {
      const path = `/profile/linked-accounts/${encodeURIComponent(params['canonical'] ?? '')}`;
      const viewer = viewerOf(request, codec);
      const call: ApiCall = { method: 'POST', url: path, csrfToken: fields['csrf_token'] };
      const { status, data, problem, cookies } = await callApi(request, call);
      const { url: providerUrl } = data;
      if (providerUrl === undefined)
        return { status, page: problemPage({ status, detail: problem, viewer, back: PROFILE }) };
      const main = html`<div class="narrow">
        <h1>To the provider</h1>
        <p>Sign in there, and you come back here.</p>
        <p><a class="button" href="${providerUrl}">Go on to ${new URL(providerUrl).host}</a></p>
      </div>`;
      return { status: 200, cookies, page: layout({ title: 'To the provider', viewer, main }) };
    },
  });
}

/** Forms that only call an API route and then redirect to a page. */
function simpleForms({ codec }: AccessPorts): PageRoute[] {
  const simpleForm = (
    url: string,
    calls: { method: 'POST' | 'PUT' | 'DELETE'; url: string },
    options: {
      params?: Parameters<typeof form>[0]['params'];
      /** The fields that the call sends. */
      fieldNames?: string[];
      /** Whether the form has the checkbox of `keepTokensField`. */
      keepsTokens?: boolean;
      /** The path to go to after the call; the profile if absent. */
      to?: string;
    } = {},
  ): PageRoute =>
    form({
      url,
      calls,
      ...defined({ params: options.params }),
      answer: async ({ params, fields, request }): Promise<PageAnswer> => {
        const namedFields =
          options.fieldNames &&
          Object.fromEntries(options.fieldNames.map((name) => [name, fields[name] ?? '']));
        const body =
          options.keepsTokens === true ? { keep_tokens: fields['keep_tokens'] === 'yes' } : namedFields;
        const call = {
          method: calls.method,
          url: fillPath(calls.url, params),
          csrfToken: fields['csrf_token'],
          ...defined({ body }),
        };
        const { status, problem, cookies } = await callApi(request, call);
        if (problem === undefined) return { to: options.to ?? PROFILE, cookies };
        const viewer = viewerOf(request, codec);
        return { status, page: problemPage({ status, detail: problem, viewer, back: PROFILE }) };
      },
    });
  const sessionParams = Type.Object({ session: Type.String({ maxLength: 100 }) });
  const tokenParams = Type.Object({ id: Type.Integer({ minimum: 1 }) });
  const linked = '/profile/linked-accounts/:canonical';
  return [
    simpleForm(PROFILE, { method: 'PUT', url: PROFILE }, { fieldNames: ['full_name'] }),
    simpleForm(`${linked}/unlink`, { method: 'DELETE', url: linked }, { params: ProviderParams }),
    simpleForm(
      '/api-tokens/:id/delete',
      { method: 'DELETE', url: '/api-tokens/:id' },
      { params: tokenParams },
    ),
    simpleForm(
      '/profile/sessions/:session/end',
      { method: 'DELETE', url: '/profile/sessions/:session' },
      { params: sessionParams },
    ),
    simpleForm('/auth/logout', { method: 'POST', url: '/auth/logout' }, { to: '/auth/login' }),
    simpleForm(
      '/auth/logout-everywhere',
      { method: 'POST', url: '/auth/logout-everywhere' },
      { keepsTokens: true, to: '/auth/login' },
    ),
  ];
}
