import type { FastifyRequest } from 'fastify';
import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { ProviderParams } from '#adapters/http/api/oauth.ts';
import { refuseCrossSiteForm } from '#adapters/http/auth/csrf.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import { callApi, type ApiResponse } from './call-api.ts';
import { html, type Html } from './html.ts';
import { alert, describedBy, layout } from './layout.ts';
import { form, page, type PageAnswer } from './page.ts';
import { HOME, returnPath } from './return-path.ts';

/**
 * The pages to sign in: the form with a button for each provider, and the page on which a person chooses a
 * name at the first sign-in with a provider.
 */
export function signInPages(ports: AccessPorts): PageRoute[] {
  return [
    page({
      url: '/auth/login',
      answer: async ({ query }) => await loginPage(ports, { to: returnPath(query['return_to']) }),
    }),
    loginForm(ports),
    startPage(ports),
    callbackPage(ports),
    completeProfileForm(ports),
  ];
}

interface LoginParts {
  to: string;
  username?: string | undefined;
  problem?: string | undefined;
}

async function loginPage({ oauth }: AccessPorts, { to, username, problem }: LoginParts): Promise<Html> {
  const [local, providers] = await Promise.all([oauth.local(), oauth.providers()]);
  const enabled = providers.filter((provider) => provider.enabled);
  const query = to === HOME ? '' : `?return_to=${encodeURIComponent(to)}`;
  return layout({
    title: 'Sign in',
    main: html`<div class="narrow">
      <h1>Sign in</h1>
      ${alert(problem)} ${local && localForm(to, { username, problem })}
      ${local && enabled.length > 0 && html`<p class="or"><span>or</span></p>`}
      ${
        enabled.length > 0 &&
        html`<ul class="providers">
          ${enabled.map(
            ({ canonical, displayName = canonical }) =>
              html`<li>
                <a class="button" href="/auth/oauth/${canonical}${query}">Sign in with ${displayName}</a>
              </li>`,
          )}
        </ul>`
      }
    </div>`,
  });
}

function localForm(to: string, { username = '', problem }: Omit<LoginParts, 'to'>): Html {
  // Focus the password if the name is filled in already.
  const [usernameFocus, passwordFocus] =
    username === '' ? [html` autofocus`, html``] : [html``, html` autofocus`];
  return html`<form method="post" action="/auth/login">
    <input type="hidden" name="return_to" value="${to}" />
    <p>
      <label for="username">Username</label>
      <input
        id="username"
        name="username"
        value="${username}"
        autocomplete="username"
        autocapitalize="none"
        spellcheck="false"
        required
        maxlength="100"
        ${describedBy(problem)}${usernameFocus}
      />
    </p>
    <p>
      <label for="password">Password</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
        maxlength="1024"
        ${describedBy(problem)}${passwordFocus}
      />
    </p>
    <p><button type="submit">Sign in</button></p>
  </form>`;
}

function loginForm(ports: AccessPorts): PageRoute {
  return form({
    url: '/auth/login',
    answer: async ({ fields, request }) => {
      refuseCrossSiteForm(request, ports.browser);
      const { username = '', password = '' } = fields;
      const to = returnPath(fields['return_to']);
      const body = { username, password, session: 'cookie' };
      const { status, problem, cookies } = await callApi(request, {
        method: 'POST',
        url: '/auth/login',
        body,
      });
      if (problem === undefined) return { to, cookies };
      return { status, page: await loginPage(ports, { to, username, problem }) };
    },
  });
}

/**
 * Redirects to the provider. A cookie of its own stores the path to return to, which is checked again when it
 * is used.
 */
function startPage(ports: AccessPorts): PageRoute {
  return page({
    url: '/auth/oauth/:canonical',
    params: ProviderParams,
    answer: async ({ params, query, request }) => {
      const to = returnPath(query['return_to']);
      const url = `/auth/oauth/${encodeURIComponent(params['canonical'] ?? '')}`;
      const answer = await callApi(request, { method: 'GET', url });
      if (answer.location === undefined) return await refusedSignIn(ports, answer, to);
      const { returnPath: cookieName, options } = ports.browser.cookies(request);
      const returnCookie = `${cookieName}=${encodeURIComponent(to)}; Path=/; Max-Age=600; HttpOnly; SameSite=Lax`;
      const cookie = options.secure === true ? `${returnCookie}; Secure` : returnCookie;
      return { to: answer.location, cookies: [...answer.cookies, cookie] };
    },
  });
}

async function refusedSignIn(
  ports: AccessPorts,
  { status, problem }: ApiResponse,
  to: string,
): Promise<PageAnswer> {
  return { status, page: await loginPage(ports, { to, problem: problem ?? 'Signing in failed.' }) };
}

/** The page to which the provider redirects the browser. */
function callbackPage(ports: AccessPorts): PageRoute {
  return page({
    url: '/auth/oauth/:canonical/callback',
    params: ProviderParams,
    answer: async ({ request }) => {
      const to = storedReturnPath(request, ports);
      const answer = await callApi(request, { method: 'GET', url: request.url });
      const { cookies, data } = answer;
      if (answer.problem !== undefined) return await refusedSignIn(ports, answer, to);
      if (data['status'] === 'linked') return { to: '/profile#linked', cookies };
      if (data['status'] === 'signed-in') return { to, cookies };
      const { profile_token: token = '', username = '', full_name: fullName = '' } = data;
      return { status: 200, cookies, page: completeProfilePage({ token, username, fullName }) };
    },
  });
}

function storedReturnPath(request: FastifyRequest, { browser }: AccessPorts): string {
  const path = request.server.parseCookie(request.headers.cookie ?? '')[browser.cookies(request).returnPath];
  return returnPath(path);
}

interface ProfileParts {
  token: string;
  username: string;
  fullName: string;
  problem?: string;
}

function completeProfilePage({ token, username, fullName, problem }: ProfileParts): Html {
  return layout({
    title: 'Complete your profile',
    main: html`<div class="narrow">
      <h1>Complete your profile</h1>
      <p>
        You are here for the first time. Choose the name that others see; you are in no team until an admin of
        one adds you.
      </p>
      ${alert(problem)}
      <form method="post" action="/auth/oauth/complete-profile">
        <input type="hidden" name="profile_token" value="${token}" />
        <p>
          <label for="username">Username</label>
          <input
            id="username"
            name="username"
            value="${username}"
            autocomplete="username"
            autocapitalize="none"
            spellcheck="false"
            required
            maxlength="100"
            aria-describedby="username-help${problem !== undefined && ' problem'}"
            autofocus
          />
        </p>
        <p class="help" id="username-help">Lower-case letters, digits, dots, hyphens and underscores.</p>
        <p>
          <label for="full_name">Full name</label>
          <input id="full_name" name="full_name" value="${fullName}" autocomplete="name" maxlength="200" />
        </p>
        <p><button type="submit">Create my account</button></p>
      </form>
    </div>`,
  });
}

function completeProfileForm(ports: AccessPorts): PageRoute {
  return form({
    url: '/auth/oauth/complete-profile',
    // The address of its page has a code that works once.
    isOnce: true,
    answer: async ({ fields, request }) => {
      refuseCrossSiteForm(request, ports.browser);
      const { profile_token: token = '', username = '', full_name: fullName = '' } = fields;
      const body = { profile_token: token, username, full_name: fullName, session: 'cookie' };
      const url = '/auth/oauth/complete-profile';
      const { status, problem, cookies } = await callApi(request, { method: 'POST', url, body });
      if (problem === undefined) return { to: storedReturnPath(request, ports), cookies };
      // A token that was used or has expired cannot be tried again.
      if (status === 401) return { status, page: await loginPage(ports, { to: HOME, problem }) };
      return { status, page: completeProfilePage({ token, username, fullName, problem }) };
    },
  });
}
