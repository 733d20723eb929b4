import { connect, createServer, type NetConnectOpts, type Server } from 'node:net';
import { pipeline } from 'node:stream';

/** Forwards each connection that it accepts to another place, until either side closes it. */
export function forwardConnections(to: NetConnectOpts): Server {
  return createServer((accepted) => {
    const outgoing = connect(to);
    // If one side fails, the other is destroyed: its program sees a connection that ended.
    pipeline(accepted, outgoing, accepted, () => undefined);
  });
}
