import type { JobName } from '#flows/names.ts';
import type { BuildView } from '#flows/views/ports.ts';
import type { BuildOrigin } from '#flows/views/use-ports.ts';
import { htmlTable } from './data-table.ts';
import { html, joined, type Html } from './html.ts';
import { formatDuration, scrolling, status, timeElement } from './layout.ts';
import { shortVersion } from './outside-text.ts';
import { paths } from './paths.ts';

/**
 * The builds of a job for members: how long each took compared with the others, who or what started it, and
 * which versions it took.
 */
export function jobBuilds(
  name: JobName,
  builds: readonly BuildView[],
  origins: readonly BuildOrigin[],
): Html {
  if (builds.length === 0) return html`<p>No builds yet.</p>`;
  const longestMilliseconds = Math.max(...builds.map(millisecondsOf));
  const originOf = new Map(origins.map((origin) => [origin.build, origin]));
  const table = htmlTable(
    builds,
    [
      {
        title: 'Build',
        cell: ({ number }) => html`<a href="${paths.build({ ...name, number })}">${number}</a>`,
      },
      { title: 'Status', cell: (build) => status(build.status) },
      { title: 'Created', cell: ({ createdAt }) => timeElement(createdAt) },
      { title: 'Took', cell: (build) => tookCell(build, longestMilliseconds) },
      { title: 'Started by', cell: ({ id }) => causeCell(name, originOf.get(id)) },
      { title: 'Versions', cell: ({ id }) => inputsCell(name, originOf.get(id)) },
      { title: 'Why', cell: ({ message }) => message },
    ],
    'Builds, newest first',
  );
  return scrolling('Builds', table);
}

function millisecondsOf({ startedAt, endedAt }: BuildView): number {
  return startedAt === undefined || endedAt === undefined ? 0 : endedAt.getTime() - startedAt.getTime();
}

/** The duration, and a bar that compares it with the longest build of the list. */
function tookCell(build: BuildView, longestMilliseconds: number): Html {
  const milliseconds = millisecondsOf(build);
  const share =
    longestMilliseconds > 0 ? Math.max(1, Math.round((100 * milliseconds) / longestMilliseconds)) : 0;
  return html`<span class="job-took"
    >${formatDuration(build.startedAt, build.endedAt)}${
      milliseconds > 0 &&
      html`<svg class="job-bar ${build.status}" aria-hidden="true">
        <rect width="${share}%" height="100%"></rect>
      </svg>`
    }</span
  >`;
}

function causeCell(name: JobName, origin: BuildOrigin | undefined): Html {
  const cause = origin?.cause;
  if (cause === undefined) return html`–`;
  if (cause.kind === 'manual') return html`${cause.by}`;
  if (cause.kind === 'retry') return html`${cause.by}, retry of ${cause.of}`;
  return html`new <a href="${pathOf(name, cause)}">version ${cause.version}</a> of ${cause.resource}`;
}

function inputsCell(name: JobName, origin: BuildOrigin | undefined): Html {
  return joined(
    (origin?.inputs ?? []).map(
      ({ name: input, resource, version, fields }) =>
        html`${input}
          <a class="code" href="${pathOf(name, { resource, version })}">${shortVersion(fields)}</a>`,
    ),
    html`<br />`,
  );
}

function pathOf({ team, pipeline }: JobName, { resource, version }: { resource: string; version: number }) {
  return paths.versionPath({ team, pipeline, resource }, version);
}
