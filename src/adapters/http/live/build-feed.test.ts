import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import type { BuildDetail, LogPage } from '#flows/views/ports.ts';
import { BuildFeed } from './build-feed.ts';
import { EventStream } from './event-stream.ts';

const AT = new Date('2026-11-21T10:00:00Z');
const REF = { team: 'main', pipeline: 'app', job: 'unit', number: '1' };
const DETAIL: BuildDetail = {
  id: 1,
  number: '1',
  status: 'started',
  attempt: 1,
  createdAt: AT,
  outputs: [],
  inputs: [],
  inputValues: {},
  steps: [],
};

/** A build whose log the test writes. It counts how often it is read. */
function storedBuild() {
  const chunks: LogPage['chunks'] = [];
  const reads = { logs: 0, build: 0 };
  let complete = false;
  return {
    reads,
    write: (text: string) =>
      void chunks.push({ attempt: 1, sequence: chunks.length + 1, step: '0', text, at: AT }),
    end() {
      complete = true;
    },
    views: {
      async logs(_ref: unknown, after: number) {
        reads.logs += 1;
        return { chunks: chunks.slice(after), hasMore: false, complete, retried: [] };
      },
      async build() {
        reads.build += 1;
        return DETAIL;
      },
    },
  };
}

/** A connection that accepts every write, or none. */
class TestResponse extends ServerResponse {
  text = '';
  acceptsWrites = true;

  constructor() {
    super(new IncomingMessage(new Socket()));
  }
  override write(bytes: Buffer | string): boolean {
    this.text += String(bytes);
    return this.acceptsWrites;
  }
  override end(): this {
    return this;
  }
}

function openReader(acceptsWrites = true) {
  const response = new TestResponse();
  response.acceptsWrites = acceptsWrites;
  return { response, stream: new EventStream(response, 0) };
}

async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
const countLogEvents = ({ text }: TestResponse): number => text.split('event: log\n').length - 1;

test('many viewers of one log cause as many queries as one viewer', async () => {
  const build = storedBuild();
  const feed = new BuildFeed({ ref: REF, views: build.views, failed: () => undefined });
  build.write('one\n');
  const readers = Array.from({ length: 100 }, () => openReader());
  for (const { stream } of readers) feed.add(stream, 0);
  await waitUntil(() => readers.every(({ response }) => countLogEvents(response) === 1));
  const before = build.reads.logs;
  build.write('two\n');
  feed.refresh();
  await waitUntil(() => readers.every(({ response }) => countLogEvents(response) === 2));
  feed.stop();
  expect(before).toBeLessThanOrEqual(2);
  expect(build.reads.logs - before).toBeLessThanOrEqual(2);
  expect(build.reads.build).toBeLessThanOrEqual(2);
});

test('a viewer whose connection is blocked receives everything once it reads again', async () => {
  const build = storedBuild();
  const feed = new BuildFeed({ ref: REF, views: build.views, failed: () => undefined });
  const [quick, slow] = [openReader(), openReader(false)];
  feed.add(quick.stream, 0);
  feed.add(slow.stream, 0);
  for (const text of ['one\n', 'two\n', 'three\n']) {
    build.write(text);
    feed.refresh();
    await waitUntil(() => quick.response.text.includes(JSON.stringify(text)));
  }
  expect(countLogEvents(slow.response)).toBeLessThan(3);
  slow.response.acceptsWrites = true;
  slow.response.emit('drain');
  await waitUntil(() => countLogEvents(slow.response) === 3);
  build.end();
  feed.refresh();
  await waitUntil(
    () => quick.response.text.includes('event: end') && slow.response.text.includes('event: end'),
  );
  feed.stop();
  expect(['one', 'two', 'three'].map((word) => slow.response.text.split(word).length - 1)).toEqual([1, 1, 1]);
});

test('a viewer that resumes after a chunk receives only the following chunks', async () => {
  const build = storedBuild();
  for (const text of ['one\n', 'two\n']) build.write(text);
  build.end();
  const feed = new BuildFeed({ ref: REF, views: build.views, failed: () => undefined });
  const { response, stream } = openReader();
  feed.add(stream, 1);
  await waitUntil(() => response.text.includes('event: end'));
  feed.stop();
  expect([response.text.includes('one'), response.text.includes('two')]).toEqual([false, true]);
});
