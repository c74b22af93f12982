import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { JsonObject, JsonValue } from '../../src/base/index.ts';
import { type CertifiedKey, createCertificateAuthority, issueCertificate } from '../../src/base/index.ts';
import type { Probe } from './probe.ts';

/** `request` of an AdmissionReview. */
export type AdmissionRequest = JsonObject & { readonly uid: string };

/** What a webhook answers: `response` of an AdmissionReview without its uid; or whatever it sends itself. */
export type Answering = (
  request: AdmissionRequest,
  response: ServerResponse,
) => JsonObject | undefined | Promise<JsonObject | undefined>;

/** One webhook of a configuration: what is not given is what most cases need. */
export interface HookOptions {
  readonly answer: Answering;
  /** Over the defaults: asked for ConfigMaps that are created in the case's namespace. */
  readonly spec?: JsonObject;
}

type ConfigurationKind = 'ValidatingWebhookConfiguration' | 'MutatingWebhookConfiguration';

const bodyLimit = 4 * 1024 * 1024;
const sentinelLabel = 'conformance.example.com/sentinel';
const sentinelText = 'the configuration is in force';
let certificate: Promise<{ readonly authority: string; readonly serving: CertifiedKey }> | undefined;

async function makeCertificate(): Promise<{ readonly authority: string; readonly serving: CertifiedKey }> {
  const nowMs = Date.now();
  const authority = await createCertificateAuthority({ commonName: 'hooks', nowMs, lifetimeDays: 1 });
  const request = {
    commonName: '127.0.0.1',
    usage: 'server' as const,
    ipAddresses: ['127.0.0.1'],
    nowMs,
    lifetimeDays: 1,
  };
  return { authority: authority.certificatePem, serving: await issueCertificate(authority, request) };
}

async function readJson(request: IncomingMessage): Promise<JsonObject> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    length += (piece as Buffer).length;
    if (length > bodyLimit) throw new Error('the review is too large');
    pieces.push(piece as Buffer);
  }
  return JSON.parse(Buffer.concat(pieces).toString()) as JsonObject;
}

/** The webhooks of one case, on a server of its own. */
export class Hooks {
  /** Every request that a webhook got, in order, by the webhook's first name. */
  readonly calls: { readonly hook: string; readonly query: string; readonly request: AdmissionRequest }[] = [];
  readonly url: string;
  readonly caBundle: string;
  readonly #api: Probe;
  readonly #answers = new Map<string, Answering>();

  constructor(api: Probe, server: Server, authorityPem: string) {
    const { port } = server.address() as AddressInfo;
    this.#api = api;
    this.url = `https://127.0.0.1:${port}`;
    this.caBundle = Buffer.from(authorityPem).toString('base64');
    api.alias(`127.0.0.1:${port}`, 'hooks');
    api.alias(this.caBundle, 'authority');
    this.#answers.set('sentinel', () => ({ allowed: false, status: { message: sentinelText } }));
  }

  /** Creates a configuration of webhooks by first name, and waits until the server asks them. */
  async install(
    kind: ConfigurationKind,
    hooks: Readonly<Record<string, HookOptions>>,
    name: string = this.#api.unique('configuration'),
  ): Promise<void> {
    for (const [first, { answer }] of Object.entries(hooks)) this.#answers.set(first, answer);
    const sentinel = { objectSelector: { matchLabels: { [sentinelLabel]: name } } };
    const webhooks = [
      ...Object.entries(hooks).map(([first, { spec = {} }]) => this.webhook(first, spec)),
      this.webhook('sentinel', sentinel),
    ];
    const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}s`;
    this.#api.cleanUp(`${path}/${name}`);
    const body = { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name }, webhooks };
    await this.#api.setUp('POST', path, { body });
    await this.#untilInForce(name);
  }

  /** What a path answers that is asked by other means than a configuration: ConversionReviews. */
  answer(first: string, answer: Answering): void {
    this.#answers.set(first, answer);
  }

  /** A webhook of a configuration. */
  webhook(first: string, spec: JsonObject): JsonObject {
    return {
      name: `${first}.hooks.example.com`,
      clientConfig: { url: `${this.url}/${first}`, caBundle: this.caBundle },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': this.#api.namespace } },
      objectSelector: { matchExpressions: [{ key: sentinelLabel, operator: 'DoesNotExist' }] },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...spec,
    };
  }

  /** Records what a webhook was asked: all of it, or what `keep` makes of it. */
  recordCalls(first: string, keep: (request: AdmissionRequest) => unknown = (request): unknown => request): void {
    const own = this.calls.filter(({ hook }) => hook === first);
    this.#api.record(
      `asked ${first}`,
      own.map(({ request }) => keep(request)),
    );
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const hook = path.slice(1);
    const review = await readJson(request);
    const asked = review['request'] as AdmissionRequest;
    if (hook !== 'sentinel') this.calls.push({ hook, query, request: asked });
    const answer = await this.#answers.get(hook)?.(asked, response);
    if (answer === undefined) return;
    const { apiVersion = null, kind = null } = review;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ apiVersion, kind, response: { uid: asked.uid, ...answer } }));
  }

  async #untilInForce(name: string): Promise<void> {
    const path = `/api/v1/namespaces/${this.#api.namespace}/configmaps?dryRun=All`;
    const body = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'sentinel', labels: { [sentinelLabel]: name } },
    };
    const isDenied = (answer: JsonValue): boolean => JSON.stringify(answer).includes(sentinelText);
    await this.#api.eventually(path, isDenied, { method: 'POST', body });
  }
}

/** Starts the webhook server of a case; it ends with the case. */
export async function openHooks(api: Probe): Promise<Hooks> {
  certificate ??= makeCertificate();
  const { authority, serving } = await certificate;
  const server = createServer({ cert: serving.certificatePem, key: serving.privateKeyPem });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const hooks = new Hooks(api, server, authority);
  server.on('request', (request, response) => {
    hooks.serve(request, response).catch(() => response.destroy());
  });
  api.defer(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return hooks;
}
