import type { TSchema } from 'typebox';
import type { AccountPorts } from '#adapters/http/api/account-ports.ts';
import {
  BuildParams,
  JobParams,
  PipelineParams,
  ResourceParams,
  VersionParams,
} from '#adapters/http/api/schemas.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import { callApi, type ApiCall } from './call-api.ts';
import { form, viewerOf } from './page.ts';
import { problemPage } from './problem-page.ts';
import { returnPath } from './return-path.ts';

const PIPELINE = '/teams/:team/pipelines/:pipeline';
const JOB = `${PIPELINE}/jobs/:job`;
const RESOURCE = `${PIPELINE}/resources/:resource`;
const VERSION = `${RESOURCE}/versions/:version`;
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
    ...['cancel', 'retry'].map((verb) => one(ports, { url: `${BUILD}/${verb}`, params: BuildParams })),
    one(ports, { url: `${BUILD}/approve`, params: BuildParams, body: message }),
    one(ports, { url: `${BUILD}/reject`, params: BuildParams, body: message }),
    one(ports, { url: `${BUILD}/warning`, params: BuildParams, method: 'PUT' }),
    ...['check', 'unpin'].map((verb) => one(ports, { url: `${RESOURCE}/${verb}`, params: ResourceParams })),
    one(ports, { url: `${RESOURCE}/pin`, params: ResourceParams, body: pin }),
    ...['disable', 'enable'].map((verb) => one(ports, { url: `${VERSION}/${verb}`, params: VersionParams })),
    one(ports, {
      url: `${RESOURCE}/webhook_token`,
      params: ResourceParams,
      body: signature,
      next: (before) => `${before}?webhook=shown#webhook`,
    }),
    one(ports, { url: `${PIPELINE}/caches/:resource`, params: ResourceParams, method: 'DELETE' }),
  ];
}

function message({ message: text }: Fields): Record<string, unknown> {
  return text === undefined ? {} : { message: text };
}

function pin({ version_id: id, comment = '' }: Fields): Record<string, unknown> {
  return { version_id: Number(id), ...(comment.trim() !== '' && { comment: comment.trim() }) };
}

/** An empty field keeps what holds now. */
function signature({ signature: wanted = '' }: Fields): Record<string, unknown> {
  return wanted === '' ? {} : { signature: wanted };
}

type Fields = Readonly<Record<string, string | undefined>>;

interface ActionParts {
  url: string;
  params: TSchema;
  method?: ApiCall['method'];
  body?: (fields: Fields) => Readonly<Record<string, unknown>>;
  /** What to show next, from the path of the thing itself. Absent: what the response names, or the page before. */
  next?: (before: string) => string;
}

function one({ codec }: AccountPorts, { url, params, method = 'POST', body, next }: ActionParts): PageRoute {
  return form({
    url,
    does: { method, url },
    params,
    answer: async ({ fields, request }) => {
      const [path = ''] = request.url.split('?');
      const call: ApiCall = {
        method,
        url: path,
        csrfToken: fields['csrf_token'],
        ...(body && { body: body(fields) }),
      };
      const { status, data, problem, cookies } = await callApi(request, call);
      const before = returnPath(path.replace(/\/[^/]+$/, ''));
      if (problem === undefined && next !== undefined) return { to: next(before), cookies };
      if (problem === undefined)
        return { to: returnPath(data['url'] ?? cameFrom(request.headers.referer) ?? before), cookies };
      return {
        status,
        page: problemPage({ status, detail: problem, viewer: viewerOf(request, codec), back: before }),
      };
    },
  });
}

/** The page with the button, with what it selects, if it is one of ours. */
function cameFrom(referer: string | undefined): string | undefined {
  if (referer === undefined || !URL.canParse(referer)) return undefined;
  const { pathname, search } = new URL(referer);
  return pathname + search;
}
