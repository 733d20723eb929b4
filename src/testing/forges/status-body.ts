import type { CommitStatus, ForgeKind } from './forge-under-test.ts';

interface StatusRules {
  readonly states: readonly string[];
  /** The states of work that has not ended. */
  readonly open: readonly string[];
  /** The field with what distinguishes the statuses of a commit. */
  readonly name: string;
  readonly longest: number;
}

const gitea: StatusRules = {
  states: ['pending', 'success', 'error', 'failure', 'warning'],
  open: ['pending'],
  name: 'context',
  longest: 255,
};
/** What the API documents say of the status of a commit. */
const STATUS_RULES: Readonly<Record<ForgeKind, StatusRules>> = {
  github: { ...gitea, states: ['pending', 'success', 'error', 'failure'], longest: 140 },
  gitlab: {
    ...gitea,
    states: ['pending', 'running', 'success', 'failed', 'canceled'],
    open: ['pending', 'running'],
    name: 'name',
  },
  gitea,
  forgejo: gitea,
};

/** Reads the body of a request that sets a status. A text says which field is wrong. */
export function readStatus(body: Readonly<Record<string, unknown>>, kind: ForgeKind): CommitStatus | string {
  const { states, name, longest } = STATUS_RULES[kind];
  const known = ['state', 'description', 'target_url', name];
  const surplus = Object.keys(body).filter((key) => !known.includes(key));
  if (surplus.length > 0) return surplus.join(', ');
  const { state, description } = body;
  const context = body[name];
  if (typeof state !== 'string' || !states.includes(state)) return 'state';
  if (typeof context !== 'string' || context.length > 255) return name;
  if (typeof description !== 'string' || description.length > longest) return 'description';
  return withTarget({ context, state, description, url: '' }, body['target_url']);
}

function withTarget(status: CommitStatus, target: unknown): CommitStatus | string {
  if (target === undefined) return status;
  return typeof target === 'string' && URL.canParse(target) ? { ...status, url: target } : 'target_url';
}

export const isOpenState = (state: string, kind: ForgeKind): boolean =>
  STATUS_RULES[kind].open.includes(state);

/** GitLab refuses the state that an unfinished status has already. */
export const refusesTransition = (kind: ForgeKind, before: string | undefined, state: string): boolean =>
  kind === 'gitlab' && before === state && isOpenState(state, kind);
