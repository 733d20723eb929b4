import type { PublicVersion, PublicViews } from '#flows/views/public-views.ts';
import { htmlTable } from './data-table.ts';
import { html, type Html } from './html.ts';
import { timeElement } from './layout.ts';
import { buildTable, pausedNote } from './lists.ts';
import { cursor, older, PER_PAGE } from './paging.ts';
import { namesFromParams, paths, publicBreadcrumbs } from './paths.ts';
import { publicLayout, type Codec, type PublicPage } from './public-page.ts';

/** The page of a job for the public, with the status of its builds. */
export function publicJobPage(views: Pick<PublicViews, 'job' | 'builds'>, codec: Codec): PublicPage {
  return async (pageRequest) => {
    const name = namesFromParams(pageRequest.params);
    const [view, builds] = await Promise.all([
      views.job(name),
      views.builds(name, { limit: PER_PAGE, ...cursor(pageRequest.query['before']) }),
    ]);
    if (view === undefined || builds === undefined) return undefined;
    return publicLayout(pageRequest, codec, {
      title: name.job,
      breadcrumbs: publicBreadcrumbs(name),
      events: `${paths.pipeline(name)}/events`,
      main: html`<h1>${name.job}</h1>
        <div id="live">
          ${pausedNote('job', view.paused)} ${buildTable(name, builds.rows)}
          ${older(builds, paths.builds(name), 'builds')}
        </div>`,
    });
  };
}

/** The page of a resource for the public, with the times at which its versions were found. */
export function publicResourcePage(
  views: Pick<PublicViews, 'resource' | 'versions'>,
  codec: Codec,
): PublicPage {
  return async (pageRequest) => {
    const { team, pipeline } = namesFromParams(pageRequest.params);
    const name = { team, pipeline, resource: pageRequest.params['resource'] ?? '' };
    const [view, versions] = await Promise.all([
      views.resource(name),
      views.versions(name, { limit: PER_PAGE, ...cursor(pageRequest.query['before']) }),
    ]);
    if (view === undefined || versions === undefined) return undefined;
    return publicLayout(pageRequest, codec, {
      title: name.resource,
      breadcrumbs: publicBreadcrumbs(name),
      main: html`<h1>${name.resource}</h1>
        <p>Of type ${view.type}.${view.pinned && html` <span class="tag pinned">pinned</span>`}</p>
        ${versionTable(paths.pipeline(name), versions.rows)}
        ${older(versions, paths.resource(name), 'versions')}`,
    });
  };
}

function versionTable(pipeline: string, versions: readonly PublicVersion[]): Html {
  if (versions.length === 0) return html`<p>No versions yet.</p>`;
  return html`<div class="scroll">
    ${htmlTable(
      versions,
      [
        {
          title: 'Number',
          cell: ({ id }) =>
            html`<a href="${pipeline}/image.svg?version_id=${id}" aria-label="${`Path of version ${id}`}"
              >${id}</a
            >`,
        },
        { title: 'Found', cell: ({ createdAt }) => timeElement(createdAt) },
      ],
      'Versions, newest first',
    )}
  </div>`;
}
