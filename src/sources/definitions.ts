import { type BundleSource, isSourceType, type SourceType } from '../api/index.ts';

/** What is known of a source before it is fetched: where it is, and what of the cluster it needs. */
export interface SourceDefinition {
  /** Address of the server that has the content; undefined where the cluster has it. */
  readonly address: (source: BundleSource) => string | undefined;
  /** Name of the Secret with its credentials; undefined or empty when it names none. */
  readonly secretName: (source: BundleSource) => string | undefined;
  /** Its Secret is a pull secret, and those of the service account are used if it names none. */
  readonly usesPullSecrets: boolean;
  /** Names of the ConfigMaps that it is made of. */
  readonly configMapNames: (source: BundleSource) => readonly string[];
}

const none: SourceDefinition = {
  address: () => undefined,
  secretName: () => undefined,
  usesPullSecrets: false,
  configMapNames: () => [],
};

/** One row a type of source. */
const definitions: { readonly [Type in SourceType]: SourceDefinition } = {
  image: {
    ...none,
    address: ({ image }) => image?.ref,
    secretName: ({ image }) => image?.pullSecret,
    usesPullSecrets: true,
  },
  git: { ...none, address: ({ git }) => git?.repository, secretName: ({ git }) => git?.auth?.secret?.name },
  http: { ...none, address: ({ http }) => http?.url, secretName: ({ http }) => http?.auth?.secret?.name },
  configMaps: {
    ...none,
    configMapNames: ({ configMaps = [] }) => [...new Set(configMaps.map(({ configMap }) => configMap.name ?? ''))],
  },
  upload: none,
};

/** The definition of a source's type. A type that no row is for needs nothing, and cannot be fetched. */
export function definitionOf({ type }: BundleSource): SourceDefinition {
  return isSourceType(type) ? definitions[type] : none;
}
