import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, parseYamlDocuments } from '../../src/base/index.ts';
import type { KubeClient } from '../../src/kube/index.ts';
import { buildRelease, parseImageReferences, type ReleaseComponent } from '../../src/release/index.ts';
import { corpusReleaseDir } from './corpus.ts';

/** The version of the release that an object was written for. */
export const releaseAnnotation = 'example.com/release';

const digest = `sha256:${'a'.repeat(64)}`;

/** The components of the corpus. */
function components(): ReleaseComponent[] {
  return readdirSync(corpusReleaseDir).map((name) => ({
    name,
    isEngine: name === 'cluster-version-operator',
    files: readdirSync(join(corpusReleaseDir, name)).map((file) => ({
      name: file,
      content: readFileSync(join(corpusReleaseDir, name, file)),
    })),
  }));
}

const inclusion = /^( *)include\.release\.openshift\.io\/self-managed-high-availability: .*$/gm;

/** Annotates each manifest, so that two releases differ in all objects. */
function annotated(text: string, version: string): string {
  return text.replace(inclusion, (line, indent: string) => `${line}\n${indent}${releaseAnnotation}: "${version}"`);
}

/** Writes a release of the real components of the corpus to a folder, which is returned. Each object has the version as an annotation. */
export async function writeRealRelease(folder: string, version: string): Promise<string> {
  const all = components();
  const names = all.flatMap(({ files }) =>
    files
      .filter(({ name }) => name === 'image-references')
      .flatMap(({ content }) => parseImageReferences(content.toString()).images.map(({ name }) => name)),
  );
  const { files } = buildRelease({
    metadata: { version, previous: [], next: [], url: '', architecture: '', channels: [] },
    components: all,
    images: new Map(names.map((name) => [name, `example.com/${name}@${digest}`])),
    versions: new Map([['kubernetes', '1.35.0']]),
  });
  for (const { directory, name, content } of files) {
    await mkdir(join(folder, directory), { recursive: true });
    await writeFile(join(folder, directory, name), annotated(content.toString(), version));
  }
  return folder;
}

/** The objects of a release in a folder. */
export function releaseObjects(folder: string): JsonObject[] {
  return ['manifests', 'release-manifests'].flatMap((directory) =>
    readdirSync(join(folder, directory))
      .filter((name) => /\.(ya?ml|json)$/.test(name))
      .flatMap((name) => parseYamlDocuments(name, readFileSync(join(folder, directory, name), 'utf8')))
      .filter(isJsonObject),
  );
}

const user = { fieldManager: 'test' };

/** Kinds of components that the corpus lacks. */
const foreignKinds = [
  { group: 'monitoring.coreos.com', kind: 'ServiceMonitor', plural: 'servicemonitors', scope: 'Namespaced' },
  { group: 'monitoring.coreos.com', kind: 'PrometheusRule', plural: 'prometheusrules', scope: 'Namespaced' },
  {
    group: 'cloudcredential.openshift.io',
    kind: 'CredentialsRequest',
    plural: 'credentialsrequests',
    scope: 'Namespaced',
  },
  { group: 'migration.k8s.io', kind: 'StorageVersionMigration', plural: 'storageversionmigrations', scope: 'Cluster' },
  { group: 'operator.openshift.io', kind: 'ServiceCA', plural: 'servicecas', scope: 'Cluster' },
];

async function createForeignKinds(kube: KubeClient): Promise<void> {
  for (const { group, kind, plural, scope } of foreignKinds) {
    const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const version = {
      name: group === 'migration.k8s.io' ? 'v1alpha1' : 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema },
    };
    await kube.create(
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `${plural}.${group}`, annotations: { 'api-approved.kubernetes.io': 'unapproved' } },
        spec: { group, names: { kind, plural }, scope, versions: [version] },
      },
      user,
    );
  }
}

/** Namespaces that operators create. */
async function createForeignNamespaces(kube: KubeClient): Promise<void> {
  for (const name of [
    'openshift-service-ca',
    'openshift-marketplace',
    'openshift-cloud-credential-operator',
    'openshift-monitoring',
    'openshift',
    'openshift-kube-apiserver',
  ]) {
    await kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, user);
  }
}

/** Creates kinds and namespaces that the release of the real components needs, and has not. */
export async function prepareRealRelease(kube: KubeClient): Promise<void> {
  await createForeignKinds(kube);
  await createForeignNamespaces(kube);
}
