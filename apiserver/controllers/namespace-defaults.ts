import { isJsonObject } from '../../src/base/index.ts';
import type { Cluster, KubeObject } from '../core/index.ts';
import { type Controller, typeOf } from './controller.ts';

const rootCertificateName = 'kube-root-ca.crt';
const accountUser = 'system:serviceaccount:kube-system:service-account-controller';
const publisherUser = 'system:serviceaccount:kube-system:root-ca-cert-publisher';
const description =
  'The certificate of the authority behind the API server of this cluster; it speaks for that server and for nothing else.';

function isLive(namespace: KubeObject | undefined): boolean {
  return namespace !== undefined && namespace.metadata.deletionTimestamp === undefined;
}

/** Each namespace has a ServiceAccount `default` and a ConfigMap with the authority's certificate; both come back when they go. */
export function namespaceDefaults(cluster: Cluster, authorityPem: string): Controller {
  const ensureAccount = async (namespace: string): Promise<void> => {
    const type = typeOf(cluster, 'serviceaccounts');
    const metadata = { namespace, name: 'default' };
    if (cluster.get(type, metadata) !== undefined) return;
    await cluster.create(type, { apiVersion: 'v1', kind: 'ServiceAccount', metadata }, { as: accountUser });
  };
  const ensureCertificate = async (namespace: string): Promise<void> => {
    const type = typeOf(cluster, 'configmaps');
    const key = { namespace, name: rootCertificateName };
    const data = { 'ca.crt': authorityPem };
    const found = cluster.get(type, key);
    if (found === undefined) {
      const metadata = { ...key, annotations: { 'kubernetes.io/description': description } };
      await cluster.create(type, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }, { as: publisherUser });
    } else if (!isJsonObject(found.data) || found.data['ca.crt'] !== authorityPem) {
      await cluster.update(type, { ...found, data }, { as: publisherUser });
    }
  };
  return {
    name: 'namespace-defaults',
    keysOf: ({ resource, object }) => {
      const { name = '', namespace = '' } = object.metadata;
      if (resource.storageKey === 'namespaces') return [name];
      const isOurs =
        (resource.storageKey === 'serviceaccounts' && name === 'default') ||
        (resource.storageKey === 'configmaps' && name === rootCertificateName);
      return isOurs ? [namespace] : [];
    },
    work: async (name) => {
      if (!isLive(cluster.get(typeOf(cluster, 'namespaces'), { namespace: '', name }))) return;
      await ensureAccount(name);
      await ensureCertificate(name);
    },
  };
}
