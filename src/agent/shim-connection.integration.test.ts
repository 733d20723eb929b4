import { connect, createServer, type Server } from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ShimCommand, ShimExit } from '#adapters/process/shim-commands.ts';
import type { ShimConnection } from '#adapters/process/shim-connection.ts';
import { ShimServer } from '#adapters/process/shim-server.ts';
import { buildTestShim } from '#testing/agent/build-agent.ts';
import { ended, LocalPod, type ShimOptions } from '#testing/agent/local-pod.ts';
import { freePort } from '#testing/network/free-port.ts';

let binary = '';
beforeAll(async () => {
  binary = await buildTestShim();
}, 600_000);

let pod: LocalPod;
let server: ShimServer;
beforeEach(async () => {
  pod = new LocalPod();
  pod.open(await freePort());
  server = new ShimServer(pod.secret);
  await server.listen(pod.port);
});
afterEach(async () => {
  await pod.close();
  server.close();
});

async function startShim(options: ShimOptions = {}): Promise<ShimConnection> {
  pod.startShim(binary, 'worker', options);
  const shim = (await server.gather(['worker'], 300_000)).get('worker');
  if (!shim) throw new Error('no shim');
  return shim;
}

type Ended = ShimExit & { output: string; stdout: string; stderr: string };

async function run(
  shim: ShimConnection,
  command: Partial<ShimCommand>,
  place: { cwd?: string } = { cwd: pod.workdir },
): Promise<Ended> {
  const printed = { stdout: '', stderr: '' };
  const running = shim.run(
    { argv: ['/bin/sh', '-e'], env: {}, ...place, ...command },
    { onOutput: (stream, bytes) => void (printed[stream] += bytes.toString()) },
  );
  return { ...(await running.ended), ...printed };
}

const code = (value: number): ShimExit['end'] => ({ kind: 'code', code: value });

describe('simultaneous commands of a shim', () => {
  test('run at the same time, each in its own directory, and end independently', async () => {
    const shim = await startShim();
    const long = run(shim, { script: 'sleep 1; echo long' }, {});
    const brief = await run(shim, { script: 'sleep 1000 & setsid sleep 1000 & echo brief' }, {});
    expect(brief).toMatchObject({ end: code(0), stdout: 'brief\n' });
    expect(await long).toMatchObject({ end: code(0), stdout: 'long\n' });
    const after = await run(shim, { script: 'ls -d /proc/[0-9]* | wc -l' });
    expect(Number(after.stdout)).toBeLessThanOrEqual(4);
  });
});

describe('the connection between agent and shim', () => {
  let proxy: Server | undefined;
  let changesFrames = false;
  afterEach(() => {
    proxy?.close();
    changesFrames = false;
  });

  /** A proxy between shim and agent that may change what the shim sends after the handshake. */
  async function startProxy(change: (bytes: Buffer) => Buffer): Promise<number> {
    proxy = createServer((socket) => {
      const upstream = connect(pod.port, '127.0.0.1');
      socket.on('data', (bytes) => upstream.write(changesFrames ? change(bytes) : bytes));
      upstream.pipe(socket);
      const end = (): void => {
        socket.destroy();
        upstream.destroy();
      };
      socket.on('error', end).on('close', end);
      upstream.on('error', end).on('close', end);
    });
    return new Promise((resolve) => {
      proxy?.listen(0, '127.0.0.1', () => {
        const address = proxy?.address();
        resolve(typeof address === 'object' && address ? address.port : 0);
      });
    });
  }

  const changes: Record<string, (bytes: Buffer) => Buffer> = {
    'a changed frame': (bytes) => {
      const at = Math.max(0, bytes.length - 20);
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      return bytes;
    },
    'a repeated frame': (bytes) => Buffer.concat([bytes, bytes]),
    'a frame without a valid signature': (bytes) =>
      Buffer.concat([Buffer.from([0, 0, 0, 32]), Buffer.alloc(32), bytes]),
    'a frame of impossible length': () => Buffer.from([255, 255, 255, 255, 0]),
  };
  test.each(Object.entries(changes))('ends after %s, which is never success', async (_name, change) => {
    const shim = await startShim({ port: await startProxy(change) });
    changesFrames = true;
    await expect(run(shim, { script: 'sleep 0.2; exit 0' })).rejects.toThrow('the container worker');
  });

  test('is refused from a container with another key', async () => {
    const child = pod.startShim(binary, 'worker', { key: '0'.repeat(64) });
    expect(await ended(child)).toBe(1);
    await expect(server.gather(['worker'], 100)).rejects.toThrow('no connection from worker within 0 s');
  });

  test('is refused for a name that is already connected', async () => {
    const connections = server.gather(['worker', 'other'], 300_000);
    const workers = [pod.startShim(binary, 'worker'), pod.startShim(binary, 'worker')];
    expect(await Promise.race(workers.map(ended))).toBe(1);
    pod.startShim(binary, 'other');
    const shim = (await connections).get('worker');
    expect(shim && (await run(shim, { script: 'true' })).end).toEqual(code(0));
  });

  test('is closed if the peer is not a shim', async () => {
    const socket = connect(pod.port, '127.0.0.1');
    const closed = new Promise((resolve) => socket.on('close', resolve).on('error', () => undefined));
    socket.write('GET / HTTP/1.1\r\n\r\n');
    await closed;
    expect((await run(await startShim(), { script: 'true' })).end).toEqual(code(0));
  });

  test('names the containers that are missing', async () => {
    await startShim();
    await expect(server.gather(['worker', 'image-1-a', 'image-2-b'], 1000)).rejects.toThrow(
      'no connection from image-1-a, image-2-b within 1 s',
    );
  });
});
