import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { requireFound } from '#adapters/http/api/found.ts';
import { nameJob } from '#adapters/http/api/jobs.ts';
import type { PipelinePorts } from '#adapters/http/api/pipeline-ports.ts';
import { JobParams } from '#adapters/http/api/schemas.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import type { Input } from '#domain/pipeline/pipeline.ts';
import type { JobName } from '#flows/names.ts';
import type { WaitingView } from '#flows/views/ports.ts';
import { html, type Html } from './html.ts';
import { jobBuilds } from './job-builds.ts';
import { jobFacts } from './job-facts.ts';
import { action, alert, layout } from './layout.ts';
import { page, type PageRequest } from './page.ts';
import { cursor, older, PER_PAGE } from './paging.ts';
import { breadcrumbs, namesFromParams, paths } from './paths.ts';
import { pauseControl } from './pipeline-page.ts';
import { publicJobPage } from './public-list-pages.ts';
import { checkFirstField, startForm, type RefusedStart } from './start-form.ts';
import { startJob } from './start-job.ts';
import { may, teamViewerOf, type TeamViewer } from './viewer.ts';

/** The page of a job with its builds, at both of its paths, and the form that starts a build. */
export function jobPages(ports: PipelinePorts, access: AccessPorts): PageRoute[] {
  const { publicViews } = ports;
  const pageAt = (url: string): PageRoute =>
    page({
      url,
      params: JobParams,
      forPublic: publicJobPage(publicViews, access.codec),
      answer: async ({ params, query, request }) =>
        await renderJob(ports, access, {
          name: namesFromParams(params),
          request,
          before: query['before'],
        }),
    });
  return [
    pageAt('/teams/:team/pipelines/:pipeline/jobs/:job'),
    pageAt('/teams/:team/pipelines/:pipeline/jobs/:job/builds'),
    startJob(ports, access, async (name, request, refused) =>
      renderJob(ports, access, { name, request, refused }),
    ),
  ];
}

interface RenderJobParts {
  name: JobName;
  request: PageRequest['request'];
  before?: string | undefined;
  refused?: RefusedStart;
}

async function renderJob(
  { views }: Pick<PipelinePorts, 'views'>,
  { codec }: AccessPorts,
  { name, request, before, refused }: RenderJobParts,
): Promise<Html> {
  const [view, buildList, waiting, definition] = await Promise.all([
    views.job(name),
    views.builds(name, { limit: PER_PAGE, ...cursor(before) }),
    views.waiting(name),
    views.jobDefinition(name),
  ]);
  const builds = requireFound(buildList, nameJob(name));
  const origins = await views.buildOrigins(builds.rows.map(({ id }) => id));
  const teamViewer = teamViewerOf(request, codec, name.team);
  const { form, button } = startControl(name, view?.inputs ?? [], { teamViewer, refused });
  return layout({
    title: name.job,
    viewer: teamViewer.viewer,
    breadcrumbs: breadcrumbs(name),
    // This page may be the response to a form and then has the URL of the form, so live updates could not
    // fetch it again.
    ...(refused === undefined && { events: `${paths.pipeline(name)}/events` }),
    main: html`<h1>${name.job}</h1>
      ${alert(refused && 'The job does not take these values. The fields say why.')} ${form}
      <div id="live">
        <div class="actions">
          ${button}
          ${pauseControl('job', { url: paths.job(name), paused: view?.paused === true }, teamViewer)}
        </div>
        ${whyItWaits(waiting)}
        <section aria-labelledby="builds">
          <h2 id="builds">Builds</h2>
          ${jobBuilds(name, builds.rows, origins)} ${older(builds, paths.builds(name), 'builds')}
        </section>
        ${definition !== undefined && jobFacts(name, definition)}
      </div>`,
  });
}

/**
 * Returns a form if the job has inputs, otherwise a button. Returns neither if the viewer may not start
 * builds.
 */
function startControl(
  name: JobName,
  inputs: readonly Input[],
  { teamViewer, refused }: { teamViewer: TeamViewer; refused: RefusedStart | undefined },
): { form?: Html; button?: Html } {
  if (!may(teamViewer, 'write')) return {};
  const { viewer } = teamViewer;
  const url = `${paths.job(name)}/trigger`;
  if (inputs.length > 0) return { form: startForm(url, inputs, viewer, refused) };
  return { button: action({ url, viewer, label: 'Start a build', fields: checkFirstField }) };
}

/** Why the job gets no further build, and why each of its pending builds does not start. */
function whyItWaits(waiting: WaitingView | undefined): Html {
  const jobReasons = waiting?.jobs[0]?.reasons ?? [];
  const builds = (waiting?.builds ?? []).filter(({ reasons }) => reasons.length > 0);
  if (jobReasons.length === 0 && builds.length === 0) return html``;
  return html`<section aria-labelledby="waiting" class="job-waiting">
    <h2 id="waiting">Why it waits</h2>
    <ul>
      ${jobReasons.map(({ message }) => html`<li>${message}</li>`)}
      ${builds.map(
        ({ number, reasons }) =>
          html`<li>Build ${number}: ${reasons.map(({ message }) => message).join(' ')}</li>`,
      )}
    </ul>
  </section>`;
}
