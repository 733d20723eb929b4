import type { Contradiction, ParameterRules } from './parameter-rules.ts';

/**
 * Rules for the parameters of the type registry-image. The scripts of the type check them again, because the
 * value of a secret is not known when a pipeline is compiled.
 */
export const registryRules: ParameterRules = {
  required: ['repository'],
  explainBad: {
    repository: explainBadRepository,
    tag: (tag) =>
      /^\w[\w.-]{0,127}$/.test(tag) ? undefined : `${JSON.stringify(tag)} cannot be the tag of an image`,
    semver: explainBadConstraint,
    prereleases: explainBadFlag,
    insecure: explainBadFlag,
    name: (name) =>
      ['', '.', '..'].some((part) => name.split('/').includes(part))
        ? `${JSON.stringify(name)} cannot be the name of a folder in the working directory`
        : undefined,
    format: (format) =>
      ['digest', 'oci', 'tar'].includes(format)
        ? undefined
        : `${JSON.stringify(format)} is not a format: use digest, oci or tar`,
    platform: (platform) =>
      /^(?:all|\w+\/\w+(?:\/\w+)?)$/.test(platform)
        ? undefined
        : `${JSON.stringify(platform)} is not a platform: write one such as linux/arm64, or all`,
  },
  explainTogether,
};

function explainTogether(values: ReadonlyMap<string, string>): Contradiction[] {
  const has = (name: string): boolean => (values.get(name) ?? '') !== '';
  const platform = explainPlatform(has, values.get('format'), values.get('platform'));
  return [explainTags(has), explainLogin(has), platform].filter((problem) => problem !== undefined);
}

function explainTags(has: (name: string) => boolean): Contradiction | undefined {
  if (has('semver') && has('tag')) {
    const reason = 'tag and semver cannot be used together: semver chooses among all tags';
    return { name: 'semver', reason };
  }
  return has('prereleases') && !has('semver')
    ? { name: 'prereleases', reason: 'prereleases needs the parameter semver' }
    : undefined;
}

function explainLogin(has: (name: string) => boolean): Contradiction | undefined {
  if (has('username') === has('password')) return undefined;
  const [name, missing] = has('username') ? ['username', 'password'] : ['password', 'username'];
  return { name, reason: `${name} needs the parameter ${missing} too` };
}

function explainPlatform(
  has: (name: string) => boolean,
  format = '',
  platform = '',
): Contradiction | undefined {
  if (!has('platform')) return undefined;
  if (['', 'digest'].includes(format)) {
    const reason = 'platform needs format = "oci" or "tar": else a get fetches no image';
    return { name: 'platform', reason };
  }
  return platform === 'all' && format === 'tar'
    ? { name: 'platform', reason: 'an archive has one platform: all needs format = "oci"' }
    : undefined;
}

const NAME = /^[a-z\d]+(?:[._-]+[a-z\d]+)*$/;

/**
 * The first of several parts is a host if it has a dot, a colon or a capital letter, or if it is `localhost`.
 */
function explainBadRepository(repository: string): string | undefined {
  const [first = '', ...others] = repository.split('/');
  const isHost = others.length > 0 && (first === 'localhost' || /[.:A-Z]/.test(first));
  const parts = isHost ? others : [first, ...others];
  if (parts.some((part) => /[@:]/.test(part)))
    return 'the repository has a tag or a digest: use the parameter tag, or semver';
  const isGood = !isHost || /^[A-Za-z\d.-]+(?::\d{1,5})?$/.test(first);
  return isGood && repository.length <= MAX_NAME_CHARACTERS && parts.every((part) => NAME.test(part))
    ? undefined
    : `${JSON.stringify(repository)} cannot be the name of a repository such as registry.example.org/team/app`;
}

/** Limit for the whole name with its host, as in container runtimes. */
const MAX_NAME_CHARACTERS = 255;

const COMPARATOR =
  /^(?:[<>]=?|[=^~])?v?(?:\d{1,9}|[xX*])(?:\.(?:\d{1,9}|[xX*])){0,2}(?:-[\dA-Za-z][\dA-Za-z.-]*)?$/;

/**
 * Accepts the constraints of `semverFilter`, the jq program of the check, except those with an empty
 * alternative or with a prerelease that begins with a dot or hyphen.
 */
function explainBadConstraint(constraint: string): string | undefined {
  const alternatives = constraint.split('||').map((alternative) =>
    alternative
      .replaceAll(/([<>=^~])\s+/g, '$1')
      .split(/[\s,]+/)
      .filter((part) => part !== ''),
  );
  return alternatives.every((parts) => parts.length > 0 && parts.every((part) => COMPARATOR.test(part)))
    ? undefined
    : `${JSON.stringify(constraint)} is not a constraint such as ">=1.2 <2", "1.x" or "^1.4"`;
}

function explainBadFlag(value: string): string | undefined {
  return value === 'true' || value === 'false' ? undefined : 'this must be true or false';
}
