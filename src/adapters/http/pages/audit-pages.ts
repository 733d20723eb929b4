import type { FastifyRequest } from 'fastify';
import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { requireFound } from '#adapters/http/api/found.ts';
import { TeamParams } from '#adapters/http/api/schemas.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import type { Listed } from '#flows/page.ts';
import type { AuditEntry, AuditFilter } from '#flows/people/ports.ts';
import { htmlTable, type Column } from './data-table.ts';
import { textField, type FieldProblem, type FormState } from './form-fields.ts';
import { html, type Html } from './html.ts';
import { scrolling, timeElement } from './layout.ts';
import { page, viewerOf } from './page.ts';
import { cursor, PER_PAGE } from './paging.ts';
import { installationSettings, settingsPath, teamSettingsLayout } from './settings-layout.ts';

/** The pages of the audit log of a team, and of the installation. */
export function auditPages(ports: AccessPorts): PageRoute[] {
  const { members, codec } = ports;
  return [
    page({
      url: '/teams/:team/audit',
      params: TeamParams,
      answer: async ({ params: { team = '' }, query, request }) => {
        const { displayName = team } = requireFound(await members.team(team), `Team ${team}`);
        return teamSettingsLayout({
          team,
          displayName,
          section: 'Audit log',
          title: `Audit log of ${displayName}`,
          viewer: viewerOf(request, codec),
          main: await auditMain(ports, { team, path: `${settingsPath(team)}/audit`, query }),
        });
      },
    }),
    page({
      url: '/admin/audit',
      answer: async ({ query, request }: { query: Query; request: FastifyRequest }) =>
        installationSettings({
          section: 'Audit log',
          title: 'Audit log of the installation',
          viewer: viewerOf(request, codec),
          main: await auditMain(ports, { team: undefined, path: '/admin/audit', query }),
        }),
    }),
  ];
}

type Query = Readonly<Record<string, string | undefined>>;
type Entry = AuditEntry & { id: number };

interface AuditParts {
  team: string | undefined;
  path: string;
  query: Query;
}

const FILTERS = ['user', 'action', 'pipeline', 'since', 'until'] as const;

/** The filters that have a value, without null characters, which Postgres does not accept. */
function filtersIn(query: Query): Record<string, string> {
  const filters = FILTERS.map((name) => [name, (query[name] ?? '').replaceAll('\0', '').trim()] as const);
  return Object.fromEntries(filters.filter(([, value]) => value !== ''));
}

async function auditMain({ audit }: AccessPorts, { team, path, query }: AuditParts): Promise<Html> {
  const filters = filtersIn(query);
  const parsed = filterOf(filters);
  const state = 'problem' in parsed ? { values: filters, problem: parsed.problem } : { values: filters };
  const entries: Listed<Entry> =
    'problem' in parsed
      ? { rows: [], hasMore: false }
      : await audit.entries(team, parsed.filter, { limit: PER_PAGE, ...cursor(query['before']) });
  return html`${filterForm(path, state)} ${entryTable(entries.rows, team === undefined)}
  ${entries.rows.length === 0 && html`<p>${Object.keys(filters).length > 0 ? 'No entry matches.' : 'No entries yet.'}</p>`}
  ${entries.hasMore && html`<p><a href="${olderUrl(path, filters, entries.rows.at(-1)?.id ?? 0)}">Older entries</a></p>`}`;
}

function olderUrl(path: string, filters: Record<string, string>, before: number): string {
  return `${path}?${new URLSearchParams({ ...filters, before: String(before) }).toString()}`;
}

/** Parses the filters. Days are in UTC, and the day of `until` is included. */
function filterOf(filters: Query): { filter: AuditFilter } | { problem: FieldProblem } {
  const wrongField = (['since', 'until'] as const).find(
    (name) => filters[name] !== undefined && startOfDay(filters[name]) === undefined,
  );
  if (wrongField !== undefined)
    return { problem: { field: wrongField, message: 'Enter a day like 2027-01-31.' } };
  const { user, action, pipeline, since, until } = filters;
  return {
    filter: defined({
      users: user === undefined ? undefined : [user],
      actions: action === undefined ? undefined : [action],
      pipeline,
      since: startOfDay(since),
      until: startOfDay(until, DAY_MS),
    }),
  };
}

const DAY_MS = 86_400_000;

/**
 * Returns the start of the day in UTC, or the time `laterMs` milliseconds after it. Returns undefined if the
 * text is not a day.
 */
function startOfDay(text: string | undefined, laterMs = 0): Date | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const time = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(time) ? undefined : new Date(time + laterMs);
}

function filterForm(path: string, state: FormState): Html {
  const field = (
    name: string,
    label: string,
    options: { type?: 'date'; suggestions?: readonly string[] } = {},
  ) => textField({ id: `audit-${name}`, name, label, state, ...options });
  return html`<form method="get" action="${path}" class="team-filter" role="search">
    ${field('user', 'Who')} ${field('action', 'Action', { suggestions: ACTIONS })}
    ${field('pipeline', 'Pipeline')} ${field('since', 'From (UTC)', { type: 'date' })}
    ${field('until', 'To (UTC)', { type: 'date' })}
    <div class="actions">
      <button type="submit">Filter</button>
      ${Object.keys(state.values).length > 0 && html`<a class="button quiet" href="${path}">Show all</a>`}
    </div>
  </form>`;
}

function entryTable(entries: readonly Entry[], withTeam: boolean): Html {
  if (entries.length === 0) return html``;
  const teamColumns: Column<Entry>[] = withTeam ? [{ title: 'Team', cell: ({ team = '–' }) => team }] : [];
  const table = htmlTable(
    entries,
    [
      { title: 'When', cell: ({ at }) => timeElement(at) },
      { title: 'Who', cell: ({ actor }) => actor },
      { title: 'Action', cell: ({ action }) => html`<span class="code">${action}</span>` },
      {
        title: 'On',
        cell: ({ targetType, target }) => html`${targetType} <span class="team-value">${target}</span>`,
      },
      ...teamColumns,
      {
        title: 'Details',
        cell: ({ details = {} }) => html`<span class="team-value">${detailsOf(details)}</span>`,
      },
    ],
    'Newest first',
  );
  return html`<div class="team-log">${scrolling('Entries', table)}</div>`;
}

/** Writes the names and values that are not empty, without the quotes and braces of JSON. */
function detailsOf(details: object): string {
  const parts = Object.entries(details)
    .map(([name, value]) => [name.replaceAll('_', ' '), describeValue(value)] as const)
    .filter(([, text]) => text !== '');
  return parts.map(([name, text]) => `${name}: ${text}`).join(', ');
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(describeValue).join('; ');
  if (typeof value === 'object' && value !== null) return detailsOf(value);
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** The actions that the form suggests: those that people look for most. Any other can be entered. */
const ACTIONS = [
  'build.approved',
  'build.rejected',
  'cache.cleared',
  'job.cancelled',
  'job.paused',
  'job.retried',
  'job.triggered',
  'member.added',
  'member.removed',
  'member.role_changed',
  'pipeline.created',
  'pipeline.deleted',
  'pipeline.paused',
  'pipeline.updated',
  'resource.pinned',
  'resource.unpinned',
  'secret.created',
  'secret.deleted',
  'secret.updated',
  'team.groups_changed',
  'team.updated',
  'token.created',
  'token.deleted',
  'user.created',
  'user.disabled',
  'user.signed_in',
  'user.sign_in_failed',
];
