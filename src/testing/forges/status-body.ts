import type { CommitStatus, ForgeKind } from './forge-under-test.ts';

interface StatusRules {
  readonly states: readonly string[];
  /** The states of work that has not ended. */
  readonly openStates: readonly string[];
  /** The field that distinguishes the statuses of a commit. */
  readonly nameField: string;
  readonly maxDescriptionLength: number;
}

const gitea: StatusRules = {
  states: ['pending', 'success', 'error', 'failure', 'warning'],
  openStates: ['pending'],
  nameField: 'context',
  maxDescriptionLength: 255,
};
/** What the API documents say of the status of a commit. */
const STATUS_RULES: Readonly<Record<ForgeKind, StatusRules>> = {
  github: { ...gitea, states: ['pending', 'success', 'error', 'failure'], maxDescriptionLength: 140 },
  gitlab: {
    ...gitea,
    states: ['pending', 'running', 'success', 'failed', 'canceled'],
    openStates: ['pending', 'running'],
    nameField: 'name',
  },
  gitea,
  forgejo: gitea,
};

/**
 * Reads the body of a request that sets a status. If it has unknown or wrong fields, returns instead the
 * names of the unknown ones, or of the first wrong one.
 */
export function readStatus(body: Readonly<Record<string, unknown>>, kind: ForgeKind): CommitStatus | string {
  const { states, nameField, maxDescriptionLength } = STATUS_RULES[kind];
  const knownFields = ['state', 'description', 'target_url', nameField];
  const unknownFields = Object.keys(body).filter((key) => !knownFields.includes(key));
  if (unknownFields.length > 0) return unknownFields.join(', ');
  const { state, description } = body;
  const context = body[nameField];
  if (typeof state !== 'string' || !states.includes(state)) return 'state';
  if (typeof context !== 'string' || context.length > 255) return nameField;
  if (typeof description !== 'string' || description.length > maxDescriptionLength) return 'description';
  return withTarget({ context, state, description, url: '' }, body['target_url']);
}

function withTarget(status: CommitStatus, target: unknown): CommitStatus | string {
  if (target === undefined) return status;
  return typeof target === 'string' && URL.canParse(target) ? { ...status, url: target } : 'target_url';
}

export const isOpenState = (state: string, kind: ForgeKind): boolean =>
  STATUS_RULES[kind].openStates.includes(state);

/** GitLab refuses to set an unfinished status to the state that it has already. */
export const refusesTransition = (kind: ForgeKind, before: string | undefined, state: string): boolean =>
  kind === 'gitlab' && before === state && isOpenState(state, kind);
