/** Ways to install; a folder of `deploy/overlays` each. */
export const overlays = ['self-signed', 'cert-manager', 'openshift', 'least', 'service-accounts'] as const;
/** One of `overlays`. */
export type Overlay = (typeof overlays)[number];

/** CustomResourceDefinitions that a cluster for the overlay has an owner of already. */
export const foreignDefinitions: Readonly<Partial<Record<Overlay, readonly string[]>>> = {
  openshift: ['clustercatalogs.olm.operatorframework.io'],
};
