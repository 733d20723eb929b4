import type { TSchema } from 'typebox';
import type { AccountPorts } from '#adapters/http/api/account-ports.ts';
import { BuildParams, JobParams, PipelineParams, ResourceParams } from '#adapters/http/api/schemas.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import { callApi, type ApiCall } from './call-api.ts';
import { form, viewerOf } from './page.ts';
import { problemPage } from './problem-page.ts';
import { returnPath } from './return-path.ts';
import { triggerBody } from './start-form.ts';

const PIPELINE = '/teams/:team/pipelines/:pipeline';
const JOB = `${PIPELINE}/jobs/:job`;
const RESOURCE = `${PIPELINE}/resources/:resource`;
const BUILD = `${JOB}/builds/:build`;

/**
 * The buttons of pages. Each calls the action of the same path, then shows what its response names, or the
 * page it was on.
 */
export function actionForms(ports: AccountPorts): PageRoute[] {
  return [
    ...['pause', 'unpause'].flatMap((verb) => [
      one(ports, { url: `${PIPELINE}/${verb}`, params: PipelineParams }),
      one(ports, { url: `${JOB}/${verb}`, params: JobParams }),
    ]),
    one(ports, { url: `${JOB}/trigger`, params: JobParams, query: checkFirst, body: triggerBody }),
    ...['cancel', 'retry'].map((verb) => one(ports, { url: `${BUILD}/${verb}`, params: BuildParams })),
    one(ports, { url: `${BUILD}/approve`, params: BuildParams, body: message }),
    one(ports, { url: `${BUILD}/reject`, params: BuildParams, body: message }),
    one(ports, { url: `${BUILD}/warning`, params: BuildParams, method: 'PUT' }),
    ...['check', 'unpin'].map((verb) => one(ports, { url: `${RESOURCE}/${verb}`, params: ResourceParams })),
    one(ports, { url: `${RESOURCE}/pin`, params: ResourceParams, body: version }),
  ];
}

function checkFirst({ check }: Fields): string {
  return check === 'true' ? '?check=true' : '';
}

function message({ message: text }: Fields): Record<string, unknown> {
  return text === undefined ? {} : { message: text };
}

function version({ version_id: id }: Fields): Record<string, unknown> {
  return { version_id: Number(id) };
}

type Fields = Readonly<Record<string, string | undefined>>;

interface ActionParts {
  url: string;
  params: TSchema;
  method?: ApiCall['method'];
  body?: (fields: Fields) => Readonly<Record<string, unknown>>;
  query?: (fields: Fields) => string;
}

function one({ codec }: AccountPorts, { url, params, method = 'POST', body, query }: ActionParts): PageRoute {
  return form({
    url,
    does: { method, url },
    params,
    answer: async ({ fields, request }) => {
      const [path = ''] = request.url.split('?');
      const call: ApiCall = {
        method,
        url: `${path}${query?.(fields) ?? ''}`,
        csrfToken: fields['csrf_token'],
        ...(body && { body: body(fields) }),
      };
      const { status, data, problem, cookies } = await callApi(request, call);
      const before = returnPath(path.replace(/\/[^/]+$/, ''));
      if (problem === undefined)
        return { to: returnPath(data['url'] ?? cameFrom(request.headers.referer) ?? before), cookies };
      return {
        status,
        page: problemPage({ status, detail: problem, viewer: viewerOf(request, codec), back: before }),
      };
    },
  });
}

/** The path of the page with the button, if it is one of ours. */
function cameFrom(referer: string | undefined): string | undefined {
  return referer !== undefined && URL.canParse(referer) ? new URL(referer).pathname : undefined;
}
