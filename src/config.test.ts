import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  clientConfig,
  internalGatewayConfig,
  operatorConfig,
  publicGatewayConfig,
  VERSION,
  withFlags,
  type Source,
} from './config.ts';

const KEY = Buffer.alloc(32, 7).toString('base64url');
const COMMON = {
  MILLRACE_NAMESPACE: 'millrace',
  MILLRACE_POD_NAME: 'millrace-0',
  MILLRACE_RELEASE: 'millrace',
};
const PUBLIC = {
  ...COMMON,
  MILLRACE_DATABASE_URL: 'postgres://millrace:hunter2@db:5432/millrace',
  MILLRACE_KEYS_DIR: '/keys',
};
const INTERNAL = { ...PUBLIC, MILLRACE_TLS_DIR: '/tls' };
const OPERATOR = {
  ...COMMON,
  MILLRACE_DATABASE_HOST: 'millrace-postgres',
  MILLRACE_IMAGE: 'localhost/millrace:1',
  MILLRACE_INTERNAL_URL: 'https://millrace-internal.millrace.svc:8443',
};

const limitedTo = (builds: string) =>
  operatorConfig(sourceWith({ ...OPERATOR, MILLRACE_DEFAULT_RUNNING_BUILDS: builds }));

function sourceWith(
  environment: Record<string, string>,
  files: Record<string, string> = { '/keys/webhook': KEY, '/keys/agent': KEY, '/keys/session': KEY },
): Source {
  return {
    environment,
    readText(path) {
      const text = files[path];
      if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
      return text;
    },
  };
}

test('the version is that of the package', () => {
  const text = readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8');
  expect(JSON.parse(text)).toHaveProperty('version', VERSION);
});

describe('the settings in the environment', () => {
  test('the public gateway gets its key, its addresses and the defaults', () => {
    const { config, problems } = publicGatewayConfig(sourceWith({ ...PUBLIC, MILLRACE_LISTEN: '[::]:80' }));
    expect(problems).toBeUndefined();
    expect(config).toMatchObject({
      role: 'public',
      listen: { host: '::', port: 80 },
      metricsListen: { host: '0.0.0.0', port: 9090 },
      logLevel: 'info',
      webhookKey: Buffer.alloc(32, 7),
      tokensFile: undefined,
      tokensSecret: undefined,
      database: { url: PUBLIC.MILLRACE_DATABASE_URL, listenUrl: PUBLIC.MILLRACE_DATABASE_URL },
    });
  });

  test('flags take precedence over the environment', () => {
    const source = sourceWith({
      ...PUBLIC,
      MILLRACE_SESSION_LIFETIME: '1h',
      MILLRACE_EXTERNAL_URL: 'https://a',
    });
    expect(publicGatewayConfig(source).config).toMatchObject({
      sessionSeconds: 3600,
      externalUrl: 'https://a',
    });
    expect(
      publicGatewayConfig(withFlags({ sessionLifetime: '7d', sessionIdleTimeout: '8h' }, source)).config,
    ).toMatchObject({
      sessionSeconds: 604_800,
      idleSeconds: 28_800,
      tokenMaxSeconds: 365 * 86_400,
      externalUrl: 'https://a',
    });
    const flagged = publicGatewayConfig(withFlags({ externalUrl: 'https://b/' }, source)).config;
    expect(flagged).toMatchObject({ sessionSeconds: 3600, externalUrl: 'https://b' });
  });

  test('the internal gateway reads only the key of agents', () => {
    const source = sourceWith(INTERNAL, { '/keys/agent': KEY });
    expect(internalGatewayConfig(source).config).toMatchObject({ role: 'internal', tlsDirectory: '/tls' });
  });

  test.each([
    ['', 64 * 1024 * 1024],
    ['0', 64 * 1024 * 1024],
    ['1Gi', 1024 ** 3],
  ])('if MILLRACE_BUILD_LOG_LIMIT is "%s", a build may have %d bytes of log', (limit, bytes) => {
    const source = sourceWith({ ...INTERNAL, MILLRACE_BUILD_LOG_LIMIT: limit }, { '/keys/agent': KEY });
    expect(internalGatewayConfig(source).config?.logLimitBytes).toBe(bytes);
  });

  test('the internal gateway reaches public registries over HTTPS, and others only if they are listed', () => {
    const keys = { '/keys/agent': KEY };
    expect(internalGatewayConfig(sourceWith(INTERNAL, keys)).config?.imageRegistries).toEqual({
      allowedRanges: [],
      plainHttp: [],
    });
    const others = {
      MILLRACE_IMAGE_REGISTRIES_ALLOWED_RANGES: '10.1.0.0/16',
      MILLRACE_IMAGE_REGISTRIES_PLAIN_HTTP: 'registry.local, 10.1.2.3:5000',
    };
    expect(
      internalGatewayConfig(sourceWith({ ...INTERNAL, ...others }, keys)).config?.imageRegistries,
    ).toEqual({
      allowedRanges: ['10.1.0.0/16'],
      plainHttp: ['registry.local', '10.1.2.3:5000'],
    });
    for (const host of ['http://registry.local', 'ann:hunter2@registry.local']) {
      const wrong = { ...INTERNAL, MILLRACE_IMAGE_REGISTRIES_PLAIN_HTTP: `registry.local, ${host}` };
      expect(internalGatewayConfig(sourceWith(wrong, keys)).problems).toEqual([
        'Entry 2 of MILLRACE_IMAGE_REGISTRIES_PLAIN_HTTP is not a host: write hosts like registry.example:5000.',
      ]);
    }
  });

  test('the operator creates the database credentials itself if only a database host is set', () => {
    expect(operatorConfig(sourceWith(OPERATOR)).config).toMatchObject({
      database: { kind: 'own', host: 'millrace-postgres' },
      imagePullPolicy: 'IfNotPresent',
      pods: { imagePullPolicy: 'Always', storage: {}, userNamespaces: 'never' },
    });
  });

  test('the operator serves the admission webhook only if an address is set', () => {
    expect(operatorConfig(sourceWith(OPERATOR)).config?.webhook).toBeUndefined();
    const listen = { ...OPERATOR, MILLRACE_WEBHOOK_LISTEN: '0.0.0.0:10250' };
    const address = { host: '0.0.0.0', port: 10_250 };
    expect(operatorConfig(sourceWith(listen)).config?.webhook).toEqual({
      listen: address,
      certificate: 'own',
    });
    const withCertManager = { ...listen, MILLRACE_WEBHOOK_CERTIFICATE: 'cert-manager' };
    expect(operatorConfig(sourceWith(withCertManager)).config?.webhook).toMatchObject({
      certificate: 'cert-manager',
    });
    expect(operatorConfig(sourceWith({ ...listen, MILLRACE_WEBHOOK_CERTIFICATE: 'none' })).problems).toEqual([
      'MILLRACE_WEBHOOK_CERTIFICATE is "none": use one of own, cert-manager.',
    ]);
  });

  test('a limit of the installation is a number, and 0 means no limit', () => {
    expect(limitedTo('20').config?.defaultLimits).toEqual({ runningBuilds: 20 });
    expect(limitedTo('0').config?.defaultLimits).toEqual({});
    expect(limitedTo('many').problems).toEqual([
      'MILLRACE_DEFAULT_RUNNING_BUILDS is "many": write a number from 0 to 99999.',
    ]);
  });

  test('a secret may come from a file, whose last line end is dropped', () => {
    const { MILLRACE_DATABASE_URL, ...rest } = PUBLIC;
    const source = sourceWith(
      { ...rest, MILLRACE_DATABASE_URL_FILE: '/db/url' },
      { '/keys/webhook': KEY, '/keys/session': KEY, '/db/url': `${MILLRACE_DATABASE_URL}\n` },
    );
    expect(publicGatewayConfig(source).config?.database.url).toBe(MILLRACE_DATABASE_URL);
  });
});

const FAULTS: Record<
  string,
  { environment: Record<string, string>; files?: Record<string, string>; problem: string }
> = {
  'a required name is missing': {
    environment: { ...PUBLIC, MILLRACE_NAMESPACE: ' ' },
    problem: 'MILLRACE_NAMESPACE is not set: set it to the namespace of the release.',
  },
  'an address has no port': {
    environment: { ...PUBLIC, MILLRACE_LISTEN: 'localhost' },
    problem: 'MILLRACE_LISTEN is "localhost": write host:port, for example 0.0.0.0:8080.',
  },
  'a port is too large': {
    environment: { ...PUBLIC, MILLRACE_METRICS_LISTEN: ':70000' },
    problem: 'MILLRACE_METRICS_LISTEN is ":70000": write host:port, for example 0.0.0.0:9090.',
  },
  'a value is not one of the allowed words': {
    environment: { ...PUBLIC, MILLRACE_LOG_LEVEL: 'loud' },
    problem: 'MILLRACE_LOG_LEVEL is "loud": use one of trace, debug, info, warn, error.',
  },
  'a URL has another protocol': {
    environment: { ...PUBLIC, MILLRACE_EXTERNAL_URL: 'ftp://x' },
    problem: 'MILLRACE_EXTERNAL_URL is not a URL like https://… or http://….',
  },
  'a URL without a protocol has a password, which is not shown': {
    environment: { ...PUBLIC, MILLRACE_EXTERNAL_URL: 'ann:hunter2@ci.example.org' },
    problem: 'MILLRACE_EXTERNAL_URL is not a URL like https://… or http://….',
  },
  'a URL has a password, which would be shown in every link': {
    environment: { ...PUBLIC, MILLRACE_EXTERNAL_URL: 'https://ann:hunter2@ci.example.org' },
    problem: 'MILLRACE_EXTERNAL_URL has a name or password in it: remove it.',
  },
  'a range has a second size': {
    environment: { ...PUBLIC, MILLRACE_TRUSTED_PROXIES: '10.0.0.0/8/9' },
    problem: 'MILLRACE_TRUSTED_PROXIES has "10.0.0.0/8/9": write ranges like 10.1.0.0/16.',
  },
  'a range has a zone': {
    environment: { ...PUBLIC, MILLRACE_OAUTH_ALLOWED_RANGES: '10.1.0.0/16, fe80::1%eth0/64' },
    problem: 'MILLRACE_OAUTH_ALLOWED_RANGES has "fe80::1%eth0/64": write ranges like 10.1.0.0/16.',
  },
  'the size of a range has too many digits': {
    environment: { ...PUBLIC, MILLRACE_TRUSTED_PROXIES: '10.0.0.0/00000008' },
    problem: 'MILLRACE_TRUSTED_PROXIES has "10.0.0.0/00000008": write ranges like 10.1.0.0/16.',
  },
  'a secret value is not a URL, and is not shown': {
    environment: { ...PUBLIC, MILLRACE_DATABASE_URL: 'hunter2' },
    problem: 'MILLRACE_DATABASE_URL is not a URL like postgres://user:password@host:5432/database.',
  },
  'a secret is given twice': {
    environment: { ...PUBLIC, MILLRACE_DATABASE_URL_FILE: '/db/url' },
    problem: 'MILLRACE_DATABASE_URL and MILLRACE_DATABASE_URL_FILE are both set: keep one.',
  },
  'a session lifetime is not a duration': {
    environment: { ...PUBLIC, MILLRACE_SESSION_LIFETIME: 'a week' },
    problem: 'MILLRACE_SESSION_LIFETIME is "a week": write 0 or a duration like 24h, 7d, 2w, 1M or 1y.',
  },
  'a key file is missing': {
    environment: PUBLIC,
    files: { '/keys/session': KEY },
    problem: '/keys/webhook (from MILLRACE_KEYS_DIR) cannot be read (ENOENT).',
  },
  'a key is too short': {
    environment: PUBLIC,
    files: { '/keys/webhook': 'aHVudGVyMg', '/keys/session': KEY },
    problem: '/keys/webhook holds 7 bytes: a key needs 32, written as base64url.',
  },
};

describe('wrong settings', () => {
  test.each(Object.entries(FAULTS))('are reported in a sentence: %s', (_name, testCase) => {
    const { environment, files, problem } = testCase;
    const { config, problems } = publicGatewayConfig(sourceWith(environment, files));
    expect(config).toBeUndefined();
    expect(problems).toEqual([problem]);
    expect(problems?.join()).not.toContain('hunter2');
  });

  test('of the client are reported without the password in its address', () => {
    expect(clientConfig(sourceWith({ MILLRACE_URL: 'ann:hunter2@ci.example.org' })).problems).toEqual([
      'MILLRACE_URL is not a URL like https://… or http://….',
    ]);
  });

  test('are all reported together', () => {
    expect(internalGatewayConfig(sourceWith({})).problems).toHaveLength(6);
  });
});
