import type { PublicViews } from '#flows/views/public-views.ts';
import { html } from './html.ts';
import { asksForAllRows, jobTable, pausedNote, pipelineGraph, resourceTable } from './lists.ts';
import { namesFromParams, paths } from './paths.ts';
import { publicLayout, type Codec, type PublicPage } from './public-page.ts';

/** The page of a pipeline for the public, with its graph, its jobs and its resources. */
export function publicPipelinePage(
  views: Pick<PublicViews, 'pipeline' | 'jobs' | 'resources'>,
  codec: Codec,
): PublicPage {
  return async (pageRequest) => {
    const { team, pipeline } = namesFromParams(pageRequest.params);
    const name = { team, pipeline };
    const [view, jobs = [], resources = []] = await Promise.all([
      views.pipeline(name),
      views.jobs(name),
      views.resources(name),
    ]);
    if (view === undefined) return undefined;
    const isWhole = asksForAllRows(pageRequest.query);
    const typeColumns = [{ title: 'Type', cell: ({ type }: { type: string }) => type }];
    return publicLayout(pageRequest, codec, {
      title: pipeline,
      events: `${paths.pipeline(name)}/events`,
      script: 'pipeline-page.js',
      main: html`<h1>${pipeline}</h1>
        ${pipelineGraph(name, { title: pipeline, jobs, resources, isMember: false })}
        <div id="live">
          ${pausedNote('pipeline', view.paused)} ${jobTable(name, { rows: jobs, isWhole })}
          ${resourceTable(
            name,
            { rows: resources, isWhole },
            ({ pinned }) => (pinned ? 'pinned' : undefined),
            typeColumns,
          )}
        </div>`,
    });
  };
}
