import type { AccountPorts } from '#adapters/http/api/account-ports.ts';
import { nameBuild, refOf } from '#adapters/http/api/builds.ts';
import { requireFound } from '#adapters/http/api/found.ts';
import type { PipelinePorts } from '#adapters/http/api/pipeline-ports.ts';
import { BuildParams } from '#adapters/http/api/schemas.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import type { Role } from '#domain/access/roles.ts';
import type { StepState } from '#domain/build/build-state.ts';
import { describeCheck } from '#domain/scheduling/why-not-checked.ts';
import type { BuildRef } from '#flows/names.ts';
import { LOG_REMOVED, type BuildDetail, type LogPage } from '#flows/views/ports.ts';
import { html, joined, type Html } from './html.ts';
import { action, formatDuration, layout, status, timeElement } from './layout.ts';
import { page } from './page.ts';
import { breadcrumbs, jobFromParams, paths } from './paths.ts';
import { fields } from './pipeline-page.ts';
import { plainLog } from './plain-log.ts';
import { publicBuildPage } from './public-build-page.ts';
import { may, teamViewerOf, type TeamViewer } from './viewer.ts';

/** Characters of the log in the page itself; the script or the link has all of it. */
export const MAX_LOG_CHARACTERS = 128 * 1024;

/** A build: its inputs, its steps, its log, and the actions on it. */
export function buildPage({ views, publicViews }: PipelinePorts, { codec }: AccountPorts): PageRoute {
  return page({
    url: '/teams/:team/pipelines/:pipeline/jobs/:job/builds/:build',
    params: BuildParams,
    forPublic: publicBuildPage(publicViews, codec),
    answer: async ({ params, request }) => {
      const { team, pipeline, job } = jobFromParams(params);
      const ref = refOf({ team, pipeline, job, build: params['build'] ?? '' });
      const [view, log] = await Promise.all([views.build(ref), views.logs(ref, 0, MAX_LOG_CHARACTERS)]);
      const build = requireFound(view, nameBuild(ref));
      const teamViewer = teamViewerOf(request, codec, team);
      const title = `${job} ${ref.number}`;
      const url = paths.build(ref);
      return layout({
        title,
        viewer: teamViewer.viewer,
        breadcrumbs: breadcrumbs(ref, 'job'),
        script: 'build-page.js',
        main: html`<h1>${title}</h1>
          <p role="status" id="status">${status(build.status)} ${build.message}</p>
          <div class="build-page">
            <div id="live">
              ${facts(build)} ${actions(url, build, teamViewer)} ${inputs(ref, build.inputs)}
              ${inputValues(build.inputValues)} ${steps(build.steps)}
            </div>
            ${logSection(url, log)}
          </div>`,
      });
    },
  });
}

function facts(build: BuildDetail): Html {
  const { createdAt, startedAt, endedAt, attempt, cancelledBy, warnedBy } = build;
  return html`<dl>
    <dt>Created</dt>
    <dd>${timeElement(createdAt)}</dd>
    <dt>Started</dt>
    <dd>${timeElement(startedAt)}</dd>
    ${
      endedAt !== undefined &&
      html`<dt>Took</dt>
        <dd>${formatDuration(startedAt, endedAt)}</dd>`
    }
    ${
      attempt > 1 &&
      html`<dt>Attempt</dt>
        <dd>${attempt}</dd>`
    }
    ${checksOf(build)}
    ${
      cancelledBy !== undefined &&
      html`<dt>Cancelled by</dt>
        <dd>${cancelledBy}</dd>`
    }
    ${
      warnedBy !== undefined &&
      html`<dt>Marked by</dt>
        <dd>${warnedBy}</dd>`
    }
  </dl>`;
}

/** The checks before the build: each with its result, since a version may be old if its check failed. */
function checksOf({ checks = [] }: BuildDetail): Html {
  if (checks.length === 0) return html``;
  return html`<dt>Checked first</dt>
    <dd>
      ${joined(
        checks.map((check) => html`${describeCheck(check) ?? check.resource}`),
        html`<br />`,
      )}
    </dd>`;
}

/** The actions that are possible now. */
function actions(url: string, { status: now, endedAt }: BuildDetail, teamViewer: TeamViewer): Html {
  const { viewer } = teamViewer;
  const message = html`<input name="message" aria-label="Why" placeholder="Why" required maxlength="1000" />`;
  const ended = endedAt !== undefined;
  const known: { needs: Role; when: boolean; verb: string; label: string; fields?: Html }[] = [
    { needs: 'write', when: !ended, verb: 'cancel', label: 'Cancel' },
    { needs: 'write', when: ended, verb: 'retry', label: 'Retry' },
    { needs: 'maintain', when: now === 'waiting', verb: 'approve', label: 'Approve' },
    { needs: 'maintain', when: now === 'waiting', verb: 'reject', label: 'Reject', fields: message },
    { needs: 'maintain', when: now === 'failed', verb: 'warning', label: 'Mark as a warning' },
  ];
  const offered = known.filter(({ needs, when }) => when && may(teamViewer, needs));
  return offered.length === 0
    ? html``
    : html`<div class="actions">
        ${offered.map(({ verb, label, fields: more = html`` }) =>
          action({ url: `${url}/${verb}`, viewer, label, fields: more }),
        )}
      </div>`;
}

function inputs(ref: BuildRef, taken: BuildDetail['inputs']): Html {
  if (taken.length === 0) return html``;
  return html`<section aria-labelledby="inputs">
    <h2 id="inputs">Inputs</h2>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Input</th>
            <th scope="col">Resource</th>
            <th scope="col">Version</th>
          </tr>
        </thead>
        <tbody>
          ${taken.map(
            ({ name, resource, fields: version }) =>
              html`<tr>
                <th scope="row">${name}</th>
                <td><a href="${paths.resource({ ...ref, resource })}">${resource}</a></td>
                <td>${fields(version)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

function inputValues(values: BuildDetail['inputValues']): Html {
  const known = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (known.length === 0) return html``;
  return html`<section aria-labelledby="input-values">
    <h2 id="input-values">Input values</h2>
    <dl>
      ${known.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value === '' ? html`<span class="help">empty</span>` : value}</dd>`,
      )}
    </dl>
  </section>`;
}

function steps(known: readonly StepState[]): Html {
  if (known.length === 0) return html``;
  return html`<section aria-labelledby="steps">
    <h2 id="steps">Steps</h2>
    <ol class="rows">
      ${known.filter(({ parent }) => parent === undefined).map((step) => stepRow(step, known))}
    </ol>
  </section>`;
}

/** A step with what is inside of it. */
function stepRow(step: StepState, known: readonly StepState[]): Html {
  const { id, kind, hook, name, attempt, status: now, startedAt, endedAt, exitCode, message } = step;
  const took =
    startedAt !== undefined &&
    endedAt !== undefined &&
    formatDuration(new Date(startedAt), new Date(endedAt));
  const details = [
    took,
    attempt !== undefined && ` · attempt ${attempt}`,
    exitCode !== undefined && exitCode !== 0 && ` · exit code ${exitCode}`,
    message !== undefined && ` · ${message}`,
  ].map((fact) => html`${fact}`);
  const inside = known.filter(({ parent }) => parent === id);
  return html`<li>
    <span>${hook !== undefined && `${hook} `}${kind} <strong>${name}</strong></span> ${status(now)}
    <span class="help">${details}</span> ${metadataOf(step)}
    ${
      inside.length > 0 &&
      html`<ol class="rows">
        ${inside.map((one) => stepRow(one, known))}
      </ol>`
    }
  </li>`;
}

/** What the type of the resource reports about the version. It is text from outside, so it never becomes a link. */
function metadataOf({ name, metadata = [] }: StepState): Html {
  if (metadata.length === 0) return html``;
  return html`<details>
    <summary>About the version of ${name}</summary>
    <dl>
      ${metadata.map(
        (entry) =>
          html`<dt>${entry.name}</dt>
            <dd>${entry.value}</dd>`,
      )}
    </dl>
  </details>`;
}

function logSection(url: string, log: LogPage | undefined): Html {
  const text = plainLog((log?.chunks ?? []).map((chunk) => chunk.text).join(''));
  return html`<section aria-labelledby="log-title" class="build-output">
    <h2 id="log-title">Log</h2>
    <div id="log-viewer" data-url="${url}">
      <p class="tools"><a href="${url}/logs">As plain text</a></p>
      <pre id="log" role="log" aria-live="off" aria-labelledby="log-title" tabindex="0">${text}</pre>
      ${log?.hasMore === true && html`<p class="help">There is more: the plain text has all of it.</p>`}
    </div>
    ${log?.removed && html`<p class="help">${LOG_REMOVED}</p>`}
  </section>`;
}
