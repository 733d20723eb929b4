import type { ApiProblem } from '#adapters/kubernetes/api/answer.ts';
import type { CachedObject, ObjectChange } from '#adapters/kubernetes/watch/store.ts';
import type { PodProjection } from './pod-projection.ts';
import type {
  CronJobProjection,
  OAuthProviderProjection,
  PipelineProjection,
  TeamProjection,
} from './projections.ts';

/**
 * Handlers of changes and of problems. The informer waits for each call, so they start work without waiting
 * for it.
 */
export interface ChangeHandlers {
  team(change: ObjectChange<TeamProjection>): void;
  pipeline(change: ObjectChange<PipelineProjection>): void;
  oauthProvider(change: ObjectChange<OAuthProviderProjection>): void;
  pod(change: ObjectChange<PodProjection>): void;
  cronJob(change: ObjectChange<CronJobProjection>): void;
  node(): void;
  /** A ConfigMap or Secret in a team's namespace. */
  reference(kind: 'configMap' | 'secret', change: ObjectChange<CachedObject>): void;
  /** `watch` names the informer, such as `Pods in team-a`. */
  problem(watch: string, problem: ApiProblem): void;
}
