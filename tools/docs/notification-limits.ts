import { MAX_BUILDS_OF_RUN, MAX_NOTIFICATION_AGE_SECONDS } from '#domain/build/due-notifications.ts';
import { count, seconds } from './limit-values.ts';
import type { Limit } from './limit.ts';

/** Limits of notifications that are sent for builds without an agent. */
export const NOTIFICATION_LIMITS: readonly Limit[] = [
  [
    'Builds whose notifications one Pod sends because no agent can; each team has one such Pod at a time',
    count(MAX_BUILDS_OF_RUN),
    'later',
    'the others follow',
  ],
  [
    'Age of notifications that such a Pod sends',
    seconds(MAX_NOTIFICATION_AGE_SECONDS),
    'condition',
    'they are not sent, and the build shows it',
  ],
];
