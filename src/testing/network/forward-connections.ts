import { connect, createServer, type NetConnectOpts, type Server } from 'node:net';
import { pipeline } from 'node:stream';

/** A server that forwards each connection to `target`, until either side closes the connection. */
export function forwardConnections(target: NetConnectOpts): Server {
  return createServer((accepted) => {
    const outgoing = connect(target);
    // If one side fails, the other is destroyed: its program sees a connection that ended.
    pipeline(accepted, outgoing, accepted, () => undefined);
  });
}
