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

/** The resources of an `APIResourceList` in the form of aggregated discovery. */
export function aggregatedVersionOf(list: JsonObject): readonly JsonObject[] {
  const entries = objectsAt(list, 'resources');
  const subresourcesOf = (plural: string): JsonObject[] =>
    entries
      .filter((entry) => textAt(entry, 'name').startsWith(`${plural}/`))
      .map((entry) => ({
        subresource: textAt(entry, 'name').slice(plural.length + 1),
        responseKind: responseKind(entry),
        verbs: [...listOfTexts(entry, 'verbs')],
      }));
  const resources = entries.filter((entry) => !textAt(entry, 'name').includes('/'));
  return resources.map((entry) => {
    const subresources = subresourcesOf(textAt(entry, 'name'));
    return {
      resource: textAt(entry, 'name'),
      responseKind: responseKind(entry),
      scope: isTrueAt(entry, 'namespaced') ? 'Namespaced' : 'Cluster',
      singularResource: textAt(entry, 'singularName'),
      verbs: [...listOfTexts(entry, 'verbs')],
      ...texts(entry, 'shortNames'),
      ...texts(entry, 'categories'),
      ...(subresources.length === 0 ? {} : { subresources }),
    };
  });
}
