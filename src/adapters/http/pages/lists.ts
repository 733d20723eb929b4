import type { BuildStatus } from '#domain/scheduling/build-changes.ts';
import { countOf } from '#domain/words.ts';
import type { JobName, PipelineName } from '#flows/names.ts';
import { htmlTable, type Column } from './data-table.ts';
import { html, type Html } from './html.ts';
import { formatDuration, status, timeElement } from './layout.ts';
import { paths } from './paths.ts';

/*
 * The graph and the tables that the pages for members and for the public share. They show only fields that
 * the public may see (ADR 0023). Pages for members add columns.
 */

interface Job {
  name: string;
  paused: boolean;
  latest?: { number: string; status: BuildStatus; startedAt?: Date; endedAt?: Date };
}

interface Build {
  number: string;
  status: BuildStatus;
  createdAt: Date;
  startedAt?: Date;
  endedAt?: Date;
}

interface GraphParts {
  title: string;
  jobs: unknown[];
  resources: unknown[];
  /** Whether the viewer is a member. Only members can follow a version in the graph. */
  isMember: boolean;
}

/**
 * How many rows a table on the page of a pipeline has, unless the viewer asks for all. Browsers need half a
 * second for 500 rows with their buttons, and each event makes the page fetch them again.
 */
export const MAX_ROWS = 100;

/** A graph with more jobs than this gets a taller element. */
const MAX_FEW_JOBS = 4;

/**
 * The image of a pipeline with its text alternative. `pipeline-page.tsx` draws the interactive graph in the
 * same element.
 */
export function pipelineGraph(name: PipelineName, { title, jobs, resources, isMember }: GraphParts): Html {
  const url = paths.pipeline(name);
  const alt =
    `Graph of ${title}: ${countOf(jobs.length, 'job')} and ` +
    `${countOf(resources.length, 'resource')}, which the tables below list`;
  const isSmall = jobs.length <= MAX_FEW_JOBS;
  return html`<div
    id="graph"
    class="graph${isSmall && ' graph-few'}"
    data-pipeline="${url}"
    data-title="${title}"
    ${isMember && html`data-members="true"`}
  >
    <a class="graph-picture" href="${url}/image.svg"
      ><img id="picture" src="${url}/image.svg" alt="${alt}" loading="lazy"
    /></a>
  </div>`;
}

export function pausedNote(kind: 'pipeline' | 'job', paused: boolean): Html {
  return paused ? html`<p class="alert">This ${kind} is paused: nothing is built.</p>` : html``;
}

/** The rows of a table, and whether the viewer asked for all of them. */
export interface Rows<T> {
  rows: readonly T[];
  isWhole: boolean;
}

/** Whether the query of a pipeline's page asks for all rows of its tables. */
export const asksForAllRows = ({ rows }: Readonly<Record<string, string | undefined>>): boolean =>
  rows === 'all';

function section<T>(
  title: 'Jobs' | 'Resources',
  { rows, isWhole }: Rows<T>,
  columns: readonly [Column<T>, ...Column<T>[]],
): Html {
  const id = title.toLowerCase();
  const shownRows = isWhole ? rows : rows.slice(0, MAX_ROWS);
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    <div class="scroll">${htmlTable(shownRows, columns)}</div>
    ${
      shownRows.length < rows.length &&
      html`<p>
        These are the first ${shownRows.length} of ${rows.length} ${id}.
        <a href="?rows=all#${id}">Show all ${id}</a>
      </p>`
    }
  </section>`;
}

export function jobTable<T extends Job>(
  name: PipelineName,
  jobs: Rows<T>,
  moreColumns: readonly Column<T>[] = [],
): Html {
  return section('Jobs', jobs, [
    {
      title: 'Job',
      cell: (job) =>
        html`<a href="${paths.builds({ ...name, job: job.name })}">${job.name}</a
          >${job.paused && html` <span class="tag paused">paused</span>`}`,
    },
    { title: 'Newest build', cell: (job) => newestBuildCell({ ...name, job: job.name }, job) },
    { title: 'Took', cell: ({ latest }) => formatDuration(latest?.startedAt, latest?.endedAt) },
    ...moreColumns,
  ]);
}

function newestBuildCell(name: JobName, { latest }: Job): Html | string {
  if (latest === undefined) return 'none yet';
  const { number } = latest;
  return html`<a href="${paths.build({ ...name, number })}">${number}</a> ${status(latest.status)}`;
}

/** `pinTextOf` returns what the table says beside a pinned resource, and undefined for any other. */
export function resourceTable<T extends { name: string }>(
  name: PipelineName,
  resources: Rows<T>,
  pinTextOf: (resource: T) => string | undefined,
  moreColumns: readonly Column<T>[],
): Html {
  return section('Resources', resources, [
    {
      title: 'Resource',
      cell: (resource) => {
        const pinText = pinTextOf(resource);
        return html`<a href="${paths.resource({ ...name, resource: resource.name })}">${resource.name}</a
          >${pinText !== undefined && html` <span class="tag pinned">${pinText}</span>`}`;
      },
    },
    ...moreColumns,
  ]);
}

export function buildTable<T extends Build>(
  name: JobName,
  builds: readonly T[],
  moreColumns: readonly Column<T>[] = [],
): Html {
  if (builds.length === 0) return html`<p>No builds yet.</p>`;
  return html`<div class="scroll">
    ${htmlTable(
      builds,
      [
        {
          title: 'Build',
          cell: ({ number }) => html`<a href="${paths.build({ ...name, number })}">${number}</a>`,
        },
        { title: 'Status', cell: (build) => status(build.status) },
        { title: 'Created', cell: ({ createdAt }) => timeElement(createdAt) },
        { title: 'Took', cell: ({ startedAt, endedAt }) => formatDuration(startedAt, endedAt) },
        ...moreColumns,
      ],
      'Builds, newest first',
    )}
  </div>`;
}
