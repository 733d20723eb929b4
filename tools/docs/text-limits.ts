import { MAX_COMPILES, MAX_COMPILES_OF_TEAM } from '#adapters/http/api/compile-limits.ts';
import { MAX_PREVIEWS, MAX_PREVIEWS_OF_TEAM } from '#adapters/http/api/preview-limits.ts';
import { count } from './limit-values.ts';
import type { Limit } from './limit.ts';

/** Limits of the texts that the public gateway validates and draws. */
export const TEXT_LIMITS: readonly Limit[] = [
  [
    'Texts of a team that the public gateway validates, draws or queues at the same time',
    count(MAX_COMPILES_OF_TEAM),
    'refusal',
    '503; other teams are not affected',
  ],
  ['The same for all teams', count(MAX_COMPILES), 'refusal', '503'],
  [
    'Previews of a team that the public gateway draws or queues at the same time',
    count(MAX_PREVIEWS_OF_TEAM),
    'refusal',
    'the text is validated, and `picture_refused` says why there is no picture',
  ],
  [
    'The same for all teams',
    count(MAX_PREVIEWS),
    'refusal',
    'the text is validated, and `picture_refused` says why there is no picture',
  ],
];
