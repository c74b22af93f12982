import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { builtinResourceTypes } from '../../apiserver/index.ts';
import { isJsonObject, type JsonObject, objectAt, parseYamlDocuments, textAt } from '../../src/base/index.ts';
import { buildRelease, parseImageReferences, type ReleaseComponent } from '../../src/release/index.ts';
import { corpusReleaseDir } from '../support/index.ts';
import { engineNamespaces } from './cluster.ts';
import { digestOf } from './payloads.ts';
import { playScenario } from './play.ts';
import type { Implementation, Payload, Recording, Scenario } from './scenario.ts';

const engine = 'cluster-version-operator';

async function readComponent(name: string): Promise<ReleaseComponent> {
  const folder = join(corpusReleaseDir, name);
  const files = (await readdir(folder)).toSorted();
  return {
    name,
    isEngine: name === engine,
    files: await Promise.all(files.map(async (file) => ({ name: file, content: await readFile(join(folder, file)) }))),
  };
}

function imageNamesOf({ files }: ReleaseComponent): string[] {
  const [references] = files.filter(({ name }) => name === 'image-references');
  if (references === undefined) return [];
  return parseImageReferences(references.content.toString()).images.map(({ name }) => name);
}

/** A release of the ten real components of the corpus. `build` is part of the images, so that two versions differ in all Deployments. */
async function componentsPayload(version: string, build: string): Promise<Payload> {
  const components = await Promise.all((await readdir(corpusReleaseDir)).toSorted().map(readComponent));
  const names = [...new Set(components.flatMap(imageNamesOf))];
  const images = Object.fromEntries(
    names.map((name) => [name, `registry.example.com/${name}@${digestOf(`${name} ${build}`)}`]),
  );
  const metadata = { version, previous: [], next: [], url: '', architecture: '', channels: [] };
  const { files } = buildRelease({
    metadata,
    components,
    images: new Map(Object.entries(images)),
    versions: new Map([['kubernetes', '1.35.0']]),
  });
  const texts = (directory: string): Record<string, string> =>
    Object.fromEntries(
      files
        .filter((file) => file.directory === directory && !['image-references', 'release-metadata'].includes(file.name))
        .map(({ name, content }) => [name, content.toString()]),
    );
  return { version, files: texts('release-manifests'), engineFiles: texts('manifests'), images };
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
}

function documentsOf({ files, engineFiles = {} }: Payload): JsonObject[] {
  return [...Object.values(engineFiles), ...Object.values(files)].flatMap((content) => {
    try {
      return typeof content === 'string' ? parseYamlDocuments('manifest', content).filter(isJsonObject) : [...content];
    } catch {
      return []; // a template
    }
  });
}

/** Of the kinds whose definitions belong to other components: open ones. */
function missingDefinitions(documents: readonly JsonObject[]): JsonObject[] {
  const known = new Set(builtinResourceTypes().map(({ group, kind }) => `${kind}.${group}`));
  // The engine needs it before.
  known.add('ClusterOperator.config.openshift.io');
  for (const document of documents) {
    if (document['kind'] !== 'CustomResourceDefinition') continue;
    const spec = objectAt(document, 'spec') ?? {};
    known.add(`${textAt(objectAt(spec, 'names'), 'kind')}.${textAt(spec, 'group')}`);
  }
  const missing = new Map<string, Kind>();
  for (const document of documents) {
    const [group = '', version = ''] = textAt(document, 'apiVersion').split('/');
    const kind = textAt(document, 'kind');
    if (version === '' || known.has(`${kind}.${group}`)) continue;
    const isNamespaced = textAt(objectAt(document, 'metadata'), 'namespace') !== '';
    missing.set(`${kind}.${group}`, { group, version, kind, isNamespaced });
  }
  return [...missing.values()].map(definitionOf);
}

/** In the default profile. */
function isIncluded(document: JsonObject): boolean {
  const annotations = objectAt(document, 'metadata', 'annotations') ?? {};
  return annotations['include.release.openshift.io/self-managed-high-availability'] === 'true';
}

/** That other components create, or an operator. */
function missingNamespaces(documents: readonly JsonObject[]): JsonObject[] {
  const nameAt = (document: JsonObject, key: string): string => textAt(objectAt(document, 'metadata'), key);
  const namespaces = documents.filter((document) => document['kind'] === 'Namespace' && isIncluded(document));
  const existing = namespaces.map((document) => nameAt(document, 'name'));
  const known = new Set(['', 'default', 'kube-system', ...engineNamespaces, ...existing]);
  const used = new Set(documents.map((document) => nameAt(document, 'namespace')));
  const missing = [...used].filter((name) => !known.has(name));
  return missing.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
}

function definitionOf({ group, version, kind, isNamespaced }: Kind): JsonObject {
  const singular = kind.toLowerCase();
  const plural = singular.endsWith('s') ? `${singular}es` : `${singular}s`;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      ...(group.endsWith('.k8s.io') ? { annotations: { 'api-approved.kubernetes.io': 'unapproved' } } : {}),
    },
    spec: {
      group,
      scope: isNamespaced ? 'Namespaced' : 'Cluster',
      names: { kind, listKind: `${kind}List`, plural, singular },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  };
}

/** An installation of the ten components, and an update that changes their images. */
export async function componentsScenario(): Promise<Scenario> {
  const first = await componentsPayload('4.22.0', 'one');
  const second = await componentsPayload('4.22.1', 'two');
  const documents = documentsOf(first);
  const desiredUpdate = { version: '4.22.1', image: '$image/second', force: true };
  return {
    id: 'components',
    title: 'a release of ten real components',
    hasHealthyOperators: true,
    payloads: { first, second },
    objects: [...missingDefinitions(documents), ...missingNamespaces(documents)],
    actions: [
      { rest: 'installed', until: { history: 'Completed 4.22.0' } },
      { spec: { desiredUpdate } },
      { rest: 'updated', until: { history: 'Completed 4.22.1' }, isOrdered: true },
    ],
  };
}

/** What is written of them, and in which order. Their content is not recorded: it is that of others. */
export async function playComponents(implementation: Implementation): Promise<Recording> {
  const { title, snapshots } = await playScenario(implementation, await componentsScenario());
  return {
    title,
    snapshots: snapshots.map((snapshot) => ({ ...snapshot, clusterVersion: {}, objects: {}, events: [] })),
  };
}
