import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ShimCommand, ShimExit } from '#adapters/process/shim-commands.ts';
import type { ShimConnection } from '#adapters/process/shim-connection.ts';
import { ShimServer } from '#adapters/process/shim-server.ts';
import { buildTestShim } from '#testing/agent/build-agent.ts';
import { LocalPod, type ShimOptions } from '#testing/agent/local-pod.ts';
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

describe('a command of the shim', () => {
  const ends: Record<string, { command: Partial<ShimCommand>; end: ShimExit['end']; message?: RegExp }> = {
    'that succeeds': { command: { script: 'true' }, end: code(0) },
    'that fails': { command: { script: 'exit 3' }, end: code(3) },
    'whose script fails half-way': { command: { script: 'false\nexit 0' }, end: code(1) },
    'that was ended by a signal': { command: { script: 'kill -9 $$' }, end: { kind: 'signal', signal: 9 } },
    'that does not exist': {
      command: { argv: ['no-such-program'] },
      end: { kind: 'not-started', code: 127 },
      message: /no-such-program: no such program/,
    },
    'that has no name': {
      command: { argv: [''] },
      end: { kind: 'not-started', code: 127 },
      message: /^there is no program to run: its path is empty$/,
    },
    'that is a directory': {
      command: { argv: ['/tmp'] },
      end: { kind: 'not-started', code: 126 },
      message: /permission denied/,
    },
    'that is not a program': {
      command: { argv: ['/etc/passwd'] },
      end: { kind: 'not-started', code: 126 },
      message: /permission denied/,
    },
    'whose directory cannot be created': {
      command: { cwd: '/proc/nowhere', script: 'true' },
      end: { kind: 'not-started', code: 126 },
      message: /cannot make the working directory/,
    },
    'with a value that is invalid in an environment': {
      command: { env: { A: 'x\0y' }, script: 'true' },
      end: { kind: 'not-started', code: 126 },
      message: /invalid argument/,
    },
    'with more arguments than the kernel allows': {
      command: { argv: ['/bin/true', 'x'.repeat(200_000)] },
      end: { kind: 'not-started', code: 126 },
      message: /too long for the kernel/,
    },
  };
  test.each(Object.entries(ends))('%s reports its exit', async (_name, { command, end, message }) => {
    const exit = await run(await startShim(), command);
    expect(exit.end).toEqual(end);
    expect(exit).toMatchObject({ outOfMemory: false, terminated: false, leftovers: false });
    expect(exit.message).toMatch(message ?? /^$/);
  });

  test('prints to both output streams', async () => {
    const exit = await run(await startShim(), { script: 'echo out; echo err >&2' });
    expect(exit).toMatchObject({ stdout: 'out\n', stderr: 'err\n' });
  });

  test('has its own environment and that of its image, but nothing of the Pod', async () => {
    const environment = { KUBERNETES_SERVICE_HOST: '198.19.0.1', JAVA_HOME: '/java', LANG: 'C.UTF-8' };
    const exit = await run(await startShim({ environment }), {
      env: { param_url: 'x' },
      script: 'env | cut -d= -f1 | sort',
    });
    expect(exit.stdout.trim().split('\n')).toEqual([
      'GIT_CONFIG_COUNT',
      'GIT_CONFIG_KEY_0',
      'GIT_CONFIG_VALUE_0',
      'HOME',
      'JAVA_HOME',
      'LANG',
      'PATH',
      'PWD',
      'TMPDIR',
      'param_url',
    ]);
  });

  test('has a writable home directory, a shared group, and trusts every git directory', async () => {
    const exit = await run(await startShim(), {
      script: 'touch $HOME/x; umask; git config --get-all safe.directory',
    });
    expect(exit.stdout).toBe('0002\n*\n');
  });

  test('keeps its own git settings', async () => {
    const env = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'me' };
    const exit = await run(await startShim(), {
      env,
      script: 'git config user.name; git config safe.directory',
    });
    expect(exit.stdout).toBe('me\n*\n');
  });

  test('does not show its script to other processes', async () => {
    const exit = await run(await startShim(), {
      script: ': secret-in-script; tr "\\0" " " < /proc/$$/cmdline',
    });
    expect(exit.stdout).toMatch(/^\/bin\/sh -e \/\S+\/script $/);
  });

  test('can be a file of the working directory that is not executable yet', async () => {
    const shim = await startShim();
    await run(shim, { script: 'printf "#!/bin/sh\\necho ran \\$1\\n" > build.sh' });
    const exit = await run(shim, { argv: ['build.sh'], makeExecutable: true });
    expect(exit).toMatchObject({ end: code(0), stdout: 'ran\n' });
  });

  test('without a directory runs in a new one, which is removed afterwards', async () => {
    const shim = await startShim();
    const exit = await run(shim, { script: 'touch x; pwd; echo $WORKDIR' }, {});
    const [directory, workdirVariable] = exit.stdout.trim().split('\n');
    expect(workdirVariable).toBe(directory);
    await run(shim, { script: 'true' });
    expect(existsSync(directory ?? '/')).toBe(false);
  });
});

describe('the output file of a command', () => {
  const cases: Record<string, { script: string; output: string; message: RegExp; end: ShimExit['end'] }> = {
    'is returned': {
      script: 'echo a=b >> $SVC_OUTPUT; echo c=d >> $MILLRACE_OUTPUT',
      output: 'a=b\nc=d\n',
      message: /^$/,
      end: code(0),
    },
    'can be replaced by a rename': {
      script: 'echo a=b > x; mv x $SVC_OUTPUT',
      output: 'a=b\n',
      message: /^$/,
      end: code(0),
    },
    'can be missing': { script: 'rm $SVC_OUTPUT', output: '', message: /^$/, end: code(0) },
    'is not followed if it is a link': {
      script: 'ln -sf /etc/passwd $SVC_OUTPUT',
      output: '',
      message: /^$/,
      end: code(0),
    },
    'does not hang the step if it is a pipe': {
      script: 'rm $SVC_OUTPUT; mkfifo $SVC_OUTPUT',
      output: '',
      message: /no longer a plain file/,
      end: { kind: 'not-started', code: 1 },
    },
    'fails the step if it is too large': {
      script: 'head -c 1048577 /dev/zero > $SVC_OUTPUT',
      output: '',
      message: /larger than 1048576 bytes/,
      end: { kind: 'not-started', code: 1 },
    },
  };
  test.each(Object.entries(cases))('%s', async (_name, { script, output, message, end }) => {
    const exit = await run(await startShim(), { script, wantsOutput: true });
    expect(exit.end).toEqual(end);
    expect(exit.output).toBe(output);
    expect(exit.message).toMatch(message);
  });
});

describe('a hostile step', () => {
  test('cannot read the key of its container', async () => {
    const shim = await startShim();
    const script =
      'for f in environ mem maps fd/3 cmdline; do cat /proc/1/$f 2>&1 | head -c 200; done; ' +
      'ls -l /proc/1/fd 2>&1 || true';
    const exit = await run(shim, { script });
    expect(exit.stdout).toMatch(/environ: Permission denied/);
    expect(exit.stdout).toMatch(/mem: Permission denied/);
    expect(exit.stdout).toMatch(/fd.*Permission denied/);
    expect(exit.stdout).not.toMatch(/SHIM_KEY/);
  });

  test('finds no key in the environment that the kernel stores, even as root', async () => {
    const shim = await startShim({ root: true, environment: { MARK: 'plain' } });
    const exit = await run(shim, {
      script: 'cat /proc/1/environ | tr "\\0" "\\n"; echo; tr "\\0" "\\n" < /proc/self/environ',
    });
    expect(exit.stdout).not.toMatch(/[0-9a-f]{64}/);
    expect(exit.stdout).toMatch(/MARK=plain/);
  });

  test('cannot connect to the agent', async () => {
    const shim = await startShim();
    const script = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${pod.port}' 2>&1 || echo refused`;
    expect((await run(shim, { script })).stdout).toMatch(/refused/);
  });

  test('cannot end process 1 or write to it', async () => {
    const shim = await startShim();
    const script =
      'for s in $(seq 1 64); do [ $s = 15 ] || kill -$s 1; done; sleep 0.1; ' +
      'echo x 2>/dev/null > /proc/1/mem || true; exit 3';
    expect((await run(shim, { script })).end).toEqual(code(3));
    expect((await run(shim, { script: 'true' })).end).toEqual(code(0));
  });

  test('that asks its container to end is marked as terminated, with any exit code', async () => {
    const shim = await startShim();
    const exit = await run(shim, { script: 'trap "" TERM; kill -15 1; sleep 0.2; exit 0' });
    expect(exit).toMatchObject({ end: code(0), terminated: true });
  });

  test('cannot imitate the shim by printing frames', async () => {
    const shim = await startShim();
    const script =
      'printf "MRS1\\006worker"; head -c 100000 /dev/urandom; printf ' +
      '"\\0\\0\\0\\30\\5\\0\\0\\0\\1\\0\\0\\0\\0\\0\\0"; exit 7';
    expect((await run(shim, { script })).end).toEqual(code(7));
  });

  test('leaves no process behind: neither daemons nor other sessions, stopped, stubborn or many processes', async () => {
    const shim = await startShim();
    const script = `
      setsid sh -c 'trap "" TERM HUP INT; while :; do sleep 1; done' &
      (setsid sleep 1000 > /dev/null 2>&1 < /dev/null &)
      sleep 1000 & kill -STOP $!
      nohup sh -c 'sleep 1000 & sleep 1000' &
      for i in $(seq 200); do setsid sleep 1000 & done
      exit 0`;
    const exit = await run(shim, { script });
    expect(exit).toMatchObject({ end: code(0), leftovers: false });
    const after = await run(shim, { script: 'ls -d /proc/[0-9]* | wc -l' });
    expect(Number(after.stdout)).toBeLessThanOrEqual(4);
  });

  test('leaves no zombies', async () => {
    const shim = await startShim();
    // Five processes may remain: the shim, this shell, and the three processes of `$(ls … | wc -l)`.
    const script = `for i in $(seq 20); do (sh -c "true & exec sleep 0.01" &); done
      until [ $(ls -d /proc/[0-9]* | wc -l) -le 5 ]; do sleep 0.02; done; echo clean`;
    expect((await run(shim, { script })).stdout).toBe('clean\n');
  });

  test('that prints a lot to a slow reader does not make the shim use much memory', async () => {
    const shim = await startShim();
    const hash = createHash('sha256');
    let bytes = 0;
    let slowReads = 20;
    const command = {
      argv: ['/bin/sh', '-e'],
      env: {},
      cwd: pod.workdir,
      script: 'yes 0123456789 | head -c 100000000',
    };
    const running = shim.run(command, {
      onOutput: async (_stream, part) => {
        hash.update(part);
        bytes += part.length;
        if (slowReads > 0) await sleep(20);
        slowReads -= 1;
      },
    });
    expect((await running.ended).end).toEqual(code(0));
    expect(bytes).toBe(100_000_000);
    const expected = createHash('sha256').update(
      '0123456789\n'.repeat(Math.ceil(100_000_000 / 11)).slice(0, 100_000_000),
    );
    expect(hash.digest('hex')).toBe(expected.digest('hex'));
    const size = await run(shim, {
      script: 'awk "/VmHWM/ {print \\$2}" /proc/1/status',
    });
    expect(Number(size.stdout)).toBeLessThan(40_000);
  });

  test('that fills the disk only ends itself: the next step gets the error and fails', async () => {
    const shim = await startShim({
      environment: { TMPDIR: '/tmp' },
      before:
        'mount -t tmpfs -o size=256k,mode=1777 tmpfs /tmp && mount -t tmpfs -o size=4k,mode=755 ' +
        'tmpfs /var/tmp && mount -t tmpfs -o size=4k,mode=755 tmpfs /dev/shm',
    });
    const filled = await run(shim, { cwd: '/', script: 'cat /dev/zero > /tmp/full' });
    expect(filled.end).toEqual(code(1));
    const next = await run(shim, { cwd: '/', script: 'x'.repeat(8192) });
    expect(next.end).toEqual({ kind: 'not-started', code: 126 });
    expect(next.message).toMatch(/no space left on device/);
    expect((await run(shim, { cwd: '/', argv: ['/bin/rm', '-f', '/tmp/full'] })).end.kind).not.toBe('signal');
  });

  test('that the kernel ended for lack of memory is marked as out of memory', async () => {
    const before =
      'mount -t tmpfs -o mode=777 tmpfs /sys/fs/cgroup && echo "oom_kill 4" > ' +
      '/sys/fs/cgroup/memory.events && chmod 666 /sys/fs/cgroup/memory.events';
    const shim = await startShim({ before });
    const exit = await run(shim, { script: 'echo "oom_kill 5" > /sys/fs/cgroup/memory.events; kill -9 $$' });
    expect(exit).toMatchObject({ end: { kind: 'signal', signal: 9 }, outOfMemory: true });
    expect(await run(shim, { script: 'kill -9 $$' })).toMatchObject({ outOfMemory: false });
  });
});
