import type { Contradiction, ParameterRules } from './parameter-rules.ts';

const PROVIDERS = ['github', 'gitlab', 'gitea', 'forgejo'];
/** Other names of the providers, which pipelines may use too, in the same order. */
const PROVIDER_ALIASES = ['forge_a', 'forge_b', 'forge_c', 'forge_d'];

const REPOSITORY = /^(?!\.{1,2}\/)[\w.-]+\/(?!\.{1,2}$)[\w.-]+$/;

const chatRules: ParameterRules = {
  required: ['webhook_url'],
  explainBad: { webhook_url: explainBadUrl, base_url: explainBadUrl },
};

/**
 * Rules for the parameters of notification types, by source. The scripts of the types check them again,
 * because the value of a secret is not known when a pipeline is compiled.
 */
export const notificationRules: Readonly<Record<string, ParameterRules>> = {
  // Slack
  'svc://chatone': chatRules,
  // Discord
  'svc://chattwo': chatRules,
  // Check runs of GitHub
  'svc://hostcheck': {
    required: ['app_id', 'installation_id', 'private_key', 'repository'],
    explainBad: {
      repository: explainBadRepository,
      app_id: explainBadId,
      installation_id: explainBadId,
      base_url: explainBadUrl,
    },
  },
  'svc://commit-status': {
    required: ['token'],
    explainBad: {
      url: (url) =>
        /^https?:\/\/[^\s/@:]+(?::\d+)?\/[\w.-]+(?:\/[\w.-]+)+\/?$/.test(url)
          ? undefined
          : 'url must be the https:// or http:// address of a repository, without a user',
      repository: explainBadRepositoryPath,
      provider: (name) =>
        [...PROVIDERS, ...PROVIDER_ALIASES].includes(name)
          ? undefined
          : `${JSON.stringify(name)} is not a provider: write one of ${PROVIDERS.join(', ')}`,
      base_url: explainBadUrl,
    },
    explainTogether: (values) => asList(explainRepositoryChoice(values)),
  },
  'svc://email': {
    required: ['host', 'from', 'to'],
    explainBad: {
      host: (host) =>
        /^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(host)
          ? undefined
          : 'host must be the name of a host, without a port',
      port: explainBadId,
      tls: (mode) =>
        ['starttls', 'tls', 'none'].includes(mode) ? undefined : 'tls must be starttls, tls or none',
      from: explainBadAddress,
      to: (list) =>
        list
          .split(',')
          .map(explainBadAddress)
          .find((reason) => reason !== undefined),
      base_url: explainBadUrl,
    },
    explainTogether: (values) => asList(explainCredentials(values)),
  },
  'svc://webhook': { required: ['url'], explainBad: { url: explainBadUrl, base_url: explainBadUrl } },
};

const asList = (problem: Contradiction | undefined): Contradiction[] => (problem ? [problem] : []);

function explainBadUrl(url: string): string | undefined {
  return /^https?:\/\/[^\s/]+/.test(url) ? undefined : 'this must be an https:// or http:// URL';
}

function explainBadRepository(name: string): string | undefined {
  return REPOSITORY.test(name) ? undefined : `${JSON.stringify(name)} is not <owner>/<repository>`;
}

/**
 * Explains why the text is not the path of a repository. The path may have more than two parts, because
 * groups of GitLab can be nested.
 */
function explainBadRepositoryPath(path: string): string | undefined {
  const parts = path.split('/');
  const isPath = parts.length > 1 && parts.every((part) => /^(?!\.{1,2}$)[\w.-]+$/.test(part));
  return isPath ? undefined : `${JSON.stringify(path)} is not <owner>/<repository>`;
}

function explainBadId(id: string): string | undefined {
  return /^\d+$/.test(id) ? undefined : 'this must be a number';
}

/**
 * Explains why the parameters do not name one repository on a known forge. A secret url does not show what
 * forge it is, so it needs the parameter `provider`.
 */
function explainRepositoryChoice(values: ReadonlyMap<string, string>): Contradiction | undefined {
  const has = (name: string): boolean => (values.get(name) ?? '') !== '';
  if (has('url') && has('repository'))
    return { name: 'repository', reason: 'url and repository cannot be used together: url names it already' };
  if (has('url')) {
    const isKnown =
      has('provider') || /^https:\/\/(?:www\.)?(?:github|gitlab)\.com\//.test(values.get('url') ?? '');
    const reason = 'url needs the parameter provider too: it does not say what forge it is';
    return isKnown ? undefined : { name: 'url', reason };
  }
  if (!has('repository'))
    return { name: 'token', reason: 'commit-status needs url, the address of the repository' };
  return ['github', 'gitlab', 'forge_a', 'forge_b'].includes(values.get('provider') ?? '')
    ? undefined
    : {
        name: 'repository',
        reason: 'repository is for provider = github or gitlab: write url for other forges',
      };
}

function explainBadAddress(text: string): string | undefined {
  const address = /^[^<>]*<([^<>]+)>$/.exec(text.trim())?.[1] ?? text.trim();
  return /^[\w.!#$%&*+/=?^{|}~-]+@[A-Za-z0-9][A-Za-z0-9.-]*$/.test(address)
    ? undefined
    : `${JSON.stringify(text.trim())} is not an address such as ci@example.org or CI <ci@example.org>`;
}

function explainCredentials(values: ReadonlyMap<string, string>): Contradiction | undefined {
  const has = (name: string): boolean => (values.get(name) ?? '') !== '';
  const [name, missing] = has('username') ? ['username', 'password'] : ['password', 'username'];
  if (!has(name)) return undefined;
  if (!has(missing)) return { name, reason: `a login with ${name} needs ${missing} too` };
  return values.get('tls') === 'none'
    ? { name: 'tls', reason: 'without TLS anyone on the way could read the password: use starttls or tls' }
    : undefined;
}
