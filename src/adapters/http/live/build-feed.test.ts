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

/** A build whose log a test writes; counts how often it is read. */
function stored() {
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
class Answer extends ServerResponse {
  text = '';
  takes = true;

  constructor() {
    super(new IncomingMessage(new Socket()));
  }
  override write(bytes: Buffer | string): boolean {
    this.text += String(bytes);
    return this.takes;
  }
  override end(): this {
    return this;
  }
}

function reader(takes = true) {
  const answer = new Answer();
  answer.takes = takes;
  return { answer, stream: new EventStream(answer, 0) };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
const lines = ({ text }: Answer): number => text.split('event: log\n').length - 1;

test('many readers of one log cause as many queries as one reader', async () => {
  const build = stored();
  const feed = new BuildFeed({ ref: REF, views: build.views, failed: () => undefined });
  build.write('one\n');
  const readers = Array.from({ length: 100 }, () => reader());
  for (const { stream } of readers) feed.add(stream, 0);
  await until(() => readers.every(({ answer }) => lines(answer) === 1));
  const before = build.reads.logs;
  build.write('two\n');
  feed.refresh();
  await until(() => readers.every(({ answer }) => lines(answer) === 2));
  feed.stop();
  expect(before).toBeLessThanOrEqual(2);
  expect(build.reads.logs - before).toBeLessThanOrEqual(2);
  expect(build.reads.build).toBeLessThanOrEqual(2);
});

test('a reader whose connection is blocked receives everything once it reads again', async () => {
  const build = stored();
  const feed = new BuildFeed({ ref: REF, views: build.views, failed: () => undefined });
  const [quick, slow] = [reader(), reader(false)];
  feed.add(quick.stream, 0);
  feed.add(slow.stream, 0);
  for (const text of ['one\n', 'two\n', 'three\n']) {
    build.write(text);
    feed.refresh();
    await until(() => quick.answer.text.includes(JSON.stringify(text)));
  }
  expect(lines(slow.answer)).toBeLessThan(3);
  slow.answer.takes = true;
  slow.answer.emit('drain');
  await until(() => lines(slow.answer) === 3);
  build.end();
  feed.refresh();
  await until(() => quick.answer.text.includes('event: end') && slow.answer.text.includes('event: end'));
  feed.stop();
  expect(['one', 'two', 'three'].map((word) => slow.answer.text.split(word).length - 1)).toEqual([1, 1, 1]);
});

test('a reader that resumes after a chunk receives only the following chunks', async () => {
  const build = stored();
  for (const text of ['one\n', 'two\n']) build.write(text);
  build.end();
  const feed = new BuildFeed({ ref: REF, views: build.views, failed: () => undefined });
  const { answer, stream } = reader();
  feed.add(stream, 1);
  await until(() => answer.text.includes('event: end'));
  feed.stop();
  expect([answer.text.includes('one'), answer.text.includes('two')]).toEqual([false, true]);
});
