import { olmAnnotations } from '../../../api/index.ts';
import { isJsonObject, type JsonObject, listAt, objectAt, objectsAt, textAt } from '../../../base/index.ts';
import type { KubeObject } from '../../../kube/index.ts';

interface Mounted {
  readonly name: string;
  readonly path: string;
  /** Names of the files of the certificate and its key. */
  readonly files: readonly [string, string];
}

/** Where extension API servers, and where webhooks of the usual frameworks, look for their certificate. */
const mounted: readonly Mounted[] = [
  {
    name: 'apiservice-cert',
    path: '/apiserver.local.config/certificates',
    files: ['apiserver.crt', 'apiserver.key'],
  },
  { name: 'webhook-cert', path: '/tmp/k8s-webhook-server/serving-certs', files: ['tls.crt', 'tls.key'] },
];

function volumeOf({ name, files: [certificate, key] }: Mounted, secretName: string): JsonObject {
  const items = [
    { key: 'tls.crt', path: certificate },
    { key: 'tls.key', path: key },
  ];
  return { name, secret: { secretName, items, defaultMode: 420 } };
}

function withVolumes(podSpec: JsonObject, secretName: string): JsonObject[] {
  let volumes = objectsAt(podSpec, 'volumes');
  for (const one of mounted) {
    const volume = volumeOf(one, secretName);
    const index = volumes.findIndex(({ name }) => name === one.name);
    volumes = index < 0 ? [...volumes, volume] : volumes.with(index, volume);
  }
  return volumes;
}

/** A mount of that volume stays where its author put it; another volume at that path gives way. */
function withMounts(container: JsonObject): JsonObject {
  let mounts = objectsAt(container, 'volumeMounts');
  for (const { name, path } of mounted) {
    if (mounts.some((mount) => mount['name'] === name)) continue;
    const index = mounts.findIndex(({ mountPath }) => mountPath === path);
    const mount = { name, mountPath: path };
    mounts = index < 0 ? [...mounts, mount] : mounts.with(index, mount);
  }
  return { ...container, volumeMounts: mounts };
}

/** A Deployment whose containers find the certificate of a Secret, and whose Pods are replaced when its authority changes.
 *  @see docs/spec/olm-v0.md#webhooks */
export function withCertificate(
  deployment: KubeObject,
  secret: { readonly name: string; readonly hash: string },
): KubeObject {
  const spec = objectAt(deployment as JsonObject, 'spec') ?? {};
  const template = objectAt(spec, 'template') ?? {};
  const metadata = objectAt(template, 'metadata') ?? {};
  const podSpec = objectAt(template, 'spec') ?? {};
  const annotations = { ...objectAt(metadata, 'annotations'), [olmAnnotations.caHash]: secret.hash };
  const account = textAt(podSpec, 'serviceAccountName');
  const amendedSpec = {
    ...podSpec,
    serviceAccountName: account === '' ? 'default' : account,
    containers: listAt(podSpec, 'containers').map((one) => (isJsonObject(one) ? withMounts(one) : one)),
    volumes: withVolumes(podSpec, secret.name),
  };
  const amended = { ...template, metadata: { ...metadata, annotations }, spec: amendedSpec };
  return { ...deployment, spec: { ...spec, template: amended } };
}
