import { printResult, renderFacts, renderTable, timeOf, visibleLines, type Cell } from '#cli/output.ts';
import { EXIT, type Exit, type Paint, type Terminal } from '#cli/terminal.ts';
import { requestPath } from './api.ts';
import { connect } from './connect.ts';
import { readPages } from './read-pages.ts';
import type { CheckJson, ResourceJson, VersionJson } from './response-types.ts';
import type { TeamOptions } from './team-options.ts';

export interface ResourceArgument {
  pipeline: string;
  resource: string;
}

export const resourcePath = (team: string, { pipeline, resource }: ResourceArgument): string =>
  requestPath('teams', team, 'pipelines', pipeline, 'resources', resource);

/** Leaves out the webhook's token and secret: anyone who has them can send webhooks. */
function withoutWebhook(resource: ResourceJson): ResourceJson {
  const { webhook_token: _token, webhook_secret: _secret, ...others } = resource;
  return others;
}

export async function listResources(
  pipeline: string,
  options: TeamOptions,
  terminal: Terminal,
): Promise<Exit> {
  const api = await connect(options, terminal);
  const path = requestPath('teams', options.team, 'pipelines', pipeline, 'resources');
  const resources = (await api.get<ResourceJson[]>(path)).map(withoutWebhook);
  if (resources.length === 0) terminal.err(`Pipeline ${options.team}/${pipeline} has no resources.\n`);
  await printResult(resources, options, terminal, {
    render: renderResources,
    names: (items) => items.map(({ name }) => `resource/${options.team}/${pipeline}/${name}`),
  });
  return EXIT.success;
}

function renderResources(resources: readonly ResourceJson[], paint: Paint, isWide: boolean): string {
  if (resources.length === 0) return '';
  const rows = resources.map((resource): Cell[] => [
    resource.name,
    String(resource.versions),
    resource.last_checked_at === undefined ? 'never' : timeOf(resource.last_checked_at),
    timeOf(resource.next_check_at),
    resource.pinned_by === undefined ? '' : { text: pinOf(resource), style: 'blue' },
    resource.check_error === undefined ? '' : { text: resource.check_error, style: 'red' },
    ...(isWide
      ? [resource.type, resource.check_interval ?? '', resource.pin_comment ?? '', String(resource.id)]
      : []),
  ]);
  const heads = ['RESOURCE', 'VERSIONS', 'CHECKED', 'NEXT CHECK', 'PINNED', 'CHECK ERROR'];
  const wideHeads = ['TYPE', 'INTERVAL', 'PIN COMMENT', 'ID'];
  return renderTable([...heads, ...wideHeads], rows, paint);
}

const pinOf = ({ pinned_version_id: id, pinned_by: by = '' }: ResourceJson): string =>
  id === undefined ? `by ${by}` : `${id} by ${by}`;

export interface GetResourceOptions extends TeamOptions {
  webhook?: boolean;
}

/** Prints a resource with its last check. Prints the webhook's token and secret only on request. */
export async function showResource(
  name: ResourceArgument,
  options: GetResourceOptions,
  terminal: Terminal,
): Promise<Exit> {
  const api = await connect(options, terminal);
  const path = resourcePath(options.team, name);
  const received = await api.get<ResourceJson>(path);
  const resource = options.webhook === true ? received : withoutWebhook(received);
  const check = await api.get<CheckJson>(`${path}/check`);
  await printResult({ ...resource, check }, options, terminal, {
    render: (_data, paint) => renderResource(resource, { check, url: api.url }, paint),
    names: () => [`resource/${options.team}/${name.pipeline}/${resource.name}`],
  });
  return EXIT.success;
}

type FactRows = [name: string, value: Cell][];

function renderResource(
  resource: ResourceJson,
  { check, url }: { check: CheckJson; url: string },
  paint: Paint,
): string {
  const facts: FactRows = [
    ['name', resource.name],
    ['versions', String(resource.versions)],
    ['pinned', resource.pinned_by === undefined ? '' : pinOf(resource)],
    ['comment', resource.pin_comment ?? ''],
    ['interval', [resource.check_interval, resource.time_zone].join(' ').trim()],
    ['next check', timeOf(resource.next_check_at)],
    ...checkFacts(check),
    ...webhookFacts(resource, url),
  ];
  const renderedFacts = renderFacts(facts, paint);
  const { output } = check;
  if (output === '') return renderedFacts;
  return `${renderedFacts}\n${visibleLines(output)}${output.endsWith('\n') ? '' : '\n'}`;
}

function checkFacts({ last_checked_at: at, running, failures, error = '', held = '' }: CheckJson): FactRows {
  return [
    ['checked', at === undefined ? 'never' : timeOf(at)],
    ['check', running ? 'running now' : ''],
    ['failures', failures === 0 ? '' : `${failures} in a row`],
    ['error', { text: error, style: 'red' }],
    ['held', held],
  ];
}

function webhookFacts(resource: ResourceJson, url: string): FactRows {
  const { webhook_token: token, webhook_secret: secret = '', webhook_signature: signature = '' } = resource;
  if (token === undefined) return [];
  return [
    ['webhook', `${url}/webhooks/${token}`],
    ['secret', secret],
    ['signature', signature],
  ];
}

export interface VersionsOptions extends TeamOptions {
  limit: number;
}

/** Lists the versions of a resource, newest first. */
export async function listVersions(
  name: ResourceArgument,
  options: VersionsOptions,
  terminal: Terminal,
): Promise<Exit> {
  const api = await connect(options, terminal);
  const path = resourcePath(options.team, name);
  const { rows: versions, more } = await readPages(
    async (query) => await api.ask<VersionJson[]>('GET', `${path}/versions?${query}`),
    options,
  );
  const { pinned_version_id: pinned } = await api.get<ResourceJson>(path);
  if (versions.length === 0) terminal.err(`${name.pipeline}/${name.resource} has no versions yet.\n`);
  await printResult(versions, options, terminal, {
    render: (data, paint) => renderVersions(data, pinned, paint),
    names: (items) =>
      items.map(({ id }) => `version/${options.team}/${name.pipeline}/${name.resource}/${id}`),
  });
  if (more) terminal.err(`There are older versions: use --limit to show more than ${options.limit}.\n`);
  return EXIT.success;
}

function renderVersions(versions: readonly VersionJson[], pinned: number | undefined, paint: Paint): string {
  if (versions.length === 0) return '';
  const rows = versions.map(({ id, created_at: at, disabled, version }) => [
    String(id),
    timeOf(at),
    [...(id === pinned ? ['pinned'] : []), ...(disabled ? ['disabled'] : [])].join(', '),
    Object.entries(version)
      .map(([key, value]) => `${key}=${value}`)
      .join(' '),
  ]);
  return renderTable(['ID', 'FOUND', 'STATE', 'VERSION'], rows, paint);
}
