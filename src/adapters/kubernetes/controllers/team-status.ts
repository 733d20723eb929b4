import { namespaceOfTeam } from '#adapters/kubernetes/informers/owning-team.ts';
import type { TeamProjection } from '#adapters/kubernetes/informers/projections.ts';
import type { TeamLimits } from '#adapters/kubernetes/manifests/team-rules.ts';
import { defined } from '#defined';
import type { IgnoredGroups } from '#domain/access/group-roles.ts';
import type { LogFill } from '#domain/build/judge-logs.ts';
import type { TeamSaved } from '#flows/people/team-ports.ts';
import { conditionsOf, notReady, type WantedCondition } from './conditions.ts';

export type TeamStatus = NonNullable<TeamProjection['status']>;

const LOGS_NEAR_LIMIT = 'LogsNearLimit';
/** The most members, and the most groups, that the status lists. */
const MAX_MIRRORED = 200;

export interface TeamStatusInput {
  object: TeamProjection;
  conditions: WantedCondition[];
  /** The team in the database. If absent, the status keeps its display name, members and groups. */
  saved?: TeamSaved | undefined;
  before: TeamStatus | undefined;
  pipelineCount: number;
  limits: TeamLimits;
  /**
   * How full the Team's logs are. Undefined before a new leader has counted them: then a present condition
   * stays, with the reason NearLimit.
   */
  fill: LogFill | undefined;
  /** The warm Pods of the Team. Undefined: the Team keeps none, or they are not counted yet. */
  warm?: { ready: number; starting: number } | undefined;
  now: Date;
}

/**
 * The whole status. If only `now` differs, the status is equal, so that nothing is written when nothing
 * changed.
 */
export function teamStatus(input: TeamStatusInput): TeamStatus {
  const { object, conditions, saved, before, pipelineCount, limits, now } = input;
  return {
    observedGeneration: object.generation,
    namespace: namespaceOfTeam(object),
    limits,
    pipelineCount,
    ...warmPods(input),
    ...(saved === undefined ? mirroredBefore(before) : mirrored(saved)),
    conditions: conditionsOf(
      [...conditions, ...logCondition(input)],
      before?.conditions,
      object.generation,
      now,
    ),
  };
}

/** Before a new leader has counted warm Pods, the numbers in the status stay. */
function warmPods({ object, warm, before }: TeamStatusInput): Pick<TeamStatus, 'warmPods'> {
  if (object.spec.warm === undefined) return {};
  const { ready = 0, starting = 0 } = warm ?? before?.warmPods ?? {};
  return { warmPods: { ready, starting } };
}

export const APPLYING: WantedCondition = {
  type: 'Ready',
  status: 'Unknown',
  reason: 'Applying',
  message: 'The operator is preparing the namespace.',
};

export function readyIn(namespace: string): WantedCondition {
  const message = `Pipelines in the namespace ${namespace} belong to the team.`;
  return { type: 'Ready', status: 'True', reason: 'NamespaceReady', message };
}

/** The conditions while somebody has to change the manifest, or what it refers to, such as the namespace. */
export function stalled({ reason, message }: { reason: string; message: string }): WantedCondition[] {
  return [notReady(reason, message), { type: 'Stalled', status: 'True', reason, message }];
}

/** The condition for groups of the manifest that give no role. Present only while there are any. */
export function groupCondition(ignored: IgnoredGroups | undefined): WantedCondition[] {
  return ignored === undefined ? [] : [{ type: 'GroupsIgnored', status: 'True', ...ignored }];
}

/** The condition for logs that are nearly full or full. Present only while they are. */
function logCondition({ before, fill, limits: { logBytes: limit } }: TeamStatusInput): WantedCondition[] {
  const wasNear = before?.conditions?.some(({ type }) => type === LOGS_NEAR_LIMIT) === true;
  switch (fill ?? (wasNear ? 'near' : 'fine')) {
    case 'fine':
      return [];
    case 'near':
      return [
        nearLimit(
          'NearLimit',
          `The logs of the team take more than 80 % of limits.logBytes (${limit}). ` +
            'At the limit, the operator removes the logs of the oldest builds.',
        ),
      ];
    case 'full':
    default:
      return [
        nearLimit(
          'LimitReached',
          `The logs of the team reached limits.logBytes (${limit}). ` +
            'The operator removes the logs of the oldest builds.',
        ),
      ];
  }
}

function nearLimit(reason: string, message: string): WantedCondition {
  return { type: LOGS_NEAR_LIMIT, status: 'True', reason, message };
}

/** The settings in effect, from the manifest, the API and identity providers. */
function mirrored({ displayName, members, groups }: TeamSaved): TeamStatus {
  return defined({
    displayName,
    memberCount: members.length,
    members: members.slice(0, MAX_MIRRORED),
    groups: groups.slice(0, MAX_MIRRORED),
  });
}

function mirroredBefore(status: TeamStatus | undefined): TeamStatus {
  const { displayName, memberCount, members, groups } = status ?? {};
  return defined({ displayName, memberCount, members, groups });
}
