import type { PipelineName } from '#flows/ports.ts';
import type { ShownJob, ShownLists, ShownResource } from '#flows/show-lists.ts';
import { html } from './html.ts';
import type { Html } from './html.ts';
import { duration, status } from './layout.ts';
import { jobOf, paths } from './paths.ts';
import { publicLayout } from './public-page.ts';
import type { Codec, PublicPage } from './public-page.ts';
import { count } from './team-pages.ts';

/** A pipeline as strangers see it: its picture, its jobs and its resources. */
export function publicPipelinePage(
  shown: Pick<ShownLists, 'pipeline' | 'jobs' | 'resources'>,
  codec: Codec,
): PublicPage {
  return async (asked) => {
    const { team, pipeline } = jobOf(asked.params);
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
        <figure>
          <img
            id="picture"
            src="${paths.pipeline(name)}/image.svg"
            alt="${`Graph of ${pipeline}: ${count(jobs.length, 'job')} and ${count(resources.length, 'resource')}, which the tables below list`}"
          />
        </figure>
        <div id="live">
          ${pausedNote('pipeline', view.paused)} ${jobTable(name, jobs)} ${resourceTable(name, resources)}
        </div>`,
    });
  };
}

export function pausedNote(what: 'pipeline' | 'job', paused: boolean): Html {
  return paused ? html`<p class="alert">This ${what} is paused: nothing is built.</p>` : html``;
}

function jobTable(name: PipelineName, jobs: readonly ShownJob[]): Html {
  return html`<section aria-labelledby="jobs">
    <h2 id="jobs">Jobs</h2>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Job</th>
            <th scope="col">Newest build</th>
            <th scope="col">Took</th>
          </tr>
        </thead>
        <tbody>
          ${jobs.map((one) => {
            const job = { ...name, job: one.name };
            const { latest } = one;
            return html`<tr>
              <th scope="row">
                <a href="${paths.builds(job)}">${one.name}</a
                >${one.paused && html` <span class="tag paused">paused</span>`}
              </th>
              <td>
                ${latest === undefined ? 'none yet' : html`<a href="${paths.build({ ...job, number: latest.number })}">${latest.number}</a> ${status(latest.status)}`}
              </td>
              <td>${duration(latest?.startedAt, latest?.endedAt)}</td>
            </tr>`;
          })}
        </tbody>
      </table>
    </div>
  </section>`;
}

function resourceTable(name: PipelineName, resources: readonly ShownResource[]): Html {
  return html`<section aria-labelledby="resources">
    <h2 id="resources">Resources</h2>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Resource</th>
            <th scope="col">Type</th>
          </tr>
        </thead>
        <tbody>
          ${resources.map(
            (one) =>
              html`<tr>
                <th scope="row">
                  <a href="${paths.resource({ ...name, resource: one.name })}">${one.name}</a
                  >${one.pinned && html` <span class="tag pinned">pinned</span>`}
                </th>
                <td>${one.type}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}
