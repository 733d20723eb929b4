import { printResult, renderTable, timeOf } from '#cli/output.ts';
import { EXIT, type Exit, type Paint, type Terminal } from '#cli/terminal.ts';
import { requestPath } from './api.ts';
import { connect } from './connect.ts';
import { readFields } from './read-assignments.ts';
import type { EmittedJson, StreamJson, TriggerEventJson } from './response-types.ts';
import type { TeamOptions } from './team-options.ts';

export type TriggersOptions = TeamOptions;

/** `assignments`: fields of the version, as `name=value`. */
export async function emitTriggerEvent(
  trigger: string,
  assignments: readonly string[],
  options: TriggersOptions,
  terminal: Terminal,
): Promise<Exit> {
  const version = readFields(assignments);
  const api = await connect(options, terminal);
  const path = requestPath('teams', options.team, 'triggers');
  const { data: emitted } = await api.ask<EmittedJson>('POST', path, { name: trigger, version });
  await printResult(emitted, options, terminal, ({ pipelines }) => `${pipelines.join('\n')}\n`);
  terminal.err(`Emitted ${trigger} to ${countOf(emitted.pipelines.length)} of team ${options.team}.\n`);
  return EXIT.success;
}

export async function listTriggers(
  trigger: string | undefined,
  options: TriggersOptions,
  terminal: Terminal,
): Promise<Exit> {
  const api = await connect(options, terminal);
  const path = requestPath('teams', options.team, 'triggers');
  if (trigger !== undefined) {
    const events = await api.get<TriggerEventJson[]>(`${path}${requestPath(trigger)}`);
    if (events.length === 0) terminal.err(`The trigger ${trigger} has no events.\n`);
    await printResult(events, options, terminal, {
      render: renderEvents,
      names: (items) => items.map(({ id }) => `event/${options.team}/${trigger}/${id}`),
    });
    return EXIT.success;
  }
  const streams = await api.get<StreamJson[]>(path);
  if (streams.length === 0)
    terminal.err(`No pipeline of team ${options.team} has a resource of the type trigger.\n`);
  await printResult(streams, options, terminal, {
    render: renderStreams,
    names: (items) => items.map(({ name }) => `trigger/${options.team}/${name}`),
  });
  return EXIT.success;
}

function renderStreams(streams: readonly StreamJson[], paint: Paint): string {
  if (streams.length === 0) return '';
  const rows = streams.map(({ name, pipelines, newest }) => [
    name,
    newest === undefined ? 'never' : timeOf(newest.created_at),
    pipelines.join(' '),
  ]);
  return renderTable(['TRIGGER', 'NEWEST EVENT', 'PIPELINES'], rows, paint);
}

function renderEvents(events: readonly TriggerEventJson[], paint: Paint): string {
  if (events.length === 0) return '';
  const rows = events.map(({ created_at: at, version }) => [
    timeOf(at),
    Object.entries(version)
      .map(([name, value]) => `${name}=${value}`)
      .join(' '),
  ]);
  return renderTable(['TIME', 'VERSION'], rows, paint);
}

const countOf = (pipelines: number): string => `${pipelines} pipeline${pipelines === 1 ? '' : 's'}`;
