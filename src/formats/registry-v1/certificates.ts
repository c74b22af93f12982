import { injectCaAnnotation, servingCertificateAnnotation } from '../../api/index.ts';
import type { ServingNames } from './names.ts';
import { type Manifest, type RenderedObject, withAnnotation } from './registry-bundle.ts';

/** Who makes the certificates that webhooks are served with. */
export interface CertificateProvider {
  readonly name: string;
  /** Lets the API server trust the webhook that `object` (a webhook configuration, a CRD) points at. */
  injectCa<T extends Manifest>(object: T, where: { readonly namespace: string; readonly names: ServingNames }): T;
  /** Asks for a certificate for what the Service leads to. */
  serve<T extends Manifest>(service: T, names: ServingNames): T;
  /** Objects besides. */
  extraObjects(where: { readonly namespace: string; readonly names: ServingNames }): readonly RenderedObject[];
}

/** cert-manager of cert-manager.io: an Issuer and a Certificate for each Service.
 *  @see docs/spec/registry-v1-rendering.md#cert-manager-objects */
const certManager: CertificateProvider = {
  name: 'cert-manager',
  injectCa: (object, { namespace, names }) =>
    withAnnotation(object, 'cert-manager.io/inject-ca-from', `${namespace}/${names.certificate}`),
  serve: (service) => service,
  extraObjects: ({ namespace, names }) => {
    const apiVersion = 'cert-manager.io/v1';
    const host = `${names.service}.${namespace}`;
    return [
      {
        apiVersion,
        kind: 'Issuer',
        metadata: { name: names.issuer, namespace },
        spec: { selfSigned: {} },
      },
      {
        apiVersion,
        kind: 'Certificate',
        metadata: { name: names.certificate, namespace },
        spec: {
          secretName: names.certificate,
          commonName: host,
          usages: ['server auth'],
          dnsNames: [host, `${host}.svc`, `${host}.svc.cluster.local`],
          issuerRef: { name: names.issuer },
          duration: '17520h0m0s',
          renewBefore: '24h0m0s',
        },
      },
    ];
  },
};

/** The service CA operator of OpenShift: it acts on annotations. */
const openshiftServiceCa: CertificateProvider = {
  name: 'openshift-service-ca',
  injectCa: (object) => withAnnotation(object, 'service.beta.openshift.io/inject-cabundle', 'true'),
  serve: (service, names) =>
    withAnnotation(service, 'service.beta.openshift.io/serving-cert-secret-name', names.certificate),
  extraObjects: () => [],
};

/** Longshore itself: what installs the objects issues the certificates, and fills in what the annotations ask for. */
const longshore: CertificateProvider = {
  name: 'self',
  injectCa: (object, { namespace, names }) =>
    withAnnotation(object, injectCaAnnotation, `${namespace}/${names.certificate}`),
  serve: (service) => service,
  extraObjects: ({ namespace, names }) => [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: names.certificate,
        namespace,
        annotations: { [servingCertificateAnnotation]: names.service },
      },
      type: 'kubernetes.io/tls',
    },
  ],
};

const providers: readonly CertificateProvider[] = [certManager, openshiftServiceCa, longshore];

/** Names that `certificateProvider` takes. */
export const certificateProviderNames: readonly string[] = providers.map(({ name }) => name);

/** The provider of that name; undefined for none. */
export function findCertificateProvider(name: string): CertificateProvider | undefined {
  return providers.find((provider) => provider.name === name);
}
