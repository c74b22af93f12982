import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from '../../apiserver/index.ts';
import { type ConsoleOptions, type RunCommand, startConsole } from '../../console/server/index.ts';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import {
  type ClusterAccess,
  createKubeClient,
  createTransport,
  type KubeClient,
  loadClusterAccess,
} from '../../src/kube/index.ts';

const csrfHeader = 'x-longshore-csrf';

/** What differs from a plain GET. */
export type Sending = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> };

/** A browser without pages: it keeps cookies, and the token of its session. */
export class ConsoleVisitor {
  readonly #url: string;
  cookie: string = '';
  csrf: string = '';

  constructor(url: string) {
    this.#url = url;
  }

  /** Sends a request as a page of the console does; `headers` replace what it sends. */
  async send(path: string, init: Sending = {}): Promise<Response> {
    const headers: Record<string, string> = {
      ...(this.cookie === '' ? {} : { cookie: this.cookie }),
      ...(this.csrf === '' ? {} : { [csrfHeader]: this.csrf }),
      ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...init.headers,
    };
    const response = await fetch(`${this.#url}${path}`, { redirect: 'manual', ...init, headers });
    const [pair = ''] = (
      response.headers.getSetCookie().find((cookie) => /longshore(-\d+)?=/.test(cookie)) ?? ''
    ).split(';');
    if (pair !== '') this.cookie = pair;
    return response;
  }

  async post(path: string, body: unknown): Promise<Response> {
    return await this.send(path, { method: 'POST', body: JSON.stringify(body) });
  }

  /** Signs in, and keeps the token of the session. */
  async signIn(path: string, body: unknown): Promise<Response> {
    const response = await this.post(path, body);
    if (response.ok) this.csrf = ((await response.clone().json()) as { csrf: string }).csrf;
    return response;
  }
}

/** A console for an API server in memory. */
export interface TestConsole extends AsyncDisposable {
  readonly url: string;
  readonly kube: KubeClient;
  readonly access: ClusterAccess;
  /** A bearer token of the administrator. */
  readonly token: string;
  /** A bearer token of a service account in the namespace default, which is created. */
  tokenOf(serviceAccount: string): Promise<string>;
  /** The latest one-time link. */
  link(): string;
  /** A visitor who signed in by the link, as administrator. */
  administrator(): Promise<ConsoleVisitor>;
}

/** Creates a service account in the namespace default, and a bearer token of it. */
export async function createAccount(kube: KubeClient, access: ClusterAccess, name: string): Promise<string> {
  const metadata = { name, namespace: 'default' };
  await kube.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata }, { fieldManager: 'test' });
  const transport = createTransport(access, { deadlineMs: 30_000, maxBodyBytes: 65_536 });
  try {
    const { text } = await transport.exchange({
      method: 'POST',
      path: `/api/v1/namespaces/default/serviceaccounts/${name}/token`,
      accept: 'application/json',
      contentType: 'application/json',
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
    });
    return (JSON.parse(text) as { status: { token: string } }).status.token;
  } finally {
    transport.close();
  }
}

const noCommands: RunCommand = ({ args }) =>
  Promise.resolve({ exitCode: 0, stdout: JSON.stringify({ args }), stderr: '' });

/** Starts both. The page is a line of text. */
export async function openTestConsole(
  options: Partial<ConsoleOptions> & { readonly crds?: readonly string[] } = {},
): Promise<TestConsole> {
  await using stack = new AsyncDisposableStack();
  const staticDir = await mkdtemp(join(tmpdir(), 'longshore-page-'));
  stack.defer(() => rm(staticDir, { recursive: true, force: true }));
  await writeFile(join(staticDir, 'index.html'), '<!doctype html><title>Longshore</title>');
  const { crds = [], ...rest } = options;
  const server = await startApiServer({ simulation: false, crds: [...crds] });
  stack.defer(() => server.stop());
  const access = await loadClusterAccess({ text: server.kubeconfig });
  const kube = createKubeClient({ access, clock: systemClock });
  stack.defer(() => kube.close());
  let link = '';
  const onLink = (url: string): void => {
    link = url;
  };
  const running = stack.use(
    await startConsole({
      host: '127.0.0.1',
      port: 0,
      externalUrl: undefined,
      tls: undefined,
      proxyCount: 0,
      openStaticDir: () => Promise.resolve(staticDir),
      cluster: { server: access.server, tls: access.tls },
      link: { access, kubeconfigPath: join(staticDir, 'kubeconfig'), onLink, isOpened: true },
      oidc: undefined,
      runCommand: noCommands,
      recentLines: undefined,
      isEmbedded: true,
      version: '0.0.0',
      clock: systemClock,
      log: silentLogger(),
      ...rest,
    }),
  );
  const owned = stack.move();
  return {
    url: running.url,
    kube,
    access,
    token: server.adminToken,
    tokenOf: (name) => createAccount(kube, access, name),
    link: () => link,
    administrator: async () => {
      const visitor = new ConsoleVisitor(running.url);
      await visitor.signIn('/api/sign-in/link', { secret: link.split('#')[1] });
      return visitor;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The messages of a stream, one after the other. */
export async function* streamMessages(response: Response): AsyncGenerator<Record<string, unknown>> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const event = text.slice(0, end);
      text = text.slice(end + 2);
      if (event.startsWith('data: ')) yield JSON.parse(event.slice('data: '.length)) as Record<string, unknown>;
    }
  }
}
