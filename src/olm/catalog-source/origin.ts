import type { CatalogSource } from '../../api/index.ts';
import { TerminalError } from '../../base/index.ts';

/** Where the content of a CatalogSource comes from. */
export type Origin =
  | {
      readonly kind: 'image';
      readonly image: string;
      /** Where the image has the catalog, if its label does not name it. */
      readonly directory?: string;
    }
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'configMap'; readonly name: string };

/** `status.reason` of a spec that only another one can correct.
 *  @see docs/spec/olm-v0.md#catalogsource-reconcile */
export const specInvalid = 'SpecInvalidError';

function refuse(message: string): never {
  throw new TerminalError(specInvalid, message);
}

function registryOf({ image = '', address = '', grpcPodConfig }: CatalogSource['spec']): Origin {
  const directory = grpcPodConfig?.extractContent?.catalogDir;
  if (image !== '') return { kind: 'image', image, ...(directory === undefined ? {} : { directory }) };
  if (address !== '') return { kind: 'address', address };
  return refuse('image and address unset: at least one must be set for sourcetype: grpc');
}

/** @throws TerminalError SpecInvalidError
 *  @see docs/spec/olm-v0.md#catalogsource-reconcile */
export function originOf({ spec }: CatalogSource): Origin {
  const { sourceType, configMap = '' } = spec;
  if (sourceType === 'grpc') return registryOf(spec);
  const isConfigMap = sourceType === 'configmap' || sourceType === 'internal';
  if (!isConfigMap) return refuse(`unknown sourcetype: ${sourceType}`);
  if (configMap !== '') return { kind: 'configMap', name: configMap };
  return refuse(`configmap name unset: must be set for sourcetype: ${sourceType}`);
}

/** The origin as one text: content of another origin is that of an earlier spec. */
export function originText(origin: Origin): string {
  if (origin.kind === 'address') return `grpc://${origin.address}`;
  if (origin.kind === 'configMap') return `configmap ${origin.name}`;
  return origin.directory === undefined ? origin.image : `${origin.image} ${origin.directory}`;
}
