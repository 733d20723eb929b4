import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { nameResource } from '#adapters/http/api/checks.ts';
import { requireFound } from '#adapters/http/api/found.ts';
import type { PipelinePorts } from '#adapters/http/api/pipeline-ports.ts';
import { VersionParams } from '#adapters/http/api/schemas.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import type { PipelineName } from '#flows/names.ts';
import type { PathBuildView, VersionPathView } from '#flows/views/ports.ts';
import { htmlTable } from './data-table.ts';
import { html, joined, type Html } from './html.ts';
import { formatDuration, layout, scrolling, status, timeElement } from './layout.ts';
import { outsideFields } from './outside-text.ts';
import { page, viewerOf } from './page.ts';
import { breadcrumbs, namesFromParams, paths } from './paths.ts';

/**
 * The path of one version: each job that can get the version, or a version made from it, with the newest
 * build that had it.
 */
export function versionPathPage({ views }: PipelinePorts, { codec }: AccessPorts): PageRoute {
  return page({
    url: '/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/path',
    params: VersionParams,
    answer: async ({ params, request }) => {
      const { team, pipeline } = namesFromParams(params);
      const name = { team, pipeline, resource: params['resource'] ?? '' };
      const version = Number(params['version']);
      const versionText = `Version ${version} of ${nameResource(name)}`;
      const versionPath = requireFound(await views.versionPath(name, version), versionText);
      const title = `Version ${version}`;
      const url = paths.resource(name);
      return layout({
        title,
        viewer: viewerOf(request, codec),
        breadcrumbs: [...breadcrumbs(name), { name: name.resource, url }],
        events: `${paths.pipeline(name)}/events`,
        main: html`<h1>${title}</h1>
          ${outsideFields(Object.entries(versionPath.fields))}
          <div id="live">${pathTable(name, versionPath.path)}</div>`,
      });
    },
  });
}

function pathTable(name: PipelineName, path: VersionPathView['path']): Html {
  if (path.length === 0) return html`<p>No job gets this resource.</p>`;
  const table = htmlTable(
    path,
    [
      { title: 'Job', cell: ({ job }) => html`<a href="${paths.builds({ ...name, job })}">${job}</a>` },
      {
        title: 'Newest build with it',
        cell: ({ job, build, retries }) =>
          build === undefined
            ? 'none yet'
            : joined(
                [build, ...retries].map((pathBuild) => buildLink({ ...name, job }, pathBuild)),
                html`<br />`,
              ),
      },
      { title: 'Started', cell: ({ build }) => timeElement(build?.startedAt) },
      { title: 'Took', cell: ({ build }) => formatDuration(build?.startedAt, build?.endedAt) },
    ],
    'Jobs that this version can reach, nearest first',
  );
  return scrolling('Path of the version', table);
}

function buildLink(
  name: PipelineName & { job: string },
  { number, status: currentStatus }: PathBuildView,
): Html {
  return html`<a href="${paths.build({ ...name, number })}">${number}</a> ${status(currentStatus)}`;
}
