import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { connect, type TLSSocket } from 'node:tls';
import { createServingCertificate, silentLogger, systemClock, TerminalError } from '../../../src/base/index.ts';
import { startContentServer, Uploads } from '../../../src/content/index.ts';
import { createMetrics } from '../../../src/metrics/index.ts';
import { tarFile } from '../../support/index.ts';
import { type FuzzTarget, promised, type Result } from './target.ts';

const maxUploadBytes = 64 * 1024;
/** Without an answer for so long: the request has no end, and is given one. */
const silenceMs = 100;
const patienceMs = 15_000;

function requestOf(head: readonly string[], body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
}

function seeds(): readonly Buffer[] {
  const body = tarFile([{ path: 'manifests/a.yaml', content: 'a: b\n' }]);
  const common = ['Host: localhost', 'Authorization: Bearer token', 'Connection: close'];
  const size = `Content-Length: ${body.length}`;
  const chunk = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
  return [
    requestOf(['PUT /uploads/a.tgz HTTP/1.1', ...common, size], body),
    requestOf(['PUT /uploads/a.tgz HTTP/1.1', ...common, 'Transfer-Encoding: chunked'], chunk),
    requestOf(['GET /bundles/a.tgz HTTP/1.1', ...common, 'Range: bytes=1-3', 'If-None-Match: "x"'], Buffer.alloc(0)),
  ];
}

/** All that the server sends until it closes. */
async function exchange(socket: TLSSocket, input: Buffer): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const pieces: Buffer[] = [];
  const timer = setTimeout(() => reject(new Error(`no end within ${patienceMs} ms`)), patienceMs);
  const end = (): void => resolve(Buffer.concat(pieces).toString('latin1'));
  const silence = setTimeout(() => socket.end(), silenceMs);
  socket.on('data', (piece: Buffer) => pieces.push(piece));
  socket.on('close', end);
  socket.on('error', end);
  socket.write(input);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    clearTimeout(silence);
    socket.destroy();
  }
}

/** Requests to the content server over TLS, corrupted anywhere. */
export function uploadRequests(): FuzzTarget {
  return {
    name: 'upload requests',
    seeds: seeds(),
    words: [
      '\r\n',
      'Content-Length: 5\r\n',
      'Expect: 100-continue\r\n',
      'Transfer-Encoding: chunked\r\n',
      '/../',
      '%00',
      '\0',
      ' HTTP/1.1',
    ],
    open: async () => {
      const folder = await mkdtemp(`${tmpdir()}/longshore-fuzz-`);
      const uploads = await Uploads.open(`${folder}/uploads`, `${folder}/temporary`);
      const serving = await createServingCertificate({ clock: systemClock, commonName: 'fuzz' });
      const server = await startContentServer({
        clock: systemClock,
        log: silentLogger(),
        metrics: createMetrics(),
        host: '127.0.0.1',
        port: 0,
        serving,
        access: {
          authenticate: ({ token }) => Promise.resolve(token === 'token' ? { username: 'a', groups: [] } : undefined),
          isAllowed: () => Promise.resolve(true),
        },
        fileOf: () => Promise.resolve(undefined),
        upload: async (_name, body, { signal }) => {
          try {
            await uploads.discard(await uploads.receive(body, { maxBytes: maxUploadBytes, signal }));
            return { status: 201, text: '' };
          } catch (thrown) {
            return { status: thrown instanceof TerminalError ? 413 : 400, text: 'refused' };
          }
        },
      });
      const ca = serving.current().caBundlePem;
      return {
        attempt: async (input): Promise<Result> => {
          const { promise, resolve, reject } = Promise.withResolvers<undefined>();
          const socket = connect({ host: '127.0.0.1', port: server.port, ca, servername: 'localhost' }, () =>
            resolve(undefined),
          );
          socket.once('error', reject);
          await promise;
          const answer = await exchange(socket, input);
          const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
          promised(status < 500 || status === 501, `an answer ${answer.slice(0, 200)}`);
          return status >= 200 && status < 300 ? 'accepted' : 'refused';
        },
        [Symbol.asyncDispose]: async () => {
          await server[Symbol.asyncDispose]();
          await rm(folder, { recursive: true, force: true });
        },
      };
    },
  };
}
