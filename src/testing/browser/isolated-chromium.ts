import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { forwardConnections } from '#testing/network/forward-connections.ts';
import { CHROMIUM, installChromium } from './chromium.ts';

/*
 * Chromium closes all its connections (ERR_NETWORK_CHANGED) whenever an interface of the machine appears or
 * disappears, and on a node of a cluster each Pod has one. So a browser beside a cluster gets a network
 * namespace of its own, whose interfaces never change. A Unix socket, which works across network namespaces,
 * connects the browser to the server.
 */
export interface IsolatedChromium {
  browser: Browser;
  /** The address of the server in this browser. Pages there may use the clipboard, as over HTTPS. */
  origin: string;
  close(): Promise<void>;
}

/** Starts a browser that can reach only this server. */
export async function startIsolatedChromium(server: string): Promise<IsolatedChromium> {
  await installChromium();
  const { hostname, port } = new URL(server);
  const browserPort = port === '' ? '8080' : port;
  const folder = await mkdtemp(join(tmpdir(), 'millrace-browser-'));
  const socket = join(folder, 'server.sock');
  const forwarder = forwardConnections({ host: hostname, port: port === '' ? 80 : Number(port) });
  await new Promise<void>((resolve) => forwarder.listen(socket, resolve));
  const program = join(folder, 'chromium');
  await writeFile(program, script(socket, browserPort), { mode: 0o755 });
  // Containers rarely allow a browser sandbox, and this browser opens only pages of this test.
  const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
  return {
    browser,
    origin: `http://localhost:${browserPort}`,
    async close() {
      await browser.close();
      await new Promise((resolve) => forwarder.close(resolve));
      await rm(folder, { recursive: true });
    },
  };
}

/**
 * A program that Playwright starts like Chromium. Users other than root need a user namespace to create a
 * network namespace.
 */
function script(socket: string, port: string): string {
  const main = join(import.meta.dirname, 'run-isolated.ts');
  const isolated = process.getuid?.() === 0 ? 'unshare --net' : 'unshare --map-root-user --net';
  const command = [process.execPath, main, socket, port, CHROMIUM].map((word) => `'${word}'`).join(' ');
  return `#!/bin/sh\nexec ${isolated} ${command} "$@"\n`;
}
