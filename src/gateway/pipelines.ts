import { createSecretKey } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { webhookTokens } from '#adapters/crypto/digests.ts';
import type { PipelinePorts } from '#adapters/http/api/pipeline-ports.ts';
import { drawBadge } from '#adapters/images/draw-badge.ts';
import type { PublicMetrics } from '#adapters/telemetry/metrics.ts';
import type { ActionStore } from '#flows/builds/action-ports.ts';
import type { DebugStore } from '#flows/builds/debug-ports.ts';
import type { BuildStore } from '#flows/builds/ports.ts';
import type { CheckStore } from '#flows/checks/ports.ts';
import type { TriggerStreams } from '#flows/checks/trigger-stream-ports.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { Views } from '#flows/views/ports.ts';
import type { ClosableOverviews } from './overviews.ts';

interface PipelineParts extends Pick<ClosableOverviews, 'overviews' | 'publicViews' | 'cards'> {
  views: Views;
  checks: CheckStore;
  streams: TriggerStreams;
  builds: BuildStore;
  actions: ActionStore;
  debug: DebugStore;
  notifications: Notifications;
  webhookKey: Buffer;
  metrics: PublicMetrics;
  now: () => Date;
}

/** Creates the ports of the routes of pipelines. */
export function pipelinePorts(parts: PipelineParts): PipelinePorts {
  const { views, overviews, publicViews, cards, actions, checks, streams, builds, notifications } = parts;
  const { metrics, debug, now } = parts;
  return {
    views,
    overviews,
    publicViews,
    cards,
    drawBadge,
    actions,
    builds,
    debug,
    checks,
    streams,
    notifications,
    webhooks: webhookTokens(createSecretKey(parts.webhookKey)),
    metrics,
    sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }).catch(() => undefined),
    now,
  };
}
