import type { PublicViews } from '#flows/views/public-views.ts';
import { html } from './html.ts';
import { jobTable, pausedNote, pipelineImage, resourceTable } from './lists.ts';
import { jobFromParams, paths } from './paths.ts';
import { publicLayout, type Codec, type PublicPage } from './public-page.ts';

/** A pipeline as strangers see it: its picture, its jobs and its resources. */
export function publicPipelinePage(
  shown: Pick<PublicViews, 'pipeline' | 'jobs' | 'resources'>,
  codec: Codec,
): PublicPage {
  return async (asked) => {
    const { team, pipeline } = jobFromParams(asked.params);
    const name = { team, pipeline };
    const [view, jobs = [], resources = []] = await Promise.all([
      shown.pipeline(name),
      shown.jobs(name),
      shown.resources(name),
    ]);
    if (view === undefined) return undefined;
    return publicLayout(asked, codec, {
      title: pipeline,
      events: `${paths.pipeline(name)}/events`,
      main: html`<h1>${pipeline}</h1>
        ${pipelineImage(name, pipeline, jobs, resources)}
        <div id="live">
          ${pausedNote('pipeline', view.paused)} ${jobTable(name, jobs)}
          ${resourceTable(name, resources, ({ pinned }) => (pinned ? 'pinned' : undefined), [{ title: 'Type', cell: ({ type }) => type }])}
        </div>`,
    });
  };
}
