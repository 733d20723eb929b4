import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpuSecondsOf } from '#bench/process-cost.ts';
import { freePort } from '#testing/network/free-port.ts';
import type { ControlTask } from './controls.ts';

export interface Control {
  base: string;
  /** Processor time of the process so far. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

/** Starts a minimal server in a separate process and waits until it listens. */
export async function startControl(task: ControlTask): Promise<Control> {
  const port = await freePort();
  const child = fork(`${import.meta.dirname}/controls.ts`);
  child.send({ port, ...task });
  await once(child, 'message');
  return {
    base: `http://127.0.0.1:${port}`,
    cpuSeconds: () => cpuSecondsOf(child.pid ?? 0),
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
