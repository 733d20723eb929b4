import type { ParameterRules } from './parameter-rules.ts';

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
};

/** Each with its alias. */
const providers = ['forge_a', 'forge_b', 'forge_c', 'forge_d', 'github', 'gitlab', 'gitea', 'forgejo'];

function explainBadFlag(name: string, value: string): string | undefined {
  return value === 'true' || value === 'false' ? undefined : `${name} must be true or false`;
}

function explainBadUrl(url: string): string | undefined {
  if (/^https?:\/\/[^/\s@]*:[^/\s@]*@/.test(url))
    return 'url must not contain a password: use the parameter token';
  if (/^(?:https?|ssh):\/\/[^\s/-][^\s]*$/.test(url)) return undefined;
  if (/^(?:[\w.-]+@)?\w[\w.-]*:(?!\/\/)[^\s:]+$/.test(url)) return undefined;
  return 'url must be an https, http or ssh address of a repository';
}
