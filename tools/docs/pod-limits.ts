import { MAX_MEASURED_FILES } from '#adapters/process/measure-folder.ts';
import { CACHE_SECONDS } from '#domain/build/judge-cache.ts';
import { CACHE_SAVE_SECONDS, MAX_CACHE_KEYS } from '#domain/pipeline/built-in/job-cache.ts';
import { MAX_JOB_CACHES } from '#domain/pipeline/read-job-caches.ts';
import { MAX_VOLUMES_OF_TEAM, MINUTES_AFTER_FAILURE } from '#domain/planning/decide-cache-volumes.ts';
import { FAILED_SECONDS, MAX_CREATING_SECONDS } from '#domain/scheduling/decide-warm-pods.ts';
import { count, seconds } from './limit-values.ts';
import type { Limit } from './limit.ts';
import { NOTIFICATION_LIMITS } from './notification-limits.ts';

/** Limits of Pods that send notifications, of caches that Pods mount, and of Pods that wait for builds. */
export const POD_LIMITS: readonly Limit[] = [
  ...NOTIFICATION_LIMITS,
  [
    'Volumes of caches of a team',
    count(MAX_VOLUMES_OF_TEAM),
    'cut',
    'resources without one run without a cache, and the log says so',
  ],
  ['Caches of a job', count(MAX_JOB_CACHES), 'diagnostic', '`invalid-cache`'],
  ['Keys of a cache of a job', count(MAX_CACHE_KEYS), 'cut', 'the oldest are removed'],
  [
    'Time to save one key of a cache',
    seconds(CACHE_SAVE_SECONDS),
    'cut',
    'the key is not saved, and the log says so',
  ],
  ['Builds and checks that use a cache at a time', count(1), 'cut', 'the others run without it'],
  [
    'Time that a Pod waits for the volume of a cache',
    seconds(CACHE_SECONDS),
    'condition',
    'the next Pod of the build runs without caches',
  ],
  [
    'Time for which a cache is left out after its volume was not ready',
    seconds(MINUTES_AFTER_FAILURE * 60),
    'cut',
    'builds run without it',
  ],
  [
    'Time until a Pod that waits for a build is ready',
    seconds(MAX_CREATING_SECONDS),
    'cut',
    'it is deleted, and for some time no other one of its shape is created',
  ],
  ['Time without new Pods of that shape', seconds(FAILED_SECONDS), 'cut', 'builds start in new Pods'],
  [
    'Pods of a Team that wait for builds (`warm.pods`); they count as running builds',
    '20',
    'refusal',
    'the API server refuses the Team',
  ],
  ['Files of a cache whose size is shown', count(MAX_MEASURED_FILES), 'cut', 'the size is unknown'],
];
