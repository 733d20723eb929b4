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
const MAX_MIRRORED = 200;

export interface TeamStatusInput {
  object: TeamProjection;
  wanted: WantedCondition[];
  /** What the database has of the team; absent: what the status says of it stays. */
  saved?: TeamSaved | undefined;
  before: TeamStatus | undefined;
  pipelineCount: number;
  limits: TeamLimits;
  /**
   * How full its logs are; absent: a new leader has not counted them, so what the status says of them stays.
   */
  fill: LogFill | undefined;
  now: Date;
}

/** The whole status: equal input gives an equal status, so that nothing is written when nothing changed. */
export function teamStatus(input: TeamStatusInput): TeamStatus {
  const { object, wanted, saved, before, pipelineCount, limits, now } = input;
  return {
    observedGeneration: object.generation,
    namespace: namespaceOfTeam(object),
    limits,
    pipelineCount,
    ...(saved === undefined ? mirroredBefore(before) : mirrored(saved)),
    conditions: conditionsOf([...wanted, ...logCondition(input)], before?.conditions, object.generation, now),
  };
}

export const APPLYING: WantedCondition = {
  type: 'Ready',
  status: 'Unknown',
  reason: 'Applying',
  message: 'The namespace is being prepared.',
};

export function readyIn(namespace: string): WantedCondition {
  const message = `Pipelines in the namespace ${namespace} are the team's.`;
  return { type: 'Ready', status: 'True', reason: 'NamespaceReady', message };
}

/** The user has to change something before it goes on. */
export function stalled({ reason, message }: { reason: string; message: string }): WantedCondition[] {
  return [notReady(reason, message), { type: 'Stalled', status: 'True', reason, message }];
}

/** Only while some group gives no role. */
export function groupCondition(ignored: IgnoredGroups | undefined): WantedCondition[] {
  return ignored === undefined ? [] : [{ type: 'GroupsIgnored', status: 'True', ...ignored }];
}

/** Only while the logs are nearly full. */
function logCondition({ before, fill, limits: { logBytes: limit } }: TeamStatusInput): WantedCondition[] {
  const wasNear = before?.conditions?.some(({ type }) => type === LOGS_NEAR_LIMIT) === true;
  switch (fill ?? (wasNear ? 'near' : 'fine')) {
    case 'fine':
      return [];
    case 'near':
      return [
        nearLimit(
          'NearLimit',
          `The logs of the team take more than 80 % of limits.logBytes (${limit}). At the limit the logs of its oldest builds are removed.`,
        ),
      ];
    case 'full':
    default:
      return [
        nearLimit(
          'LimitReached',
          `The logs of the team reached limits.logBytes (${limit}): the logs of its oldest builds are removed.`,
        ),
      ];
  }
}

function nearLimit(reason: string, message: string): WantedCondition {
  return { type: LOGS_NEAR_LIMIT, status: 'True', reason, message };
}

/** What holds of the team now, whether its manifest, the API or an identity provider said it. */
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
