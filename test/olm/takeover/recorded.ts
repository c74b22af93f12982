import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterClient } from '../../../apiserver/index.ts';
import {
  createCertificateAuthority,
  isJsonObject,
  issueCertificate,
  type JsonObject,
  objectAt,
  sha256Digest,
  textAt,
} from '../../../src/base/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';

const file = join(import.meta.dirname, '../seen/takeover-state.json');
/** Longer than these tests will be run. */
const lifetimeDays = 36_500;

/** What the real OLM had left on a cluster when it was stopped. */
export interface RecordedState {
  /** In milliseconds since the epoch. */
  readonly atMs: number;
  /** Of the catalogs, by name. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly objects: readonly KubeObject[];
}

/** The cluster makes them by itself, or every one of these tests brings them. */
function isMade(object: KubeObject): boolean {
  const { kind, metadata } = object;
  if (kind === 'Pod' || kind === 'ReplicaSet') return true;
  if (kind === 'APIService') return objectAt(object as JsonObject, 'spec', 'service') === undefined;
  return kind === 'CustomResourceDefinition' && (metadata.name ?? '').endsWith('.operators.coreos.com');
}

function withoutKey(object: KubeObject): KubeObject {
  const { data } = object;
  if (object.kind !== 'Secret' || !isJsonObject(data)) return object;
  const { 'tls.key': _key, ...shown } = data;
  return { ...object, data: shown };
}

/** Records a state. Private keys are left out. */
export async function writeRecorded({ atMs, addresses, objects }: RecordedState): Promise<void> {
  const lines = objects.filter((object) => !isMade(object)).map((object) => `  ${JSON.stringify(withoutKey(object))}`);
  const head = `"atMs": ${atMs},\n "addresses": ${JSON.stringify(addresses)}`;
  await writeFile(file, `{\n ${head},\n "objects": [\n${lines.join(',\n')}\n ]\n}\n`);
}

/** Reads what was recorded. */
export async function readRecorded(): Promise<RecordedState> {
  return JSON.parse(await readFile(file, 'utf8')) as RecordedState;
}

const decode = (text: string): string => Buffer.from(text, 'base64').toString('utf8');
const encode = (text: string): string => Buffer.from(text).toString('base64');
const hashOf = (pem: string): string => sha256Digest(pem).slice('sha256:'.length);

/** New texts for those of the certificate in a Secret: for the same names, from an authority of the same name, and valid for longer. */
async function reissued(data: JsonObject, nowMs: number): Promise<readonly (readonly [string, string])[]> {
  const [authorityPem, certificatePem] = [decode(textAt(data, 'olmCAKey')), decode(textAt(data, 'tls.crt'))];
  const shown = new X509Certificate(certificatePem);
  const dnsNames = (shown.subjectAltName ?? '').split(', ').map((name) => name.replace('DNS:', ''));
  const authority = await createCertificateAuthority({ commonName: 'olm-selfsigned', nowMs, lifetimeDays });
  const name = { commonName: dnsNames[0] ?? '', dnsNames };
  const made = await issueCertificate(authority, { ...name, usage: 'server', nowMs, lifetimeDays });
  return [
    [textAt(data, 'olmCAKey'), encode(authority.certificatePem)],
    [`"${textAt(data, 'tls.crt')}"`, `"${encode(made.certificatePem)}","tls.key":"${encode(made.privateKeyPem)}"`],
    [hashOf(authorityPem), hashOf(authority.certificatePem)],
  ];
}

/** The objects with certificates that are valid, and other addresses of the catalogs. */
export async function renewed(
  { atMs, addresses, objects }: RecordedState,
  served: ReadonlyMap<string, string>,
): Promise<readonly KubeObject[]> {
  let text = JSON.stringify(objects);
  for (const [name, address] of Object.entries(addresses)) text = text.replaceAll(address, served.get(name) ?? '');
  for (const object of objects) {
    const data = objectAt(object as JsonObject, 'data');
    if (object.kind !== 'Secret' || data === undefined) continue;
    for (const [before, after] of await reissued(data, atMs)) text = text.replaceAll(before, after);
  }
  return JSON.parse(text) as KubeObject[];
}

/** What others belong to is created first. */
const order = [
  'Namespace',
  'CustomResourceDefinition',
  'OperatorGroup',
  'CatalogSource',
  'Subscription',
  'ClusterServiceVersion',
  'APIService',
];

function rank({ kind }: KubeObject): number {
  const index = order.indexOf(kind);
  return index < 0 ? order.length : index;
}

/** As a client may create it. */
function creatable(object: KubeObject): KubeObject {
  const { status: _status, ...rest } = object;
  const {
    uid: _uid,
    resourceVersion: _version,
    creationTimestamp: _time,
    generation: _count,
    ...metadata
  } = object.metadata;
  // Its labels have uids of groups, which do not exist yet.
  if (object.kind === 'Namespace') return { ...rest, metadata: { ...metadata, labels: {} } };
  const spec = objectAt(object as JsonObject, 'spec');
  if (object.kind !== 'Service' || spec === undefined) return { ...rest, metadata };
  const { clusterIP: _ip, clusterIPs: _ips, ...free } = spec;
  return { ...rest, metadata, spec: free };
}

const withStatus = /^operators\.coreos\.com\//;

/** Puts recorded objects onto a cluster. Their uids become those that the cluster gives. */
export async function restore(client: ClusterClient, objects: readonly KubeObject[]): Promise<void> {
  const uids = new Map<string, string>();
  const current = <T>(value: T): T => {
    const text = JSON.stringify(value).replace(
      /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g,
      (uid) => uids.get(uid) ?? uid,
    );
    return JSON.parse(text) as T;
  };
  for (const object of objects.toSorted((a, b) => rank(a) - rank(b))) {
    const desired = current(creatable(object));
    const found = await client.find(desired as never);
    const made = found ?? (await client.create(desired as never));
    uids.set(object.metadata.uid ?? '', (made as unknown as KubeObject).metadata.uid ?? '');
  }
  for (const object of objects) {
    const ref = { apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata } as never;
    if (object.kind === 'Namespace') {
      await client.patch(ref, { metadata: { labels: current(object.metadata.labels ?? {}) } });
    }
    if (!withStatus.test(object.apiVersion) || object['status'] === undefined) continue;
    const status = current(object['status']);
    await client.patch(ref, { status }, { subresource: 'status' });
  }
}
