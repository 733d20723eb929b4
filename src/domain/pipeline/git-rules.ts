import type { ParameterRules } from './parameter-rules.ts';
import { findSecretNames } from './secret-placeholder.ts';

/** The scripts check the same again: values may be secret here. */
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
    pr: (value) => explainBadFlag('pr', value),
    tag: (value) => explainBadFlag('tag', value),
    provider: (value) =>
      providers.includes(value)
        ? undefined
        : `${JSON.stringify(value)} is not a provider: write one of ${providers.join(', ')}`,
  },
  explainTogether,
};

/** What is not there is told elsewhere. */
function explainTogether(values: ReadonlyMap<string, string>): { name: string; reason: string } | undefined {
  const mode = ['pr', 'tag'].find((name) => values.get(name) === 'true');
  if (mode === undefined) return undefined;
  if (values.get('pr') === 'true' && values.get('tag') === 'true')
    return { name: 'tag', reason: 'pr and tag exclude each other: a version is one or the other' };
  if ((values.get('token') ?? '') === '') return { name: mode, reason: `${mode} needs the parameter token` };
  if (mode === 'tag' || values.has('provider') || isKnownForge(values.get('url') ?? '')) return undefined;
  return {
    name: mode,
    reason: `${mode} needs the parameter provider: the url does not say what forge it is`,
  };
}

/** What a secret url says is not known here: the script looks again. */
function isKnownForge(url: string): boolean {
  const known = /^https?:\/\/(?:[^/@]*@)?(?:www\.)?(?:github|gitlab)\.com\//.test(url);
  return known || findSecretNames(url).length > 0;
}

/** Each with its alias. */
const providers = ['forge_a', 'forge_b', 'forge_c', 'forge_d', 'github', 'gitlab', 'gitea', 'forgejo'];

function explainBadFlag(name: string, value: string): string | undefined {
  return value === 'true' || value === 'false' ? undefined : `${name} must be true or false`;
}

function explainBadUrl(url: string): string | undefined {
  if (/^https?:\/\/[^/\s@:]*:[^/\s@]*@/.test(url))
    return 'url must not contain a password: use the parameter token';
  if (/^(?:https?|ssh):\/\/[^\s/-][^\s]*$/.test(url)) return undefined;
  if (/^(?:[\w.-]+@)?\w[\w.-]*:(?!\/\/)[^\s:]+$/.test(url)) return undefined;
  return 'url must be an https, http or ssh address of a repository';
}
