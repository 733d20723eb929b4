import { expect, test } from '@jest/globals';
import { parseDatabaseUrl } from './url.ts';

const HERE = 'postgres://ann:secret@db.example.org:5432/millrace';

test.each([
  [HERE, undefined],
  [`${HERE}?sslmode=disable`, undefined],
  [`${HERE}?sslmode=no-verify`, { rejectUnauthorized: false }],
  [`${HERE}?sslmode=require`, {}],
  [`${HERE}?sslmode=verify-ca`, { checkServerIdentity: expect.any(Function) }],
  [`${HERE}?sslmode=verify-full`, {}],
  [`${HERE}?sslmode=verify-full&sslrootcert=/etc/hostname`, { ca: expect.any(String) }],
])('the sslmode of %s decides how TLS is used', (url, ssl) => {
  expect(parseDatabaseUrl(url)).toEqual({ url: HERE, ...(ssl !== undefined && { ssl }) });
});

test('other parameters stay in the URL', () => {
  expect(parseDatabaseUrl(`${HERE}?application_name=a&sslmode=verify-full`).url).toBe(
    `${HERE}?application_name=a`,
  );
});

test('a server with a known authority is verified fully unless the URL says otherwise', () => {
  expect(parseDatabaseUrl(HERE, 'PEM').ssl).toEqual({ ca: 'PEM' });
  expect(parseDatabaseUrl(`${HERE}?sslmode=disable`, 'PEM').ssl).toBeUndefined();
});

test('an unknown mode is refused, and the message has no password', () => {
  expect(() => parseDatabaseUrl(`${HERE}?sslmode=prefer`)).toThrow(
    "The database's URL has sslmode=prefer: use one of disable, no-verify, require, verify-ca, verify-full.",
  );
});
