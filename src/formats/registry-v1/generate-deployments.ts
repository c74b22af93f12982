import { type JsonObject, type JsonValue, objectAt, objectsAt } from '../../base/index.ts';
import { applyDeploymentConfig } from '../../operators/index.ts';
import type { DeploymentEntry } from './csv.ts';
import { servingNames } from './names.ts';
import type { RenderedObject } from './registry-bundle.ts';
import { type Rendering, servesWebhooks } from './rendering.ts';

/** Where a Pod finds its serving certificate: two places, for webhook servers and for aggregated API servers. */
const certificateVolumes = [
  {
    name: 'webhook-cert',
    mountPath: '/tmp/k8s-webhook-server/serving-certs',
    items: [
      { key: 'tls.crt', path: 'tls.crt' },
      { key: 'tls.key', path: 'tls.key' },
    ],
  },
  {
    name: 'apiservice-cert',
    mountPath: '/apiserver.local.config/certificates',
    items: [
      { key: 'tls.crt', path: 'apiserver.crt' },
      { key: 'tls.key', path: 'apiserver.key' },
    ],
  },
];

/** Replaces what is mounted at the places of certificates by the Secret called `secretName`.
 *  @see docs/spec/registry-v1-rendering.md#volumes-and-mounts */
export function withCertificates(podSpec: JsonObject, secretName: string): JsonObject {
  const places = new Set<JsonValue | undefined>(certificateVolumes.map(({ mountPath }) => mountPath));
  const replaced = new Set<JsonValue | undefined>(certificateVolumes.map(({ name }) => name));
  const containers = objectsAt(podSpec, 'containers');
  for (const mount of containers.flatMap((container) => objectsAt(container, 'volumeMounts'))) {
    if (places.has(mount['mountPath'])) replaced.add(mount['name']);
  }
  const stays = ({ name }: JsonObject): boolean => !replaced.has(name);
  const mounts = certificateVolumes.map(({ name, mountPath }) => ({ name, mountPath }));
  const volumes = certificateVolumes.map(({ name, items }) => ({
    name,
    secret: { secretName, items: items.map((item) => ({ ...item })) },
  }));
  const mounting = containers.map((container) => ({
    ...container,
    volumeMounts: [...objectsAt(container, 'volumeMounts').filter(stays), ...mounts.map((mount) => ({ ...mount }))],
  }));
  return {
    ...podSpec,
    volumes: [...objectsAt(podSpec, 'volumes').filter(stays), ...volumes],
    ...(Array.isArray(podSpec['containers']) ? { containers: mounting } : {}),
  };
}

function podTemplate(rendering: Rendering, deployment: DeploymentEntry): JsonObject {
  const { bundle, targets } = rendering;
  const template = objectAt(deployment.spec, 'template');
  const metadata = objectAt(template, 'metadata');
  const annotations = {
    ...bundle.csv.metadata.annotations,
    ...objectAt(metadata, 'annotations'),
    'olm.targetNamespaces': targets.join(','),
  };
  const isServing = rendering.certificates !== undefined && servesWebhooks(rendering, deployment.name);
  const spec = objectAt(template, 'spec') ?? {};
  return {
    ...template,
    metadata: { ...metadata, annotations },
    spec: isServing ? withCertificates(spec, servingNames(deployment.name).certificate) : spec,
  };
}

function deploymentOf(rendering: Rendering, entry: DeploymentEntry): RenderedObject {
  const object: RenderedObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: entry.name,
      namespace: rendering.installNamespace,
      ...(entry.label === undefined ? {} : { labels: { ...entry.label } }),
    },
    spec: { ...entry.spec, template: podTemplate(rendering, entry), revisionHistoryLimit: 1 },
  };
  const { deploymentConfig } = rendering;
  return deploymentConfig === undefined ? object : applyDeploymentConfig(object, deploymentConfig);
}

/** The operator's Deployments.
 *  @see docs/spec/registry-v1-rendering.md#deployments */
export function generateDeployments(rendering: Rendering): readonly RenderedObject[] {
  const { deployments } = rendering.bundle.csv.spec.install.spec;
  return (deployments ?? []).map((entry) => deploymentOf(rendering, entry));
}
