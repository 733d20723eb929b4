import { isIP } from 'node:net';
import { CommandError } from '#cli/terminal.ts';

/** The origin of a gateway. Refuses URLs to which a token must not be sent. */
export function serverUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['https:', 'http:'].includes(url.protocol))
    // The error does not quote the text: it may contain a password, or be a token.
    throw new CommandError('this is not the address of a server: write it like https://ci.example.org');
  const { origin, protocol, hostname } = url;
  // This error does not quote the text either.
  if (url.username !== '' || url.password !== '')
    throw new CommandError(
      `remove the name and password from the address: run millrace login ${origin} --username <name>`,
    );
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw new CommandError(`the address of a server has no path: write ${origin}`);
  if (protocol === 'http:' && !isLoopback(hostname)) {
    throw new CommandError(
      `${origin} has no TLS, so anyone on the network path could read the token: ` +
        'use https. Plain http is only for this machine (localhost)',
    );
  }
  return origin;
}

/** Whether requests to this host stay on this machine. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  if (isIP(host) === 4) return host.startsWith('127.');
  return host === '::1' || host === 'localhost' || host.endsWith('.localhost');
}
