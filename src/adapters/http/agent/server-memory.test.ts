import { once } from 'node:events';
import { connect } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { expect, jest, test } from '@jest/globals';
import {
  ask,
  authority,
  fake,
  HOST,
  KEY,
  port,
  useAgentServer,
} from '#testing/http/agent-server-under-test.ts';
import { hashKey } from './sessions.ts';

useAgentServer();

const MIB = 1024 * 1024;
const OTHER_KEY = 'o'.repeat(43);

const gzippedResults = (megabytes: number): Buffer =>
  gzipSync(`${' '.repeat(megabytes * MIB)}{"results":[],"done":false}`);

const sendResults = (key: string, megabytes: number) =>
  ask('/agent/v1/check-results', {
    key,
    body: gzippedResults(megabytes),
    headers: { 'content-encoding': 'gzip' },
  });

/** Makes the next call of `recordVersions` wait until `end` is called. */
function holdNextCall() {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const record = jest.spyOn(fake.parts.flows, 'recordVersions').mockImplementationOnce(async () => {
    begun.resolve();
    await ended.promise;
    return 'recorded';
  });
  return { begun: begun.promise, end: () => ended.resolve(), record };
}

test('the memory of a body is counted until its handler has ended, even if its agent has disconnected', async () => {
  fake.sessions.set(hashKey(KEY), { kind: 'checks', run: 9 });
  const call = holdNextCall();
  const socket = connect({ host: '127.0.0.1', port: port(), ca: authority.certificate, servername: HOST });
  const body = gzippedResults(15);
  const head = [
    'POST /agent/v1/check-results HTTP/1.1',
    `host: ${HOST}`,
    `authorization: Bearer ${KEY}`,
    'content-type: application/json',
    'content-encoding: gzip',
    `content-length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(body);
  await call.begun;
  socket.destroy();
  await once(socket, 'close');
  // The server may notice the closed connection later than this test. Then it refuses this body because of
  // the open connection, and only the next one because of the handler.
  expect(await sendResults(KEY, 15)).toMatchObject({ status: 429 });
  expect(await sendResults(KEY, 15)).toMatchObject({ status: 429 });
  call.end();
  while ((await sendResults(KEY, 15)).status === 429);
});

test('a body is refused for lack of memory while another body of the same agent is handled, and accepted afterwards', async () => {
  for (const key of [KEY, OTHER_KEY]) fake.sessions.set(hashKey(key), { kind: 'checks', run: 9 });
  const call = holdNextCall();
  const first = sendResults(KEY, 15);
  await call.begun;
  expect(await sendResults(KEY, 15)).toMatchObject({
    status: 429,
    body: { detail: 'There is no memory for this body now. Try again in a few seconds.' },
  });
  expect(await sendResults(KEY, 0)).toMatchObject({ status: 200 });
  expect(await sendResults(OTHER_KEY, 4)).toMatchObject({ status: 200 });
  call.end();
  expect(await first).toMatchObject({ status: 200 });
  // The server may notice the end of a response after its client.
  while ((await sendResults(KEY, 15)).status === 429);
  expect(call.record).toHaveBeenCalledTimes(4);
});
