import { existsSync } from 'node:fs';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ShimCommand, ShimExit } from '#adapters/process/shim-commands.ts';
import type { ShimConnection } from '#adapters/process/shim-connection.ts';
import { ShimServer } from '#adapters/process/shim-server.ts';
import { builtInScript } from '#domain/pipeline/built-in/built-in-script.ts';
import { buildTestShim } from '#testing/agent/build-agent.ts';
import { childrenOf, ended, LocalPod, onlyChild, type ShimOptions } from '#testing/agent/local-pod.ts';
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

describe('ending a command', () => {
  test('sends SIGTERM to its process group, and SIGKILL to processes that ignore SIGTERM', async () => {
    const shim = await startShim();
    const polite = shim.run(
      {
        argv: ['/bin/sh'],
        env: {},
        cwd: pod.workdir,
        script: 'trap "exit 9" TERM; echo ready; sleep 1000 & wait',
      },
      { onOutput: () => polite.signal('SIGTERM') },
    );
    expect((await polite.ended).end).toEqual(code(9));
    const stubborn = shim.run(
      {
        argv: ['/bin/sh'],
        env: {},
        cwd: pod.workdir,
        script: 'trap "" TERM; echo ready; while :; do sleep 1; done',
      },
      {
        onOutput: () => {
          stubborn.signal('SIGTERM');
          setTimeout(() => stubborn.signal('SIGKILL'), 100);
        },
      },
    );
    expect((await stubborn.ended).end).toEqual({ kind: 'signal', signal: 9 });
  });

  test('with SIGKILL removes the private files of a script of a built-in type', async () => {
    const shim = await startShim();
    const script = builtInScript(
      'seq 3000 | sed "s,^,$private/key-," | xargs touch; echo "$private"; sleep 1000',
    );
    let printed = '';
    const running = shim.run(
      { argv: ['/bin/sh', '-e'], env: {}, cwd: pod.workdir, script },
      {
        onOutput: (_stream, bytes) => {
          printed += bytes.toString();
          running.signal('SIGKILL');
        },
      },
    );
    expect((await running.ended).end).toEqual({ kind: 'signal', signal: 9 });
    expect(printed).toMatch(/^\/.+\n$/);
    expect(existsSync(printed.trim())).toBe(false);
  });

  test('works directly after the request to run the command', async () => {
    const shim = await startShim();
    const running = shim.run(
      { argv: ['/bin/sleep', '1000'], env: {}, cwd: pod.workdir },
      { onOutput: () => undefined },
    );
    running.signal('SIGKILL');
    expect((await running.ended).end.kind).not.toBe('code');
  });

  test('happens when the connection to the agent breaks: the shim and all its processes end', async () => {
    const child = pod.startShim(binary, 'worker');
    const shim = (await server.gather(['worker'], 300_000)).get('worker');
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const running = shim?.run(
      { argv: ['/bin/sh'], env: {}, cwd: pod.workdir, script: 'setsid sleep 1000 & echo begun; sleep 1000' },
      { onOutput: () => resolve() },
    );
    void running?.ended.catch(() => undefined);
    await begun;
    const pids = childrenOf(onlyChild(child));
    expect(pids).not.toEqual([]);
    shim?.drop();
    expect(await ended(child)).toBe(1);
    expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  });

  test('does not count as success if its container was killed', async () => {
    const child = pod.startShim(binary, 'worker');
    const shim = (await server.gather(['worker'], 300_000)).get('worker');
    const running = shim?.run(
      { argv: ['/bin/sleep', '1000'], env: {}, cwd: pod.workdir },
      { onStarted: () => process.kill(onlyChild(child), 'SIGKILL'), onOutput: () => undefined },
    );
    await expect(running?.ended).rejects.toThrow('the container worker ended');
  });
});

describe('a shim that is not process 1', () => {
  test('ends the processes that its commands left, and no others', async () => {
    const shim = await startShim({ plain: true });
    // A duration that no other process on this machine uses.
    const time = `9${process.pid}`;
    const exit = await run(shim, { script: `(setsid sleep ${time}1 &); sleep ${time}2 & echo $PPID` });
    expect(exit).toMatchObject({ end: code(0), leftovers: false });
    const left = await run(shim, { script: `pgrep -f "sleep ${time}[12]" || echo none` });
    expect(left.stdout).toMatch(/none/);
  });
});
