import { isTrueAt, type JsonObject, listOfTexts, objectAt, objectsAt, textAt } from '../../src/base/index.ts';

/** What clients decode into types of their own: with members of other types they could not read any group. */
function readKind(entry: JsonObject): JsonObject {
  const kind = objectAt(entry, 'responseKind');
  return kind === undefined ? {} : { responseKind: responseKind(kind) };
}

function readResource(entry: JsonObject): JsonObject {
  const subresources = objectsAt(entry, 'subresources').map((one) => ({
    subresource: textAt(one, 'subresource'),
    ...readKind(one),
    verbs: listOfTexts(one, 'verbs'),
  }));
  return {
    resource: textAt(entry, 'resource'),
    ...readKind(entry),
    scope: textAt(entry, 'scope') === 'Cluster' ? 'Cluster' : 'Namespaced',
    singularResource: textAt(entry, 'singularResource'),
    verbs: listOfTexts(entry, 'verbs'),
    ...texts(entry, 'shortNames'),
    ...texts(entry, 'categories'),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}

/** The resources of a version in an `APIGroupDiscoveryList`; undefined when it does not have the version. */
export function aggregatedVersionIn(
  list: JsonObject,
  { group, version }: { readonly group: string; readonly version: string },
): readonly JsonObject[] | undefined {
  const found = objectsAt(list, 'items').find((item) => textAt(objectAt(item, 'metadata'), 'name') === group);
  const own = objectsAt(found, 'versions').find((one) => textAt(one, 'version') === version);
  return own === undefined ? undefined : objectsAt(own, 'resources').map(readResource);
}

function responseKind(entry: JsonObject): JsonObject {
  return { group: textAt(entry, 'group'), version: textAt(entry, 'version'), kind: textAt(entry, 'kind') };
}

function texts(entry: JsonObject, name: string): JsonObject {
  const values = listOfTexts(entry, name);
  return values.length === 0 ? {} : { [name]: [...values] };
}

function subresourceOf(entry: JsonObject, subresource: string): JsonObject {
  return { subresource, responseKind: responseKind(entry), verbs: [...listOfTexts(entry, 'verbs')] };
}

/** The subresources of each resource, by its name. */
function subresourcesIn(entries: readonly JsonObject[]): ReadonlyMap<string, readonly JsonObject[]> {
  const found = new Map<string, JsonObject[]>();
  for (const entry of entries) {
    const [plural = '', ...rest] = textAt(entry, 'name').split('/');
    if (rest.length === 0) continue;
    const others = found.get(plural);
    const own = subresourceOf(entry, rest.join('/'));
    if (others === undefined) found.set(plural, [own]);
    else others.push(own);
  }
  return found;
}

/** The resources of an `APIResourceList` in the form of aggregated discovery. */
export function aggregatedVersionOf(list: JsonObject): readonly JsonObject[] {
  const entries = objectsAt(list, 'resources');
  const subresources = subresourcesIn(entries);
  const resources = entries.filter((entry) => !textAt(entry, 'name').includes('/'));
  return resources.map((entry) => {
    const own = subresources.get(textAt(entry, 'name')) ?? [];
    return {
      resource: textAt(entry, 'name'),
      responseKind: responseKind(entry),
      scope: isTrueAt(entry, 'namespaced') ? 'Namespaced' : 'Cluster',
      singularResource: textAt(entry, 'singularName'),
      verbs: [...listOfTexts(entry, 'verbs')],
      ...texts(entry, 'shortNames'),
      ...texts(entry, 'categories'),
      ...(own.length === 0 ? {} : { subresources: [...own] }),
    };
  });
}
