import { gzipSync } from 'node:zlib';
import { bundleName } from '../../provisioners/hash.ts';
import type { BundleTemplate } from '../../src/api/index.ts';
import { formatTimestamp, type JsonObject } from '../../src/base/index.ts';
import { type KubeClient, type KubeObject, refOf } from '../../src/kube/index.ts';
import { bundleDeployment, templateHashOf } from './world.ts';

const systemNamespace = 'rukpak-system';
const byRukpak = { fieldManager: 'core' };
type Source = Readonly<Record<string, unknown>>;

/** What RukPak v0.16 has installed: a BundleDeployment, its Bundle, and the Secrets of its Helm release. */
export interface FormerState {
  readonly name: string;
  /** What the active Bundle was made of, and where it is pinned. */
  readonly installed: { readonly source: Source; readonly resolved: Source; readonly objects: readonly KubeObject[] };
  /** What the template asks for by now; the same when absent. */
  readonly desired?: Source;
}

const condition = (type: string, reason: string, message: string): JsonObject => ({
  type,
  status: 'True',
  reason,
  message,
  lastTransitionTime: formatTimestamp(Date.now()),
});

function referenceTo({ metadata }: KubeObject): JsonObject {
  const { name = '', uid = '' } = metadata;
  const owner = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'BundleDeployment', name, uid };
  return { ...owner, controller: true, blockOwnerDeletion: true };
}

/** As the post-renderer makes it, and as it stands in the manifest of the release. */
function rendered(object: KubeObject, deployment: KubeObject): KubeObject {
  const { labels = {} } = object.metadata;
  const name = deployment.metadata.name ?? '';
  const owner = { 'core.rukpak.io/owner-kind': 'BundleDeployment', 'core.rukpak.io/owner-name': name };
  const metadata = { ...object.metadata, labels: { ...labels, ...owner }, ownerReferences: [referenceTo(deployment)] };
  return { ...object, metadata } as unknown as KubeObject;
}

/** As Helm submits it. */
function submitted(object: KubeObject, release: string): KubeObject {
  const { labels, annotations } = object.metadata;
  const marks = { 'meta.helm.sh/release-name': release, 'meta.helm.sh/release-namespace': systemNamespace };
  const metadata = {
    ...object.metadata,
    labels: { ...labels, 'app.kubernetes.io/managed-by': 'Helm' },
    annotations: { ...annotations, ...marks },
  };
  return { ...object, metadata };
}

/** The Secret that Helm keeps a revision of a release in. */
function releaseSecret(
  release: { readonly name: string; readonly version: number; readonly status: string },
  objects: readonly KubeObject[],
  owner?: KubeObject,
): KubeObject {
  const { name, version, status } = release;
  const templates = objects.map(
    (object, index) => `---\n# Source: /templates/object-${index}.yaml\n${JSON.stringify(object)}\n`,
  );
  const chart = { metadata: null, lock: null, templates: [], values: null, schema: null, files: null };
  const info = { first_deployed: '2023-11-20T10:00:00Z', last_deployed: '2023-11-21T10:00:00Z', deleted: '', status };
  const content = { name, info, chart, config: {}, manifest: templates.join(''), version, namespace: systemNamespace };
  const packed = gzipSync(JSON.stringify(content)).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `sh.helm.release.v1.${name}.v${version}`,
      namespace: systemNamespace,
      labels: { name, owner: 'helm', status, version: String(version), modifiedAt: '1700560800' },
      ...(owner === undefined ? {} : { ownerReferences: [referenceTo(owner)] }),
    },
    type: 'helm.sh/release.v1',
    data: { release: Buffer.from(packed).toString('base64') },
  } as unknown as KubeObject;
}

async function createBundle(kube: KubeClient, deployment: KubeObject, resolved: Source): Promise<KubeObject> {
  const { template } = deployment['spec'] as unknown as { template: BundleTemplate };
  const hash = templateHashOf(deployment);
  const name = bundleName(deployment.metadata.name ?? '', hash);
  const labels = {
    'core.rukpak.io/owner-kind': 'BundleDeployment',
    'core.rukpak.io/owner-name': deployment.metadata.name ?? '',
    'core.rukpak.io/bundle-template-hash': hash,
  };
  const finalizers = ['core.rukpak.io/delete-cached-bundle'];
  const metadata = { name, labels, finalizers, ownerReferences: [referenceTo(deployment)] };
  const bundle = { apiVersion: 'core.rukpak.io/v1alpha1', kind: 'Bundle', metadata, spec: template.spec };
  const created = await kube.create(bundle as unknown as KubeObject, byRukpak);
  const status = {
    phase: 'Unpacked',
    observedGeneration: 1,
    contentURL: `https://core.${systemNamespace}.svc/bundles/${name}.tgz`,
    resolvedSource: resolved,
    conditions: [condition('Unpacked', 'UnpackSuccessful', 'Successfully unpacked the image Bundle')],
  };
  return await kube.patch(refOf(created), { status } as never, { ...byRukpak, subresource: 'status' });
}

/** Writes the state as RukPak leaves it behind; gives the objects that it has installed, as they are. */
export async function leaveBehind(kube: KubeClient, state: FormerState): Promise<readonly KubeObject[]> {
  const { name, installed, desired } = state;
  const deployment = await kube.create(bundleDeployment(name, installed.source), byRukpak);
  const bundle = await createBundle(kube, deployment, installed.resolved);
  const objects = installed.objects.map((object) => rendered(object, deployment));
  const first = releaseSecret({ name, version: 1, status: 'superseded' }, objects.slice(0, 1), deployment);
  await kube.create(first, byRukpak);
  await kube.create(releaseSecret({ name, version: 2, status: 'deployed' }, objects, deployment), byRukpak);
  const created: KubeObject[] = [];
  for (const object of objects) created.push(await kube.create(submitted(object, name), byRukpak));
  const bundleText = bundle.metadata.name ?? '';
  const status = {
    activeBundle: bundleText,
    observedGeneration: 1,
    conditions: [
      condition('HasValidBundle', 'UnpackSuccessful', `Successfully unpacked the ${bundleText} Bundle`),
      condition('Installed', 'InstallationSucceeded', `Instantiated bundle ${bundleText} successfully`),
      condition('Healthy', 'Healthy', 'BundleDeployment is healthy'),
    ],
  };
  await kube.patch(refOf(deployment), { status } as never, { ...byRukpak, subresource: 'status' });
  if (desired !== undefined) {
    await kube.patch(refOf(deployment), { spec: { template: { spec: { source: desired } } } } as never, byRukpak);
  }
  return created;
}
