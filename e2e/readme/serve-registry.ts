import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { expect } from '@jest/globals';
import { eventually } from '#e2e/support/eventually.ts';
import { freePort } from '#testing/network/free-port.ts';
import { craneBinary } from '#tools/images/push.ts';

export interface Registry {
  address: string;
  close: () => void;
}

/** Starts an image registry on this machine, which stores images in the new folder `disk`. */
export async function serveRegistry(disk: string): Promise<Registry> {
  mkdirSync(disk);
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(await craneBinary(), ['registry', 'serve', '--address', address, '--disk', disk], {
    stdio: 'ignore',
  });
  await eventually(async () => expect((await fetch(`http://${address}/v2/`)).status).toBe(200));
  return { address, close: () => child.kill() };
}
