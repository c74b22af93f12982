import { mapLimit } from '../../src/base/index.ts';
import type { Connection, Question } from '../conformance/connection.ts';
import { below, mutateBytes, type Random, randomOf } from './mutation.ts';

/** A request to be corrupted. */
interface Sample {
  readonly method: string;
  readonly path: string;
  readonly contentType?: string;
  readonly accept?: string;
  readonly body?: unknown;
}

const core = '/api/v1/namespaces/default';
const json = 'application/json';
const mergePatch = 'application/merge-patch+json';
const strategicPatch = 'application/strategic-merge-patch+json';
const jsonPatch = 'application/json-patch+json';
const applyPatch = 'application/apply-patch+yaml';

const container = { name: 'c', image: 'registry.example/c:1', ports: [{ containerPort: 80, protocol: 'TCP' }] };
const template = {
  metadata: { labels: { app: 'f' } },
  spec: { containers: [container], nodeSelector: { os: 'linux' } },
};
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { generateName: 'f-', labels: { app: 'f' }, annotations: { note: 'ä' } },
  spec: { replicas: 1, selector: { matchLabels: { app: 'f' } }, template },
};
const configMap = (name: string): unknown => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { app: 'f' }, finalizers: [] },
  data: { key: 'value', other: 'text' },
  binaryData: { bytes: 'AAEC' },
});
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { generateName: 'f-' },
  spec: { selector: { app: 'f' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }], sessionAffinity: 'None' },
};
const role = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { generateName: 'f-' },
  rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }],
};
const review = {
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectAccessReview',
  spec: { resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods' } },
};

const samples: readonly Sample[] = [
  { method: 'GET', path: `${core}/configmaps?limit=5&labelSelector=app%3Df,tier%20in%20(a,b)&resourceVersion=0` },
  { method: 'GET', path: `${core}/pods?fieldSelector=status.phase%3DRunning,metadata.name!%3Dx&timeoutSeconds=1` },
  { method: 'GET', path: `${core}/configmaps?watch=1&timeoutSeconds=1&allowWatchBookmarks=true&resourceVersion=0` },
  { method: 'GET', path: `${core}/configmaps/base?pretty=true&resourceVersion=1` },
  {
    method: 'GET',
    path: `${core}/configmaps?continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYVx1MDAwMCJ9&limit=2`,
  },
  {
    method: 'GET',
    path: `${core}/configmaps?includeObject=Metadata`,
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  },
  {
    method: 'GET',
    path: '/apis',
    accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json',
  },
  { method: 'GET', path: '/openapi/v3/apis/apps/v1?hash=0123' },
  {
    method: 'POST',
    path: `${core}/configmaps?fieldManager=fuzz&fieldValidation=Strict`,
    contentType: json,
    body: configMap('f-new'),
  },
  {
    method: 'POST',
    path: '/apis/apps/v1/namespaces/default/deployments?dryRun=All&fieldValidation=Warn',
    contentType: json,
    body: deployment,
  },
  { method: 'POST', path: `${core}/services?dryRun=All`, contentType: json, body: service },
  {
    method: 'POST',
    path: '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles?dryRun=All',
    contentType: json,
    body: role,
  },
  { method: 'POST', path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', contentType: json, body: review },
  { method: 'PUT', path: `${core}/configmaps/base`, contentType: json, body: configMap('base') },
  {
    method: 'PATCH',
    path: `${core}/configmaps/base`,
    contentType: mergePatch,
    body: { data: { key: null, more: 'x' } },
  },
  {
    method: 'PATCH',
    path: `${core}/configmaps/base`,
    contentType: jsonPatch,
    body: [
      { op: 'test', path: '/data/other', value: 'text' },
      { op: 'add', path: '/metadata/labels/a~1b', value: 'c' },
    ],
  },
  {
    method: 'PATCH',
    path: `${core}/configmaps/base`,
    contentType: strategicPatch,
    body: { metadata: { $patch: 'merge', labels: { x: 'y' } } },
  },
  {
    method: 'PATCH',
    path: '/apis/apps/v1/namespaces/default/deployments/base',
    contentType: strategicPatch,
    body: {
      spec: {
        template: {
          spec: {
            containers: [
              { name: 'c', $patch: 'delete' },
              { name: 'd', image: 'i' },
            ],
            $setElementOrder: ['d'],
          },
        },
      },
    },
  },
  {
    method: 'PATCH',
    path: `${core}/configmaps/applied?fieldManager=fuzz&force=true`,
    contentType: applyPatch,
    body: configMap('applied'),
  },
  {
    method: 'PATCH',
    path: '/apis/apps/v1/namespaces/default/deployments/applied?fieldManager=fuzz&dryRun=All',
    contentType: applyPatch,
    body: { ...deployment, metadata: { name: 'applied' } },
  },
  {
    method: 'DELETE',
    path: `${core}/configmaps/none?gracePeriodSeconds=0&propagationPolicy=Background`,
    contentType: json,
    body: { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'x' } },
  },
  {
    method: 'POST',
    path: `${core}/serviceaccounts/default/token`,
    contentType: json,
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 600, audiences: ['a'] },
    },
  },
];

/** A path as it can stand in a request line; the rest of what HTTP cannot carry is escaped. */
function asPath(bytes: Buffer): string {
  const text = bytes.toString('latin1').replace(/[^\x21-\x7e]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return text.startsWith('/') ? text : `/${text}`;
}

/** A header without what no HTTP client can send. */
function asHeader(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[^\x20-\x7e]/g, '');
}

/** One request of which some bytes are not as they were. */
function mutatedRequest(random: Random): Question {
  const sample = samples[below(random, samples.length)] as Sample;
  const part = sample.body === undefined ? below(random, 2) : below(random, 6);
  const corrupt = (text: string, isCorrupted: boolean): Buffer =>
    isCorrupted ? mutateBytes(Buffer.from(text), random) : Buffer.from(text);
  const path = asPath(corrupt(sample.path, part === 0));
  const type = asHeader(corrupt(sample.contentType ?? '', part === 1 && sample.contentType !== undefined));
  const accept = asHeader(corrupt(sample.accept ?? json, part === 1));
  const body = sample.body === undefined ? undefined : corrupt(JSON.stringify(sample.body), part > 1);
  const headers = { accept, ...(type === '' ? {} : { 'content-type': type }) };
  return { method: sample.method, path, headers, body };
}

/** What the samples write to. */
export async function prepareForMutations(connection: Connection): Promise<void> {
  const headers = { 'content-type': json };
  const base = { ...deployment, metadata: { name: 'base' } };
  await connection.ask({
    method: 'POST',
    path: `${core}/configmaps`,
    headers,
    body: JSON.stringify(configMap('base')),
  });
  const path = '/apis/apps/v1/namespaces/default/deployments';
  await connection.ask({ method: 'POST', path, headers, body: JSON.stringify(base) });
}

/** An answer of 500 or more, or none. */
export interface ServerFault {
  readonly request: Question;
  /** 0: no answer. */
  readonly status: number;
  readonly text: string;
}

const patienceMs = 30_000;
/** A watch whose end was corrupted runs for half an hour; its first moment is enough. */
const streamMs = 200;

/** Status and text of an answer; of a stream, those of its beginning. */
export async function answerOf(connection: Connection, request: Question): Promise<{ status: number; text: string }> {
  const abort = new AbortController();
  let timer = setTimeout(() => abort.abort(), patienceMs);
  let text = '';
  let status = 0;
  try {
    const response = await connection.open(request, abort.signal);
    status = response.statusCode ?? 0;
    clearTimeout(timer);
    timer = setTimeout(() => abort.abort(), response.headers['content-length'] === undefined ? streamMs : patienceMs);
    for await (const chunk of response) text += (chunk as Buffer).toString('latin1');
  } catch (thrown) {
    if (status === 0) return { status, text: String(thrown) };
  } finally {
    clearTimeout(timer);
  }
  return { status, text };
}

/** Sends mutated requests, some at a time; answers what failed on the server's side. */
export async function sendMutated(
  connection: Connection,
  options: { readonly seed: number; readonly count: number },
): Promise<ServerFault[]> {
  const random = randomOf(options.seed);
  const requests = Array.from({ length: options.count }, () => mutatedRequest(random));
  const faults: ServerFault[] = [];
  await mapLimit(requests, 8, async (request) => {
    const { status, text } = await answerOf(connection, request);
    if (status >= 500 || status === 0) faults.push({ request, status, text: text.slice(0, 500) });
  });
  return faults;
}
