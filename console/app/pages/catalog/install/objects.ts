import type { PackageRow } from '../../../../server/wire.ts';
import { installationKinds, type KnownKind } from '../../installation/kinds.ts';
import { type Choice, watchedNamespaces } from './choice.ts';

/** An object that an installation creates, and where. */
export interface Created {
  readonly object: { readonly apiVersion: string; readonly kind: string; readonly metadata: { readonly name: string } };
  readonly known: KnownKind;
  readonly namespace: string;
}

const namespaces: KnownKind = { apiVersion: 'v1', plural: 'namespaces', group: '' };
const catalogNameLabel = 'olm.operatorframework.io/metadata.name';

function extensionConfig(choice: Choice): object {
  const [watchNamespace] = watchedNamespaces(choice);
  const deploymentConfig = Object.keys(choice.config).length === 0 ? {} : { deploymentConfig: choice.config };
  const inline = { ...(watchNamespace === undefined ? {} : { watchNamespace }), ...deploymentConfig };
  return Object.keys(inline).length === 0 ? {} : { config: { configType: 'Inline', inline } };
}

function extension(row: PackageRow, choice: Choice, isAmbiguous: boolean): object {
  const { namespace, account, channel, version } = choice;
  return {
    namespace,
    ...(account === '' ? {} : { serviceAccount: { name: account } }),
    source: {
      sourceType: 'Catalog',
      catalog: {
        packageName: row.name,
        channels: [channel],
        ...(version === '' ? {} : { version }),
        ...(isAmbiguous ? { selector: { matchLabels: { [catalogNameLabel]: row.catalog } } } : {}),
      },
    },
    ...extensionConfig(choice),
  };
}

function subscription(row: PackageRow, choice: Choice, startingCSV: string): object {
  const { channel, approval, config } = choice;
  return {
    name: row.name,
    source: row.catalog,
    sourceNamespace: row.catalogNamespace,
    channel,
    installPlanApproval: approval,
    ...(startingCSV === '' ? {} : { startingCSV }),
    ...(Object.keys(config).length === 0 ? {} : { config }),
  };
}

/** What is known besides the choice. */
export interface Circumstances {
  /** The namespace does not exist yet. */
  readonly isNamespaceNew: boolean;
  /** Several catalogs have the package. */
  readonly isAmbiguous: boolean;
  /** Bundle of the chosen version; empty for the newest. */
  readonly bundle: string;
}

/** The objects of a choice, in the order in which they are created. */
export function objectsOf(row: PackageRow, choice: Choice, around: Circumstances): readonly Created[] {
  const { kind, name, namespace, approval } = choice;
  const known = installationKinds[kind];
  if (known === undefined) return [];
  const { apiVersion } = known;
  if (kind === 'PlatformOperator') {
    const upgradePolicy = approval === 'Automatic' ? 'Automatic' : 'None';
    const object = { apiVersion, kind, metadata: { name }, spec: { package: { name: row.name }, upgradePolicy } };
    return [{ object, known, namespace: '' }];
  }
  const first: readonly Created[] = around.isNamespaceNew
    ? [
        {
          object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
          known: namespaces,
          namespace: '',
        },
      ]
    : [];
  if (kind === 'ClusterExtension') {
    const object = { apiVersion, kind, metadata: { name }, spec: extension(row, choice, around.isAmbiguous) };
    return [...first, { object, known, namespace: '' }];
  }
  const metadata = { name: row.name, namespace };
  const object = { apiVersion, kind, metadata, spec: subscription(row, choice, around.bundle) };
  return [...first, { object, known, namespace }];
}
