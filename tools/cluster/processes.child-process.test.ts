import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { foldersFrom, type Folders } from './folders.ts';
import { identityOf, isAlive, markedProcesses, signal } from './identity.ts';
import { processOf, startPart, stopPart, waitUntilReady, type ClusterPart } from './processes.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
  }
});

const sleeper: ClusterPart = {
  name: 'sleeper',
  command: '/bin/sleep',
  args: ['300'],
  ready: async () => true,
};

describe('a part of the cluster', () => {
  let folders: Folders;
  beforeEach(() => {
    folders = foldersFrom({ MILLRACE_CACHE: mkdtempSync(join(tmpdir(), 'processes-')) });
    mkdirSync(folders.state);
  });
  afterEach(async () => {
    await stopPart(folders, sleeper, 5);
    rmSync(folders.cache, { recursive: true });
  });

  function pidOfPart(): number {
    return processOf(folders, sleeper)?.pid ?? 0;
  }

  function pidFile(): string {
    return join(folders.state, 'pids', 'sleeper.json');
  }

  test('is started once, for any number of calls', () => {
    expect(startPart(folders, sleeper)).toBe(true);
    const pid = pidOfPart();
    expect(startPart(folders, sleeper)).toBe(false);
    expect(pidOfPart()).toBe(pid);
  });

  test('is found by its mark if the starter was killed before it wrote the pid file', () => {
    startPart(folders, sleeper);
    const pid = pidOfPart();
    rmSync(pidFile());
    expect(pidOfPart()).toBe(pid);
    expect(startPart(folders, sleeper)).toBe(false);
  });

  test('is found by its mark if the pid file is incomplete', () => {
    startPart(folders, sleeper);
    const pid = pidOfPart();
    writeFileSync(pidFile(), '{"pid":');
    expect(pidOfPart()).toBe(pid);
  });

  test('is stopped, and a second stop reports that it did not run', async () => {
    startPart(folders, sleeper);
    const identity = identityOf(pidOfPart());
    expect(await stopPart(folders, sleeper, 5)).toBe(true);
    expect(identity).toBeDefined();
    expect(identityOf(identity?.pid ?? 0)).toBeUndefined();
    expect(await stopPart(folders, sleeper, 5)).toBe(false);
  });

  test('is not mistaken for a foreign process that reuses its pid, which keeps running', async () => {
    mkdirSync(join(folders.state, 'pids'));
    const otherProcess = spawn('/bin/sleep', ['300']);
    children.push(otherProcess);
    const identity = identityOf(otherProcess.pid ?? 0);
    writeFileSync(pidFile(), JSON.stringify({ ...identity, startTime: '1' }));
    expect(processOf(folders, sleeper)).toBeUndefined();
    expect(await stopPart(folders, sleeper, 5)).toBe(false);
    expect(identityOf(otherProcess.pid ?? 0)).toEqual(identity);
  });

  test('that exits at once is reported with the end of its log', async () => {
    const failing: ClusterPart = {
      ...sleeper,
      command: '/bin/sh',
      args: ['-c', 'echo the reason; exit 1'],
      ready: async () => false,
    };
    startPart(folders, failing);
    await expect(waitUntilReady(folders, failing)).rejects.toThrow(
      /sleeper ended right after its start[^]*the reason/,
    );
  });

  test('marks its child processes too', async () => {
    startPart(folders, { ...sleeper, command: '/bin/sh', args: ['-c', 'sleep 300 & wait'] });
    // Before the child executes its program, it has the command of the shell. During the exec, it has no
    // environment.
    const commands = () => markedProcesses(folders.state).map((marked) => marked.command);
    while (!commands().includes('sleep')) {
      await sleep(10);
    }
    expect(markedProcesses(folders.state).map((marked) => marked.part)).toEqual(['sleeper', 'sleeper']);
    for (const { identity } of markedProcesses(folders.state)) {
      signal(identity, 'SIGKILL');
    }
  });
});

describe('the identity of a process', () => {
  test('stays the same while it lives', () => {
    expect(identityOf(process.pid)).toEqual(identityOf(process.pid));
  });

  test('is undefined for a zombie', async () => {
    const parent = spawn('/bin/sh', ['-c', 'sleep 0 & echo $!; exec sleep 300']);
    children.push(parent);
    const pid = await new Promise((resolve) => parent.stdout.once('data', resolve));
    await untilZombie(Number(pid));
    expect(identityOf(Number(pid))).toBeUndefined();
  });

  test('of an earlier boot is not alive and gets no signal', () => {
    const own = identityOf(process.pid);
    const fromEarlierBoot = { pid: process.pid, startTime: own?.startTime ?? '', bootId: 'another' };
    expect(isAlive(fromEarlierBoot)).toBe(false);
    expect(signal(fromEarlierBoot, 'SIGKILL')).toBe(false);
  });
});

async function untilZombie(pid: number): Promise<void> {
  while (!readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')) {
    await sleep(10);
  }
}
