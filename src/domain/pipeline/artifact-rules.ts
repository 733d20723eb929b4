import type { Contradiction, ParameterRules } from './parameter-rules.ts';
import { explainBadPath } from './volume-paths.ts';

const BUCKET_PARAMETERS = [
  'endpoint',
  'region',
  'prefix',
  'access_key_id',
  'secret_access_key',
  'session_token',
];

/**
 * Rules for the parameters of the type artifact. The scripts of the type check them again, because the value
 * of a secret is not known when a pipeline is compiled.
 */
export const artifactRules: ParameterRules = {
  required: [],
  neverSecret: ['base_dir'],
  explainBad: {
    base_dir: explainBadPath,
    endpoint: (url) =>
      /^https?:\/\/[A-Za-z0-9.-]+(?::\d{1,5})?\/?$/.test(url)
        ? undefined
        : 'the endpoint must be https://<host> or http://<host>, without a path',
    bucket: (name) =>
      /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name)
        ? undefined
        : `${JSON.stringify(name)} cannot be the name of a bucket`,
    region: (name) =>
      /^[a-z0-9-]{1,64}$/.test(name) ? undefined : `${JSON.stringify(name)} cannot be the name of a region`,
    prefix: explainBadPrefix,
    max_size_mb: (number) =>
      /^[1-9]\d{0,3}$/.test(number) && Number(number) <= MAX_MEGABYTES
        ? undefined
        : `max_size_mb must be a number from 1 to ${MAX_MEGABYTES}`,
  },
  explainTogether: explainPlace,
};

/** In megabytes. A store takes at most 5 GiB in one request. */
const MAX_MEGABYTES = 5000;

function explainBadPrefix(prefix: string): string | undefined {
  const parts = prefix.replace(/\/$/, '').split('/');
  const isPlain = /^[A-Za-z0-9._/-]{1,200}$/.test(prefix);
  return isPlain && !parts.some((part) => ['', '.', '..'].includes(part))
    ? undefined
    : 'the prefix has only letters, digits and ._-, in parts with one / between them';
}

/**
 * What is wrong with the parameters that say where the artifacts are stored. They must name either a volume
 * or a bucket, and give everything that this storage needs. Empty: nothing is wrong.
 */
function explainPlace(values: ReadonlyMap<string, string>): Contradiction[] {
  const has = (name: string): boolean => (values.get(name) ?? '') !== '';
  if (has('base_dir'))
    return ['bucket', ...BUCKET_PARAMETERS].filter(has).map((name) => ({
      name,
      reason: `base_dir and ${name} cannot be used together: choose a volume or a bucket`,
    }));
  const reason = 'artifact needs base_dir, a folder on a volume of the team, or bucket';
  if (!has('bucket')) return [{ name: BUCKET_PARAMETERS.find(has) ?? 'base_dir', reason }];
  return ['endpoint', 'access_key_id', 'secret_access_key']
    .filter((name) => !has(name))
    .map((missing) => ({ name: 'bucket', reason: `bucket needs the parameter ${missing} too` }));
}
