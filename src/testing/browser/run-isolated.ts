import { execFileSync, spawn } from 'node:child_process';
import { forwardConnections } from '#testing/network/forward-connections.ts';

/*
 * node run-isolated.ts SOCKET PORT PROGRAM ARGUMENTS: runs a browser in a network namespace that has nothing
 * but this port, which leads to the Unix socket. `isolated-chromium.ts` starts it.
 */
const [socket = '', port = '', program = '', ...args] = process.argv.slice(2);
execFileSync('ip', ['link', 'set', 'lo', 'up']);
const forwarder = forwardConnections({ path: socket });
forwarder.listen(Number(port), '127.0.0.1', () => {
  // 3 and 4 are the pipes by which Playwright drives the browser.
  const browser = spawn(program, args, { stdio: ['inherit', 'inherit', 'inherit', 3, 4] });
  browser.on('exit', (code) => process.exit(code ?? 1));
});
