import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { createHistogram, monitorEventLoopDelay, type RecordableHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { openNotifications } from '#adapters/database/connection/notifications.ts';
import { rows } from '#adapters/database/connection/pool.ts';
import { sessionCodec } from '#adapters/http/auth/session-token.ts';
import { followBuild } from '#flows/builds/follow-build.ts';
import { triggerJob } from '#flows/builds/trigger-job.ts';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { recordFoundVersions, giveTurns, toSave, WEBHOOK_KEY } from '#testing/stores/stores.ts';
import type { MeasuredGateway } from './gateway.ts';
import { digits, verdict, type Part, type PartEnvironment } from './part.ts';

const READERS = 1000;
/** The limit of open streams per account. */
const STREAMS_PER_ACCOUNT = 100;
const SECONDS = 15;
/** Lines are stored as the gateway stores those of an agent: some at a time, a hundred in a second. */
const BATCH = { lines: 5, everyMs: 50 };
const AIM = { behindMs: 250, grownMib: 100 };
const NAME = { team: 'main', pipeline: 'followed', job: 'unit' };

interface Build {
  build: number;
  attempt: number;
}

/**
 * A thousand readers of one log: how late lines reach them, and how much memory and processor time the
 * gateway uses for them. This process stores the lines; they do not pass through a gateway.
 */
export const streams: Part = {
  name: 'streams',
  async measure(environment) {
    const build = await makeBuild(environment);
    const tokens = await makeSessions(environment);
    const gateway = await environment.startGateway();
    const notifications = openNotifications({ url: environment.databaseUrl, pool: environment.pool });
    const lateness = { sent: createHistogram(), stored: createHistogram(), committed: [] };
    const first = await follow(gateway, tokens[0] ?? '', lateness);
    await sleep(500);
    const memoryBefore = residentKilobytes(gateway.pid);
    const processorBefore = processorSeconds(gateway.pid);
    const readers = [first, ...(await followAll(gateway, tokens, lateness))];
    await gateway.takeDelay();
    const readersDelay = monitorEventLoopDelay({ resolution: 1 });
    readersDelay.enable();
    const stored = createHistogram();
    const sent = await sendLines({ environment, build, notifications, stored, lateness });
    readersDelay.disable();
    const memoryAfter = residentKilobytes(gateway.pid);
    const taken = processorSeconds(gateway.pid) - processorBefore;
    const delay = await gateway.takeDelay();
    await sleep(1000);
    const complete = readers.filter((reader) => reader.lines === sent).length;
    for (const { socket } of readers) socket.destroy();
    await Promise.all([gateway.stop(), notifications.close()]);
    const grown = (memoryAfter - memoryBefore) / 1024;
    return [
      ...behindRows(lateness),
      [
        '… of it the database: lines sent → committed, p50, p99, most',
        `${stored.percentile(50)}, ${stored.percentile(99)}, ${stored.max} ms`,
        '',
      ],
      [
        `… readers that got each of the ${sent} lines once, in order`,
        String(complete),
        verdict(`${READERS}`, complete === READERS),
      ],
      [
        '… memory of the gateway grows by',
        `${digits(grown)} MiB`,
        verdict(`≤ ${AIM.grownMib} MiB`, grown <= AIM.grownMib),
      ],
      [
        '… processor time of the gateway, with opening the streams',
        `${digits((taken / SECONDS) * 100)} %`,
        '',
      ],
      [
        '… event loop delay p99 of the gateway, of the readers',
        `${digits(delay.p99)}, ${digits(readersDelay.percentile(99) / 1e6)} ms`,
        '',
      ],
      ['… the longest', `${digits(delay.max)}, ${digits(readersDelay.max / 1e6)} ms`, ''],
    ];
  },
};

/** Rows for the delay over all chunks that arrived at all readers. */
function behindRows({ sent, stored }: Lateness): string[][] {
  const { max } = sent;
  return [
    [
      `${READERS} readers of a log, 100 lines a second: the latest arrival`,
      `${max} ms`,
      verdict(`≤ ${AIM.behindMs} ms`, max <= AIM.behindMs),
    ],
    ['… p50, p99 of all arrivals', `${sent.percentile(50)}, ${sent.percentile(99)} ms`, ''],
    [
      '… committed → at the reader, p50, p99, most',
      `${stored.percentile(50)}, ${stored.percentile(99)}, ${stored.max} ms`,
      '',
    ],
  ];
}

async function followAll(gateway: MeasuredGateway, tokens: string[], lateness: Lateness): Promise<Reader[]> {
  const readers: Reader[] = [];
  while (readers.length < READERS - 1) {
    const opened = Array.from({ length: Math.min(50, READERS - 1 - readers.length) }, (_, index) =>
      follow(gateway, tokens[Math.floor((readers.length + index + 1) / STREAMS_PER_ACCOUNT)] ?? '', lateness),
    );
    readers.push(...(await Promise.all(opened)));
  }
  return readers;
}

async function makeBuild({ stores, databaseUrl, pool }: PartEnvironment): Promise<Build> {
  const notifications = openNotifications({ url: databaseUrl, pool });
  await stores.teams.saveTeam({ name: NAME.team, namespace: NAME.team });
  const definition = samplePipeline({
    jobs: [job('unit', get('git.app', { trigger: false }), task('test'))],
  });
  const saved = await stores.pipelines.savePipeline(
    toSave(definition, { pipeline: NAME.pipeline, uid: 'followed' }),
  );
  await recordFoundVersions(stores, saved, [{ ref: 'a1' }]);
  const triggered = await triggerJob(
    NAME,
    { by: 'bench' },
    {
      builds: stores.builds,
      notifications,
      now: () => new Date(),
    },
  );
  if (triggered.answer !== 'created') throw new Error('The job of the bench cannot run.');
  await giveTurns(stores);
  const started = (await stores.builds.buildsToStart(100)).find(({ pipeline }) => pipeline === NAME.pipeline);
  if (started === undefined) throw new Error('No build to start.');
  await stores.builds.podCreated(started.id, started.attempt, 'pod', new Date());
  await notifications.close();
  return { build: started.id, attempt: started.attempt };
}

async function makeSessions({ pool, stores }: PartEnvironment): Promise<string[]> {
  const codec = sessionCodec(WEBHOOK_KEY);
  const tokens: string[] = [];
  for (let account = 0; account < READERS / STREAMS_PER_ACCOUNT; account += 1) {
    const username = `reader-${account}`;
    const userId = await pool.oneFirst(rows<{ id: number }>()`
      INSERT INTO users (username) VALUES (${username}) RETURNING id`);
    await pool.query(rows()`
      INSERT INTO team_members (team_id, user_id, role) SELECT id, ${userId}, 'read' FROM teams
        WHERE name = ${NAME.team}`);
    const credentials = await stores.access.accounts.credentials(username);
    const session = {
      id: randomUUID(),
      userId,
      username,
      tokenGen: credentials?.tokenGen ?? 0,
      openedAt: new Date(),
    };
    await stores.access.sessions.openSession({
      ...session,
      address: '',
      client: '',
      action: 'user.signed_in',
    });
    tokens.push(await codec.sign(session));
  }
  return tokens;
}

/** How late lines reach the readers, in milliseconds: since they were sent, and since they were committed. */
interface Lateness {
  sent: RecordableHistogram;
  stored: RecordableHistogram;
  /** Times of commits by line number, in milliseconds since 1970. */
  committed: number[];
}

function recordLateness({ sent, stored, committed }: Lateness, sentAt: number, line: number): void {
  const now = Date.now();
  sent.record(Math.max(1, now - sentAt));
  // A reader may have a line before the sender learns that it was committed.
  stored.record(Math.max(1, now - (committed[line] ?? now)));
}

interface Reader {
  socket: Socket;
  /** Number of the last line received in order; -Infinity if a line was missing or came twice. */
  lines: number;
}

/**
 * Reads over a bare socket to use little processor time. Of the lines in one chunk, records only the oldest.
 */
async function follow({ base }: MeasuredGateway, token: string, lateness: Lateness): Promise<Reader> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const reader = { socket, lines: 0 };
  /** The text after the last whole line. The rest of that line arrives in a later chunk. */
  let incompleteLine = '';
  const path = `/teams/${NAME.team}/pipelines/${NAME.pipeline}/jobs/${NAME.job}/builds/1/events`;
  const answered = new Promise<void>((resolve, reject) => {
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      const received = incompleteLine + text;
      const end = received.lastIndexOf('\n') + 1;
      incompleteLine = received.slice(end);
      const wholeLines = received.slice(0, end);
      const [, sent, line] = /@(\d{13})@ #(\d+)#/.exec(wholeLines) ?? [];
      if (sent !== undefined) recordLateness(lateness, Number(sent), Number(line));
      for (const [, lineNumber] of wholeLines.matchAll(/#(\d+)#/g)) {
        // A repeated or missing line makes the reader count as incomplete for good.
        if (Number(lineNumber) === reader.lines + 1) reader.lines += 1;
        else reader.lines = -Infinity;
      }
      if (received.startsWith('HTTP/1.1 200')) resolve();
      else if (received.startsWith('HTTP/1.1')) reject(new Error(received.slice(0, 200)));
    });
    socket.on('error', reject);
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await answered;
  return reader;
}

interface Sending {
  environment: PartEnvironment;
  build: Build;
  notifications: ReturnType<typeof openNotifications>;
  /** Milliseconds that each batch took until it was committed. */
  stored: RecordableHistogram;
  lateness: Lateness;
}

/** Returns the number of sent lines. */
async function sendLines({ environment, build, notifications, stored, lateness }: Sending): Promise<number> {
  const { stores } = environment;
  const startedAt = performance.now();
  const batches = (SECONDS * 1000) / BATCH.everyMs;
  for (let batch = 0; batch < batches; batch += 1) {
    const at = new Date().toISOString();
    const events = Array.from({ length: BATCH.lines }, (_, index) => {
      const line = batch * BATCH.lines + index + 1;
      const text = `@${Date.now()}@ #${line}# ${'x'.repeat(80)}\n`;
      return { type: 'log' as const, step: '1', text, at, sequence: line };
    });
    const begunAt = performance.now();
    await followBuild(build, events, { builds: stores.builds, notifications });
    stored.record(Math.max(1, Math.round(performance.now() - begunAt)));
    for (const { sequence } of events) lateness.committed[sequence] = Date.now();
    await sleep(Math.max(0, startedAt + (batch + 1) * BATCH.everyMs - performance.now()));
  }
  return batches * BATCH.lines;
}

function residentKilobytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
}

/**
 * Processor time of one process without its children in seconds: `utime` and `stime` of proc_pid_stat(5),
 * which are fields 14 and 15 and count hundredths of a second. The second field, a name in parentheses, may
 * contain spaces.
 */
function processorSeconds(pid: number): number {
  const fieldsFromThird = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const [userTicks, systemTicks] = fieldsFromThird.slice(14 - 3);
  return (Number(userTicks ?? 0) + Number(systemTicks ?? 0)) / 100;
}
