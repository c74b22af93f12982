import type { RequestListener } from 'node:http';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually, startWebServer } from '../../../test/support/index.ts';
import { createOpenpgpSigner, type OpenpgpSigner } from '../../../test/support/openpgp-signer.ts';
import {
  clusterVersion,
  createClusterVersion,
  openReleaseCluster,
  patchSpec,
  type ReleaseCluster,
  releaseImage,
  runEngine,
} from '../../../test/support/release-cluster.ts';
import { settings, smallRelease, untilAt, untilCondition } from '../../../test/support/small-release.ts';
import { type JsonObject, silentLogger, systemClock, textAt } from '../../base/index.ts';
import { releaseVerification } from './release-verification.ts';

const user = { fieldManager: 'someone' };
const namespace = 'openshift-config-managed';

let trusted: OpenpgpSigner;
let other: OpenpgpSigner;
beforeAll(async () => {
  [trusted, other] = await Promise.all([createOpenpgpSigner(), createOpenpgpSigner()]);
});

let cluster: ReleaseCluster;
let stack: AsyncDisposableStack;
beforeEach(async () => {
  stack = new AsyncDisposableStack();
  cluster = stack.use(await openReleaseCluster());
  for (const name of [namespace, 'openshift-config']) {
    await cluster.kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, user);
  }
});
afterEach(() => stack.disposeAsync());

const digestOf = (version: string): string => releaseImage(version).split('@')[1] ?? '';

function signed(version: string, by: OpenpgpSigner): Promise<Buffer> {
  const critical = {
    type: 'atomic container signature',
    image: { 'docker-manifest-digest': digestOf(version) },
    identity: { 'docker-reference': `registry.example/release:${version}` },
  };
  return by.sign(JSON.stringify({ critical, optional: {} }));
}

/** A release that names keys and stores. */
function keys(signers: Readonly<Record<string, OpenpgpSigner>>, store: string): Record<string, JsonObject> {
  const named = Object.entries(signers).map(([name, { publicKey }]) => [`verifier-public-key-${name}`, publicKey]);
  const annotations = { 'release.openshift.io/verification-config-map': '' };
  const metadata = { name: 'verification', namespace: 'quay', annotations };
  const data = { ...Object.fromEntries(named), 'store-web': store } as JsonObject;
  return { '0000_05_quay_01_keys.yaml': { apiVersion: 'v1', kind: 'ConfigMap', metadata, data } };
}

interface World {
  readonly signers?: Readonly<Record<string, OpenpgpSigner>>;
  readonly store?: string;
  readonly allowsUnsigned?: boolean;
}

/** Version 1.0.0 is installed; 1.1.0 and 1.2.0 can be requested. */
async function install({ signers, store = 'file:///nonexistent', allowsUnsigned = false }: World): Promise<void> {
  const named = signers === undefined ? {} : keys(signers, store);
  const of = (version: string) =>
    smallRelease(cluster, version, { ...named, '0000_10_a_10_x.yaml': settings('x', version) });
  const releases = { '1.0.0': await of('1.0.0'), '1.1.0': await of('1.1.0'), '1.2.0': await of('1.2.0') };
  await createClusterVersion(cluster.kube);
  stack.use(await engine(releases, allowsUnsigned));
  await untilAt(cluster, '1.0.0');
}

function engine(releases: Record<string, string>, allowsUnsigned: boolean): Promise<AsyncDisposable> {
  const { kube } = cluster;
  const verify = releaseVerification({
    kube,
    clock: systemClock,
    log: silentLogger(),
    access: {},
    allowsUnsigned,
  });
  return runEngine(cluster, { releases, first: '1.0.0', verify });
}

const update = (version: string, rest: JsonObject = {}): Promise<void> =>
  patchSpec(cluster.kube, { desiredUpdate: { image: releaseImage(version), ...rest } });
const accepted = (text: string | RegExp): Promise<void> => untilCondition(cluster, 'ReleaseAccepted', text);
const isVerified = async (): Promise<boolean | undefined> =>
  (await clusterVersion(cluster.kube)).status?.history?.[0]?.verified;
const appliedValue = async (): Promise<unknown> => {
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'quay', name: 'x' };
  return ((await cluster.kube.get(ref))['data'] as JsonObject)['value'];
};

/** ConfigMap with signatures under the keys of the digest of a version. */
async function offer(version: string, ...signatures: readonly Buffer[]): Promise<void> {
  const key = digestOf(version).replace(':', '-');
  const binaryData = Object.fromEntries(
    signatures.map((bytes, index) => [`${key}-${index + 1}`, bytes.toString('base64')]),
  );
  const labels = { 'release.openshift.io/verification-signatures': '' };
  const metadata = { name: `signatures-${version}`, namespace, labels };
  await cluster.kube.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, binaryData }, user);
}

/** A store on the web with the signatures of versions. */
async function webStore(signatures: Readonly<Record<string, readonly Buffer[]>>): Promise<string> {
  const files = new Map(
    Object.entries(signatures).flatMap(([version, all]) =>
      all.map((bytes, index): [string, Buffer] => [
        `/${digestOf(version).replace(':', '=')}/signature-${index + 1}`,
        bytes,
      ]),
    ),
  );
  return await webServer((request, response) => {
    const found = files.get(request.url ?? '');
    response.writeHead(found === undefined ? 404 : 200).end(found);
  });
}

async function webServer(answer: RequestListener): Promise<string> {
  return stack.use(await startWebServer(answer)).url;
}

const lead = (version: string): string =>
  `False RetrievePayload Retrieving payload failed version="" image="${releaseImage(version)}" failure=The update cannot be verified: `;
const unable = (version: string, ...names: readonly string[]): string =>
  `${lead(version)}unable to verify ${digestOf(version)} against keyrings: ${names.map((name) => `verifier-public-key-${name}`).join(', ')}`;
const startsWith = (text: string): RegExp => new RegExp(`^${text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}`);

describe('an update is accepted', () => {
  test('CV-104: with a signature in a ConfigMap of the cluster while stores are offline, and the history has it as verified', async () => {
    await install({ signers: { release: trusted }, store: 'http://127.0.0.1:9' });
    await offer('1.1.0', await signed('1.1.0', trusted));
    await update('1.1.0');
    await untilAt(cluster, '1.1.0');
    expect(await isVerified()).toBe(true);
  });

  test('CV-21: with a signature in a store of the running release, which the cluster keeps', async () => {
    const signature = await signed('1.1.0', trusted);
    await install({ signers: { release: trusted }, store: await webStore({ '1.1.0': [signature] }) });
    await update('1.1.0');
    await untilAt(cluster, '1.1.0');
    expect(await isVerified()).toBe(true);
    const kept = await cluster.kube.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'signatures-managed' });
    expect(kept['binaryData']).toEqual({
      [`${digestOf('1.1.0').replace(':', '-')}-0`]: signature.toString('base64'),
    });
    expect(kept.metadata.labels).toHaveProperty('release.openshift.io/verification-signatures');
  });

  test('CV-106: with the second signature, when the first is none', async () => {
    const signatures = [Buffer.from('garbage'), await signed('1.1.0', trusted)];
    await install({ signers: { release: trusted }, store: await webStore({ '1.1.0': signatures }) });
    await update('1.1.0');
    await untilAt(cluster, '1.1.0');
    expect(await isVerified()).toBe(true);
  });

  test('without a signature where the running release names no keys and the settings allow that', async () => {
    await install({ allowsUnsigned: true });
    await update('1.1.0');
    await untilAt(cluster, '1.1.0');
    expect(await isVerified()).toBe(false);
  });

  test('CV-60: by force, which the history records', async () => {
    await install({ signers: { release: trusted } });
    await update('1.1.0', { force: true });
    await untilAt(cluster, '1.1.0');
    const [newest] = (await clusterVersion(cluster.kube)).status?.history ?? [];
    expect(newest?.verified).toBe(false);
    expect(newest?.acceptedRisks).toContain(
      `Target release version="" image="${releaseImage('1.1.0')}" cannot be verified, but continuing anyway because the update was forced: unable to verify ${digestOf('1.1.0')} against keyrings: verifier-public-key-release\n`,
    );
  });
});

describe('CV-20: an update is refused, and nothing of it is applied', () => {
  afterEach(async () => {
    expect(await appliedValue()).toBe('1.0.0');
  });

  test('without a signature; the condition lists each place that was searched', async () => {
    const store = await webStore({});
    await install({ signers: { release: trusted }, store });
    await offer('1.2.0', await signed('1.2.0', trusted));
    await update('1.1.0');
    const path = digestOf('1.1.0').replace(':', '=');
    const prefix = digestOf('1.1.0').replace(':', '-');
    await accepted(
      [
        unable('1.1.0', 'release'),
        `prefix ${prefix} in config map signatures-1.2.0: no more signatures to check`,
        `unable to retrieve signature from ${store}/${path}/signature-1: no more signatures to check`,
        `parallel signature store wrapping containers/image signature store under ${store}/: no more signatures to check`,
      ].join('\n* '),
    );
  });

  test('with the signature of another key', async () => {
    await install({ signers: { release: trusted } });
    await offer('1.1.0', await signed('1.1.0', other));
    await update('1.1.0');
    await accepted(startsWith(`${unable('1.1.0', 'release')}\n* invalid signature`));
  });

  test('with the signature of another release', async () => {
    await install({ signers: { release: trusted } });
    await offer('1.1.0', await signed('1.0.0', trusted));
    await update('1.1.0');
    await accepted(startsWith(`${unable('1.1.0', 'release')}\n* signature digest does not match`));
  });

  test('CV-103: with the signature of one of two keys; the other one is named', async () => {
    await install({ signers: { release: trusted, second: other } });
    await offer('1.1.0', await signed('1.1.0', trusted));
    await update('1.1.0');
    await accepted(startsWith(unable('1.1.0', 'second')));
  });

  test('CV-61: by a tag', async () => {
    await install({ signers: { release: trusted } });
    await patchSpec(cluster.kube, { desiredUpdate: { image: 'registry.example/release:1.1.0' } });
    await accepted(
      /The update cannot be verified: release images that are not accessed via digest cannot be verified$/,
    );
  });

  test('where the running release names no keys; the condition has what to do', async () => {
    await install({});
    await update('1.1.0');
    await accepted(startsWith(`${lead('1.1.0')}verification is not possible\n* the running release has no ConfigMap`));
  });

  test('although releases without keys are allowed: the running one names keys', async () => {
    await install({ signers: { release: trusted }, allowsUnsigned: true });
    await update('1.1.0');
    await accepted(startsWith(unable('1.1.0', 'release')));
  });

  test('CV-105: when its administrator has set other stores; a change of them is tried at once', async () => {
    const full = await webStore({ '1.1.0': [await signed('1.1.0', trusted)] });
    await install({ signers: { release: trusted }, store: full });
    await patchSpec(cluster.kube, { signatureStores: [{ url: await webStore({}) }] });
    await update('1.1.0');
    await accepted(startsWith(unable('1.1.0', 'release')));
    await patchSpec(cluster.kube, {
      signatureStores: [{ url: 'ftp://example.com/x' }, { url: full, ca: { name: 'x' } }],
    });
    await accepted(
      /expected certificate authorities in the key ca-bundle.crt of the ConfigMap "x"[^]*scheme is unrecognized/,
    );
  });
});

test('the keys of a new release decide about the one after it', async () => {
  const of = (version: string, by: OpenpgpSigner) =>
    smallRelease(cluster, version, {
      ...keys({ release: by }, 'file:///nonexistent'),
      '0000_10_a_10_x.yaml': settings('x', version),
    });
  const releases = {
    '1.0.0': await of('1.0.0', trusted),
    '1.1.0': await of('1.1.0', other),
    '1.2.0': await of('1.2.0', other),
  };
  await createClusterVersion(cluster.kube);
  stack.use(await engine(releases, false));
  await untilAt(cluster, '1.0.0');
  await offer('1.1.0', await signed('1.1.0', trusted));
  await offer('1.2.0', await signed('1.2.0', trusted));
  await update('1.1.0');
  await untilAt(cluster, '1.1.0');
  await update('1.2.0');
  await accepted(startsWith(unable('1.2.0', 'release')));
  const key = `${digestOf('1.2.0').replace(':', '-')}-2`;
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'signatures-1.2.0' };
  const binaryData = { [key]: (await signed('1.2.0', other)).toString('base64') };
  await cluster.kube.patch(ref, { binaryData }, user);
  await patchSpec(cluster.kube, { desiredUpdate: { image: releaseImage('1.2.0'), version: '1.2.0' } });
  await untilAt(cluster, '1.2.0');
});

test('after a restart a refused update stays refused by the keys of the release that runs, which is reconciled', async () => {
  const named = keys({ release: trusted }, 'file:///nonexistent');
  const of = (version: string) =>
    smallRelease(cluster, version, { ...named, '0000_10_a_10_x.yaml': settings('x', version) });
  const releases = { '1.0.0': await of('1.0.0'), '1.1.0': await of('1.1.0') };
  await createClusterVersion(cluster.kube);
  {
    await using _before = await engine(releases, false);
    await untilAt(cluster, '1.0.0');
    await update('1.1.0');
    await accepted(startsWith(unable('1.1.0', 'release')));
  }
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'quay', name: 'x' };
  await cluster.kube.patch(ref, { data: { value: 'changed' } }, user);
  stack.use(await engine(releases, false));
  await eventually(async () => expect(await appliedValue()).toBe('1.0.0'));
  await accepted(startsWith(unable('1.1.0', 'release')));
  expect((await clusterVersion(cluster.kube)).status?.history).toHaveLength(1);
});

test('a store that never answers is abandoned when the request is withdrawn', async () => {
  const asked: string[] = [];
  const silent = await webServer((request) => void asked.push(request.url ?? ''));
  await install({ signers: { release: trusted }, store: silent });
  await update('1.1.0');
  await eventually(() => expect(asked).not.toHaveLength(0));
  await accepted(/^Unknown RetrievePayload/);
  await patchSpec(cluster.kube, { desiredUpdate: null });
  await accepted(/^True PayloadLoaded/);
  const { items } = await cluster.kube.list({ apiVersion: 'v1', kind: 'Event' });
  expect(items.map((event) => textAt(event as JsonObject, 'reason'))).not.toContain('RetrievePayloadFailed');
});
