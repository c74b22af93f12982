import {
  type CertifiedKey,
  issueCertificate,
  signCertificateRequest,
  silentLogger,
  systemClock,
  writeSecretFile,
} from '../src/base/index.ts';
import {
  type AdmissionPlugin,
  createAdmissionPlugins,
  type HoldWrite,
  heldWrites,
  type ServiceResolver,
} from './admission/index.ts';
import { Aggregation, authenticationData } from './aggregation/index.ts';
import {
  Authenticator,
  type Credentials,
  formatKubeconfig,
  loadCredentials,
  RbacAuthorizer,
  ServiceAccountTokens,
} from './auth/index.ts';
import { ClusterClient, DirectConnection } from './client/index.ts';
import { startControllers } from './controllers/index.ts';
import { type Cluster, TypeRegistry } from './core/index.ts';
import { createDiscovery } from './discovery/index.ts';
import { Faults } from './faults/index.ts';
import { type FirstObjects, install, readFirstObjects } from './first-objects.ts';
import { heldTogether, readTogether } from './held-together.ts';
import {
  type ApiParts,
  connectionPlaces,
  type Delegate,
  HeldStates,
  handlePatch,
  kubernetesVersion,
  type ListenAddress,
  type Listener,
  type LocalAddress,
  listen,
  Pipeline,
  PodPorts,
  PortForwardLimits,
  subresourceHandlers,
  TransferLimits,
  tokenKeyPaths,
  WatchLimits,
} from './http/index.ts';
import type { ApiServerOptions } from './options.ts';
import { applyJsonPatch } from './patch/index.ts';
import {
  bootstrap,
  builtinResourceTypes,
  CustomResources,
  describeServer,
  LiveCluster,
  ObjectWriter,
  StoredServices,
} from './registry/index.ts';
import { startSimulation } from './simulation/index.ts';
import { openStore, type Store } from './storage/index.ts';
import { columnsOfPrinterColumns } from './table/index.ts';
import { knownWebhookServer, planWebhookServer, type WebhookServer } from './webhook-server.ts';

/** A running server. */
export interface ApiServer extends AsyncDisposable {
  readonly url: string;
  readonly caCertificatePem: string;
  readonly adminToken: string;
  readonly adminCertificatePem: string;
  readonly adminKeyPem: string;
  /** YAML. */
  readonly kubeconfig: string;
  readonly cluster: Cluster;
  /** As `system:masters`. */
  readonly client: ClusterClient;
  /** None at the start. */
  readonly faults: Faults;
  /** Where webhooks are expected; undefined unless `webhooks` or `webhookServer` were given. */
  readonly webhookServer: WebhookServer | undefined;
  /** A kubeconfig (YAML) for another user, with a client certificate of their own. They may do what roles and bindings allow. */
  kubeconfigFor(user: string, groups?: readonly string[]): Promise<string>;
  /** Until it is disposed, port-forward to these ports of the pod with this uid reaches the addresses. In other pods nothing runs. */
  listenForPod(uid: string, ports: ReadonlyMap<number, LocalAddress>): Disposable;
  /** Ends watches and connections, waits for writes and for the controllers. */
  stop(): Promise<void>;
}

/** Of certificates for other users. */
const userLifetimeDays = 30;

async function webhookServerOf(options: ApiServerOptions, authority: CertifiedKey): Promise<WebhookServer | undefined> {
  const { webhookServer, webhooks = [] } = options;
  if (webhookServer !== undefined) return knownWebhookServer(webhookServer);
  if (webhooks.length === 0) return undefined;
  return await planWebhookServer(authority, (options.clock ?? systemClock).now());
}

/** Everything of a server but its port. */
class ServerCore {
  readonly store: Store;
  readonly parts: ApiParts;
  readonly cluster: LiveCluster;
  readonly aggregation: Aggregation;
  readonly #shutdown = new AbortController();
  readonly #running: (Disposable | AsyncDisposable)[] = [];
  #plugins: readonly AdmissionPlugin[] = [];
  #description: (port: number) => Promise<void> = async () => {};
  #late: Promise<void> = Promise.resolve();
  readonly #resolveService: ServiceResolver | undefined;

  constructor(options: ApiServerOptions, store: Store, credentials: Credentials) {
    const clock = options.clock ?? systemClock;
    this.store = store;
    this.#resolveService = options.resolveService;
    const services = new StoredServices(store);
    const builtin = builtinResourceTypes({ services: () => services.list(), nowMs: () => clock.now() });
    const types = new TypeRegistry([...builtin, ...(options.extraTypes ?? [])]);
    const writer = new ObjectWriter({ store, clock, plugins: () => this.#plugins });
    const signal = this.#shutdown.signal;
    this.cluster = new LiveCluster({ store, types, writer, signal });
    const { frontProxy } = credentials;
    const { resolveService, log = silentLogger() } = options;
    this.aggregation = new Aggregation({
      cluster: this.cluster,
      clock,
      log,
      frontProxy: frontProxy.client,
      resolveService,
    });
    const tokens = new ServiceAccountTokens(credentials.tokenKeyPem);
    const transfers = new TransferLimits({ maxResponseMs: options.requestTimeoutMs });
    this.parts = {
      store,
      types,
      writer,
      clock,
      tokens,
      authenticator: new Authenticator({
        adminToken: credentials.adminToken,
        tokens,
        now: () => clock.now(),
        lookup: (plural, namespace, name) => store.get(plural, `${namespace}/${name}`)?.object,
      }),
      authorizer: new RbacAuthorizer({
        list: (plural, namespace) =>
          store.list(`${plural}.rbac.authorization.k8s.io`, namespace).map((entry) => entry.object),
        get: (plural, namespace, name) =>
          store.get(`${plural}.rbac.authorization.k8s.io`, `${namespace}/${name}`)?.object,
      }),
      log,
      shutdown: signal,
      watches: new WatchLimits({ connections: connectionPlaces() }),
      transfers,
      heldStates: new HeldStates(store, transfers),
      podPorts: new PodPorts(),
      portForwards: new PortForwardLimits(),
    };
  }

  /** What is there before the first request. */
  async prepare(objects: FirstObjects, credentials: Credentials): Promise<void> {
    const { types, clock, log } = this.parts;
    const clientCaPem = credentials.authority.certificatePem;
    const frontProxyCaPem = credentials.frontProxy.authorityPem;
    const extensionAuthentication = authenticationData({ clientCaPem, frontProxyCaPem });
    const first = { cluster: this.cluster, log, nowMs: clock.now(), extensionAuthentication };
    await bootstrap(first);
    this.#description = (port) => describeServer(first, port);
    const admission = createAdmissionPlugins({
      cluster: this.cluster,
      applyJsonPatch,
      authorizer: this.parts.authorizer,
      resolveService: this.#resolveService,
    });
    this.#plugins = admission.plugins;
    this.#running.push(admission);
    const definitions = this.cluster.resource('apiextensions.k8s.io', 'customresourcedefinitions');
    if (definitions === undefined) return;
    const custom = new CustomResources(
      {
        cluster: this.cluster,
        types,
        clock,
        log,
        columns: columnsOfPrinterColumns,
        callConversion: admission.callConversion,
      },
      definitions,
    );
    this.#running.push(custom);
    for (const crd of objects.crds) await install(this.cluster, definitions, crd);
    await custom.settled();
    await this.store.settled();
    this.store.forgetHistory();
    for (const object of objects.webhooks) {
      const type = this.cluster.resourceOfKind('admissionregistration.k8s.io', object.kind);
      if (type !== undefined) await install(this.cluster, type, object);
    }
  }

  /** From the first request on: before it no one waits for objects. */
  holdWrites(hold: HoldWrite): void {
    this.#plugins = [heldWrites(hold), ...this.#plugins];
  }

  startBackground(about: { readonly authority: CertifiedKey; readonly port: number }, hasSimulation: boolean): void {
    const { authority, port } = about;
    const { clock, log } = this.parts;
    this.#running.push(
      startControllers(this.cluster, {
        clock,
        log,
        authorityPem: authority.certificatePem,
        signCertificate: (...request) => signCertificateRequest(authority, ...request),
        contentsElsewhere: this.aggregation.namespaceContents,
        issueSecretToken: (...about) => this.parts.tokens.issueForSecret(...about),
      }),
    );
    this.aggregation.start();
    this.#running.push(this.aggregation);
    this.#late = this.#description(port).catch((thrown: unknown) => {
      log.error({ err: thrown }, 'server could not describe itself');
    });
    if (hasSimulation) this.#running.push(startSimulation(this.cluster, { clock, log }));
  }

  /** Ends watches; the store stays open for what is in flight. */
  beginStop(): void {
    this.#shutdown.abort();
  }

  async stop(): Promise<void> {
    await this.#late;
    for (const part of this.#running.reverse()) {
      if (Symbol.asyncDispose in part) await part[Symbol.asyncDispose]();
      else part[Symbol.dispose]();
    }
    await this.store.close();
  }
}

function pipelineOf({ parts, aggregation }: ServerCore): Pipeline {
  const keys = tokenKeyPaths(parts.tokens);
  const discovery = createDiscovery(parts.types, kubernetesVersion, aggregation);
  const paths = [discovery, (_exchange: unknown, path: string) => keys(path)];
  const delegate: Delegate = (request) => aggregation.delegate(request);
  return new Pipeline(parts, { paths, subresources: subresourceHandlers, patch: handlePatch, delegate });
}

function stopOnce(core: ServerCore, network: AsyncDisposable): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    core.beginStop();
    await network[Symbol.asyncDispose]();
    await core.stop();
  };
  return () => (stopped ??= stop());
}

interface OpenCore {
  readonly core: ServerCore;
  readonly credentials: Credentials;
  readonly webhookServer: WebhookServer | undefined;
}

/** A server that cannot be opened leaves the data folder to the next attempt. */
async function openCore(options: ApiServerOptions, host: string): Promise<OpenCore> {
  const { dataDir, token } = options;
  const nowMs = (options.clock ?? systemClock).now();
  const store = await openStore(dataDir, { heldTogether, readTogether });
  let core: ServerCore | undefined;
  try {
    const credentials = await loadCredentials({ dataDir, host, nowMs, token });
    const webhookServer = await webhookServerOf(options, credentials.authority);
    const caBundlePem = options.webhookServer?.caBundle ?? credentials.authority.certificatePem;
    const address = webhookServer === undefined ? undefined : { url: webhookServer.url, caBundlePem };
    const objects = await readFirstObjects(options, address);
    core = new ServerCore(options, store, credentials);
    await core.prepare(objects, credentials);
    return { core, credentials, webhookServer };
  } catch (thrown) {
    core?.beginStop();
    await (core?.stop() ?? store.close());
    throw thrown;
  }
}

interface Network extends AsyncDisposable {
  readonly port: number;
  readonly client: ClusterClient;
  readonly faults: Faults;
}

/** The port, which faults guard, and the client that passes them by. */
async function openNetwork(
  { core, credentials }: OpenCore,
  address: { readonly host: string; readonly port: number },
): Promise<Network> {
  const { parts } = core;
  const pipeline = pipelineOf(core);
  const faults = new Faults(parts.clock);
  const mayUpgrade = ({ url = '' }: { readonly url?: string | undefined }): boolean =>
    core.aggregation.isDelegated(url.split('?')[0] ?? '');
  const isOfUser: ListenAddress['isOfUser'] = (headers, socket) =>
    parts.authenticator.identify(headers, socket).kind === 'user';
  let listener: Listener;
  try {
    listener = await listen({ ...address, mayUpgrade, isOfUser }, credentials, (request, response) =>
      pipeline.handle(request, response, faults),
    );
  } catch (thrown) {
    core.beginStop();
    await core.stop();
    throw thrown;
  }
  const connection = new DirectConnection((request, response) => pipeline.handle(request, response));
  const identity = { authorization: `Bearer ${credentials.adminToken}` };
  return {
    port: listener.port,
    faults,
    client: new ClusterClient(connection, parts.types, identity),
    [Symbol.asyncDispose]: async () => {
      connection[Symbol.dispose]();
      await listener.close();
    },
  };
}

/** A client certificate of the server's authority, in a kubeconfig. */
async function kubeconfigFor(
  server: { readonly url: string; readonly credentials: Credentials; readonly nowMs: number },
  user: { readonly commonName: string; readonly organizations: readonly string[] },
): Promise<string> {
  const { url, credentials, nowMs } = server;
  const request = { ...user, usage: 'client' as const, nowMs, lifetimeDays: userLifetimeDays };
  return formatKubeconfig(url, { ...credentials, admin: await issueCertificate(credentials.authority, request) });
}

/** Starts a Kubernetes API server in this process. Many can run at once; each stops on its own.
 *  @throws TerminalError DataFolderInUse, FileNotWritten, ManifestNotFound */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const { host = '127.0.0.1', clock = systemClock } = options;
  const open = await openCore(options, host);
  const { core, credentials, webhookServer } = open;
  if (options.holdWrite !== undefined) core.holdWrites(options.holdWrite);
  const network = await openNetwork(open, { host, port: options.port ?? 0 });
  core.startBackground({ authority: credentials.authority, port: network.port }, options.simulation ?? true);
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${network.port}`;
  const kubeconfig = formatKubeconfig(url, credentials);
  const stop = stopOnce(core, network);
  try {
    if (options.kubeconfigPath !== undefined) await writeSecretFile(options.kubeconfigPath, kubeconfig);
  } catch (thrown) {
    await stop();
    throw thrown;
  }
  return {
    url,
    caCertificatePem: credentials.authority.certificatePem,
    adminToken: credentials.adminToken,
    adminCertificatePem: credentials.admin.certificatePem,
    adminKeyPem: credentials.admin.privateKeyPem,
    kubeconfig,
    kubeconfigFor: (user, groups = []) =>
      kubeconfigFor({ url, credentials, nowMs: clock.now() }, { commonName: user, organizations: groups }),
    cluster: core.cluster,
    client: network.client,
    faults: network.faults,
    webhookServer,
    listenForPod: (uid, ports) => core.parts.podPorts.register(uid, ports),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
