import { printResult, renderTable, timeOf } from '#cli/output.ts';
import { CommandError, EXIT, type Exit, type Paint, type Terminal } from '#cli/terminal.ts';
import { MAX_STORED_SECRET_BYTES } from '#domain/access/stored-secret.ts';
import { requestPath } from './api.ts';
import { connect } from './connect.ts';
import type { SecretJson } from './response-types.ts';
import type { TeamOptions } from './team-options.ts';

export interface SecretOptions extends TeamOptions {
  pipeline?: string;
}

export interface SetSecretOptions extends SecretOptions {
  stdin?: boolean;
  plain?: boolean;
}

export async function setSecret(name: string, options: SetSecretOptions, terminal: Terminal): Promise<Exit> {
  const path = `${pathOf(options)}${requestPath(name)}`;
  const api = await connect(options, terminal);
  const value = await readValue(name, options, terminal);
  const kind = options.plain === true ? 'plain' : 'secret';
  await api.send('PUT', path, { value, kind });
  terminal.err(`Stored ${name} as a ${kind} value for ${scopeOf(options)}.\n`);
  return EXIT.success;
}

export async function listSecrets(options: SecretOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  const secrets = await api.get<SecretJson[]>(pathOf(options));
  if (secrets.length === 0) terminal.err(`No secrets are stored for ${scopeOf(options)}.\n`);
  const scope = [options.team, ...(options.pipeline === undefined ? [] : [options.pipeline])].join('/');
  await printResult(secrets, options, terminal, {
    render: renderSecrets,
    names: (items) => items.map(({ name }) => `secret/${scope}/${name}`),
  });
  return EXIT.success;
}

export async function deleteSecret(name: string, options: SecretOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  await api.send('DELETE', `${pathOf(options)}${requestPath(name)}`);
  terminal.err(`Deleted ${name} of ${scopeOf(options)}.\n`);
  return EXIT.success;
}

function renderSecrets(secrets: readonly SecretJson[], paint: Paint): string {
  if (secrets.length === 0) return '';
  const heads = ['NAME', 'KIND', 'VALUE', 'CHANGED', 'BY'];
  const rows = secrets.map((secret) => [
    secret.name,
    secret.kind,
    secret.value ?? '',
    timeOf(secret.updated_at),
    secret.updated_by,
  ]);
  return renderTable(heads, rows, paint);
}

function pathOf({ team, pipeline }: SecretOptions): string {
  const scope = pipeline === undefined ? ['teams', team] : ['teams', team, 'pipelines', pipeline];
  return requestPath(...scope, 'secrets');
}

function scopeOf({ team, pipeline }: SecretOptions): string {
  return pipeline === undefined ? `team ${team}` : `pipeline ${team}/${pipeline}`;
}

async function readValue(name: string, options: SetSecretOptions, terminal: Terminal): Promise<string> {
  if (options.stdin === true) return await readAll(terminal.stdin());
  if (terminal.ask === undefined)
    throw new CommandError('cannot prompt here: pipe the value in with --stdin');
  const value = await terminal.ask(`Value of ${name}: `, options.plain === true ? 'shown' : 'hidden');
  if (value === '')
    throw new CommandError(
      'the input is empty: nothing was sent. Type the value, or pipe it in with --stdin',
    );
  return value;
}

async function readAll(input: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of input) {
    parts.push(part);
    size += part.length;
    if (size > MAX_STORED_SECRET_BYTES)
      throw new CommandError(
        `the value is longer than ${MAX_STORED_SECRET_BYTES / 1024} KiB: store a shorter one, or several`,
      );
  }
  if (size === 0) throw new CommandError('the input is empty: nothing was sent. Type or pipe in the value');
  return Buffer.concat(parts).toString();
}
