import { MAX_COUNTED_BODY_BYTES, UNCOUNTED_BODY_BYTES } from '#adapters/http/agent/bodies-in-flight.ts';
import { MAX_STREAMS_OF_SESSION } from '#adapters/http/agent/command-streams.ts';
import { MAX_REFUSED_CALLS, REFUSED_CALLS_PER_SECOND } from '#adapters/http/agent/refused-calls.ts';
import { MAX_EVENTS_BYTES, MAX_RESULTS_BYTES } from '#adapters/http/agent/routes.ts';
import { OPENING_WEIGHT } from '#adapters/http/agent/session-route.ts';
import { MAX_VERSIONS_BYTES } from '#domain/build/parse-check-output.ts';
import { bytes, count, perSecond } from './limit-values.ts';
import type { Limit } from './limit.ts';

/** Limits of what agents send to the internal gateway. */
export const AGENT_LIMITS: readonly Limit[] = [
  ['Events of an agent in one request', bytes(MAX_EVENTS_BYTES), 'refusal', '413'],
  [
    `Bodies of all agents at a time, each agent's first ${bytes(UNCOUNTED_BODY_BYTES)} not counted`,
    bytes(MAX_COUNTED_BODY_BYTES),
    'refusal',
    '429, and the agent tries again; an agent never holds more than remains free',
  ],
  ['Command streams of an agent', count(MAX_STREAMS_OF_SESSION), 'later', 'the oldest ends'],
  [
    'Refused calls to the internal gateway from one address, in a burst',
    count(MAX_REFUSED_CALLS),
    'refusal',
    '429',
  ],
  ['The same, sustained', perSecond(REFUSED_CALLS_PER_SECOND), 'refusal', '429'],
  [
    'Sessions that agents open from one address at the same time',
    count(MAX_REFUSED_CALLS / OPENING_WEIGHT),
    'refusal',
    '429, and the agent tries again',
  ],
  ['Results of a check Pod in one request', bytes(MAX_RESULTS_BYTES), 'refusal', '413'],
  ['New versions of one check, as JSON', bytes(MAX_VERSIONS_BYTES), 'condition', 'the check fails'],
];
