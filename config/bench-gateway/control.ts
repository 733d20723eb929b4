import { fork } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from './gateway.ts';

export interface Control {
  base: string;
  stop(): Promise<void>;
}

/** A server without anything of ours, which inserts a row for each POST if it gets a database. */
export async function startControl(told: {
  databaseUrl?: string;
  answer?: { type: string; body: string };
}): Promise<Control> {
  const port = await freePort();
  const child = fork(`${import.meta.dirname}/controls.ts`);
  child.send({ port, ...told });
  await once(child, 'message');
  return {
    base: `http://127.0.0.1:${port}`,
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
