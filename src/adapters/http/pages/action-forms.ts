import type { TSchema } from 'typebox';
import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
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
 * The forms behind the buttons of pages. Each form calls an API route at its own path. If the call succeeds,
 * the browser goes to the URL in the response, or back to the page that had the button, unless the form names
 * another page.
 */
export function actionForms(ports: AccessPorts): PageRoute[] {
  return [
    ...['pause', 'unpause'].flatMap((verb) => [
      actionForm(ports, { url: `${PIPELINE}/${verb}`, params: PipelineParams }),
      actionForm(ports, { url: `${JOB}/${verb}`, params: JobParams }),
    ]),
    ...['cancel', 'retry'].map((verb) => actionForm(ports, { url: `${BUILD}/${verb}`, params: BuildParams })),
    actionForm(ports, { url: `${BUILD}/approve`, params: BuildParams, body: messageBody }),
    actionForm(ports, { url: `${BUILD}/reject`, params: BuildParams, body: messageBody }),
    actionForm(ports, { url: `${BUILD}/warning`, params: BuildParams, method: 'PUT' }),
    ...['check', 'unpin'].map((verb) =>
      actionForm(ports, { url: `${RESOURCE}/${verb}`, params: ResourceParams }),
    ),
    actionForm(ports, { url: `${RESOURCE}/pin`, params: ResourceParams, body: pinBody }),
    ...['disable', 'enable'].map((verb) =>
      actionForm(ports, { url: `${VERSION}/${verb}`, params: VersionParams }),
    ),
    actionForm(ports, {
      url: `${RESOURCE}/webhook_token`,
      params: ResourceParams,
      body: signatureBody,
      next: (targetPath) => `${targetPath}?webhook=shown#webhook`,
    }),
    actionForm(ports, { url: `${PIPELINE}/caches/:resource`, params: ResourceParams, method: 'DELETE' }),
  ];
}

function messageBody({ message }: Fields): Record<string, unknown> {
  return message === undefined ? {} : { message };
}

function pinBody({ version_id: id, comment = '' }: Fields): Record<string, unknown> {
  return { version_id: Number(id), ...(comment.trim() !== '' && { comment: comment.trim() }) };
}

/** An empty field keeps the current setting. */
function signatureBody({ signature = '' }: Fields): Record<string, unknown> {
  return signature === '' ? {} : { signature };
}

type Fields = Readonly<Record<string, string | undefined>>;

interface ActionParts {
  url: string;
  params: TSchema;
  method?: ApiCall['method'];
  body?: (fields: Fields) => Readonly<Record<string, unknown>>;
  /**
   * Returns the path that the browser goes to. `targetPath` is the path of what the action changes. Absent:
   * the browser goes to the URL in the response, or back to the page that had the button.
   */
  next?: (targetPath: string) => string;
}

function actionForm(
  { codec }: AccessPorts,
  { url, params, method = 'POST', body, next }: ActionParts,
): PageRoute {
  return form({
    url,
    calls: { method, url },
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
      const targetPath = returnPath(path.replace(/\/[^/]+$/, ''));
      if (problem === undefined && next !== undefined) return { to: next(targetPath), cookies };
      if (problem === undefined)
        return {
          to: returnPath(data['url'] ?? pathOfReferer(request.headers.referer) ?? targetPath),
          cookies,
        };
      return {
        status,
        page: problemPage({ status, detail: problem, viewer: viewerOf(request, codec), back: targetPath }),
      };
    },
  });
}

/**
 * Returns path and query of a `Referer` header. It leaves the host out, so that the browser never goes to
 * another site.
 */
function pathOfReferer(referer: string | undefined): string | undefined {
  if (referer === undefined || !URL.canParse(referer)) return undefined;
  const { pathname, search } = new URL(referer);
  return pathname + search;
}
