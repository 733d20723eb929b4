import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { makeCertificate, type Certificate } from '#testing/network/certificate.ts';
import { runScript, type ScriptEnd } from '#testing/process/run-script.ts';
import { emailScript } from './email.ts';

const PASSWORD = 'pass"word $(x) \\ü:@';

interface Mail {
  from: string;
  to: string[];
  user: string | undefined;
  secure: boolean;
  headers: string;
  body: string;
}

let certificate: Certificate;
let work = '';
let server: SMTPServer | undefined;
let port = 0;
let seen: Mail[] = [];

beforeAll(async () => {
  certificate = await makeCertificate('mail');
});
beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'millrace-email-'));
  seen = [];
});
afterEach(async () => {
  await new Promise<void>((resolve) => (server ? server.close(resolve) : resolve()));
  server = undefined;
  await rm(work, { recursive: true });
});

async function open(options: SMTPServerOptions = {}): Promise<void> {
  const opened = new SMTPServer({
    key: certificate.key,
    cert: certificate.cert,
    logger: false,
    onAuth({ username, password }, _session, done) {
      const isRight = username === 'ci' && password === PASSWORD;
      done(isRight ? null : new Error('bad login'), isRight ? { user: 'ci' } : undefined);
    },
    onData(stream, { envelope, user, secure }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const [headers = '', body = ''] = Buffer.concat(chunks).toString('latin1').split('\r\n\r\n');
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        seen.push({ from, to, user, secure, headers, body: Buffer.from(body, 'base64').toString() });
        done();
      });
    },
    ...options,
  });
  server = opened;
  opened.on('error', () => undefined);
  await new Promise<void>((resolve) => void opened.listen(0, '127.0.0.1', resolve));
  const address = opened.server.address();
  port = typeof address === 'object' && address ? address.port : 0;
}

const run = (variables: Record<string, string> = {}): Promise<ScriptEnd> =>
  runScript(emailScript, work, {
    param_host: '127.0.0.1',
    param_port: String(port),
    param_username: 'ci',
    param_password: PASSWORD,
    param_ca: certificate.cert,
    param_from: 'ci@example.org',
    param_to: 'ann@example.org',
    BUILD_JOB_NAME: 'unit',
    BUILD_PIPELINE_NAME: 'app',
    BUILD_TEAM_NAME: 'main',
    BUILD_NUMBER: '7',
    notify_build_status: 'failed',
    ...variables,
  });

const withoutTls = { param_tls: 'none', param_username: '', param_password: '' };
const withoutLogin: SMTPServerOptions = { authOptional: true, disabledCommands: ['AUTH', 'STARTTLS'] };

/** The value of a header of the first e-mail, with its folded lines joined. */
const header = (name: string, mail = seen[0]): string =>
  new RegExp(`^${name}: (.*)$`, 'm').exec((mail?.headers ?? '').replaceAll('\r\n ', ' '))?.[1]?.trimEnd() ??
  '';

const decoded = (text: string): string =>
  text.replaceAll(/=\?UTF-8\?B\?([^?]*)\?=\s?/g, (_, word: string) => Buffer.from(word, 'base64').toString());

describe('an e-mail', () => {
  test('has a default subject and text, and is sent over TLS with a login', async () => {
    await open();
    expect(await run({ BUILD_URL: 'https://ci.example/7' })).toMatchObject({ code: 0, stdout: '' });
    expect(seen).toMatchObject([
      {
        from: 'ci@example.org',
        to: ['ann@example.org'],
        user: 'ci',
        secure: true,
        body: '❌ [app/unit] Build #7 - failed\r\n\r\nhttps://ci.example/7\r\n',
      },
    ]);
    expect(decoded(header('Subject'))).toBe('❌ [app/unit] Build #7 - failed');
    expect([header('From'), header('To')]).toEqual(['ci@example.org', 'ann@example.org']);
    expect(header('Content-Type')).toBe('text/plain; charset=utf-8');
    expect(header('Message-ID')).toMatch(/^<[0-9a-f-]{36}@example\.org>$/);
    expect(Date.parse(header('Date'))).toBeGreaterThan(Date.now() - 60_000);
  });

  test('goes over TLS from the first byte if tls is set to tls', async () => {
    await open({ secure: true });
    expect(await run({ param_tls: 'tls' })).toMatchObject({ code: 0 });
    expect(seen).toMatchObject([{ secure: true, user: 'ci' }]);
  });

  test('goes to a relay of the cluster without TLS and login', async () => {
    await open(withoutLogin);
    expect(await run(withoutTls)).toMatchObject({ code: 0 });
    expect(seen).toMatchObject([{ secure: false }]);
  });

  test('has the message, whatever it contains, and several recipients', async () => {
    await open(withoutLogin);
    const message = 'Grüße\n.\n.. $(x)\r\nBcc: all@example.org\n\nend';
    const to = 'ann@example.org, Bö <bo@example.org> ,"C, D" <c@example.org>';
    await run({ ...withoutTls, param_to: to.replace('"C, D"', 'C'), NOTIFY_MESSAGE: message });
    expect(seen).toMatchObject([
      {
        to: ['ann@example.org', 'bo@example.org', 'c@example.org'],
        body: `${message.replaceAll('\r', '').replaceAll('\n', '\r\n')}\r\n`,
      },
    ]);
    expect(header('To')).toBe('ann@example.org, bo@example.org, c@example.org');
  });

  test('encodes a name and a subject outside ASCII, in short lines', async () => {
    await open(withoutLogin);
    const subject = `${'Übergrößenträger '.repeat(8)}\r\nBcc: all@example.org`;
    await run({ ...withoutTls, param_from: '"Mühle" <ci@example.org>', notify_subject: subject });
    expect(decoded(header('Subject'))).toBe(`${'Übergrößenträger '.repeat(8)}Bcc: all@example.org`);
    expect(decoded(header('From'))).toBe('Mühle<ci@example.org>');
    expect(seen[0]?.headers).not.toMatch(/^Bcc/m);
    expect(Math.max(...(seen[0]?.headers.split('\r\n') ?? []).map(({ length }) => length))).toBeLessThan(79);
  });

  test('is sent again if the server is busy', async () => {
    let tries = 0;
    await open({
      ...withoutLogin,
      onMailFrom(_address, _session, done) {
        tries += 1;
        const busy = Object.assign(new Error('later'), { responseCode: 451 });
        done(tries === 1 ? busy : null);
      },
    });
    expect(await run(withoutTls)).toMatchObject({ code: 0 });
    expect(seen).toHaveLength(1);
  });
});

describe('no e-mail is sent', () => {
  test.each<[title: string, variables: Record<string, string>, message: string]>([
    ['with a wrong password', { param_password: 'other' }, 'SMTP answer 535'],
    ['to a server whose certificate is not trusted', { param_ca: '' }, 'did not take the message'],
    ['with a password but without TLS', { param_tls: 'none' }, 'a password needs tls'],
    ['with a header in the sender', { param_from: 'a@b.c\r\nBcc: x@y.z' }, 'control characters'],
    ['with a header in a recipient', { param_to: 'a@b.c\nBcc: x@y.z' }, 'control characters'],
    ['without a sender', { param_from: '' }, 'is not an address'],
    ['without a recipient', { param_to: ' ,' }, 'the parameter to is empty'],
    ['to a text that is not an address', { param_to: 'ann@example.org, bo' }, "'bo' is not an address"],
    [
      'to more recipients than allowed',
      { param_to: Array.from({ length: 51 }, (_, n) => `a${n}@b.c`).join(',') },
      'more than 50',
    ],
    ['through a host that looks like an option', { param_host: '-x' }, 'is not the name of a host'],
    ['through a port that is not a number', { param_port: '2 5' }, 'is not a number'],
    ['with an unknown value of tls', { param_tls: 'ssl' }, 'is none of starttls, tls and none'],
  ])('%s', async (_title, variables, message) => {
    await open();
    const end = await run(variables);
    expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
    expect(end.stderr).not.toContain(PASSWORD);
    expect(seen).toEqual([]);
  });

  test('if the server offers no TLS, and the password is not sent either', async () => {
    const logins: unknown[] = [];
    await open({
      hideSTARTTLS: true,
      disabledCommands: ['STARTTLS'],
      onAuth: (login) => void logins.push(login),
    });
    expect(await run()).toMatchObject({ code: 1 });
    expect([seen, logins]).toEqual([[], []]);
  });
});
