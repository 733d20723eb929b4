import { describe, expect, test } from '@jest/globals';
import { clientConfig } from '#config';
import { chooseServer, prepare, type ServerOptions } from './connect.ts';
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
  const { url, token, from, caFile } = chooseServer(options, config, known);
  return [url, token, from, caFile].join(' ').trim();
}

describe('which server is meant, and which token it gets', () => {
  const cases: Record<string, [options: ServerOptions, environment: Record<string, string>, chosen: string]> =
    {
      'the one of the last login': [{}, {}, `${HERE} of-here of a login /here.pem`],
      'the one that is named': [{ url: `${THERE}/` }, {}, `${THERE} of-there of a login`],
      'the one of the environment, with a login there': [
        {},
        { MILLRACE_URL: THERE },
        `${THERE} of-there of a login`,
      ],
      'the one of the environment, whose token wins over a login': [
        {},
        { MILLRACE_URL: HERE, MILLRACE_TOKEN: 'ci' },
        `${HERE} ci of the environment /here.pem`,
      ],
      'a token in a file': [
        {},
        { MILLRACE_URL: THERE, MILLRACE_TOKEN_FILE: '/token' },
        `${THERE} of-a-file of the environment`,
      ],
      'a named one never gets the token of another': [
        { url: THERE },
        { MILLRACE_URL: HERE, MILLRACE_TOKEN: 'ci' },
        `${THERE} of-there of a login`,
      ],
      'a named one with the token of an environment that names none': [
        { url: THERE },
        { MILLRACE_TOKEN: 'ci' },
        `${THERE} ci of the environment`,
      ],
      'one without a login': [{ url: 'https://new.example.org' }, {}, 'https://new.example.org  of a login'],
      'certificates: those named before those of the environment': [
        { caFile: 'a.pem' },
        { MILLRACE_CA_FILE: 'b.pem' },
        `${HERE} of-here of a login a.pem`,
      ],
      'certificates: those of the environment before those of the login': [
        {},
        { MILLRACE_CA_FILE: 'b.pem' },
        `${HERE} of-here of a login b.pem`,
      ],
    };
  test.each(Object.entries(cases))('%s', (_name, [options, environment, chosen]) => {
    expect(choose(options, environment)).toBe(chosen);
  });

  test('a token without a server is not sent to the one of the last login', () => {
    expect(() => choose({}, { MILLRACE_TOKEN: 'ci' })).toThrow('MILLRACE_URL is not');
  });

  test('no server at all', () => {
    expect(() => choose({}, {}, { servers: {} })).toThrow('no server: run millrace login');
  });

  test('plain http to another machine is refused, wherever the address stands', () => {
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
  'a proxy whose address is none is refused, and its password is not shown: %s',
  async (https_proxy) => {
    await expect(prepare(HERE, undefined, { proxy: { https_proxy } })).rejects.toThrow(
      /^https_proxy is not the address of a proxy(?![^]*secret)/,
    );
  },
);
