import { Type } from 'typebox';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import type { TeamLimitsAndUsage } from '#flows/people/team-use-ports.ts';
import type { AccessPorts } from './access-ports.ts';
import { requireFound } from './found.ts';
import { answer, answerList, Strings, TeamParams, Time } from './schemas.ts';

const Count = Type.Integer({ minimum: 0 });

const TeamUseFields = {
  team: Type.String(),
  display_name: Type.Optional(Type.String()),
  namespace: Type.String(),
  created_at: Time,
  /**
   * `running_builds` is the limit in effect, the Team's own or that of the installation. If it is absent,
   * only the quota of the namespace limits builds. The other limits are those that the Team object sets. If
   * one of them is absent, the limit of the installation applies.
   */
  limits: Type.Object({
    running_builds: Type.Optional(Count),
    default_timeout_seconds: Type.Optional(Type.Number()),
    build_log_bytes: Type.Optional(Count),
    retention: Type.Optional(
      Type.Object({
        builds: Type.Optional(Count),
        days: Type.Optional(Count),
        minimum_succeeded: Type.Optional(Count),
      }),
    ),
  }),
  /** The nodes on which builds of the team may run. Absent: not counted yet. */
  workers: Type.Optional(
    Type.Array(
      Type.Object({
        /** The tag of the builds. Absent: builds without a tag. */
        tag: Type.Optional(Type.String()),
        /** Labels that a node must have. Empty: any node without taints. */
        node_selector: Strings,
        /**
         * How many nodes match and take Pods, as the operator last counted them. Their taints are not
         * compared with what the tag tolerates.
         */
        nodes: Count,
      }),
    ),
  ),
  usage: Type.Object({
    running_builds: Count,
    queued_builds: Count,
    waiting_builds: Count,
    log_bytes: Count,
    caches: Count,
    cache_bytes: Count,
    warm_pods: Count,
  }),
};

/** What teams may use, and what they use now. */
export function teamUseRoutes({ teamUse }: Pick<AccessPorts, 'teamUse'>): Route[] {
  return [
    route({
      method: 'GET',
      url: '/teams/:team/settings',
      needs: 'read',
      about:
        'The namespace and the limits of a team, and what it uses now: builds that run, wait for their ' +
        'turn or wait for an approval, stored logs, caches and warm Pods; and on how many nodes its builds ' +
        'may run, for each tag. `log_bytes` may be half a minute old. An absent limit is that of the ' +
        'installation; without `running_builds`, only the quota of the namespace limits builds.',
      schema: { params: TeamParams, response: answer(TeamUseFields) },
      handler: async ({ params: { team } }) => ({
        data: encode(requireFound(await teamUse.useOf(team), `Team ${team}`)),
      }),
    }),
    route({
      method: 'GET',
      url: '/admin/teams',
      needs: 'global-admin',
      about:
        'All teams with their limits and what they use now, by name. `log_bytes` may be half a minute old.',
      schema: { response: answerList(Type.Object(TeamUseFields)) },
      handler: async () => ({ data: (await teamUse.useOfTeams()).map(encode) }),
    }),
  ];
}

function encode({ team, displayName, namespace, createdAt, limits, workers, usage }: TeamLimitsAndUsage) {
  const { runningBuilds, defaultTimeoutSeconds, buildLogBytes, retention } = limits;
  return {
    team,
    namespace,
    created_at: createdAt.toISOString(),
    ...defined({
      display_name: displayName,
      workers: workers?.map(({ tag, nodeSelector, nodes }) => ({
        ...defined({ tag }),
        node_selector: nodeSelector,
        nodes,
      })),
    }),
    limits: {
      ...defined({
        running_builds: runningBuilds,
        default_timeout_seconds: defaultTimeoutSeconds,
        build_log_bytes: buildLogBytes,
      }),
      ...(retention !== undefined && {
        retention: defined({
          builds: retention.builds,
          days: retention.days,
          minimum_succeeded: retention.minimumSucceeded,
        }),
      }),
    },
    usage: {
      running_builds: usage.runningBuilds,
      queued_builds: usage.queuedBuilds,
      waiting_builds: usage.waitingBuilds,
      log_bytes: usage.logBytes,
      caches: usage.caches,
      cache_bytes: usage.cacheBytes,
      warm_pods: usage.warmPods,
    },
  };
}
