import { ApiError, orAbsent, type ApiAnswer, type ApiProblem } from '#adapters/kubernetes/api/answer.ts';
import { applyIfChanged } from '#adapters/kubernetes/api/apply-if-changed.ts';
import type { ApiClient } from '#adapters/kubernetes/api/client.ts';
import { KINDS, type ApiKind, type Wire } from '#adapters/kubernetes/api/kinds.ts';
import type { TeamCustomResource } from '#adapters/kubernetes/kinds/custom-resources.ts';
import type { Installation } from '#adapters/kubernetes/manifests/installation.ts';
import { LABEL } from '#adapters/kubernetes/manifests/labels.ts';
import {
  podsServiceAccount,
  QUOTA,
  teamLimitRange,
  teamNamespace,
  teamNetworkPolicies,
  teamQuota,
  teamRoleBindings,
  type TeamNamespace,
} from '#adapters/kubernetes/manifests/team-namespace.ts';
import { DEFAULT_POD_SECURITY } from '#adapters/kubernetes/manifests/team-rules.ts';
import type { NamespaceAnswer, TeamCluster, TeamManifest } from '#flows/people/team-ports.ts';

export interface TeamClusterOptions {
  client: ApiClient;
  installation(): Installation;
  /** Cached spec of the Team. */
  specOf(team: string): Wire<TeamCustomResource>['spec'] | undefined;
  pipelinesOf(team: TeamManifest): number;
}

type Refused = NamespaceAnswer & { answer: 'refused' };

export function teamCluster(options: TeamClusterOptions): TeamCluster {
  return {
    async prepareNamespace(team) {
      const refusal = await createOrAdopt(team, options);
      return refusal ?? (await applyContents(namespaceToApply(team, options), options));
    },
    pipelinesOf: (team) => Promise.resolve(options.pipelinesOf(team)),
  };
}

function namespaceToApply(team: TeamManifest, options: TeamClusterOptions): TeamNamespace {
  const spec = options.specOf(team.name) ?? {};
  return {
    team: team.name,
    namespace: team.namespace,
    podSecurity: spec.podSecurity ?? DEFAULT_POD_SECURITY,
    quota: spec.limits?.requests ?? {},
    denyCidrs: spec.network?.denyCIDRs ?? [],
    owner: {
      apiVersion: KINDS.teams.apiVersion,
      kind: KINDS.teams.kind,
      name: team.name,
      uid: team.uid,
    },
  };
}

/**
 * Creates the namespace, or adopts one whose label names the team. Never takes over another namespace:
 * creation fails if it exists by then. Returns the refusal, if there is one.
 */
async function createOrAdopt(team: TeamManifest, options: TeamClusterOptions): Promise<Refused | undefined> {
  const { client } = options;
  const desired = wire(KINDS.namespaces, teamNamespace(namespaceToApply(team, options)));
  const name = team.namespace;
  const found = orAbsent(await client.get(KINDS.namespaces, { name }), `reading the namespace ${name}`);
  if (found === undefined) {
    const created = await client.create(KINDS.namespaces, desired);
    if (created.ok) return undefined;
    if (created.status === 409) throw new ApiError(`creating the namespace ${name}`, created);
    return refused(name, created);
  }
  const owner = found.metadata?.labels?.[LABEL.team];
  if (found.metadata?.deletionTimestamp !== undefined) {
    const message = `The namespace ${name} is being deleted.`;
    return { answer: 'refused', reason: 'NamespaceTerminating', message };
  }
  if (owner !== team.name) return ownedByOthers(name, team.name, owner);
  const applied = await applyIfChanged(client, KINDS.namespaces, desired, found);
  return applied.ok ? undefined : refused(name, applied);
}

function ownedByOthers(name: string, team: string, owner: string | undefined): Refused {
  const message =
    owner === undefined
      ? `The namespace ${name} already exists. To give it to the team: ` +
        `kubectl label namespace ${name} ${LABEL.team}=${team}`
      : `The namespace ${name} belongs to team ${owner}.`;
  return { answer: 'refused', reason: 'NamespaceNotOurs', message };
}

/**
 * Applies the objects in the namespace. The role bindings come first, because they permit the operator to
 * write the others.
 */
async function applyContents(
  namespaceSpec: TeamNamespace,
  options: TeamClusterOptions,
): Promise<NamespaceAnswer> {
  const { client } = options;
  const installation = options.installation();
  const { namespace } = namespaceSpec;
  const steps: (() => Promise<ApiAnswer<unknown>>)[] = [
    ...teamRoleBindings(namespaceSpec, installation).map(
      (binding) => () => ensure(client, KINDS.roleBindings, binding),
    ),
    () => ensure(client, KINDS.serviceAccounts, podsServiceAccount(namespaceSpec)),
    ...teamNetworkPolicies(namespaceSpec, installation).map(
      (policy) => () => ensure(client, KINDS.networkPolicies, policy),
    ),
    () =>
      ensureOrRemove(client, KINDS.limitRanges, { namespace, name: QUOTA }, teamLimitRange(namespaceSpec)),
    () => ensureOrRemove(client, KINDS.resourceQuotas, { namespace, name: QUOTA }, teamQuota(namespaceSpec)),
  ];
  for (const step of steps) {
    const answer = await step();
    if (!answer.ok) return refused(namespace, answer);
  }
  return { answer: 'ready' };
}

interface ObjectWithName {
  metadata?: { name?: string; namespace?: string };
}

async function ensure<T extends ObjectWithName>(
  client: ApiClient,
  kind: ApiKind<T>,
  object: ObjectWithName,
): Promise<ApiAnswer<unknown>> {
  const desired = wire(kind, object);
  const { name = '', namespace } = object.metadata ?? {};
  const found = await client.get(kind, { name, namespace });
  if (!found.ok && found.status !== 404) return found;
  return applyIfChanged(client, kind, desired, found.ok ? found.value : undefined);
}

async function ensureOrRemove<T extends ObjectWithName>(
  client: ApiClient,
  kind: ApiKind<T>,
  ref: { namespace: string; name: string },
  desired: ObjectWithName | undefined,
): Promise<ApiAnswer<unknown>> {
  if (desired !== undefined) return ensure(client, kind, desired);
  const found = await client.get(kind, ref);
  if (!found.ok) return found.status === 404 ? { ok: true, value: undefined } : found;
  return client.delete(kind, ref);
}

/**
 * Returns 403 and 422 as refusals, which the status shows. Throws everything else, so that the work queue
 * retries.
 */
function refused(namespace: string, problem: ApiProblem): Refused {
  if (problem.status !== 403 && problem.status !== 422) {
    throw new ApiError(`preparing the namespace ${namespace}`, problem);
  }
  return { answer: 'refused', reason: 'NamespaceRefused', message: problem.message };
}

/** The object as its JSON. The manifests of Millrace have no dates, so the JSON has the same fields. */
function wire<T>(_kind: ApiKind<T>, object: unknown): T {
  const json: T = JSON.parse(JSON.stringify(object));
  return json;
}
