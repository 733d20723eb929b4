import { shortHash } from '#domain/scheduling/check-groups.ts';

/** Also the longest host name, so that Pods keep theirs. */
const LONGEST_POD = 63;
/** Kubernetes adds eleven characters to a CronJob's name for its Jobs. */
const LONGEST_CRON_JOB = 52;

/**
 * The part of a build that its Pod's name is made from: the same row and attempt always give the same name.
 */
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
  return fitted([build.pipeline, build.job], `${build.number}-${build.attempt}-${hash}`, LONGEST_POD);
}

export function checkPodName(pipeline: string, run: number): string {
  return fitted(['check', pipeline], String(run), LONGEST_POD);
}

/** The hash keeps apart what shortening, or leaving out dots, would make equal. */
export function cronJobName(pipeline: string, group: string): string {
  const plain = `${pipeline}-check-${group}`;
  if (plain.length <= LONGEST_CRON_JOB && plain === slug(plain)) return plain;
  const end = `check-${shortHash(`${pipeline}/${group}`)}`;
  return fitted([pipeline], end, LONGEST_CRON_JOB);
}

/** Parts share what room the end leaves; the longer ones are cut first. */
function fitted(parts: string[], end: string, longest: number): string {
  let slugs = parts.map(slug).filter((part) => part !== '');
  const tail = slug(end);
  while (slugs.length > 0 && `${slugs.join('-')}-${tail}`.length > longest) {
    const length = Math.max(...slugs.map((part) => part.length));
    const cut = slugs.findIndex((part) => part.length === length);
    slugs = slugs
      .map((part, index) => (index === cut ? part.slice(0, -1).replace(/-$/, '') : part))
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
