/** Where the API server serves a kind. */
export interface Resource {
  /** `core.rukpak.io/v1alpha1` */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
}
