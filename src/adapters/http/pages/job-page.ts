import type { AccessPorts } from '#adapters/http/api/account-ports.ts';
import { found } from '#adapters/http/api/found.ts';
import { nameOf } from '#adapters/http/api/jobs.ts';
import type { PipelinePorts } from '#adapters/http/api/pipeline-ports.ts';
import { JobParams, ResourceParams } from '#adapters/http/api/schemas.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import type { ResourceView, VersionView } from '#flows/views/ports.ts';
import { table } from './data-table.ts';
import { html, type Html } from './html.ts';
import { action, layout, scrolling, time } from './layout.ts';
import { buildTable } from './lists.ts';
import { page } from './page.ts';
import { cursor, older, PER_PAGE } from './paging.ts';
import { above, jobOf, paths } from './paths.ts';
import { fields, pauseOf, reasons } from './pipeline-page.ts';
import { publicJobPage, publicResourcePage } from './public-list-pages.ts';
import { lookerOf, may, type Looker } from './viewer.ts';

/** A job and its builds; a resource and its versions. */
export function listPages(ports: PipelinePorts, access: AccessPorts): PageRoute[] {
  return [
    jobPage('/teams/:team/pipelines/:pipeline/jobs/:job', ports, access),
    jobPage('/teams/:team/pipelines/:pipeline/jobs/:job/builds', ports, access),
    resourcePage(ports, access),
  ];
}

function jobPage(url: string, { views, publicViews }: PipelinePorts, { codec }: AccessPorts): PageRoute {
  return page({
    url,
    params: JobParams,
    strangers: publicJobPage(publicViews, codec),
    answer: async ({ params, query, request }) => {
      const name = jobOf(params);
      const [view, builds, waiting] = await Promise.all([
        views.job(name),
        views.builds(name, { limit: PER_PAGE, ...cursor(query['before']) }),
        views.waiting(name),
      ]);
      const listed = found(builds, nameOf(name));
      const looker = lookerOf(request, codec, name.team);
      const { viewer } = looker;
      const start = {
        url: `${paths.job(name)}/trigger`,
        viewer,
        label: 'Start a build',
        fields: html`<input type="checkbox" id="check-first" name="check" value="true" checked />
          <label for="check-first">Check for new versions first</label>`,
      };
      return layout({
        title: name.job,
        viewer,
        above: above(name),
        events: `${paths.pipeline(name)}/events`,
        main: html`<h1>${name.job}</h1>
          <div id="live">
            ${reasons(waiting?.jobs[0]?.reasons ?? [])}
            <div class="actions">
              ${may(looker, 'write') && action(start)}
              ${pauseOf('job', { url: paths.job(name), paused: view?.paused === true }, looker)}
            </div>
            ${buildTable(name, listed.rows, [{ title: 'Why', cell: ({ message }) => message }])}
            ${older(listed, paths.builds(name), 'builds')}
          </div>`,
      });
    },
  });
}

function resourcePage({ views, publicViews }: PipelinePorts, { codec }: AccessPorts): PageRoute {
  return page({
    url: '/teams/:team/pipelines/:pipeline/resources/:resource',
    params: ResourceParams,
    strangers: publicResourcePage(publicViews, codec),
    answer: async ({ params, query, request }) => {
      const { team, pipeline } = jobOf(params);
      const name = { team, pipeline, resource: params['resource'] ?? '' };
      const [view, versions] = await Promise.all([
        views.resource(name),
        views.versions(name, { limit: PER_PAGE, ...cursor(query['before']) }),
      ]);
      const what = `Resource ${name.resource} of pipeline ${pipeline} in team ${team}`;
      const there = found(view, what);
      const listed = found(versions, what);
      const looker = lookerOf(request, codec, team);
      const url = paths.resource(name);
      return layout({
        title: name.resource,
        viewer: looker.viewer,
        above: above(name),
        main: html`<h1>${name.resource}</h1>
          ${resourceFacts(there)} ${may(looker, 'write') && resourceActions(url, there, looker)}
          ${versionTable(listed.rows, { pinned: there.pinned?.version, url, looker })}
          ${older(listed, url, 'versions')}`,
      });
    },
  });
}

function resourceFacts({ lastCheckedAt, pinned, checkError }: ResourceView): Html {
  return html`<dl>
    <dt>Looked at</dt>
    <dd>${lastCheckedAt === undefined ? 'not yet' : time(lastCheckedAt)}</dd>
    ${
      pinned !== undefined &&
      html`<dt>Pinned</dt>
        <dd>by ${pinned.by}${pinned.comment !== undefined && `: ${pinned.comment}`}</dd>`
    }
    ${
      checkError !== undefined &&
      html`<dt>Trouble</dt>
        <dd>${checkError}</dd>`
    }
  </dl>`;
}

function resourceActions(url: string, { pinned }: ResourceView, { viewer }: Looker): Html {
  return html`<div class="actions">
    ${action({ url: `${url}/check`, viewer, label: 'Check now' })}
    ${pinned !== undefined && action({ url: `${url}/unpin`, viewer, label: 'Unpin', quiet: true })}
  </div>`;
}

function pinForm(url: string, id: number, { viewer }: Looker): Html {
  const version = html`<input type="hidden" name="version_id" value="${id}" />`;
  return action({ url: `${url}/pin`, viewer, label: 'Pin', about: `Pin to version ${id}`, fields: version });
}

function versionTable(
  versions: readonly VersionView[],
  { pinned, url, looker }: { pinned: number | undefined; url: string; looker: Looker },
): Html {
  if (versions.length === 0) return html`<p>No versions yet.</p>`;
  const pin = {
    title: 'Pin',
    unseen: true,
    cell: ({ id }: VersionView) => id !== pinned && pinForm(url, id, looker),
  };
  const listed = table(
    versions,
    [
      {
        title: 'Number',
        cell: ({ id, disabled }) =>
          html`${id}${id === pinned && html` <span class="tag pinned">pinned</span>`}${disabled && html` <span class="tag">disabled</span>`}`,
      },
      { title: 'Version', cell: (one) => fields(one.fields) },
      { title: 'Found', cell: ({ createdAt }) => time(createdAt) },
      ...(may(looker, 'write') ? [pin] : []),
    ],
    'Versions, newest first',
  );
  return scrolling('Versions', listed);
}
