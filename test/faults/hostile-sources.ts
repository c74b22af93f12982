import { randomBytes } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import { textPacket } from '../../src/sources/git/pkt-line.ts';
import { startWebServer, type WebServer } from '../support/index.ts';

const noise = randomBytes(60_000);
const advertisement = `${textPacket('# service=git-upload-pack\n')}0000${textPacket(`${'1'.repeat(40)} refs/heads/main\0side-band-64k\n`)}0000`;
const digest = `sha256:${'2'.repeat(64)}`;
const layer = { mediaType: 'application/vnd.oci.image.layer.v1.tar', digest };
const config = { mediaType: 'application/vnd.oci.empty.v1+json', digest, size: 2 };

/** Sends a piece again and again, as fast as the client takes it, until the client disconnects. */
export function sendEndlessly(response: ServerResponse, piece: Buffer | string): void {
  const send = (): void => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once('drain', send);
  };
  send();
}

function sideBand(bytes: Buffer): Buffer {
  const head = (bytes.length + 5).toString(16).padStart(4, '0');
  return Buffer.concat([Buffer.from(`${head}\x01`), bytes]);
}

function git(response: ServerResponse, url: string): void {
  const isResult = url.endsWith('/git-upload-pack');
  const type = `application/x-git-upload-pack-${isResult ? 'result' : 'advertisement'}`;
  response.writeHead(200, { 'content-type': type });
  if (isResult) {
    response.write('0008NAK\n');
    if (url.includes('/progress.git')) {
      sendEndlessly(response, textPacket(`\x02${'progress '.repeat(1000)}`));
      return;
    }
    response.write(sideBand(Buffer.from('PACK\0\0\0\x02\0\x0f\0\0', 'latin1')));
    sendEndlessly(
      response,
      url.includes('/tiny.git')
        ? Buffer.concat(Array.from({ length: 10_000 }, () => sideBand(Buffer.from('x'))))
        : sideBand(noise),
    );
  } else if (url.includes('/refs.git')) {
    response.write(`${textPacket('# service=git-upload-pack\n')}0000`);
    sendEndlessly(response, textPacket(`${'3'.repeat(40)} refs/heads/${'x'.repeat(1000)}\n`));
  } else response.end(advertisement);
}

function registry(response: ServerResponse, url: string): void {
  if (url.includes('/blobs/') || url.includes('/large-manifest/')) {
    sendEndlessly(response, noise);
    return;
  }
  const size = url.includes('/huge/') ? 2 ** 50 : 23 * 1024 * 1024;
  const type = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = { schemaVersion: 2, mediaType: type, config, layers: [{ ...layer, size }] };
  response.writeHead(200, { 'content-type': type }).end(JSON.stringify(manifest));
}

/** As large as an index of a repository of charts may be, with as many values as it has room for. */
const largestIndex = `{"entries":{"app":[${'{},'.repeat(21 * 1024 * 1024)}{}]}}`;

/** As many values as one chart may have in it. */
const fullIndex = `entries:\n  other:\n  - {}\n  app:\n${`  - [${'{},'.repeat(85_000)}{}]\n`.repeat(240)}`;

const respond: RequestListener = ({ url = '' }, response) => {
  response.on('error', () => undefined);
  if (url.includes('/largest/index.yaml')) response.end(largestIndex);
  else if (url.includes('/full/index.yaml')) response.end(fullIndex);
  else if (url.startsWith('/v2/')) registry(response, url);
  else if (url.includes('.git/')) git(response, url);
  else sendEndlessly(response, noise);
};

/** A git server, registry and web server whose answers have no end. */
export async function startEndlessServer(): Promise<WebServer> {
  return await startWebServer(respond);
}

/** Sources that are fetched from it. */
export function endlessSources({ url }: WebServer): readonly object[] {
  const { host } = new URL(url);
  const git = ['pack', 'tiny', 'refs', 'progress'].map((name) => ({
    type: 'git',
    git: { repository: `${url}/${name}.git`, ref: { branch: 'main' } },
  }));
  const images = ['endless', 'huge', 'large-manifest'].map((name) => ({
    type: 'image',
    image: { ref: `${host}/${name}/image:v1` },
  }));
  const charts = ['endless', 'largest', 'full'].map((name) => ({
    type: 'http',
    http: { url: `${url}/${name}#chart=app` },
  }));
  return [...git, ...images, ...charts, { type: 'http', http: { url: `${url}/endless.tgz` } }];
}
