import type { AccessPorts } from '#adapters/http/access/ports.ts';
import type { PublicApi } from '#adapters/http/public-api.ts';
import { found } from '#adapters/http/routes/found.ts';
import { PipelineParams } from '#adapters/http/routes/schemas.ts';
import type { PipelineName } from '#flows/ports.ts';
import type { JobView, ResourceView, WaitingView } from '#flows/views.ts';
import { html, joined } from './html.ts';
import type { Html } from './html.ts';
import { action, duration, layout, status, time } from './layout.ts';
import { lookerOf, may } from './looker.ts';
import type { Looker } from './looker.ts';
import { page } from './page.ts';
import type { PageRoute } from './page.ts';
import { above, jobOf, paths } from './paths.ts';
import { publicPipelinePage } from './public-pipeline-page.ts';
import { count } from './team-pages.ts';

/** A pipeline: its picture, its jobs and why they wait, its resources. */
export function pipelinePage(api: PublicApi, { codec }: AccessPorts): PageRoute {
  return page({
    url: '/teams/:team/pipelines/:pipeline',
    params: PipelineParams,
    strangers: publicPipelinePage(api.shown, codec),
    answer: async ({ params, request }) => {
      const { team, pipeline } = jobOf(params);
      const name = { team, pipeline };
      const [view, jobs = [], resources = [], waiting] = await Promise.all([
        api.pipeline(name),
        api.jobs(name),
        api.resources(name),
        api.waiting(name),
      ]);
      const there = found(view, `Pipeline ${pipeline} in team ${team}`);
      const looker = lookerOf(request, codec, team);
      const title = there.displayName ?? pipeline;
      return layout({
        title,
        viewer: looker.viewer,
        above: above(name, 'team'),
        events: `${paths.pipeline(name)}/events`,
        main: html`<h1>${title}</h1>
          <figure>
            <img
              id="picture"
              src="${paths.pipeline(name)}/image.svg"
              alt="${`Graph of ${title}: ${count(jobs.length, 'job')} and ${count(resources.length, 'resource')}, which the tables below list`}"
            />
          </figure>
          <div id="live">
            ${pauseOf('pipeline', { url: paths.pipeline(name), paused: there.paused }, looker)}
            ${jobTable(name, jobs, waiting, looker)} ${resourceTable(name, resources, looker)}
          </div>`,
      });
    },
  });
}

/** Whether it is paused, and the button that changes it. */
export function pauseOf(
  what: 'pipeline' | 'job',
  { url, paused }: { url: string; paused: boolean },
  looker: Looker,
): Html {
  const { viewer } = looker;
  const [verb, label] = paused ? ['unpause', 'Unpause'] : ['pause', 'Pause'];
  return html`${paused && html`<p class="alert">This ${what} is paused: nothing is built.</p>`}
  ${may(looker, 'write') && action({ url: `${url}/${verb}`, viewer, label: `${label} the ${what}`, quiet: true })}`;
}

function jobTable(
  name: PipelineName,
  jobs: readonly JobView[],
  waiting: WaitingView | undefined,
  looker: Looker,
): Html {
  const why = new Map(waiting?.jobs.map((job) => [job.name, job.reasons]));
  return html`<section aria-labelledby="jobs">
    <h2 id="jobs">Jobs</h2>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Job</th>
            <th scope="col">Newest build</th>
            <th scope="col">Took</th>
            <th scope="col">Why it waits</th>
            ${may(looker, 'write') && html`<th scope="col"><span class="unseen">Start</span></th>`}
          </tr>
        </thead>
        <tbody>
          ${jobs.map((view) => {
            const job = { ...name, job: view.name };
            const { latest } = view;
            return html`<tr>
              <th scope="row">
                <a href="${paths.builds(job)}">${view.name}</a
                >${view.paused && html` <span class="tag paused">paused</span>`}
              </th>
              <td>
                ${latest === undefined ? 'none yet' : html`<a href="${paths.build({ ...job, number: latest.number })}">${latest.number}</a> ${status(latest.status)}`}
              </td>
              <td>${duration(latest?.startedAt, latest?.endedAt)}</td>
              <td>${reasons(why.get(view.name) ?? [])}</td>
              ${may(looker, 'write') && html`<td>${action({ url: `${paths.job(job)}/trigger`, viewer: looker.viewer, label: 'Start', about: `Start a build of ${view.name}` })}</td>`}
            </tr>`;
          })}
        </tbody>
      </table>
    </div>
  </section>`;
}

export function reasons(known: readonly { message: string }[]): Html {
  return joined(
    known.map(({ message }) => html`${message}`),
    html`<br />`,
  );
}

function resourceTable(name: PipelineName, resources: readonly ResourceView[], looker: Looker): Html {
  return html`<section aria-labelledby="resources">
    <h2 id="resources">Resources</h2>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Resource</th>
            <th scope="col">Newest version</th>
            <th scope="col">Looked at</th>
            ${may(looker, 'write') && html`<th scope="col"><span class="unseen">Check</span></th>`}
          </tr>
        </thead>
        <tbody>
          ${resources.map((one) => {
            const url = paths.resource({ ...name, resource: one.name });
            return html`<tr>
              <th scope="row">
                <a href="${url}">${one.name}</a
                >${one.pinned !== undefined && html` <span class="tag pinned">pinned by ${one.pinned.by}</span>`}
              </th>
              <td>${one.latest === undefined ? 'none yet' : fields(one.latest.fields)}</td>
              <td>
                ${one.lastCheckedAt === undefined ? 'not yet' : time(one.lastCheckedAt)}${one.checkError !== undefined && html`<br /><strong>${one.checkError}</strong>`}
              </td>
              ${may(looker, 'write') && html`<td>${action({ url: `${url}/check`, viewer: looker.viewer, label: 'Check', about: `Check ${one.name} now` })}</td>`}
            </tr>`;
          })}
        </tbody>
      </table>
    </div>
  </section>`;
}

export function fields(version: Readonly<Record<string, string>>): Html {
  return joined(
    Object.entries(version).map(([name, value]) => html`<span class="code">${name}: ${value}</span>`),
    html`<br />`,
  );
}
