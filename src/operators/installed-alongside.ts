import { installedAlongsidePrefix } from '../api/index.ts';
import { fnv64 } from './apis.ts';

/** The annotation of a CustomResourceDefinition that a plan has applied for an operator: key and value.
 *  @see docs/spec/olm-v0.md#requirement-check */
export function installedAlongside(csv: {
  readonly namespace: string;
  readonly name: string;
}): readonly [key: string, value: string] {
  const value = `${csv.namespace}/${csv.name}`;
  return [`${installedAlongsidePrefix}${fnv64(value)}`, value];
}

/** The ClusterServiceVersions that plans have applied a definition for, as NAMESPACE/NAME. */
export function versionsAlongside({
  metadata,
}: {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
}): string[] {
  const annotations = Object.entries(metadata.annotations ?? {});
  return annotations.filter(([key]) => key.startsWith(installedAlongsidePrefix)).map(([, value]) => value);
}
