import type { OlmSettings } from '../../manager/index.ts';
import type { OptionValues } from '../command/index.ts';

/** The settings of Operator Lifecycle Manager, checked. */
export interface OlmConfig {
  /** Undefined: its kinds are left alone. */
  readonly olm: OlmSettings | undefined;
}

const namespaceOption = {
  'olm-namespace': {
    kind: 'text',
    placeholder: 'NAME',
    default: 'olm',
    description: 'Namespace whose CatalogSources are visible in all namespaces.',
  },
} as const;

const upOlm = {
  olm: {
    kind: 'flag',
    description:
      'Run Operator Lifecycle Manager: CatalogSources, Subscriptions, InstallPlans, ClusterServiceVersions, OperatorGroups and package manifests (default: yes, but not with --cluster; --no-olm leaves them alone).',
  },
} as const;

const controllersOlm = {
  olm: {
    kind: 'flag',
    default: false,
    description:
      'Reconcile CatalogSources, Subscriptions, InstallPlans, ClusterServiceVersions and OperatorGroups, as Operator Lifecycle Manager does, and serve PackageManifests.',
  },
} as const;

const packagesOption = {
  'packages-bind-address': {
    kind: 'text',
    placeholder: '[HOST]:PORT',
    default: ':8445',
    description:
      'Address of the package server of --olm, over HTTPS, with the certificate of --tls-dir; the Service packages leads to it.',
  },
  'packages-tls-dir': {
    kind: 'text',
    placeholder: 'DIR',
    description:
      'Folder with tls.crt, tls.key and ca.crt, the certificate of the package server, where that of --tls-dir is not for the Service packages.',
  },
} as const;

/** Options of `longshore up`. */
export const upOlmOptions: typeof upOlm & typeof namespaceOption = { ...upOlm, ...namespaceOption };

/** Options of `longshore controllers`. */
export const controllersOlmOptions: typeof controllersOlm & typeof namespaceOption & typeof packagesOption = {
  ...controllersOlm,
  ...namespaceOption,
  ...packagesOption,
};

/** The settings of Operator Lifecycle Manager from parsed options; `isDefault` where they do not choose. */
export function readOlmConfig(values: OptionValues<typeof upOlmOptions>, isDefault: boolean): OlmConfig {
  const hasOlm = values.olm ?? isDefault;
  return { olm: hasOlm ? { globalCatalogNamespace: values['olm-namespace'] } : undefined };
}
