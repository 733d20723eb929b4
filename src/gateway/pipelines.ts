import { createSecretKey } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { webhookTokens } from '#adapters/crypto/digests.ts';
import type { PipelinePorts } from '#adapters/http/api/pipeline-ports.ts';
import { drawBadge } from '#adapters/images/draw-badge.ts';
import type { PublicMetrics } from '#adapters/telemetry/metrics.ts';
import type { ActionStore } from '#flows/builds/action-ports.ts';
import type { BuildStore } from '#flows/builds/ports.ts';
import type { CheckStore } from '#flows/checks/ports.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { Views } from '#flows/views/ports.ts';
import type { ClosableShows } from './shows.ts';

interface PipelineParts extends Pick<ClosableShows, 'shows' | 'publicViews'> {
  views: Views;
  checks: CheckStore;
  builds: BuildStore;
  actions: ActionStore;
  notifications: Notifications;
  webhookKey: Buffer;
  metrics: PublicMetrics;
  now: () => Date;
}

/** What the routes of pipelines stand on. */
export function pipelinePorts(parts: PipelineParts): PipelinePorts {
  const { views, shows, publicViews, actions, checks, builds, notifications, metrics, now } = parts;
  return {
    views,
    shows,
    publicViews,
    drawBadge,
    actions,
    builds,
    checks,
    notifications,
    webhooks: webhookTokens(createSecretKey(parts.webhookKey)),
    metrics,
    sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }).catch(() => undefined),
    now,
  };
}
