import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename, dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type JsonObject, sha256Digest } from '../../../src/base/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';
import type { SeededRandom } from '../../conformance/random.ts';
import {
  fileEntries,
  type GitServer,
  type Intercept,
  type Registry,
  startGitServer,
  startRegistry,
  startWebServer,
  tarFile,
  type WebServer,
} from '../../support/index.ts';
import type { DesiredState, SourceKind } from './actions.ts';
import { filesOf } from './bundles.ts';

/** Of the requests to a source. */
const faultShare = 0.1;

type Fault = (request: IncomingMessage, response: ServerResponse) => void;

function promiseMoreThanSent(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': 1000 });
  response.write(Buffer.alloc(100), () => response.destroy());
}

/** What a source may do instead of what it should: hang, refuse, disconnect, stop in the middle, lie. */
const faults: readonly [Fault, ...Fault[]] = [
  () => undefined,
  (_request, response) => void response.writeHead(500).end('internal error'),
  (_request, response) => void response.writeHead(429, { 'retry-after': '1' }).end(),
  (request) => void request.socket.destroy(),
  (_request, response) => promiseMoreThanSent(response),
];
const lie: Fault = (_request, response) => void response.writeHead(200).end(Buffer.alloc(200, 'lie'));

/** Only content with a known digest can be verified. */
function isVerified(url: string): boolean {
  return url.includes('/blobs/') || url.startsWith('/archives/');
}

interface Content {
  readonly files: Readonly<Record<string, string>>;
  readonly archive: Buffer;
}

/** The servers behind the sources of a run, with their faults. */
export class Sources implements AsyncDisposable {
  readonly #random: SeededRandom;
  readonly #broken: () => ReadonlySet<SourceKind>;
  readonly #archives = new Map<string, Buffer>();
  readonly #stack = new AsyncDisposableStack();
  #registry: Registry | undefined;
  #git: GitServer | undefined;
  #web: WebServer | undefined;
  /** Whether sources fail by chance. */
  isFaulty = true;

  readonly #publishers: Readonly<
    Record<SourceKind, (id: string, content: Content) => Promise<JsonObject> | JsonObject>
  > = {
    image: (id, { files }) => {
      this.#registry?.putImage(`${id}:v1`, [{ files }]);
      return { type: 'image', image: { ref: `${this.#registry?.host}/${id}:v1` } };
    },
    git: async (id, { files }) => {
      await this.#git?.createRepository(id, [{ files }]);
      return { type: 'git', git: { repository: `${this.#git?.url}/${id}`, ref: { branch: 'main' } } };
    },
    http: (id, { archive }) => {
      this.#archives.set(`/archives/${id}.tgz`, archive);
      const pin = sha256Digest(archive).replace(':', '=');
      return { type: 'http', http: { url: `${this.#web?.url}/archives/${id}.tgz#${pin}` } };
    },
    configMaps: (id, { files }) => {
      const configMaps = [{ configMap: { name: id }, path: dirname(onlyFile(files)[0]) }];
      return { type: 'configMaps', configMaps };
    },
    upload: () => ({ type: 'upload', upload: {} }),
  };

  /** `broken` reports which sources answer nothing but errors now. */
  constructor(random: SeededRandom, broken: () => ReadonlySet<SourceKind>) {
    this.#random = random;
    this.#broken = broken;
  }

  async start(): Promise<void> {
    this.#registry = this.#stack.use(await startRegistry({ intercept: this.#intercept('image') }));
    this.#git = this.#stack.use(await startGitServer({ intercept: this.#intercept('git') }));
    const intercept = this.#intercept('http');
    this.#web = this.#stack.use(
      await startWebServer((request, response) => {
        const archive = this.#archives.get(request.url ?? '');
        if (intercept(request, response)) return;
        response.writeHead(archive === undefined ? 404 : 200).end(archive);
      }),
    );
  }

  /** The source that a template names for a desired state, once its content is there. ConfigMaps and uploads are for others to bring. */
  async publish(name: string, desired: DesiredState): Promise<JsonObject> {
    const files = filesOf(name, desired);
    const id = `${name}-${desired.version}`;
    return await this.#publishers[desired.source](id, { files, archive: archiveOf(name, desired) });
  }

  #intercept(kind: SourceKind): Intercept {
    return (request, response) => {
      if (this.#broken().has(kind)) {
        response.writeHead(503).end();
        return true;
      }
      if (!this.isFaulty || !this.#random.happens(faultShare)) return false;
      const canLie = isVerified(request.url ?? '') && this.#random.happens(0.2);
      (canLie ? lie : this.#random.pick(faults))(request, response);
      return true;
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack[Symbol.asyncDispose]();
  }
}

/** The bundle of a desired state as a tar. */
export function archiveOf(name: string, desired: DesiredState): Buffer {
  return gzipSync(tarFile(fileEntries(filesOf(name, desired))));
}

/** A bundle of these runs has one file. */
function onlyFile(files: Readonly<Record<string, string>>): readonly [string, string] {
  const [first = ['', '']] = Object.entries(files);
  return first;
}

/** The ConfigMap that the bundle of a desired state comes from. */
export function contentMapOf(name: string, desired: DesiredState): KubeObject {
  const [path, text] = onlyFile(filesOf(name, desired));
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}-${desired.version}`, namespace: 'rukpak-system' },
    immutable: true,
    data: { [basename(path)]: text },
  };
}
