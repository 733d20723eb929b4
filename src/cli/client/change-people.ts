import { printResult } from '#cli/output.ts';
import { EXIT, type Exit, type Terminal } from '#cli/terminal.ts';
import { requestPath, type Api } from './api.ts';
import { connect } from './connect.ts';
import { ProblemError } from './problem-error.ts';
import type { TeamMemberJson, UserJson } from './response-types.ts';
import type { TeamOptions } from './team-options.ts';

export interface SetMemberOptions extends TeamOptions {
  role: string;
}

/** Adds a member, or changes the role of one. */
export async function setMember(
  username: string,
  options: SetMemberOptions,
  terminal: Terminal,
): Promise<Exit> {
  const api = await connect(options, terminal);
  const member = await saveRole(api, username, options);
  await printResult(
    member,
    options,
    terminal,
    () => `${options.team}: ${username} has the role ${options.role}\n`,
  );
  return EXIT.success;
}

async function saveRole(
  api: Api,
  username: string,
  { team, role }: SetMemberOptions,
): Promise<TeamMemberJson> {
  const path = requestPath('teams', team, 'members');
  // PUT changes the role of a member and answers 404 for anyone else. POST adds a member.
  try {
    return (await api.ask<TeamMemberJson>('PUT', `${path}${requestPath(username)}`, { role })).data;
  } catch (error) {
    if (!(error instanceof ProblemError && error.status === 404)) throw error;
    return (await api.ask<TeamMemberJson>('POST', path, { username, role })).data;
  }
}

export async function removeFromTeam(
  username: string,
  options: Omit<TeamOptions, 'output'>,
  terminal: Terminal,
): Promise<Exit> {
  const api = await connect(options, terminal);
  await api.send('DELETE', requestPath('teams', options.team, 'members', username));
  terminal.err(`Removed ${username} from team ${options.team}, with their tokens for it.\n`);
  return EXIT.success;
}

/** Disables or enables an account. A disabled account cannot sign in, and its sessions end. */
export async function setDisabled(
  username: string,
  disabled: boolean,
  { options, terminal }: { options: Omit<TeamOptions, 'team'>; terminal: Terminal },
): Promise<Exit> {
  const api = await connect(options, terminal);
  const { data } = await api.ask<UserJson>('PUT', requestPath('users', username), { disabled });
  await printResult(data, options, terminal, () => `${username}: ${disabled ? 'disabled' : 'enabled'}\n`);
  return EXIT.success;
}
