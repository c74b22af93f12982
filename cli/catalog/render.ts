import {
  errorMessage,
  goQuote,
  type JsonObject,
  mapLimit,
  redactUrl,
  TerminalError,
  textAt,
} from '../../src/base/index.ts';
import { type Meta, type MigrateLevel, migrateDocument } from '../../src/catalog/index.ts';
import { openCatalog } from './open.ts';
import type { OpenOptions } from './reading.ts';
import { type ReferenceKind, referenceKind } from './reference-kind.ts';
import { type RenderBundleOptions, renderBundle } from './render-bundle.ts';

/** How references become documents. */
export interface RenderOptions extends OpenOptions, Pick<RenderBundleOptions, 'imageOf' | 'warn'> {
  /** What references may be. */
  readonly allowed: readonly ReferenceKind[];
  readonly migrate: MigrateLevel;
}

/** All there are. */
export const allKinds: readonly ReferenceKind[] = [
  'bundle directory',
  'bundle image',
  'declarative config directory',
  'declarative config image',
  'declarative config stream',
];
export const bundleKinds: readonly ReferenceKind[] = ['bundle directory', 'bundle image'];
export const catalogKinds: readonly ReferenceKind[] = allKinds.filter((kind) => !bundleKinds.includes(kind));

const referencesAtATime = 4;

function wrapped(name: string, thrown: unknown): TerminalError {
  const text = `render reference ${goQuote(redactUrl(name))}: ${errorMessage(thrown)}`;
  return new TerminalError('RenderFailed', text, { cause: thrown });
}

async function kindOf(name: string, options: RenderOptions): Promise<ReferenceKind> {
  const kind = await referenceKind(name, options);
  if (options.allowed.includes(kind)) return kind;
  throw new TerminalError('NotAllowed', `cannot render ${kind}: not allowed`);
}

function metaOf(document: JsonObject, file: string): Meta {
  return {
    schema: textAt(document, 'schema'),
    package: textAt(document, 'package'),
    name: textAt(document, 'name'),
    value: document,
    place: { file, line: 1 },
  };
}

/** The documents as a catalog's, with `file` for their place. */
export function metasOf(documents: readonly JsonObject[], file: string): readonly Meta[] {
  return documents.map((document) => metaOf(document, file));
}

/** A bundle's document, or undefined for a catalog, which is read as a stream later. */
type Rendered = { readonly bundle: JsonObject | undefined } | { readonly failure: TerminalError };

async function renderOne(name: string, options: RenderOptions): Promise<Rendered> {
  try {
    const kind = await kindOf(name, options);
    if (!bundleKinds.includes(kind)) return { bundle: undefined };
    const warn = (text: string): void => options.warn(`${redactUrl(name)}: ${text}`);
    return { bundle: migrateDocument(await renderBundle(name, { ...options, warn }), options.migrate) };
  } catch (thrown) {
    return { failure: wrapped(name, thrown) };
  }
}

/** Several at a time; all that fail are told together. */
async function renderAll(
  names: readonly string[],
  options: RenderOptions,
): Promise<readonly (JsonObject | undefined)[]> {
  let done = 0;
  const { progress } = options;
  const rendered = await mapLimit(names, referencesAtATime, async (name) => {
    progress.show(`rendering ${redactUrl(name).slice(-60)}`, { done, total: names.length, unit: 'bundles' });
    const one = await renderOne(name, options);
    done += 1;
    return one;
  });
  progress.clear();
  const failures = rendered.flatMap((one) => ('failure' in one ? [one.failure] : []));
  const [first] = failures;
  if (failures.length === 1 && first !== undefined) throw first;
  if (failures.length > 1) {
    throw new TerminalError('RenderFailed', failures.map(({ message }) => message).join('\n'), { cause: failures });
  }
  return rendered.map((one) => ('bundle' in one ? one.bundle : undefined));
}

/** The documents of references to bundles, by reference.
 *  @throws TerminalError RenderFailed */
export async function renderBundles(
  names: readonly string[],
  options: RenderOptions,
): Promise<ReadonlyMap<string, readonly JsonObject[]>> {
  const documents = await renderAll(names, options);
  return new Map(
    names.map((name, index) => {
      const document = documents[index];
      return [name, document === undefined ? [] : [document]];
    }),
  );
}

/** The documents of references to bundles and catalogs, in the order of the references. Catalogs are read as streams.
 *  @throws TerminalError RenderFailed */
export async function* renderReferences(names: readonly string[], options: RenderOptions): AsyncGenerator<Meta> {
  const documents = await renderAll(names, options);
  for (const [index, name] of names.entries()) {
    const document = documents[index];
    if (document !== undefined) {
      yield metaOf(document, name);
      continue;
    }
    try {
      for await (const meta of openCatalog(name, options)) {
        const value = migrateDocument(meta.value, options.migrate);
        yield value === meta.value ? meta : { ...meta, value };
      }
    } catch (thrown) {
      throw wrapped(name, thrown);
    }
  }
}
