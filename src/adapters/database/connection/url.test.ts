import { expect, test } from '@jest/globals';
import { parseDatabaseUrl } from './url.ts';

const URL_WITHOUT_MODE = 'postgres://ann:secret@db.example.org:5432/millrace';

test.each([
  [URL_WITHOUT_MODE, undefined],
  [`${URL_WITHOUT_MODE}?sslmode=disable`, undefined],
  [`${URL_WITHOUT_MODE}?sslmode=no-verify`, { rejectUnauthorized: false }],
  [`${URL_WITHOUT_MODE}?sslmode=require`, {}],
  [`${URL_WITHOUT_MODE}?sslmode=verify-ca`, { checkServerIdentity: expect.any(Function) }],
  [`${URL_WITHOUT_MODE}?sslmode=verify-full`, {}],
  [`${URL_WITHOUT_MODE}?sslmode=verify-full&sslrootcert=/etc/hostname`, { ca: expect.any(String) }],
])('the sslmode of %s decides how TLS is used', (url, ssl) => {
  expect(parseDatabaseUrl(url)).toEqual({ url: URL_WITHOUT_MODE, ...(ssl !== undefined && { ssl }) });
});

test('other parameters stay in the URL', () => {
  expect(parseDatabaseUrl(`${URL_WITHOUT_MODE}?application_name=a&sslmode=verify-full`).url).toBe(
    `${URL_WITHOUT_MODE}?application_name=a`,
  );
});

test('a server with a known authority is verified fully unless the URL says otherwise', () => {
  expect(parseDatabaseUrl(URL_WITHOUT_MODE, 'PEM').ssl).toEqual({ ca: 'PEM' });
  expect(parseDatabaseUrl(`${URL_WITHOUT_MODE}?sslmode=disable`, 'PEM').ssl).toBeUndefined();
});

test('an unknown mode is refused, and the message has no password', () => {
  expect(() => parseDatabaseUrl(`${URL_WITHOUT_MODE}?sslmode=prefer`)).toThrow(
    "The database's URL has sslmode=prefer: use one of disable, no-verify, require, verify-ca, verify-full.",
  );
});
