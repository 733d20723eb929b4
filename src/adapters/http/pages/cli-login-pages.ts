import { Type } from 'typebox';
import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { accountOf } from '#adapters/http/api/caller.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import { isRecentSignIn } from '#domain/access/decide-access.ts';
import { callApi } from './call-api.ts';
import { html, type Html } from './html.ts';
import { action, alert, layout, timeElement, type Viewer } from './layout.ts';
import { form, page, viewerOf, type PageAnswer } from './page.ts';

const PAGE = '/profile/cli-login';
const TITLE = 'Log in on the command line';

/**
 * The page on which a person confirms or refuses a login of the command line, and its two forms. The page
 * shows which machine asks, and what the command line would get.
 */
export function cliLoginPages(ports: AccessPorts): PageRoute[] {
  return [confirmPage(ports), answerForm(ports, 'confirm'), answerForm(ports, 'refuse')];
}

function confirmPage({ codec, now, externalUrl }: AccessPorts): PageRoute {
  return page({
    url: PAGE,
    answer: async ({ query, request }) => {
      const viewer = viewerOf(request, codec);
      const { code: typedCode } = query;
      if (typedCode === undefined || typedCode === '') return codePage(viewer);
      const url = `/profile/cli-logins/${encodeURIComponent(typedCode)}`;
      const { status, data, problem } = await callApi(request, { method: 'GET', url });
      if (problem !== undefined)
        return { status, page: codePage(viewer, status === 404 ? UNKNOWN_CODE : problem) };
      const hasJustSignedIn = isRecentSignIn(accountOf(request.identity), now().getTime());
      const server = externalUrl === undefined ? request.host : new URL(externalUrl).host;
      return askPage({ login: data, server, viewer, hasJustSignedIn });
    },
  });
}

const UNKNOWN_CODE =
  'No login waits under this code. Compare it with your terminal, or start the login there again.';

function codePage(viewer: Viewer | undefined, problem?: string): Html {
  return layout({
    title: TITLE,
    viewer,
    main: html`<div class="narrow">
      <h1>${TITLE}</h1>
      ${alert(problem)}
      <form method="get" action="${PAGE}">
        <p>
          <label for="code">Code</label>
          <input
            id="code"
            name="code"
            autocomplete="off"
            autocapitalize="characters"
            spellcheck="false"
            required
            maxlength="20"
            aria-describedby="code-help${problem !== undefined && ' problem'}"
            autofocus
          />
        </p>
        <p class="help" id="code-help">Your terminal shows it, such as BCDF-GHJK.</p>
        <p><button type="submit">Continue</button></p>
      </form>
    </div>`,
  });
}

interface AskPageParts {
  /** The fields of the login in the response of the API. */
  login: Readonly<Record<string, string>>;
  server: string;
  viewer: Viewer | undefined;
  hasJustSignedIn: boolean;
}

function askPage({ login, server, viewer, hasJustSignedIn }: AskPageParts): Html {
  const { code = '', client = '', address = '', started_at: startedAt, expires_at: expiresAt } = login;
  const path = `/profile/cli-logins/${encodeURIComponent(code)}`;
  const back = encodeURIComponent(`${PAGE}?code=${code}`);
  return layout({
    title: TITLE,
    viewer,
    main: html`<div class="narrow">
      <h1>${TITLE}</h1>
      <p>A command line asks to act as <strong>${viewer?.name}</strong> at <strong>${server}</strong>.</p>
      <dl>
        <dt>Code</dt>
        <dd><strong class="code">${code}</strong></dd>
        <dt>Machine, as it calls itself</dt>
        <dd>${client}</dd>
        <dt>Address</dt>
        <dd>${address}</dd>
        <dt>Started</dt>
        <dd>${timeElement(startedAt)}</dd>
        <dt>Waits until</dt>
        <dd>${timeElement(expiresAt)}</dd>
      </dl>
      <p>
        It gets a session: it may do everything that you may do, until you log out there or end the session in
        your profile.
      </p>
      <p>
        <strong>Confirm only if you have just run <code>millrace login</code> yourself</strong> and your
        terminal shows the same code. If somebody sent you this code or link, refuse.
      </p>
      ${
        hasJustSignedIn
          ? action({ url: `${path}/confirm`, viewer, label: 'Confirm' })
          : html`<p>
              You signed in more than ten minutes ago.
              <a class="button" href="/auth/login?return_to=${back}">Sign in again to confirm</a>
            </p>`
      }
      ${action({ url: `${path}/refuse`, viewer, label: 'Refuse', quiet: true })}
    </div>`,
  });
}

const CodeParams = Type.Object({ code: Type.String({ maxLength: 50 }) });

const DONE = {
  confirm: 'The command line is logged in. You can close this page and go back to your terminal.',
  refuse: 'The login was refused. The command line gets nothing.',
};

function answerForm({ codec }: AccessPorts, verb: 'confirm' | 'refuse'): PageRoute {
  return form({
    url: `/profile/cli-logins/:code/${verb}`,
    params: CodeParams,
    answer: async ({ params, fields, request }): Promise<PageAnswer> => {
      const viewer = viewerOf(request, codec);
      const url = `/profile/cli-logins/${encodeURIComponent(params['code'] ?? '')}/${verb}`;
      const call = { method: 'POST', url, csrfToken: fields['csrf_token'] } as const;
      const { status, problem } = await callApi(request, call);
      if (problem !== undefined)
        return { status, page: codePage(viewer, status === 404 ? UNKNOWN_CODE : problem) };
      return layout({
        title: TITLE,
        viewer,
        main: html`<div class="narrow">
          <h1>${TITLE}</h1>
          <p role="status">${DONE[verb]}</p>
        </div>`,
      });
    },
  });
}
