import { describe, expect, test } from '@jest/globals';
import { readAgentEnvironment } from './environment.ts';

function variables(): Record<string, string> {
  return {
    MILLRACE_GATEWAY: 'https://gateway:8443',
    MILLRACE_GATEWAY_CA: 'certificate',
    MILLRACE_NONCE: 'once',
    MILLRACE_POD_NAME: 'pod',
    MILLRACE_POD_NAMESPACE: 'team',
    MILLRACE_POD_UID: 'uid',
    MILLRACE_SHIM_PORT: '7357',
    MILLRACE_SHIM_SECRET: 'secret',
  };
}

describe('the environment of the agent', () => {
  test('is read once and deleted', () => {
    const environment = variables();
    expect(readAgentEnvironment(environment)).toMatchObject({
      nonce: 'once',
      shimPort: 7357,
      pod: { uid: 'uid' },
    });
    expect(environment).toEqual({});
  });

  const bad: Record<string, { change: Record<string, string>; says: string }> = {
    'reports all missing variables in one error': {
      change: { MILLRACE_POD_UID: '', MILLRACE_GATEWAY: '' },
      says: 'the environment lacks MILLRACE_GATEWAY, MILLRACE_POD_UID',
    },
    'refuses a gateway without TLS': {
      change: { MILLRACE_GATEWAY: 'http://gateway' },
      says: 'MILLRACE_GATEWAY must begin with https://',
    },
  };
  test.each(Object.entries(bad))('%s', (_name, { change, says }) => {
    expect(() => readAgentEnvironment({ ...variables(), ...change })).toThrow(says);
  });
});
