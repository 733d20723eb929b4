import type { FastifyRequest } from 'fastify';
import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import { ROLES, type Role } from '#domain/access/roles.ts';
import { callApi } from './call-api.ts';
import {
  checkField,
  fieldProblem,
  formProblem,
  selectField,
  textField,
  type FieldProblem,
  type FormState,
} from './form-fields.ts';
import { html, type Html } from './html.ts';
import { csrfField, layout, type Viewer } from './layout.ts';
import { form, viewerOf } from './page.ts';

interface TokenFields {
  teams: Readonly<Record<string, Role>>;
  /** Whether the installation allows tokens that never expire. */
  allowsEndless: boolean;
  viewer: Viewer | undefined;
  state: FormState;
}

/** The form that creates an API token. */
export function tokenFields({ teams, allowsEndless, viewer, state }: TokenFields): Html {
  const scopes = Object.keys(teams).map((team) => ({ value: team, label: `team ${team} only` }));
  return html`<details class="team-more" ${state.problem !== undefined && html` open`}>
    <summary>Create a token</summary>
    <form method="post" action="/api-tokens" class="team-form">
      ${csrfField(viewer)} ${formProblem(state)}
      ${textField({ id: 'token-name', name: 'name', label: 'Name', state, required: true, maxLength: 100 })}
      ${selectField({
        id: 'token-team',
        name: 'team',
        label: 'Valid for',
        state,
        choices: [{ value: '', label: 'everything you may do' }, ...scopes],
      })}
      ${selectField({
        id: 'token-role',
        name: 'role',
        label: 'Role in that team',
        state,
        choices: ROLES.map((role) => ({ value: role, label: role })),
      })}
      ${textField({
        id: 'token-end',
        name: 'expires_at',
        label: 'Valid until',
        help: 'For 90 days if you choose no day, or less if this installation allows less.',
        type: 'date',
        state,
      })}
      ${allowsEndless && checkField({ id: 'token-endless', name: 'endless', label: 'Never expires', state })}
      <button type="submit">Create token</button>
    </form>
  </details>`;
}

type RenderAgain = (request: FastifyRequest, state: FormState) => Promise<Html>;
type Fields = Readonly<Record<string, string | undefined>>;

/**
 * Handles the form that creates a token, and shows the token once. After a refusal, `renderAgain` renders the
 * page of the form.
 */
export function tokenForm({ codec }: AccessPorts, renderAgain: RenderAgain): PageRoute {
  return form({
    url: '/api-tokens',
    answer: async ({ fields, request }) => {
      const { status, data, problem } = await callApi(request, {
        method: 'POST',
        url: '/api-tokens',
        body: bodyOf(fields),
        csrfToken: fields['csrf_token'],
      });
      const { token } = data;
      if (token !== undefined)
        return { status: 201, page: tokenPage(fields['name'] ?? '', token, viewerOf(request, codec)) };
      const tokenFault = tokenProblem(problem ?? '');
      return { status, page: await renderAgain(request, { values: fields, problem: tokenFault }) };
    },
  });
}

function bodyOf({ name = '', team = '', role = '', expires_at: day = '', endless }: Fields) {
  const scope = team === '' ? { personal: true } : { personal: false, team_canonical: team, role };
  // The end of the day. Without a day, the API chooses the default.
  const until = day === '' ? {} : { expires_at: `${day}T23:59:59Z` };
  return { name, ...scope, ...(endless === 'yes' ? { expires_at: null } : until) };
}

/**
 * Words in messages of the API, and the field that each is about. The first entry whose words occur counts.
 */
const FIELDS_BY_WORDS: readonly (readonly [string, string])[] = [
  ['token of this name', 'name'],
  ['needs a name', 'name'],
  ['do not have this role', 'role'],
  ['no such team', 'team'],
  ['expires_at', 'expires_at'],
];

function tokenProblem(message: string): FieldProblem {
  const field = FIELDS_BY_WORDS.find(([words]) => message.includes(words))?.[1];
  return fieldProblem(message.replace('expires_at must', 'It must'), ['name', 'role', 'expires_at'], field);
}

function tokenPage(name: string, token: string, viewer: Viewer | undefined): Html {
  return layout({
    title: 'Your new token',
    viewer,
    breadcrumbs: [{ name: 'Your profile', url: '/profile' }],
    script: 'token-page.js',
    main: html`<h1>Your new token</h1>
      <p>This is <strong>${name}</strong>. Keep it now: it is shown once.</p>
      <p>
        <label for="token">Token</label><input id="token" readonly value="${token}" class="code team-token" />
      </p>
      <div class="team-copy" id="copy-token"></div>
      <p><a class="button quiet" href="/profile">Back to your profile</a></p>`,
  });
}
