import { describe, expect, test } from '@jest/globals';
import { clientConfig } from '#config';
import { chooseServer, prepareConnection, type ServerOptions } from './connect.ts';
import type { CredentialsFile } from './credentials.ts';

const [HERE, THERE] = ['https://here.example.org', 'https://there.example.org'];
const KNOWN: CredentialsFile = {
  current: HERE,
  servers: { [HERE]: { token: 'of-here', ca_file: '/here.pem' }, [THERE]: { token: 'of-there' } },
};

function choose(
  options: ServerOptions,
  environment: Record<string, string>,
  known: CredentialsFile = KNOWN,
): string {
  const { config, problems } = clientConfig({ environment, readText: () => 'of-a-file\n' });
  if (problems) throw new Error(problems.join(' '));
  const { url, token, tokenOrigin, caFile } = chooseServer(options, config, known);
  return [url, token, tokenOrigin, caFile].join(' ').trim();
}

describe('the server and its token', () => {
  const cases: Record<string, [options: ServerOptions, environment: Record<string, string>, chosen: string]> =
    {
      'are those of the last login': [{}, {}, `${HERE} of-here of a login /here.pem`],
      'are those of the server option': [{ url: `${THERE}/` }, {}, `${THERE} of-there of a login`],
      'are the server of the environment and the token of the login there': [
        {},
        { MILLRACE_URL: THERE },
        `${THERE} of-there of a login`,
      ],
      'are those of the environment, even if a login there has stored a token': [
        {},
        { MILLRACE_URL: HERE, MILLRACE_TOKEN: 'ci' },
        `${HERE} ci of the environment /here.pem`,
      ],
      'include a token from a file': [
        {},
        { MILLRACE_URL: THERE, MILLRACE_TOKEN_FILE: '/token' },
        `${THERE} of-a-file of the environment`,
      ],
      'never combine the server option with the token of another server': [
        { url: THERE },
        { MILLRACE_URL: HERE, MILLRACE_TOKEN: 'ci' },
        `${THERE} of-there of a login`,
      ],
      'never combine a context with a token of the environment for an unknown server': [
        { context: 'there.example.org' },
        { MILLRACE_TOKEN: 'ci' },
        `${THERE} of-there of a login`,
      ],
      'combine the server option with a token of the environment for any server': [
        { url: THERE },
        { MILLRACE_TOKEN: 'ci' },
        `${THERE} ci of the environment`,
      ],
      'have no token without a login': [
        { url: 'https://new.example.org' },
        {},
        'https://new.example.org  of a login',
      ],
      'prefer the CA file of the option to that of the environment': [
        { caFile: 'a.pem' },
        { MILLRACE_CA_FILE: 'b.pem' },
        `${HERE} of-here of a login a.pem`,
      ],
      'prefer the CA file of the environment to that of the login': [
        {},
        { MILLRACE_CA_FILE: 'b.pem' },
        `${HERE} of-here of a login b.pem`,
      ],
    };
  test.each(Object.entries(cases))('%s', (_name, [options, environment, chosen]) => {
    expect(choose(options, environment)).toBe(chosen);
  });

  test('never combine a token of the environment with the server of the last login', () => {
    expect(() => choose({}, { MILLRACE_TOKEN: 'ci' })).toThrow('MILLRACE_URL is not');
  });

  test('are missing without any setting', () => {
    expect(() => choose({}, {}, { servers: {} })).toThrow('no server: run millrace login');
  });

  test('are refused for plain HTTP to another machine', () => {
    const plain = 'http://ci.example.org';
    for (const refused of [
      () => choose({ url: plain }, {}),
      () => choose({}, { MILLRACE_URL: plain }),
      () => choose({}, {}, { current: plain, servers: { [plain]: { token: 'x' } } }),
    ])
      expect(refused).toThrow('has no TLS');
  });
});

test.each(['ann:secret@proxy.example.org', 'http://ann:secret@proxy.example.org:99999'])(
  'an invalid proxy URL is refused without showing its password: %s',
  async (https_proxy) => {
    await expect(prepareConnection(HERE, undefined, { proxy: { https_proxy } })).rejects.toThrow(
      /^https_proxy is not the address of a proxy(?![^]*secret)/,
    );
  },
);
