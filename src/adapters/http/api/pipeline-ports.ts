import type { PublicMetrics } from '#adapters/telemetry/metrics.ts';
import type { Badge } from '#domain/graph/badge.ts';
import type { ActionPorts } from '#flows/builds/action-ports.ts';
import type { DebugStore } from '#flows/builds/debug-ports.ts';
import type { TriggerStore } from '#flows/builds/trigger-ports.ts';
import type { CheckStore } from '#flows/checks/ports.ts';
import type { TriggerStreams } from '#flows/checks/trigger-stream-ports.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { Views } from '#flows/views/ports.ts';
import type { PublicViews } from '#flows/views/public-views.ts';
import type { PipelineCards } from '#flows/views/show-cards.ts';
import type { Overviews } from '#flows/views/show-pipeline.ts';

/** What the routes and pages of pipelines, jobs, builds and resources need. */
export interface PipelinePorts extends ActionPorts {
  /** What members read. */
  views: Views;
  /** What the public reads of public pipelines. */
  publicViews: PublicViews;
  /** Graphs, images, badges and the public view of single pipelines. */
  overviews: Overviews;
  /** The cards that stand for pipelines on the overview of a team or a person. */
  cards: PipelineCards;
  /** Draws a badge as SVG. */
  drawBadge: (badge: Badge) => string;
  builds: TriggerStore;
  /** Shells in running steps. */
  debug: DebugStore;
  checks: Pick<CheckStore, 'requestCheck' | 'requestChecksByToken' | 'resourceOfToken'>;
  streams: TriggerStreams;
  webhooks: WebhookTokens;
  notifications: Notifications;
  metrics: PublicMetrics;
  /** Resolves after this time or when the signal aborts. */
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Derives tokens and secrets of webhooks from a key of the installation. The database stores only hashes of
 * the tokens.
 */
export interface WebhookTokens {
  /** Each generation of a resource's webhook has a token of its own. */
  token(resource: number, generation: number): string;
  /**
   * The secret that belongs to the token. A forge signs webhooks with it, or, as GitLab does, sends it as a
   * header.
   */
  secret(token: string): string;
  hash(token: string): string;
}
