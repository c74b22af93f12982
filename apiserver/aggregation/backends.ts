import type { ClientRequest, OutgoingHttpHeaders } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import {
  type CertifiedKey,
  isTrueAt,
  objectAt,
  objectsAt,
  paceConnectionsOf,
  textAt,
  valueAt,
} from '../../src/base/index.ts';
import type { ServiceEndpoint, ServiceResolver } from '../admission/index.ts';
import { asJson, type Cluster, type KubeObject, type ResourceType } from '../core/index.ts';

const group = 'apiregistration.k8s.io';
/** How long a connection may be idle before it is closed. */
const idleMs = 60_000;

/** An APIService that another server stands behind. */
export interface Backend {
  /** Of the APIService. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  readonly isAvailable: boolean;
  /** PEM; empty: the authorities of the system. */
  readonly caBundlePem: string;
  readonly skipsVerification: boolean;
}

/** A request to a backend. */
export interface BackendRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly signal: AbortSignal;
  /** Accepts any certificate: for a request whose answer is not used. */
  readonly isUnverified?: boolean;
}

/** The type of APIServices. */
export function apiServiceType(cluster: Cluster): ResourceType {
  const type = cluster.resource(group, 'apiservices');
  if (type === undefined) throw new Error(`resource apiservices.${group} is not served`);
  return type;
}

/** The backend of an APIService; undefined for those that this server answers itself. */
export function backendOf(object: KubeObject): Backend | undefined {
  const spec = objectAt(asJson(object), 'spec');
  const service = objectAt(spec, 'service');
  // The core group is answered here, whatever its APIService names.
  if (spec === undefined || service === undefined || textAt(spec, 'group') === '') return undefined;
  const conditions = objectsAt(objectAt(asJson(object), 'status'), 'conditions');
  const port = valueAt(service, 'port');
  return {
    name: object.metadata.name ?? '',
    group: textAt(spec, 'group'),
    version: textAt(spec, 'version'),
    service: {
      namespace: textAt(service, 'namespace'),
      name: textAt(service, 'name'),
      port: typeof port === 'number' ? port : 443,
    },
    isAvailable: conditions.some(({ type, status }) => type === 'Available' && status === 'True'),
    caBundlePem: Buffer.from(textAt(spec, 'caBundle'), 'base64').toString(),
    skipsVerification: isTrueAt(spec, 'insecureSkipTLSVerify'),
  };
}

function authorityOf({ host, port }: ServiceEndpoint): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The connections to extension servers: over TLS, with the client certificate of this server, one pool for each APIService. */
export class Backends implements Disposable {
  readonly #cluster: Cluster;
  readonly #type: ResourceType;
  readonly #resolve: ServiceResolver;
  readonly #frontProxy: CertifiedKey;
  readonly #unverified: Agent;
  /** Ends the requests that are open, however slow the other side is. */
  readonly #end = new AbortController();
  readonly #agents = new Map<string, { readonly key: string; readonly agent: Agent }>();

  constructor(deps: {
    readonly cluster: Cluster;
    readonly resolve: ServiceResolver;
    readonly frontProxy: CertifiedKey;
  }) {
    this.#cluster = deps.cluster;
    this.#type = apiServiceType(deps.cluster);
    this.#resolve = deps.resolve;
    this.#frontProxy = deps.frontProxy;
    const { certificatePem: cert, privateKeyPem: key } = deps.frontProxy;
    this.#unverified = paceConnectionsOf(new Agent({ cert, key, rejectUnauthorized: false }), { isRecognized: true });
  }

  /** What serves a group and version instead of this server. */
  find(apiGroup: string, version: string): Backend | undefined {
    const name = `${version}.${apiGroup}`;
    const found = this.#cluster.get(this.#type, { namespace: '', name });
    return found === undefined ? undefined : backendOf(found);
  }

  /** @throws Error when the Service leads nowhere */
  endpointOf({ service }: Backend): ServiceEndpoint {
    return this.#resolve(service);
  }

  /** Where a path of it is, for messages.
   *  @throws Error when the Service leads nowhere */
  urlOf(backend: Backend, path: string): string {
    return `https://${authorityOf(this.endpointOf(backend))}${path}`;
  }

  /** Begins a request; its body is still to be written.
   *  @throws Error when the Service leads nowhere */
  request(backend: Backend, { method, path, headers, signal, isUnverified = false }: BackendRequest): ClientRequest {
    const endpoint = this.endpointOf(backend);
    return httpsRequest({
      method,
      ...endpoint,
      path,
      signal: AbortSignal.any([signal, this.#end.signal]),
      servername: `${backend.service.name}.${backend.service.namespace}.svc`,
      headers: { ...headers, host: authorityOf(endpoint) },
      agent: isUnverified ? this.#unverified : this.#agentOf(backend),
    });
  }

  /** Closes the connections to a backend that does not exist any more. */
  forget(name: string): void {
    this.#agents.get(name)?.agent.destroy();
    this.#agents.delete(name);
  }

  [Symbol.dispose](): void {
    this.#end.abort();
    for (const { agent } of this.#agents.values()) agent.destroy();
    this.#agents.clear();
    this.#unverified.destroy();
  }

  #agentOf({ name, service, caBundlePem, skipsVerification }: Backend): Agent {
    const key = JSON.stringify([service, caBundlePem, skipsVerification]);
    const known = this.#agents.get(name);
    if (known?.key === key) return known.agent;
    this.forget(name);
    const agent = new Agent({
      keepAlive: true,
      timeout: idleMs,
      cert: this.#frontProxy.certificatePem,
      key: this.#frontProxy.privateKeyPem,
      rejectUnauthorized: !skipsVerification,
      ...(caBundlePem === '' ? {} : { ca: caBundlePem }),
    });
    this.#agents.set(name, { key, agent: paceConnectionsOf(agent, { isRecognized: true }) });
    return agent;
  }
}
