import { refOf } from '#adapters/http/api/builds.ts';
import type { PublicBuildDetail, PublicStep, PublicViews } from '#flows/views/public-views.ts';
import { html, type Html } from './html.ts';
import { formatDuration, status, timeElement } from './layout.ts';
import { namesFromParams, paths, publicBreadcrumbs } from './paths.ts';
import { publicLayout, type Codec, type PublicPage } from './public-page.ts';

/**
 * The page of a build for the public, with its status and that of its steps. The page follows the stream of
 * the pipeline, which reports when the newest build of a job changes, but not when only a step does. The
 * stream of the build contains the log, which the public may not read.
 */
export function publicBuildPage(views: Pick<PublicViews, 'build'>, codec: Codec): PublicPage {
  return async (pageRequest) => {
    const { team, pipeline, job } = namesFromParams(pageRequest.params);
    const ref = refOf({ team, pipeline, job, build: pageRequest.params['build'] ?? '' });
    const build = await views.build(ref);
    if (build === undefined) return undefined;
    const title = `${job} ${ref.number}`;
    return publicLayout(pageRequest, codec, {
      title,
      breadcrumbs: publicBreadcrumbs(ref, 'job'),
      events: `${paths.pipeline(ref)}/events`,
      main: html`<h1>${title}</h1>
        <p role="status" id="status">${status(build.status)}</p>
        <div id="live">${facts(build)} ${steps(build.steps)}</div>`,
    });
  };
}

function facts({ createdAt, startedAt, endedAt }: PublicBuildDetail): Html {
  return html`<dl>
    <dt>Created</dt>
    <dd>${timeElement(createdAt)}</dd>
    <dt>Started</dt>
    <dd>${timeElement(startedAt)}</dd>
    <dt>Took</dt>
    <dd>${formatDuration(startedAt, endedAt)}</dd>
  </dl>`;
}

function steps(publicSteps: readonly PublicStep[]): Html {
  if (publicSteps.length === 0) return html``;
  return html`<section aria-labelledby="steps">
    <h2 id="steps">Steps</h2>
    <ol class="rows">
      ${publicSteps.map(({ kind, name, status: currentStatus, startedAt, endedAt }) => {
        const hasEnded = startedAt !== undefined && endedAt !== undefined;
        return html`<li>
          <span>${kind} <strong>${name}</strong></span> ${status(currentStatus)}
          <span class="help">${hasEnded && formatDuration(new Date(startedAt), new Date(endedAt))}</span>
        </li>`;
      })}
    </ol>
  </section>`;
}
