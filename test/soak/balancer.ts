import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A Service in small: connections go to one of the ports in turn, to the next if none listens. Disposing it ends it. */
export async function startBalancer(port: number, targets: readonly number[]): Promise<AsyncDisposable> {
  let turn = 0;
  const sockets = new Set<Socket>();
  const join = (client: Socket, triesLeft: number): void => {
    turn += 1;
    const server = connect({ host: '127.0.0.1', port: targets[turn % targets.length] ?? 0 });
    server.once('connect', () => client.pipe(server).pipe(client));
    server.once('error', () => {
      if (server.bytesRead === 0 && !server.writableEnded && triesLeft > 0) join(client, triesLeft - 1);
      else client.destroy();
    });
    server.once('close', () => {
      if (server.bytesRead > 0) client.destroy();
    });
    client.once('close', () => server.destroy());
  };
  const listener = createServer((client) => {
    sockets.add(client);
    client.once('close', () => sockets.delete(client));
    client.on('error', () => client.destroy());
    join(client, targets.length - 1);
  });
  listener.listen(port, '127.0.0.1');
  await once(listener, 'listening');
  return {
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}
