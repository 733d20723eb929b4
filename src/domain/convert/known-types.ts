/**
 * Images of the resource types that every Concourse worker has. The page docs/how-to/concourse-types.md shows
 * examples of the types whose image has a tag here.
 */
const IMAGES: Readonly<Record<string, string>> = {
  'bosh-io-release': 'concourse/bosh-io-release-resource',
  'bosh-io-stemcell': 'concourse/bosh-io-stemcell-resource',
  cf: 'concourse/cf-resource',
  'datadog-event': 'concourse/datadog-event-resource',
  'docker-image': 'concourse/docker-image-resource',
  git: 'concourse/git-resource',
  'github-release': 'concourse/github-release-resource:1.9.0',
  hg: 'concourse/hg-resource',
  mock: 'concourse/mock-resource',
  pool: 'concourse/pool-resource',
  'registry-image': 'concourse/registry-image-resource:1.9.0',
  s3: 'concourse/s3-resource:1.3.0',
  semver: 'concourse/semver-resource:1.7.0',
  time: 'concourse/time-resource:1.7.0',
  tracker: 'concourse/tracker-resource',
};

/** The image of a resource type that every Concourse worker has. Undefined: it is another type. */
export const wellKnownImage = (type: string): string | undefined =>
  Object.hasOwn(IMAGES, type) ? IMAGES[type] : undefined;

/** Types that need a privileged container, because their programs mount file systems or run containers. */
export const NEEDS_PRIVILEGES: ReadonlySet<string> = new Set(['docker-image']);
