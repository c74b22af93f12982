import {
  isJsonObject,
  type JsonObject,
  objectAt,
  objectsAt,
  parseYaml,
  TerminalError,
  textAt,
} from '../../base/index.ts';
import type { CatalogIndex } from '../../catalog/index.ts';
import { formatNamespacedName, type KubeObject, type NamespacedName, namespacedName } from '../../kube/index.ts';
import type { CatalogStore } from '../catalog-content/catalog-store.ts';
import type { SourceDirectory } from './source-directory.ts';
import type { CatalogSourceViews, HeldSources, ServedSource, ServedSources } from './views.ts';

interface Deps {
  readonly directory: SourceDirectory;
  readonly store: CatalogStore;
  readonly globalNamespace: string;
}

function uidOf({ metadata }: KubeObject): string {
  return metadata.uid ?? '';
}

/** The content of the very object; undefined before its index is described. */
function indexOf(store: CatalogStore, source: KubeObject): CatalogIndex | undefined {
  const index = store.index(uidOf(source));
  const { namespace, name } = namespacedName(source);
  return index?.name === name && index.namespace === namespace ? index : undefined;
}

function* manifestsIn(document: JsonObject): Generator<JsonObject> {
  for (const property of objectsAt(document, 'properties')) {
    if (textAt(property, 'type') !== 'olm.bundle.object') continue;
    const data = textAt(objectAt(property, 'value'), 'data');
    const what = `manifest of bundle ${textAt(document, 'name')}`;
    const manifest = parseYaml(what, Buffer.from(data, 'base64').toString(), { isLastKeyTaken: true });
    if (!isJsonObject(manifest)) throw new TerminalError('InvalidManifest', `${what}: expected an object`);
    yield manifest;
  }
}

/** @throws TerminalError InvalidYaml, InvalidManifest */
function manifestsOf(index: CatalogIndex, bundle: string): readonly JsonObject[] | undefined {
  const [found] = index.metas({ schema: 'olm.bundle', name: bundle, limit: 1 });
  const manifests = found === undefined ? [] : [...manifestsIn(found.value)];
  return manifests.length === 0 ? undefined : manifests;
}

function visibleIn({ directory, globalNamespace }: Deps, namespace: string): readonly KubeObject[] {
  const own = directory.in(namespace);
  return namespace === globalNamespace ? own : [...own, ...directory.in(globalNamespace)];
}

function held(uses: readonly Disposable[]): Disposable {
  return {
    [Symbol.dispose]: () => {
      for (const use of uses) use[Symbol.dispose]();
    },
  };
}

/** What is readable of CatalogSources, with its index. */
function servedOf({ store }: Deps, objects: readonly KubeObject[]): readonly ServedSource[] {
  return objects.flatMap((source) => {
    const index = indexOf(store, source);
    return index === undefined ? [] : [{ source, index }];
  });
}

function hold(deps: Deps, namespace: string): HeldSources {
  const { store, directory } = deps;
  const visible = visibleIn(deps, namespace);
  const served = servedOf(deps, visible).toSorted((a, b) => b.index.priority - a.index.priority);
  const indexes = new Map(served.map(({ source, index }) => [formatNamespacedName(namespacedName(source)), index]));
  const unavailable = visible
    .filter((source) => !indexes.has(formatNamespacedName(namespacedName(source))))
    .map((source) => {
      const place = namespacedName(source);
      const unread = `no registry client established for catalogsource ${formatNamespacedName(place)}`;
      return { ...place, why: directory.problemOf(uidOf(source)) ?? unread };
    });
  return {
    catalogs: served.map(({ index }) => index),
    places: served.flatMap(({ source }) => store.placeOf(uidOf(source)) ?? []),
    unavailable,
    manifestsOf: (source, bundle) => {
      const index = indexes.get(formatNamespacedName(source));
      return Promise.resolve(index === undefined ? undefined : manifestsOf(index, bundle));
    },
    ...held(served.map(({ index }) => index.use())),
  };
}

/** The views of what is stored. */
export function createSourceViews(deps: Deps): CatalogSourceViews & ServedSources {
  return {
    hold: (namespace) => hold(deps, namespace),
    subscribe: (listener: (source: NamespacedName) => void) => deps.directory.subscribe(listener),
    serve: (namespace) => {
      const objects = namespace === undefined ? deps.directory.all() : visibleIn(deps, namespace);
      const sources = servedOf(deps, objects);
      return { sources, ...held(sources.map(({ index }) => index.use())) };
    },
  };
}
