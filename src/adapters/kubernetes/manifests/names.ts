import { shortHash } from '#domain/scheduling/check-groups.ts';

/** The limit of host names, so that the host name of a Pod equals the name of the Pod. */
const MAX_POD_NAME = 63;
/** Kubernetes adds eleven characters to a CronJob's name for its Jobs. */
const MAX_CRON_JOB_NAME = 52;

/** What determines the name of a build's Pod: the same attempt always has the same name. */
export interface BuildAttempt {
  id: number;
  attempt: number;
  team: string;
  pipeline: string;
  job: string;
  number: string;
}

export function buildPodName(build: BuildAttempt): string {
  const hash = shortHash(`${build.team}/${build.pipeline}/${build.id}/${build.attempt}`).slice(-5);
  return fittingName([build.pipeline, build.job], `${build.number}-${build.attempt}-${hash}`, MAX_POD_NAME);
}

export function checkPodName(pipeline: string, run: number): string {
  return fittingName(['check', pipeline], String(run), MAX_POD_NAME);
}

/** Row ids are never reused, so names are not reused either. */
export function warmPodName(team: string, id: number): string {
  return fittingName(['warm', team], `${id}-${shortHash(`${team}/${id}`).slice(-5)}`, MAX_POD_NAME);
}

/**
 * `uid` is the uid of the Pipeline, so the claims of two Pipelines that had the same name have different
 * names.
 */
export function cacheClaimName(cache: {
  id: number;
  generation: number;
  resource: string;
  uid: string;
}): string {
  const hash = shortHash(`${cache.uid}/${cache.id}/${cache.generation}`).slice(-5);
  return fittingName(['cache', cache.resource], `${cache.id}-${cache.generation}-${hash}`, MAX_POD_NAME);
}

/**
 * If the plain name is too long or has invalid characters, shortens it and adds a hash, because two shortened
 * names could be equal.
 */
export function cronJobName(pipeline: string, group: string): string {
  const plain = `${pipeline}-check-${group}`;
  if (plain.length <= MAX_CRON_JOB_NAME && plain === slug(plain)) return plain;
  const end = `check-${shortHash(`${pipeline}/${group}`)}`;
  return fittingName([pipeline], end, MAX_CRON_JOB_NAME);
}

/** Joins the parts and the end. If the name is too long, shortens the longest parts until it fits. */
function fittingName(parts: string[], end: string, maxLength: number): string {
  let slugs = parts.map(slug).filter((part) => part !== '');
  const tail = slug(end);
  while (slugs.length > 0 && `${slugs.join('-')}-${tail}`.length > maxLength) {
    const length = Math.max(...slugs.map((part) => part.length));
    const longest = slugs.findIndex((part) => part.length === length);
    slugs = slugs
      .map((part, index) => (index === longest ? part.slice(0, -1).replace(/-$/, '') : part))
      .filter((part) => part !== '');
  }
  return [...slugs, tail].join('-');
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
