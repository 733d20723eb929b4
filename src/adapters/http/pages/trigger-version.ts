import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { VersionParams } from '#adapters/http/api/schemas.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import { callApi } from './call-api.ts';
import { html, type Html } from './html.ts';
import { layout, type Viewer } from './layout.ts';
import { form, viewerOf } from './page.ts';
import { breadcrumbs, namesFromParams, paths } from './paths.ts';
import { problemPage } from './problem-page.ts';
import { returnPath } from './return-path.ts';

interface StartedBuilds {
  builds: readonly { job: string; number: string; url: string }[];
  refused: readonly { job: string; reasons: readonly { message: string }[] }[];
}

/**
 * The form that starts builds with one version. If no job refuses, the browser goes to the page of the build
 * or, if there are several, to the path of the version, which lists them. Otherwise the response lists the
 * builds that started, and the jobs that could not start one.
 */
export function triggerVersionForm({ codec }: AccessPorts): PageRoute {
  const url = '/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/trigger';
  return form({
    url,
    calls: { method: 'POST', url },
    params: VersionParams,
    answer: async ({ params, fields, request }) => {
      const [path = ''] = request.url.split('?');
      const { status, problem, cookies, json } = await callApi(request, {
        method: 'POST',
        url: path,
        csrfToken: fields['csrf_token'],
      });
      const { team, pipeline } = namesFromParams(params);
      const name = { team, pipeline, resource: params['resource'] ?? '' };
      const viewer = viewerOf(request, codec);
      const back = returnPath(paths.resource(name));
      if (problem !== undefined) {
        return { status, page: problemPage({ status, detail: problem, viewer, back }), cookies };
      }
      const started: StartedBuilds = Object(json).data;
      const [only, ...others] = started.builds;
      if (only !== undefined && started.refused.length === 0) {
        const versionPath = paths.versionPath(name, Number(params['version']));
        return { to: returnPath(others.length === 0 ? only.url : versionPath), cookies };
      }
      const page = startedPage(started, {
        version: params['version'] ?? '',
        viewer,
        links: [...breadcrumbs(name), { name: name.resource, url: back }],
      });
      return { status: 200, page, cookies };
    },
  });
}

function startedPage(
  { builds, refused }: StartedBuilds,
  context: { version: string; viewer: Viewer | undefined; links: { name: string; url: string }[] },
): Html {
  const title = `Builds of version ${context.version}`;
  return layout({
    title,
    viewer: context.viewer,
    breadcrumbs: context.links,
    main: html`<h1>${title}</h1>
      <h2>Started</h2>
      <ul class="rows">
        ${builds.map(({ job, number, url }) => html`<li><a href="${returnPath(url)}">${job} ${number}</a></li>`)}
      </ul>
      ${
        refused.length > 0 &&
        html`<h2>Not started</h2>
          <ul class="rows">
            ${refused.map(
              ({ job, reasons }) => html`<li>${job}: ${reasons.map(({ message }) => message).join(' ')}</li>`,
            )}
          </ul>`
      }`,
  });
}
