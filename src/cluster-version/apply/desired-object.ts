import { isJsonObject, type JsonObject, objectAt, textAt } from '../../base/index.ts';
import type { KubeObject, OwnerReference } from '../../kube/index.ts';
import { type ReleaseManifest } from '../../release/index.ts';
import { withoutForeignFields } from './foreign-fields.ts';

/** Annotations of manifests that decide how they are applied.
 *  @see docs/spec/cluster-version.md#other-annotations */
export const applyAnnotations = {
  createOnly: 'release.openshift.io/create-only',
  delete: 'release.openshift.io/delete',
  injectProxy: 'config.openshift.io/inject-proxy',
  injectTls: 'config.openshift.io/inject-tls',
  recreate: 'release.openshift.io/recreate',
} as const;

/** The value of an annotation; empty when it is not set. */
export function annotationOf({ metadata }: ReleaseManifest, name: string): string {
  return textAt(objectAt(metadata, 'annotations'), name);
}

function textsAt(metadata: JsonObject | undefined, key: string): Record<string, string> | undefined {
  const values = objectAt(metadata, key);
  if (values === undefined) return undefined;
  const texts = Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(texts);
}

/** Members that manifests of a kind may leave out although its definition requires them: the typed clients of the reference send them.
 *  @see docs/spec/cluster-version.md#merge-rules */
const typedMembers: Readonly<Record<string, JsonObject | undefined>> = {
  'SecurityContextConstraints.security.openshift.io': {
    allowHostDirVolumePlugin: false,
    allowHostIPC: false,
    allowHostNetwork: false,
    allowHostPID: false,
    allowHostPorts: false,
    allowPrivilegedContainer: false,
    allowedCapabilities: null,
    defaultAddCapabilities: null,
    priority: null,
    readOnlyRootFilesystem: false,
    requiredDropCapabilities: null,
    volumes: null,
  },
};

/** What an object is found by, and whose metadata is part of the release: without its content, which is long. */
export function desiredHead({ apiVersion, key, metadata }: ReleaseManifest, owner: OwnerReference): KubeObject {
  const [labels, annotations] = [textsAt(metadata, 'labels'), textsAt(metadata, 'annotations')];
  const { ownerReferences: given, finalizers } = metadata;
  const owners = Array.isArray(given) && given.length > 0 ? given.filter(isJsonObject) : [owner];
  const { kind, name, namespace } = key;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === '' ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(Array.isArray(finalizers) ? { finalizers: finalizers.filter((one) => typeof one === 'string') } : {}),
      ownerReferences: owners as unknown as OwnerReference[],
    },
  };
}

/** An object as the engine owns it: what its manifest sets, without status and without what only a server sets. */
export function desiredObject(manifest: ReleaseManifest, owner: OwnerReference): KubeObject {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, status: _status, ...content } = manifest.object;
  const { kind, group } = manifest.key;
  const all = { ...desiredHead(manifest, owner), ...typedMembers[`${kind}.${group}`], ...content };
  return withoutForeignFields(all);
}
