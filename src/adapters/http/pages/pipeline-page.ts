import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { requireFound } from '#adapters/http/api/found.ts';
import type { PipelinePorts } from '#adapters/http/api/pipeline-ports.ts';
import { PipelineParams } from '#adapters/http/api/schemas.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import type { Reason } from '#domain/scheduling/reasons.ts';
import type { PipelineName } from '#flows/names.ts';
import type { JobView, ResourceView, WaitingView } from '#flows/views/ports.ts';
import { html, joined, type Html } from './html.ts';
import { action, layout, timeElement } from './layout.ts';
import {
  asksForAllRows,
  jobTable,
  MAX_ROWS,
  pausedNote,
  pipelineGraph,
  resourceTable,
  type Rows,
} from './lists.ts';
import { page } from './page.ts';
import { namesFromParams, paths, teamBreadcrumbs } from './paths.ts';
import { publicPipelinePage } from './public-pipeline-page.ts';
import { may, teamViewerOf, type TeamViewer } from './viewer.ts';

/** The page of a pipeline: its graph, its jobs and why they wait, and its resources. */
export function pipelinePage({ views, publicViews }: PipelinePorts, { codec }: AccessPorts): PageRoute {
  return page({
    url: '/teams/:team/pipelines/:pipeline',
    params: PipelineParams,
    forPublic: publicPipelinePage(publicViews, codec),
    answer: async ({ params, query, request }) => {
      const { team, pipeline } = namesFromParams(params);
      const name = { team, pipeline };
      const isWhole = asksForAllRows(query);
      const [view, jobs = [], resources = [], waiting] = await Promise.all([
        views.pipeline(name),
        views.jobs(name),
        views.resources(name),
        views.waiting({ ...name, ...(!isWhole && { first: MAX_ROWS }) }),
      ]);
      const existing = requireFound(view, `Pipeline ${pipeline} in team ${team}`);
      const teamViewer = teamViewerOf(request, codec, team);
      const title = existing.displayName ?? pipeline;
      return layout({
        title,
        viewer: teamViewer.viewer,
        breadcrumbs: teamBreadcrumbs(name.team),
        events: `${paths.pipeline(name)}/events`,
        script: 'pipeline-page.js',
        main: html`<h1>${title}</h1>
          ${may(teamViewer, 'maintain') && definitionLink(name)}
          ${pipelineGraph(name, { title, jobs, resources, isMember: true })}
          <div id="live">
            ${pauseControl('pipeline', { url: paths.pipeline(name), paused: existing.paused }, teamViewer)}
            ${jobsOf(name, { rows: jobs, isWhole }, waiting, teamViewer)}
            ${resourcesOf(name, { rows: resources, isWhole }, teamViewer)}
            <p><a href="${paths.caches(name)}">Caches of this pipeline</a></p>
          </div>`,
      });
    },
  });
}

function definitionLink(name: PipelineName): Html {
  return html`<p class="actions">
    <a class="button quiet" href="${paths.definition(name)}">Definition</a>
  </p>`;
}

/** A note if the pipeline or job is paused, and the button that pauses or unpauses it. */
export function pauseControl(
  kind: 'pipeline' | 'job',
  { url, paused }: { url: string; paused: boolean },
  teamViewer: TeamViewer,
): Html {
  const { viewer } = teamViewer;
  const [verb, label] = paused ? ['unpause', 'Unpause'] : ['pause', 'Pause'];
  return html`${pausedNote(kind, paused)}
  ${may(teamViewer, 'write') && action({ url: `${url}/${verb}`, viewer, label: `${label} the ${kind}`, quiet: true })}`;
}

function jobsOf(
  name: PipelineName,
  jobs: Rows<JobView>,
  waiting: WaitingView | undefined,
  teamViewer: TeamViewer,
): Html {
  const jobReasons = reasonsByJob(jobs.rows, waiting);
  const startColumn = {
    title: 'Start',
    titleHidden: true,
    cell: ({ name: job }: JobView) =>
      action({
        url: `${paths.job({ ...name, job })}/trigger`,
        viewer: teamViewer.viewer,
        label: 'Start',
        about: `Start a build of ${job}`,
        fields: html`<input type="hidden" name="check" value="true" />`,
      }),
  };
  return jobTable(name, jobs, [
    { title: 'Why it waits', cell: (job) => reasonLines(jobReasons.get(job.name) ?? []) },
    ...(may(teamViewer, 'write') ? [startColumn] : []),
  ]);
}

/** Why the newest build of each job does not start, then why the job has no newer one. */
function reasonsByJob(jobs: readonly JobView[], waiting: WaitingView | undefined): Map<string, Reason[]> {
  const reasonsOfJobs = new Map(waiting?.jobs.map(({ name, reasons }) => [name, reasons]));
  const reasonsOfBuilds = new Map(
    waiting?.builds.map(({ job, number, reasons }) => [`${job} ${number}`, reasons]),
  );
  return new Map(
    jobs.map(({ name, latest }) => {
      const whyBuildWaits = reasonsOfBuilds.get(`${name} ${latest?.number}`) ?? [];
      const whyJobWaits = reasonsOfJobs.get(name) ?? [];
      return [name, [...whyBuildWaits, ...whyJobWaits]];
    }),
  );
}

/** Sentences that say why a job or build waits, one per line. */
export function reasonLines(reasons: readonly { message: string }[]): Html {
  return joined(
    reasons.map(({ message }) => html`${message}`),
    html`<br />`,
  );
}

function resourcesOf(name: PipelineName, resources: Rows<ResourceView>, teamViewer: TeamViewer): Html {
  const checkColumn = {
    title: 'Check',
    titleHidden: true,
    cell: ({ name: resource }: ResourceView) =>
      action({
        url: `${paths.resource({ ...name, resource })}/check`,
        viewer: teamViewer.viewer,
        label: 'Check',
        about: `Check ${resource} now`,
      }),
  };
  return resourceTable(name, resources, ({ pinned }) => pinned && `pinned by ${pinned.by}`, [
    {
      title: 'Newest version',
      cell: ({ latest }) => (latest === undefined ? 'none yet' : versionFields(latest.fields)),
    },
    { title: 'Checked', cell: checkedAt },
    ...(may(teamViewer, 'write') ? [checkColumn] : []),
  ]);
}

function checkedAt({ lastCheckedAt, checkError }: ResourceView): Html {
  const at = lastCheckedAt === undefined ? 'not yet' : timeElement(lastCheckedAt);
  return html`${at}${checkError !== undefined && html`<br /><strong>${checkError}</strong>`}`;
}

export function versionFields(version: Readonly<Record<string, string>>): Html {
  return joined(
    Object.entries(version).map(
      ([name, value]) => html`<span class="code version-field">${name}: ${value}</span>`,
    ),
    html`<br />`,
  );
}
