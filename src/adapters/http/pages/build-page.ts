import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { nameBuild, refOf } from '#adapters/http/api/builds.ts';
import { requireFound } from '#adapters/http/api/found.ts';
import type { PipelinePorts } from '#adapters/http/api/pipeline-ports.ts';
import { BuildParams } from '#adapters/http/api/schemas.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import type { Role } from '#domain/access/roles.ts';
import type { Reason } from '#domain/scheduling/reasons.ts';
import { describeCheck } from '#domain/scheduling/why-not-checked.ts';
import { LOG_REMOVED, type BuildDetail, type LogPage } from '#flows/views/ports.ts';
import { stepTree } from './build-steps.ts';
import { whereTimeWent } from './build-times.ts';
import { changesSection, inputs, inputValues, outputs } from './build-versions.ts';
import { html, joined, type Html } from './html.ts';
import { action, formatDuration, layout, status, timeElement } from './layout.ts';
import { page } from './page.ts';
import { breadcrumbs, namesFromParams, paths } from './paths.ts';
import { reasonLines } from './pipeline-page.ts';
import { plainLog } from './plain-log.ts';
import { publicBuildPage } from './public-build-page.ts';
import { may, teamViewerOf, type TeamViewer } from './viewer.ts';

/**
 * The most characters of the log that the page contains, unless a single chunk is longer. The script of the
 * page shows more, and the link leads to the whole log.
 */
export const MAX_LOG_CHARACTERS = 128 * 1024;

/** The page of a build: its inputs, its steps, its log, and the actions on it. */
export function buildPage({ views, publicViews }: PipelinePorts, { codec }: AccessPorts): PageRoute {
  return page({
    url: '/teams/:team/pipelines/:pipeline/jobs/:job/builds/:build',
    params: BuildParams,
    forPublic: publicBuildPage(publicViews, codec),
    answer: async ({ params, request }) => {
      const { team, pipeline, job } = namesFromParams(params);
      const ref = refOf({ team, pipeline, job, build: params['build'] ?? '' });
      const [view, log, changes] = await Promise.all([
        views.build(ref),
        views.logs(ref, 0, MAX_LOG_CHARACTERS),
        views.changes(ref),
      ]);
      const build = requireFound(view, nameBuild(ref));
      const hasBegun = build.status !== 'pending' && build.status !== 'waiting';
      const waiting = hasBegun ? undefined : await views.waiting({ team, pipeline, job });
      const reasonsToWait = waiting?.builds.find(({ number }) => number === ref.number)?.reasons ?? [];
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
          <p class="build-to-log"><a href="#log-title">To the log</a></p>
          <div class="build-page">
            <div id="live">
              ${facts(build)} ${whyItWaits(build, reasonsToWait)} ${approval(build.approval)}
              ${actions(url, build, teamViewer)} ${stepTree(build)} ${changesSection(ref, changes)}
              ${whereTimeWent(build, new Date())} ${inputs(ref, build.inputs)}
              ${inputValues(build.inputValues)} ${outputs(ref, build.outputs)}
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

/**
 * The checks that were requested before the build, each with its result, because a version may be old if its
 * check failed or ended too late.
 */
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

/** Buttons for the actions that the state of the build and the role of the viewer allow. */
function actions(url: string, { status: currentStatus, endedAt }: BuildDetail, teamViewer: TeamViewer): Html {
  const { viewer } = teamViewer;
  const message = html`<input name="message" aria-label="Why" placeholder="Why" required maxlength="1000" />`;
  const hasEnded = endedAt !== undefined;
  const allActions: {
    needs: Role;
    isPossible: boolean;
    verb: string;
    label: string;
    fields?: Html;
    quiet?: boolean;
  }[] = [
    { needs: 'write', isPossible: hasEnded, verb: 'retry', label: 'Retry' },
    { needs: 'maintain', isPossible: currentStatus === 'waiting', verb: 'approve', label: 'Approve' },
    {
      needs: 'maintain',
      isPossible: currentStatus === 'waiting',
      verb: 'reject',
      label: 'Reject',
      fields: message,
      quiet: true,
    },
    { needs: 'write', isPossible: !hasEnded, verb: 'cancel', label: 'Cancel', quiet: true },
    {
      needs: 'maintain',
      isPossible: currentStatus === 'failed',
      verb: 'warning',
      label: 'Mark as a warning',
      quiet: true,
    },
  ];
  const offered = allActions.filter(({ needs, isPossible }) => isPossible && may(teamViewer, needs));
  return offered.length === 0
    ? html``
    : html`<div class="actions">
        ${offered.map(({ verb, label, fields: formFields = html``, quiet = false }) =>
          action({ url: `${url}/${verb}`, viewer, label, fields: formFields, quiet }),
        )}
      </div>`;
}

/** Why the build has not started, except for the reason that the message beside its status contains. */
function whyItWaits({ message }: BuildDetail, reasons: readonly Reason[]): Html {
  const others = reasons.filter((reason) => reason.message !== message);
  if (others.length === 0) return html``;
  return html`<section aria-labelledby="waits">
    <h2 id="waits">Why it waits</h2>
    <p>${reasonLines(others)}</p>
  </section>`;
}

function approval(gate: BuildDetail['approval']): Html {
  if (gate === undefined) return html``;
  const approved = gate.votes.filter(({ approve }) => approve).length;
  return html`<section aria-labelledby="approval">
    <h2 id="approval">Approval</h2>
    <p>${approved} of ${gate.needed} ${gate.needed === 1 ? 'person has' : 'people have'} approved.</p>
    ${
      gate.votes.length > 0 &&
      html`<ul class="rows">
        ${gate.votes.map(
          ({ by, approve, message, at }) =>
            html`<li>
              <strong>${by}</strong> ${approve ? 'approved' : 'rejected'} ${timeElement(at)}
              ${message !== undefined && html`<span>${message}</span>`}
            </li>`,
        )}
      </ul>`
    }
  </section>`;
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
