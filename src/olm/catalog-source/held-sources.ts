import {
  countValues,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  objectsAt,
  parseJson,
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

/** Of a bundle without an image, with its manifests: a registry sends messages of up to 4 MiB. */
const maxDocumentBytes = 8 * 1024 * 1024;
/** Of all manifests of a bundle, which are read while others wait. */
const maxValues = 200_000;

/** Reads the manifests of one bundle. */
class ManifestReader {
  readonly #what: string;
  #left = maxValues;

  constructor(bundle: string) {
    this.#what = `manifest of bundle ${bundle}`;
  }

  /** @throws TerminalError InvalidYaml, InvalidManifest, TooManyValues */
  read(data: string): JsonObject {
    const text = Buffer.from(data, 'base64').toString();
    const manifest = this.#parse(text);
    if (!isJsonObject(manifest)) throw new TerminalError('InvalidManifest', `${this.#what}: expected an object`);
    this.#left -= countValues(JSON.stringify(manifest), this.#left);
    return manifest;
  }

  /** JSON, as opm writes it, takes a tenth of the time. */
  #parse(text: string): JsonValue {
    try {
      if (text.startsWith('{')) return parseJson(this.#what, text, { maxValues: this.#left });
    } catch (thrown) {
      if (!(thrown instanceof TerminalError) || thrown.reason !== 'InvalidJson') throw thrown;
    }
    return parseYaml(this.#what, text, { isLastKeyTaken: true, maxNodes: this.#left });
  }
}

function manifestsIn(bundle: string, document: JsonObject): readonly JsonObject[] {
  const reader = new ManifestReader(bundle);
  return objectsAt(document, 'properties')
    .filter((property) => textAt(property, 'type') === 'olm.bundle.object')
    .map((property) => reader.read(textAt(objectAt(property, 'value'), 'data')));
}

/** @throws TerminalError InvalidYaml, InvalidManifest, TooManyValues */
function manifestsOf(index: CatalogIndex, bundle: string): readonly JsonObject[] | undefined {
  const filter = { schema: 'olm.bundle', name: bundle, limit: 1 };
  const { lengthBytes } = index.select(filter);
  if (lengthBytes > maxDocumentBytes) {
    const expected = `expected a bundle with an image, or at most ${maxDocumentBytes} bytes`;
    throw new TerminalError('InvalidManifest', `bundle ${bundle}: its document has ${lengthBytes} bytes: ${expected}`);
  }
  const [found] = index.metas(filter);
  const manifests = found === undefined ? [] : manifestsIn(bundle, found.value);
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
      // What it throws rejects the promise.
      return new Promise((resolve) => resolve(index === undefined ? undefined : manifestsOf(index, bundle)));
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
