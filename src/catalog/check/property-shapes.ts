import type { JsonValue } from '../../base/index.ts';
import type { DecodedProperty } from './decode.ts';
import { type GoShape, shapeFault } from './go-shape.ts';

const text: GoShape = { kind: 'text' };
const listOf = (of: GoShape): GoShape => ({ kind: 'list', of });
const textMap: GoShape = { kind: 'map', of: text };
const struct = (name: string, fields: Readonly<Record<string, GoShape>>, always: readonly string[] = []): GoShape => ({
  kind: 'struct',
  name,
  fields,
  always,
});
const texts = (...names: readonly string[]): Record<string, GoShape> =>
  Object.fromEntries(names.map((name) => [name, text]));

const references = listOf(
  struct('v1alpha1.APIResourceReference', texts('name', 'kind', 'version'), ['name', 'kind', 'version']),
);
const descriptor = (name: string): GoShape =>
  listOf(
    struct(
      name,
      { ...texts('path', 'displayName', 'description'), 'x-descriptors': listOf(text), value: { kind: 'raw' } },
      ['path'],
    ),
  );
const described: Readonly<Record<string, GoShape>> = {
  ...texts('name', 'version', 'kind', 'displayName', 'description'),
  resources: references,
  statusDescriptors: descriptor('v1alpha1.StatusDescriptor'),
  specDescriptors: descriptor('v1alpha1.SpecDescriptor'),
  actionDescriptors: descriptor('v1alpha1.ActionDescriptor'),
};
const ownedAndRequired = (name: string, of: GoShape): GoShape =>
  struct(name, { owned: listOf(of), required: listOf(of) });
const link = struct('v1alpha1.AppLink', texts('name', 'url'));

const csvMetadata = struct('property.CSVMetadata', {
  annotations: textMap,
  apiServiceDefinitions: ownedAndRequired(
    'v1alpha1.APIServiceDefinitions',
    struct(
      'v1alpha1.APIServiceDescription',
      { ...described, ...texts('group', 'deploymentName'), containerPort: { kind: 'whole' } },
      ['name', 'group', 'version', 'kind'],
    ),
  ),
  crdDescriptions: ownedAndRequired(
    'v1alpha1.CustomResourceDefinitions',
    struct('v1alpha1.CRDDescription', described, ['name', 'version', 'kind']),
  ),
  ...texts('description', 'displayName', 'maturity', 'minKubeVersion'),
  installModes: listOf(
    struct('v1alpha1.InstallMode', { type: text, supported: { kind: 'flag' } }, ['type', 'supported']),
  ),
  keywords: listOf(text),
  labels: textMap,
  links: listOf(link),
  maintainers: listOf(struct('v1alpha1.Maintainer', texts('name', 'email'))),
  nativeAPIs: listOf(struct('v1.GroupVersionKind', texts('group', 'version', 'kind'), ['group', 'version', 'kind'])),
  provider: link,
});

const shapes: ReadonlyMap<string, GoShape> = new Map([
  ['olm.package', struct('property.Package', texts('packageName', 'version', 'release'))],
  ['olm.gvk', struct('property.GVK', texts('group', 'kind', 'version'))],
  ['olm.package.required', struct('property.PackageRequired', texts('packageName', 'versionRange'))],
  ['olm.gvk.required', struct('property.GVKRequired', texts('group', 'kind', 'version'))],
  ['olm.bundle.object', struct('property.BundleObject', { data: { kind: 'bytes' } })],
  ['olm.csv.metadata', csvMetadata],
]);

/** What a property of a known type is decoded into. */
export function shapeOfProperty(type: string): GoShape {
  return shapes.get(type) ?? { kind: 'raw' };
}

/** Why the value of a property cannot be decoded, in the words of Go: `json: cannot unmarshal number into Go value of type property.GVK`.
 *  @see docs/spec/catalogs.md#s12 */
export function propertyFault({ type, value }: DecodedProperty): string | undefined {
  return value === undefined ? 'unexpected end of JSON input' : shapeFault(shapeOfProperty(type), value as JsonValue);
}
