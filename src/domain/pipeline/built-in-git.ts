import { check, pull, push } from './built-in/git.ts';
import type { BadParameter, ParameterRules } from './built-in-types.ts';
import type { ResourceType } from './pipeline.ts';

export const git: ResourceType = {
  name: 'git',
  builtIn: true,
  params: ['url', 'name', 'branch', 'token', 'pr', 'tag', 'provider'],
  cache: true,
  check: { runner: 'shell', cmd: check },
  pull: { runner: 'shell', cmd: pull },
  push: { runner: 'shell', cmd: push },
};

/** The script checks the same again: values may be secret here. */
export const gitParameterRules: ParameterRules = { required: ['url', 'name'], explainBad };

function explainBad(name: string, value: string): BadParameter | undefined {
  const reason = rules[name]?.(value);
  if (reason === undefined) return undefined;
  return { code: name in laterParameters ? 'later-feature' : 'invalid-parameter', reason };
}

const laterParameters = {
  pr: 'pr, the check of pull requests, is known, but this version does not have it yet',
  tag: 'tag, the check of tags, is known, but this version does not have it yet',
  provider: 'provider, which names the API of a forge, is known, but this version does not have it yet',
};

const rules: Record<string, (value: string) => string | undefined> = {
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
  pr: (value) => (value === 'false' ? undefined : laterParameters.pr),
  tag: (value) => (value === 'false' ? undefined : laterParameters.tag),
  provider: () => laterParameters.provider,
};

function explainBadUrl(url: string): string | undefined {
  if (/^https?:\/\/[^/\s@]*:[^/\s@]*@/.test(url))
    return 'url must not contain a password: use the parameter token';
  if (/^(?:https?|ssh):\/\/[^\s/-][^\s]*$/.test(url)) return undefined;
  if (/^(?:[\w.-]+@)?\w[\w.-]*:(?!\/\/)[^\s:]+$/.test(url)) return undefined;
  return 'url must be an https, http or ssh address of a repository';
}
