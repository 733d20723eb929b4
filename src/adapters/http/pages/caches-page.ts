import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { requireFound } from '#adapters/http/api/found.ts';
import { PipelineParams } from '#adapters/http/api/schemas.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { keyOfJobCache } from '#domain/planning/job-cache-key.ts';
import { listCaches, type StoredCache } from '#domain/planning/list-cache-volumes.ts';
import type { PipelineName } from '#flows/names.ts';
import { formatBytes } from './amounts.ts';
import { htmlTable, type Column } from './data-table.ts';
import { html, type Html } from './html.ts';
import { action, layout, scrolling, timeElement } from './layout.ts';
import { page } from './page.ts';
import { breadcrumbs, namesFromParams, paths } from './paths.ts';
import { may, teamViewerOf, type TeamViewer } from './viewer.ts';

/** The page of the caches of a pipeline, of both its resources and its jobs. */
export function cachesPage({ caches, codec }: AccessPorts): PageRoute {
  return page({
    url: '/teams/:team/pipelines/:pipeline/caches',
    params: PipelineParams,
    answer: async ({ params, request }) => {
      const { team, pipeline } = namesFromParams(params);
      const name = { team, pipeline };
      const pipelineText = `Pipeline ${pipeline} in team ${team}`;
      const { definition, stored } = requireFound(await caches.cachesOf(name), pipelineText);
      const teamViewer = teamViewerOf(request, codec, team);
      return layout({
        title: 'Caches',
        viewer: teamViewer.viewer,
        breadcrumbs: breadcrumbs(name),
        events: `${paths.pipeline(name)}/events`,
        main: html`<h1>Caches</h1>
          <p>
            A cache is a directory that a resource or a job keeps between builds. Builds work without it, only
            slower.
          </p>
          <div id="live">${cacheTable(name, { definition, stored }, teamViewer)}</div>`,
      });
    },
  });
}

function cacheTable(
  name: PipelineName,
  { definition, stored }: { definition: Pipeline; stored: StoredCache[] },
  teamViewer: TeamViewer,
): Html {
  const listed = listCaches(definition, stored);
  if (listed.length === 0)
    return html`<p>
      No resource and no job of this pipeline has a cache. Resources of the type <code>git</code> have one,
      and jobs with a block <code>cache</code>.
    </p>`;
  const clearColumn: Column<StoredCache> = {
    title: 'Clear',
    titleHidden: true,
    // Only a cache that something used has a volume to clear.
    cell: ({ resource, usedAt }) => usedAt !== undefined && clearButton(name, resource, teamViewer),
  };
  const table = htmlTable(
    listed,
    [
      { title: 'Cache', cell: ({ resource }) => cacheName(name, resource) },
      { title: 'Key', cell: ({ resource }) => keyCell(definition, resource) },
      { title: 'Size', cell: ({ bytes }) => (bytes === undefined ? 'unknown' : formatBytes(bytes)) },
      { title: 'Last use', cell: ({ usedAt }) => lastUseCell(usedAt) },
      { title: 'In use by', cell: ({ usedBy }) => userCell(name, usedBy) },
      { title: 'Why the last build ran without it', cell: ({ leftOut }) => leftOut },
      ...(may(teamViewer, 'write') ? [clearColumn] : []),
    ],
    'Caches, those of resources first',
  );
  return scrolling('Caches', table);
}

/** A cache of a job is named `<job>:<cache>`. */
function cacheName(name: PipelineName, cache: string): Html {
  const [job = '', label] = cache.split(':');
  if (label === undefined)
    return html`<a href="${paths.resource({ ...name, resource: cache })}">${cache}</a>`;
  return html`<a href="${paths.builds({ ...name, job })}">${job}</a>: ${label}`;
}

function keyCell(definition: Pipeline, cache: string): Html {
  const key = keyOfJobCache(definition, cache);
  return key === undefined ? html`–` : html`<span class="code">${key}</span>`;
}

const lastUseCell = (at: Date | undefined): Html =>
  at === undefined ? html`never` : timeElement(new Date(at));

function userCell(name: PipelineName, usedBy: StoredCache['usedBy']): Html {
  if (usedBy === undefined) return html`nothing`;
  if (usedBy === 'check') return html`a check`;
  return html`<a href="${paths.build({ ...name, ...usedBy })}">${usedBy.job} ${usedBy.number}</a>`;
}

function clearButton(name: PipelineName, cache: string, { viewer }: TeamViewer): Html {
  const url = `${paths.caches(name)}/${encodeURIComponent(cache)}`;
  return action({ url, viewer, label: 'Clear', about: `Clear the cache ${cache}`, quiet: true });
}
