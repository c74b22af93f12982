import { type JsonObject, type JsonValue, parseYamlDocuments } from '../../src/base/index.ts';
import type { BundleFiles, ClusterServiceVersion } from '../../src/formats/index.ts';
import { corpusBundle, registryFiles } from '../support/index.ts';
import type { Files } from './contents.ts';

function filesOf({ manifests = [], metadata }: BundleFiles): Files {
  const inDirectory = (directory: string, entries: BundleFiles['metadata']): [string, string][] =>
    entries.flatMap((entry) =>
      entry.kind === 'file' ? [[`${directory}/${entry.name}`, entry.content.toString('utf8')] as [string, string]] : [],
    );
  return Object.fromEntries([...inDirectory('manifests', manifests), ...inDirectory('metadata', metadata)]);
}

/** Files of a bundle made of these manifests. */
export function operator(manifests: readonly (JsonObject | string)[], packageName = 'acme-widget'): Files {
  const prefix = 'operators.operatorframework.io.bundle';
  const annotations = {
    [`${prefix}.package.v1`]: packageName,
    [`${prefix}.channels.v1`]: 'stable',
    [`${prefix}.mediatype.v1`]: 'registry+v1',
    [`${prefix}.manifests.v1`]: 'manifests/',
    [`${prefix}.metadata.v1`]: 'metadata/',
  };
  return filesOf(registryFiles(manifests, { 'annotations.yaml': { annotations } }));
}

/** Files of a bundle of the corpus. */
export function corpusOperator(bundle: string): Files {
  return filesOf(corpusBundle(bundle));
}

function withNextImages(csv: ClusterServiceVersion): JsonValue {
  const text = JSON.stringify(csv);
  const next = JSON.parse(text) as ClusterServiceVersion;
  for (const { spec } of next.spec.install.spec.deployments ?? []) {
    const { template } = spec as unknown as { template: { spec: { containers: { image: string }[] } } };
    for (const container of template.spec.containers) container.image = `${container.image.replace(/@.*/, '')}-next`;
  }
  return next as unknown as JsonValue;
}

/** The next version of a bundle: its Deployments have other images. */
export function nextVersion(files: Files): Files {
  const entries = Object.entries(files).map(([path, text]): [string, string] => {
    if (!path.startsWith('manifests/')) return [path, text];
    const documents = parseYamlDocuments(path, text) as { readonly kind?: string }[];
    if (!documents.some((document) => document?.kind === 'ClusterServiceVersion')) return [path, text];
    const next = documents.map((document) =>
      document?.kind === 'ClusterServiceVersion' ? withNextImages(document as never) : document,
    );
    return [path, next.map((document) => JSON.stringify(document)).join('\n---\n')];
  });
  return Object.fromEntries(entries);
}
