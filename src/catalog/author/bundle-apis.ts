import { type JsonObject, objectAt, objectsAt, TerminalError, textAt } from '../../base/index.ts';
import type { GroupVersionKind } from '../../constraints/index.ts';

interface NamedApi extends GroupVersionKind {
  readonly plural: string;
}

/** The APIs in a bundle's manifests. */
export interface BundleApis {
  readonly provided: readonly GroupVersionKind[];
  readonly required: readonly GroupVersionKind[];
}

/** All versions of a CustomResourceDefinition, served or not; the old form names one beside the list. */
function definedApis({ kind, spec }: JsonObject): readonly NamedApi[] {
  if (kind !== 'CustomResourceDefinition') return [];
  const names = objectAt({ spec }, 'spec', 'names');
  const given = objectAt({ spec }, 'spec');
  const versions = [...objectsAt(given, 'versions').map((one) => textAt(one, 'name')), textAt(given, 'version')];
  return [...new Set(versions)]
    .filter((version) => version !== '')
    .map((version) => ({
      group: textAt(given, 'group'),
      version,
      kind: textAt(names, 'kind'),
      plural: textAt(names, 'plural'),
    }));
}

/** @throws TerminalError InvalidBundle for a name without a group */
function describedApi(description: JsonObject): NamedApi {
  const name = textAt(description, 'name');
  const dot = name.indexOf('.');
  if (dot < 0) throw new TerminalError('InvalidBundle', `couldn't parse plural.group from crd name: ${name}`);
  return {
    group: name.slice(dot + 1),
    version: textAt(description, 'version'),
    kind: textAt(description, 'kind'),
    plural: name.slice(0, dot),
  };
}

function serviceApi(description: JsonObject): NamedApi {
  return {
    group: textAt(description, 'group'),
    version: textAt(description, 'version'),
    kind: textAt(description, 'kind'),
    plural: textAt(description, 'name'),
  };
}

function apiText({ group, version, kind, plural }: NamedApi): string {
  return `${group}/${version}/${kind} (${plural})`;
}

/** @throws TerminalError InvalidBundle for a CustomResourceDefinition that the operator owns and does not bring */
function assertBrought(name: string, owned: readonly NamedApi[], provided: readonly NamedApi[]): void {
  const found = new Set(provided.map(apiText));
  const missing = owned.map(apiText).find((text) => !found.has(text));
  if (missing === undefined) return;
  const all = [...found].sort().map((text) => `${text}:{}`);
  const text = `error checking provided apis in bundle ${name}: couldn't find ${missing} in bundle. found: map[${all.join(' ')}]`;
  throw new TerminalError('InvalidBundle', text);
}

/** APIs that a bundle brings and needs, by its CustomResourceDefinitions and its ClusterServiceVersion.
 *  @throws TerminalError InvalidBundle
 *  @see docs/spec/catalogs.md#derived-gvk */
export function apisOf(csv: JsonObject, objects: readonly JsonObject[]): BundleApis {
  const definitions = objectAt(csv, 'spec', 'customresourcedefinitions');
  const services = objectAt(csv, 'spec', 'apiservicedefinitions');
  const provided = [...objects.flatMap(definedApis), ...objectsAt(services, 'owned').map(serviceApi)];
  assertBrought(textAt(objectAt(csv, 'metadata'), 'name'), objectsAt(definitions, 'owned').map(describedApi), provided);
  const required = [
    ...objectsAt(definitions, 'required').map(describedApi),
    ...objectsAt(services, 'required').map(serviceApi),
  ];
  const bare = ({ group, version, kind }: NamedApi): GroupVersionKind => ({ group, version, kind });
  return { provided: provided.map(bare), required: required.map(bare) };
}
