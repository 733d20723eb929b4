import { builtInSource } from './built-in-source.ts';
import { hostsWithKeys } from './built-in/git-ssh.ts';
import type { Contradiction, ParameterRules } from './parameter-rules.ts';
import type { Resource, ResourceType } from './pipeline.ts';
import { findSecretNames } from './secret-placeholder.ts';

/**
 * Rules for the parameters of the type git. The scripts of the type check them again, because the value of a
 * secret is not known when a pipeline is compiled.
 */
export const gitRules: ParameterRules = {
  required: ['url', 'name'],
  explainBad: {
    url: explainBadUrl,
    name: (value) =>
      /^(?!-)[^\s\p{Cc}/][^\p{Cc}]*$/u.test(value) &&
      !value.split('/').some((part) => ['', '.', '..', '.git'].includes(part))
        ? undefined
        : `${JSON.stringify(value)} cannot be the name of a folder in the working directory`,
    branch: (value) =>
      /^[-/.]|[\s\p{Cc}~^:?*[\\]|\.\.|\/\/|@\{|[/.]$|\.lock$/u.test(value)
        ? `${JSON.stringify(value)} cannot be the name of a branch`
        : undefined,
    branches: explainBadPatterns,
    pr: (value) => explainBadFlag('pr', value),
    forks: (value) => explainBadFlag('forks', value),
    fork_secrets: (value) => explainBadFlag('fork_secrets', value),
    tag: (value) => explainBadFlag('tag', value),
    skip_ci: (value) => explainBadFlag('skip_ci', value),
    submodules: (value) => explainBadFlag('submodules', value),
    lfs: (value) => explainBadFlag('lfs', value),
    depth: (value) =>
      /^[1-9]\d{0,5}$/.test(value) ? undefined : 'depth must be a number of commits, from 1 to 999999',
    paths: explainBadPaths,
    ignore_paths: explainBadPaths,
    provider: (value) =>
      [...providers, ...codeNames].includes(value)
        ? undefined
        : `${JSON.stringify(value)} is not a provider: write one of ${providers.join(', ')}`,
  },
  explainTogether: (values) => [
    ...explainSsh(values),
    ...explainBranches(values),
    ...explainForks(values),
    ...explainPaths(values),
    ...explainMode(values),
  ],
};

interface PushedResource {
  type: Pick<ResourceType, 'builtIn' | 'origin'>;
  resource: Pick<Resource, 'params'>;
}

/**
 * Whether the resource lacks the token that a put needs. A url that is secret or contains a user does not
 * count, because it may contain the credentials.
 */
export function lacksPutToken({ type, resource }: PushedResource): boolean {
  if (builtInSource(type) !== 'svc://git') return false;
  const { url = '', token = '' } = resource.params;
  return token === '' && /^https:\/\/[^/@]+\//.test(url);
}

/** The parameters private_key and known_hosts are for a url for SSH, token is for https. */
function explainSsh(values: ReadonlyMap<string, string>): Contradiction[] {
  const url = values.get('url') ?? '';
  if (findSecretNames(url).length > 0 || explainBadUrl(url) !== undefined) return [];
  const host = sshHostOf(url);
  if (host !== undefined) return [...explainWithoutSsh(values), ...explainSshKey(host, values)];
  return ['private_key', 'known_hosts']
    .filter((name) => has(values, name))
    .map((name) => ({ name, reason: `${name} is for a url for SSH: use the parameter token with https` }));
}

function explainWithoutSsh(values: ReadonlyMap<string, string>): Contradiction[] {
  const token = {
    name: 'token',
    reason: 'token is for a url with https: use private_key with a url for SSH',
  };
  const pr = { name: 'pr', reason: 'pr needs a url with https and the parameter token' };
  return [...(has(values, 'token') ? [token] : []), ...(values.get('pr') === 'true' ? [pr] : [])];
}

function explainSshKey(host: string, values: ReadonlyMap<string, string>): Contradiction[] {
  if (!has(values, 'private_key'))
    return [{ name: 'url', reason: 'a url for SSH needs the parameters private_key and known_hosts' }];
  if (has(values, 'known_hosts') || hostsWithKeys.includes(host)) return [];
  return [{ name: 'private_key', reason: `private_key needs known_hosts: the key of ${host} is not known` }];
}

const has = (values: ReadonlyMap<string, string>, name: string): boolean => (values.get(name) ?? '') !== '';

/** The modes that are on: `pr` and `tag`. */
const modesOf = (values: ReadonlyMap<string, string>): string[] =>
  ['pr', 'tag'].filter((name) => values.get(name) === 'true');

/** What the modes pr and tag need besides the parameters that are always required. */
function explainMode(values: ReadonlyMap<string, string>): Contradiction[] {
  const [mode, second] = modesOf(values);
  if (mode === undefined || sshHostOf(values.get('url') ?? '') !== undefined) return [];
  if (second !== undefined)
    return [{ name: second, reason: 'pr and tag cannot be used together: a version is one or the other' }];
  const lacksProvider = mode === 'pr' && !values.has('provider') && !isKnownForge(values.get('url') ?? '');
  const reasons = [
    ...(has(values, 'token') ? [] : [`${mode} needs the parameter token`]),
    ...(lacksProvider ? [`${mode} needs the parameter provider: the url does not say what forge it is`] : []),
  ];
  return reasons.map((reason) => ({ name: mode, reason }));
}

function explainForks(values: ReadonlyMap<string, string>): Contradiction[] {
  const needs: [name: string, isSet: boolean, other: string][] = [
    ['fork_secrets', values.get('fork_secrets') === 'true', 'forks'],
    ['forks', values.get('forks') === 'true', 'pr'],
    ['labels', has(values, 'labels'), 'pr'],
  ];
  return needs
    .filter(([, isSet, other]) => isSet && values.get(other) !== 'true')
    .map(([name, , other]) => ({ name, reason: `${name} needs ${other} = true` }));
}

function explainBranches(values: ReadonlyMap<string, string>): Contradiction[] {
  if (!has(values, 'branches')) return [];
  const reasons = modesOf(values).map((mode) => `branches cannot be used with ${mode} = true`);
  if (has(values, 'branch')) reasons.unshift('branch and branches cannot be used together');
  return reasons.map((reason) => ({ name: 'branches', reason }));
}

/**
 * The parameters that leave out commits are for branches: pull requests and tags have no commits to leave
 * out.
 */
function explainPaths(values: ReadonlyMap<string, string>): Contradiction[] {
  const [mode] = modesOf(values);
  if (mode === undefined) return [];
  return ['paths', 'ignore_paths', 'skip_ci']
    .filter((name) => has(values, name))
    .map((name) => ({ name, reason: `${name} is for branches: it cannot be used with ${mode} = true` }));
}

function explainBadPatterns(value: string): string | undefined {
  const patterns = value
    .split(/[,\n]/)
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '');
  const bad = patterns.find((pattern) => /^!?(?:$|[-/])|\s|[\p{Cc}~^:[\\]|\.\.|\/\/|\/$/u.test(pattern));
  if (bad !== undefined) return `${JSON.stringify(bad)} cannot be a pattern of branches`;
  return patterns.some((pattern) => !pattern.startsWith('!'))
    ? undefined
    : 'branches has no pattern that includes a branch';
}

function explainBadPaths(value: string): string | undefined {
  const bad = value.split(/[,\n]/).find((path) => path.trim().startsWith(':'));
  return bad === undefined ? undefined : `the path ${JSON.stringify(bad.trim())} begins with a colon`;
}

/**
 * Whether the url shows which forge it is. A secret url counts as known, because the script checks it again.
 * A missing url also counts as known, because it is reported elsewhere.
 */
function isKnownForge(url: string): boolean {
  const isPublicForge = /^https?:\/\/(?:[^/@]*@)?(?:www\.)?(?:github|gitlab)\.com\//.test(url);
  return isPublicForge || url === '' || findSecretNames(url).length > 0;
}

const providers = ['github', 'gitlab', 'gitea', 'forgejo'];
/** Other names for the providers, in the same order. */
const codeNames = ['forge_a', 'forge_b', 'forge_c', 'forge_d'];

function explainBadFlag(name: string, value: string): string | undefined {
  return value === 'true' || value === 'false' ? undefined : `${name} must be true or false`;
}

function explainBadUrl(url: string): string | undefined {
  if (/^https?:\/\/[^/\s@:]*:[^/\s@]*@/.test(url))
    return 'url must not contain a password: use the parameter token';
  if (/^https?:\/\/[^\s/-][^\s]*$/.test(url)) return undefined;
  if (/^ssh:\/\/[^/\s@:]*:[^/\s]*@/.test(url)) return 'url must not contain a password: use private_key';
  if (sshHostOf(url) !== undefined) return undefined;
  return 'url must be an https, http or SSH address of a repository';
}

/** The host of a url for SSH. Undefined for other urls. */
function sshHostOf(url: string): string | undefined {
  const [, host] =
    /^ssh:\/\/(?:\w[\w.~+-]*@)?(\w[\w.-]*|\[[\da-f:]+\])(?::\d+)?\/[^\s]+$/i.exec(url) ??
    /^(?:\w[\w.~+-]*@)?(\w[\w.-]*):(?!\/\/|[:-])[^\s:]+$/.exec(url) ??
    [];
  return host?.toLowerCase();
}
