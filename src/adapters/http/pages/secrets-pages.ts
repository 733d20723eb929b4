import type { FastifyRequest } from 'fastify';
import { Type, type TObject } from 'typebox';
import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { requireFound } from '#adapters/http/api/found.ts';
import type { PipelinePorts } from '#adapters/http/api/pipeline-ports.ts';
import { PipelineParams, TeamParams } from '#adapters/http/api/schemas.ts';
import { SecretName } from '#adapters/http/api/secrets.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import { MAX_STORED_SECRET_BYTES } from '#domain/access/stored-secret.ts';
import type { SecretScope } from '#flows/pipelines/secret-ports.ts';
import { callApi } from './call-api.ts';
import { confirmedForm, fillPath } from './confirmed-form.ts';
import { EMPTY_FORM, fieldProblem, type FieldProblem, type FormState } from './form-fields.ts';
import type { Html } from './html.ts';
import { form, page, type PageAnswer } from './page.ts';
import { paths } from './paths.ts';
import { secretsMain } from './secrets-sections.ts';
import { settingsPath, teamSettingsLayout } from './settings-layout.ts';
import { may, teamViewerOf } from './viewer.ts';

const TEAM_SECRETS = '/teams/:team/secrets';
const PIPELINE_SECRETS = '/teams/:team/pipelines/:pipeline/secrets';

/**
 * Limits of a form with the longest value. Browsers count the end of a line as one character but send two. A
 * character may take four bytes, and URL encoding takes up to three bytes for each of them.
 */
const SECRET_LIMITS = {
  fieldCharacters: 2 * MAX_STORED_SECRET_BYTES,
  bodyBytes: 16 * 1024 + 12 * MAX_STORED_SECRET_BYTES,
};

type Ports = AccessPorts & Pick<PipelinePorts, 'views'>;

/**
 * The pages of the stored secrets of a team, and of each of its pipelines. No page shows a value of kind
 * `secret`.
 */
export function secretsPages({ views }: Pick<PipelinePorts, 'views'>, access: AccessPorts): PageRoute[] {
  const ports = { ...access, views };
  return [...pagesOf(ports, TEAM_SECRETS, TeamParams), ...pagesOf(ports, PIPELINE_SECRETS, PipelineParams)];
}

function pagesOf(ports: Ports, url: string, params: TObject): PageRoute[] {
  return [
    page({
      url,
      params,
      answer: async ({ params: pathParams, request }) =>
        await secretsPage(ports, request, scopeOf(pathParams), EMPTY_FORM),
    }),
    setForm(ports, url, params),
    confirmedForm(ports, {
      url: `${url}/:name/delete`,
      calls: { method: 'DELETE', url: `${url}/:name` },
      params: Type.Object({ ...params.properties, name: SecretName }),
      ask: ({ name = '', ...pathParams }) => ({
        title: `Delete the secret ${name}?`,
        consequence: `Builds that use ${name} fail from now on. Its value cannot be restored.`,
        button: `Delete ${name}`,
        back: secretsPath(scopeOf(pathParams)),
      }),
      to: (pathParams) => secretsPath(scopeOf(pathParams)),
    }),
  ];
}

type Values = Readonly<Record<string, string | undefined>>;

function scopeOf({ team = '', pipeline }: Values): SecretScope {
  return { team, ...(pipeline !== undefined && { pipeline }) };
}

function secretsPath({ team, pipeline }: SecretScope): string {
  return `${pipeline === undefined ? settingsPath(team) : paths.pipeline({ team, pipeline })}/secrets`;
}

async function secretsPage(
  { secrets, members, views, codec }: Ports,
  request: FastifyRequest,
  scope: SecretScope,
  state: FormState,
): Promise<Html> {
  const { team, pipeline } = scope;
  const owner = pipeline === undefined ? `Team ${team}` : `Pipeline ${pipeline} in team ${team}`;
  const [stored, teamView, pipelines] = await Promise.all([
    secrets.secrets(scope),
    members.team(team),
    pipeline === undefined ? views.pipelines(team) : [],
  ]);
  const teamViewer = teamViewerOf(request, codec, team);
  const { displayName = team } = requireFound(teamView, `Team ${team}`);
  return teamSettingsLayout({
    team,
    displayName,
    section: 'Secrets',
    ...(pipeline !== undefined && { parent: { name: 'Secrets', url: secretsPath({ team }) } }),
    title: pipeline === undefined ? `Secrets of ${displayName}` : `Secrets of pipeline ${pipeline}`,
    viewer: teamViewer.viewer,
    main: secretsMain({
      scope,
      path: secretsPath(scope),
      secrets: requireFound(stored, owner),
      pipelines: pipelines.map(({ name }) => ({ name, url: secretsPath({ team, pipeline: name }) })),
      viewer: teamViewer.viewer,
      mayChange: may(teamViewer, 'maintain'),
      state,
    }),
  });
}

function setForm(ports: Ports, url: string, params: TObject): PageRoute {
  const calls = { method: 'PUT', url: `${url}/:name` } as const;
  return form({
    url,
    calls,
    params,
    limits: SECRET_LIMITS,
    answer: async ({ params: pathParams, fields, request }) => {
      const { name = '', value = '', kind = 'secret' } = fields;
      const scope = scopeOf(pathParams);
      const refuse = async (status: number, problem: FieldProblem): Promise<PageAnswer> => {
        const state = { values: { name, kind }, problem };
        return { status, page: await secretsPage(ports, request, scope, state) };
      };
      const trimmedName = name.trim();
      // Without a name, the call would reach another route.
      if (trimmedName === '') return await refuse(400, { field: 'name', message: 'Enter a name.' });
      const { status, problem } = await callApi(request, {
        method: calls.method,
        url: fillPath(calls.url, { ...pathParams, name: trimmedName }),
        // Browsers send line breaks as two characters.
        body: { value: value.replaceAll('\r\n', '\n'), kind },
        csrfToken: fields['csrf_token'],
      });
      if (problem === undefined) return { to: secretsPath(scope) };
      return await refuse(status, problemOf(problem));
    },
  });
}

/** Finds the field that a message of the API is about. */
function problemOf(message: string): FieldProblem {
  const problem = fieldProblem(message, ['name', 'kind', 'value'], fieldInWords(message));
  return problem.field === 'name' ? { field: 'name', message: NAME_RULE } : problem;
}

/** The field that a message names in words. */
function fieldInWords(message: string): 'kind' | 'value' | undefined {
  if (message.includes('stored as')) return 'kind';
  return message.includes('The value') ? 'value' : undefined;
}

const NAME_RULE =
  'A name has up to 128 letters, digits, hyphens and underscores, and begins with a letter or an underscore.';
