import type { Socket } from 'node:net';

/** Address and port of the client, and port of the server, of connections that this process makes. */
const recognized = new Set<string>();

/** Has servers of this process recognize a connection that begins now, before they accept it. */
export function makeRecognized(socket: Socket, serverPort: number): Socket {
  // The system has chosen the port of the client one tick later.
  return socket.once('connectionAttempt', () => process.nextTick(() => add(socket, serverPort)));
}

function add(socket: Socket, serverPort: number): void {
  const place = `${socket.localAddress} ${socket.localPort} ${serverPort}`;
  recognized.add(place);
  socket.once('close', () => recognized.delete(place));
}

/** Whether this process has made a connection that one of its servers accepted. */
export function isRecognized({ remoteAddress, remotePort, localPort }: Socket): boolean {
  return recognized.has(`${remoteAddress} ${remotePort} ${localPort}`);
}
