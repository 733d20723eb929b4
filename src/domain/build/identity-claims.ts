import { defined } from '#defined';
import { builtInSource } from '#domain/pipeline/built-in-source.ts';
import { identityVariable } from '#domain/pipeline/identity.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { findSecretNames } from '#domain/pipeline/secret-placeholder.ts';
import { getsOf, type GetStep } from '#domain/pipeline/steps.ts';
import { jobIn, resourceIn, resourceTypeIn } from '#domain/planning/find-in-pipeline.ts';
import { whyWithoutSecrets } from '#domain/planning/withhold-secrets.ts';
import { identityIssuer } from './identity-issuer.ts';
import { MAX_IDENTITY_SECONDS } from './identity-keys.ts';

/**
 * Minimum lifetime of a token. A step has time to log in with it, even if the timeout of the step is shorter.
 */
const MIN_IDENTITY_SECONDS = 60;
/** A token becomes valid this long before it is issued, so that verifiers whose clocks are slow accept it. */
const NOT_BEFORE_SECONDS = 60;

/**
 * The ref in a token if the branch is not known: its name is a secret, the resource follows several branches,
 * or other code triggered the build. The subject then differs from the subject for the default branch, which
 * has no ref.
 */
const UNKNOWN_REF = 'unknown';
/** Sources of the built-in types whose versions are not code but times and events. */
const SOURCES_WITHOUT_CODE: readonly string[] = ['svc://cron', 'svc://trigger'];

/** The build that an identity token is for. */
export interface IdentifiedBuild {
  team: string;
  pipeline: string;
  job: string;
  number: string;
  attempt: number;
  definition: Pipeline;
  /** The version of each get, in the order of the job's gets. */
  versions: Record<string, string>[];
}

export interface IdentityClaims {
  iss: string;
  sub: string;
  aud: string;
  exp: number;
  iat: number;
  nbf: number;
  team: string;
  pipeline: string;
  job: string;
  build: string;
  attempt: number;
  ref?: string;
  sha?: string;
  fork: boolean;
}

/** Facts about the issuance of identity tokens, besides the build. */
export interface IssuanceFacts {
  /** Address of the installation. */
  externalUrl: string | undefined;
  /** When the tokens are issued, in seconds since 1970. */
  at: number;
  /** Timeout of the step, in seconds. Absent: the step has none. */
  seconds?: number;
}

export type IdentityDecision =
  | { answer: 'issue'; tokens: { variable: string; claims: IdentityClaims }[] }
  | { answer: 'refuse'; reason: string };

/** Decides which identity tokens a step of the build gets, or why it gets none. */
export function decideIdentity(build: IdentifiedBuild, issuance: IssuanceFacts): IdentityDecision {
  const { definition, job, versions } = build;
  const { identity = [] } = jobIn(definition, job);
  if (identity.length === 0) return { answer: 'refuse', reason: `The job ${job} has no identity.` };
  const whyWithheld = whyWithoutSecrets(definition, job, versions);
  if (whyWithheld !== undefined) return { answer: 'refuse', reason: whyWithheld };
  const issuer = identityIssuer(issuance.externalUrl);
  if ('problem' in issuer) return { answer: 'refuse', reason: issuer.problem };
  const sharedClaims = claimsOf(build, issuer.issuer, issuance);
  return {
    answer: 'issue',
    tokens: identity.map(({ name, audience }) => ({
      variable: identityVariable(name),
      claims: { ...sharedClaims, aud: audience },
    })),
  };
}

/**
 * Why no build of the pipeline can get the identity tokens that a job declares. Undefined: builds can get
 * them, or no job declares any.
 */
export function whyNoIdentity({ jobs }: Pipeline, externalUrl: string | undefined): string | undefined {
  const job = jobs.find(({ identity }) => identity !== undefined);
  const issuer = identityIssuer(externalUrl);
  return job && 'problem' in issuer ? `The job ${job.name} has identity. ${issuer.problem}` : undefined;
}

function claimsOf(
  build: IdentifiedBuild,
  issuer: string,
  issuance: IssuanceFacts,
): Omit<IdentityClaims, 'aud'> {
  const { team, pipeline, job, number, attempt, versions } = build;
  const { at, seconds = MAX_IDENTITY_SECONDS } = issuance;
  const lifetime = Math.min(MAX_IDENTITY_SECONDS, Math.max(MIN_IDENTITY_SECONDS, Math.ceil(seconds)));
  const source = sourceOf(build);
  const subject = `team:${team}:pipeline:${pipeline}:job:${job}`;
  return {
    iss: issuer,
    sub: source.ref === undefined ? subject : `${subject}:ref:${source.ref}`,
    exp: at + lifetime,
    iat: at,
    nbf: at - NOT_BEFORE_SECONDS,
    team,
    pipeline,
    job,
    build: number,
    attempt,
    ...source,
    fork: versions.some((version) => version['fork'] === 'true'),
  };
}

/**
 * Ref and commit of the code that the build runs. They come from the first git get whose version is a pull
 * request, so that a build with a pull request never has the ref of a branch. Without a pull request, they
 * come from the first git get that triggers the job. Without such a get, they come from the first git get,
 * unless a get with other code triggers the job: then the ref is unknown.
 */
function sourceOf({ definition, job, versions }: IdentifiedBuild): Pick<IdentityClaims, 'ref' | 'sha'> {
  const gets = getsOf(jobIn(definition, job).steps).map((get, index) => ({
    get,
    version: versions[index] ?? {},
    source: builtInSource(resourceTypeIn(definition, get.resource)) ?? '',
  }));
  const gitGets = gets.filter(({ source }) => source === 'svc://git');
  const decisive =
    gitGets.find(({ version }) => version['pr'] !== undefined) ?? gitGets.find(({ get }) => get.trigger);
  const [first] = gitGets;
  if (first === undefined) return {};
  const otherTriggers = gets.some(({ get, source }) => get.trigger && !SOURCES_WITHOUT_CODE.includes(source));
  if (decisive === undefined && otherTriggers) return { ref: UNKNOWN_REF };
  const { get, version } = decisive ?? first;
  const sha = version['ref'];
  return defined({ ref: refOf(version, get, definition), sha });
}

/**
 * The ref of the version. Undefined: the resource follows the default branch, whose name is not known here.
 */
function refOf(
  { pr, tag, branch: versionBranch }: Record<string, string>,
  { resource }: GetStep,
  definition: Pipeline,
): string | undefined {
  if (pr !== undefined) return `refs/pull/${pr}/head`;
  if (tag !== undefined) return `refs/tags/${tag}`;
  const { branch: onlyBranch = '', branches = '' } = resourceIn(definition, resource).params;
  const branch = versionBranch ?? onlyBranch;
  if (branch === '') return branches === '' ? undefined : UNKNOWN_REF;
  return findSecretNames(branch).length > 0 ? UNKNOWN_REF : `refs/heads/${branch}`;
}
