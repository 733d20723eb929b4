import type { Actions } from '#flows/actions.ts';
import type { Bell, JobName, ResourceName, TriggerAnswer } from '#flows/ports.ts';
import type { ResourceView, Views } from '#flows/views.ts';

/** What the public routes ask for; the door wires flows behind it. */
export interface PublicApi extends Views, Actions {
  /** True once the request is durable; false for a token that no resource has, after the same work. */
  requestCheckByWebhook(token: string): Promise<boolean>;
  requestCheck(resource: ResourceName): Promise<'requested' | 'unknown'>;
  triggerJob(job: JobName, by: string): Promise<TriggerAnswer>;
  /** Hears that something may have changed. */
  listen: Bell['listen'];
  /** For those who may see it: derived, never stored. */
  webhookToken(resource: ResourceView): string;
}
