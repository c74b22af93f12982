import { generatedFor, type Shard, shardOf } from '../../provisioners/index.ts';
import {
  bundleDeploymentResource,
  bundleResource,
  leaderLabel,
  shardLabel,
  shardUrlAnnotation,
} from '../../src/api/index.ts';
import { isJsonObject, type ServingCertificate, TransientError } from '../../src/base/index.ts';
import type { ForwardTarget } from '../../src/content/index.ts';
import { type ClusterAccess, findObject, type KubeClient, type KubeObject } from '../../src/kube/index.ts';

export interface OtherShardsOptions {
  readonly kube: Pick<KubeClient, 'get' | 'list'>;
  readonly namespace: string;
  readonly shard: Shard;
  /** Port of content servers in pods without the annotation of their URL. */
  readonly port: number;
  /** All content servers have certificates of one authority, for the name in `contentUrl`. */
  readonly serving: Pick<ServingCertificate, 'current'>;
  readonly contentUrl: string;
  readonly access: Pick<ClusterAccess, 'tls' | 'headers'>;
}

async function shardOfBundle(
  { kube, shard }: OtherShardsOptions,
  name: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const bundle = await findObject(kube, { ...bundleResource, name }, { signal });
  if (bundle === undefined) return undefined;
  const owner = generatedFor(bundle);
  if (owner === undefined) return shardOf(bundle, shard.count);
  const deployment = await findObject(kube, { ...bundleDeploymentResource, name: owner }, { signal });
  const { apiVersion, kind } = bundleDeploymentResource;
  return shardOf(deployment ?? { apiVersion, kind, metadata: { name: owner } }, shard.count);
}

function urlOf({ metadata, status }: KubeObject, port: number): string | undefined {
  const annotated = metadata.annotations?.[shardUrlAnnotation];
  if (annotated !== undefined && URL.canParse(annotated)) return annotated;
  const address = isJsonObject(status) ? status['podIP'] : undefined;
  if (typeof address !== 'string' || address === '') return undefined;
  return `https://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** Finds the content server of the shard that takes care of a Bundle; undefined when that is this one, or there is no such Bundle.
 *  @throws TransientError ShardUnavailable */
export function otherShards(
  options: OtherShardsOptions,
): (bundleName: string, signal: AbortSignal) => Promise<ForwardTarget | undefined> {
  const { kube, namespace, shard, port, serving, contentUrl, access } = options;
  return async (bundleName, signal) => {
    const index = await shardOfBundle(options, bundleName, signal);
    if (index === undefined || index === shard.index) return undefined;
    const labelSelector = `${leaderLabel}=true,${shardLabel}=${index}`;
    const { items } = await kube.list({ apiVersion: 'v1', kind: 'Pod', namespace, labelSelector }, { signal });
    const url = items.map((pod) => urlOf(pod, port)).find((found) => found !== undefined);
    if (url === undefined) {
      const text = `Bundle "${bundleName}" belongs to shard ${index}/${shard.count}, which has no leader: try again later`;
      throw new TransientError('ShardUnavailable', text);
    }
    const { cert, key } = await access.tls();
    const identity = { cert, key, headers: await access.headers() };
    return { url, caPem: serving.current().caBundlePem, serverName: new URL(contentUrl).hostname, identity };
  };
}
