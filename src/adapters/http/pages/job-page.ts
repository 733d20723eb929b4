import type { AccountPorts } from '#adapters/http/api/account-ports.ts';
import { requireFound } from '#adapters/http/api/found.ts';
import { nameJob } from '#adapters/http/api/jobs.ts';
import type { PipelinePorts } from '#adapters/http/api/pipeline-ports.ts';
import { JobParams, ResourceParams } from '#adapters/http/api/schemas.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import type { Input } from '#domain/pipeline/pipeline.ts';
import type { JobName } from '#flows/names.ts';
import type { ResourceView, VersionView } from '#flows/views/ports.ts';
import { htmlTable } from './data-table.ts';
import { html, type Html } from './html.ts';
import { action, layout, scrolling, timeElement } from './layout.ts';
import { buildTable } from './lists.ts';
import { page } from './page.ts';
import { cursor, older, PER_PAGE } from './paging.ts';
import { breadcrumbs, jobFromParams, paths } from './paths.ts';
import { fields, pauseControl, reasons } from './pipeline-page.ts';
import { publicJobPage, publicResourcePage } from './public-list-pages.ts';
import { checkFirstField, startForm } from './start-form.ts';
import { may, teamViewerOf, type TeamViewer } from './viewer.ts';

/** The pages of a job with its builds, and of a resource with its versions. */
export function listPages(ports: PipelinePorts, access: AccountPorts): PageRoute[] {
  return [
    jobPage('/teams/:team/pipelines/:pipeline/jobs/:job', ports, access),
    jobPage('/teams/:team/pipelines/:pipeline/jobs/:job/builds', ports, access),
    resourcePage(ports, access),
  ];
}

function jobPage(url: string, { views, publicViews }: PipelinePorts, { codec }: AccountPorts): PageRoute {
  return page({
    url,
    params: JobParams,
    forPublic: publicJobPage(publicViews, codec),
    answer: async ({ params, query, request }) => {
      const name = jobFromParams(params);
      const [view, builds, waiting] = await Promise.all([
        views.job(name),
        views.builds(name, { limit: PER_PAGE, ...cursor(query['before']) }),
        views.waiting(name),
      ]);
      const buildPage = requireFound(builds, nameJob(name));
      const teamViewer = teamViewerOf(request, codec, name.team);
      const { form, button } = startControl(name, view?.inputs ?? [], teamViewer);
      return layout({
        title: name.job,
        viewer: teamViewer.viewer,
        breadcrumbs: breadcrumbs(name),
        events: `${paths.pipeline(name)}/events`,
        main: html`<h1>${name.job}</h1>
          ${form}
          <div id="live">
            ${reasons(waiting?.jobs[0]?.reasons ?? [])}
            <div class="actions">
              ${button}
              ${pauseControl('job', { url: paths.job(name), paused: view?.paused === true }, teamViewer)}
            </div>
            ${buildTable(name, buildPage.rows, [{ title: 'Why', cell: ({ message }) => message }])}
            ${older(buildPage, paths.builds(name), 'builds')}
          </div>`,
      });
    },
  });
}

/** Returns a form if the job has inputs, otherwise a button; neither if the viewer may not start builds. */
function startControl(
  name: JobName,
  inputs: readonly Input[],
  teamViewer: TeamViewer,
): { form?: Html; button?: Html } {
  if (!may(teamViewer, 'write')) return {};
  const { viewer } = teamViewer;
  const url = `${paths.job(name)}/trigger`;
  if (inputs.length > 0) return { form: startForm(url, inputs, viewer) };
  return { button: action({ url, viewer, label: 'Start a build', fields: checkFirstField }) };
}

function resourcePage({ views, publicViews }: PipelinePorts, { codec }: AccountPorts): PageRoute {
  return page({
    url: '/teams/:team/pipelines/:pipeline/resources/:resource',
    params: ResourceParams,
    forPublic: publicResourcePage(publicViews, codec),
    answer: async ({ params, query, request }) => {
      const { team, pipeline } = jobFromParams(params);
      const name = { team, pipeline, resource: params['resource'] ?? '' };
      const [view, versions] = await Promise.all([
        views.resource(name),
        views.versions(name, { limit: PER_PAGE, ...cursor(query['before']) }),
      ]);
      const description = `Resource ${name.resource} of pipeline ${pipeline} in team ${team}`;
      const resource = requireFound(view, description);
      const versionPage = requireFound(versions, description);
      const teamViewer = teamViewerOf(request, codec, team);
      const url = paths.resource(name);
      return layout({
        title: name.resource,
        viewer: teamViewer.viewer,
        breadcrumbs: breadcrumbs(name),
        main: html`<h1>${name.resource}</h1>
          ${resourceFacts(resource)} ${may(teamViewer, 'write') && resourceActions(url, resource, teamViewer)}
          ${versionTable(versionPage.rows, { pinned: resource.pinned?.version, url, teamViewer })}
          ${older(versionPage, url, 'versions')}`,
      });
    },
  });
}

function resourceFacts({ lastCheckedAt, pinned, checkError }: ResourceView): Html {
  return html`<dl>
    <dt>Checked</dt>
    <dd>${lastCheckedAt === undefined ? 'not yet' : timeElement(lastCheckedAt)}</dd>
    ${
      pinned !== undefined &&
      html`<dt>Pinned</dt>
        <dd>by ${pinned.by}${pinned.comment !== undefined && `: ${pinned.comment}`}</dd>`
    }
    ${
      checkError !== undefined &&
      html`<dt>Error</dt>
        <dd>${checkError}</dd>`
    }
  </dl>`;
}

function resourceActions(url: string, { pinned }: ResourceView, { viewer }: TeamViewer): Html {
  return html`<div class="actions">
    ${action({ url: `${url}/check`, viewer, label: 'Check now' })}
    ${pinned !== undefined && action({ url: `${url}/unpin`, viewer, label: 'Unpin', quiet: true })}
  </div>`;
}

function pinForm(url: string, id: number, { viewer }: TeamViewer): Html {
  const version = html`<input type="hidden" name="version_id" value="${id}" />`;
  return action({ url: `${url}/pin`, viewer, label: 'Pin', about: `Pin to version ${id}`, fields: version });
}

const PINNED_TAG = html` <span class="tag pinned">pinned</span>`;
const DISABLED_TAG = html` <span class="tag">disabled</span>`;

function versionTable(
  versions: readonly VersionView[],
  { pinned, url, teamViewer }: { pinned: number | undefined; url: string; teamViewer: TeamViewer },
): Html {
  if (versions.length === 0) return html`<p>No versions yet.</p>`;
  const pin = {
    title: 'Pin',
    titleHidden: true,
    cell: ({ id }: VersionView) => id !== pinned && pinForm(url, id, teamViewer),
  };
  const table = htmlTable(
    versions,
    [
      {
        title: 'Number',
        cell: ({ id, disabled }) => html`${id}${id === pinned && PINNED_TAG}${disabled && DISABLED_TAG}`,
      },
      { title: 'Version', cell: (version) => fields(version.fields) },
      { title: 'Found', cell: ({ createdAt }) => timeElement(createdAt) },
      ...(may(teamViewer, 'write') ? [pin] : []),
    ],
    'Versions, newest first',
  );
  return scrolling('Versions', table);
}
