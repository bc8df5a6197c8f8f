// A way to a port of loopback that can be cut, mended and led elsewhere.

import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface LoopbackProxy {
  readonly port: number;
  /** Ends all connections. New ones go through. */
  readonly drop: () => void;
  /** Ends all connections, and refuses new ones until it is mended. */
  readonly cut: () => void;
  readonly mend: () => void;
  readonly close: () => void;
}

/** `portNow`: where the next connection leads. */
export async function openProxy(portNow: () => number): Promise<LoopbackProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((from) => {
    if (isCut) {
      from.destroy();
      return;
    }
    const to = connect(portNow(), '127.0.0.1');
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy()).on('close', () => (sockets.delete(socket), other.destroy()));
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    drop,
    cut: () => {
      isCut = true;
      drop();
    },
    mend: () => {
      isCut = false;
    },
    close: () => {
      drop();
      server.close();
    },
  };
}
