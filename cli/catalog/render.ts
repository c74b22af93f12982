import { errorMessage, goQuote, type JsonObject, redactUrl, TerminalError, textAt } from '../../src/base/index.ts';
import { type Meta, type MigrateLevel, migrateDocument } from '../../src/catalog/index.ts';
import type { RenderBundleOptions } from '../catalog-files/index.ts';
import { openCatalog } from './open.ts';
import type { OpenOptions } from './reading.ts';
import { type ReferenceKind, referenceKind } from './reference-kind.ts';

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

/** The document as `--migrate-level` wants it; a bundle without image keeps its manifests, with a warning.
 *  @throws TerminalError as `migrateDocument` */
export async function migrated(
  document: JsonObject,
  { migrate, warn }: Pick<RenderOptions, 'migrate' | 'warn'>,
): Promise<JsonObject> {
  const isStuck = migrate !== 'none' && document['schema'] === 'olm.bundle' && textAt(document, 'image') === '';
  if (isStuck) {
    const name = goQuote(textAt(document, 'name'));
    warn(`bundle ${name} has no image, so its manifests stay in the catalog: --image-ref-template names one`);
  }
  return await migrateDocument(document, migrate);
}

/** What became of a reference: a bundle's document, nothing yet for a catalog, which is read as a stream later, or why there is none. */
interface Rendered {
  readonly name: string;
  readonly bundle?: JsonObject;
  readonly failure?: TerminalError;
}

async function renderOne(name: string, options: RenderOptions): Promise<Rendered> {
  try {
    const kind = await kindOf(name, options);
    if (!bundleKinds.includes(kind)) return { name };
    const warn = (text: string): void => options.warn(`${redactUrl(name)}: ${text}`);
    // Rendering a catalog never loads what reads and checks bundles.
    const { renderBundle } = await import('../catalog-files/index.ts');
    const bundle = await renderBundle(name, { ...options, warn });
    return { name, bundle: await migrated(bundle, { ...options, warn }) };
  } catch (thrown) {
    return { name, failure: wrapped(name, thrown) };
  }
}

/** @throws TerminalError RenderFailed, with all that failed */
function throwAll(failures: readonly TerminalError[]): void {
  const [first, ...others] = failures;
  if (first === undefined) return;
  if (others.length === 0) throw first;
  throw new TerminalError('RenderFailed', failures.map(({ message }) => message).join('\n'), { cause: failures });
}

/** Several at a time, in their order; so many documents are in memory, and no more. All failures are reported at the end.
 *  @throws TerminalError RenderFailed, after the last one */
async function* renderAll(names: readonly string[], options: RenderOptions): AsyncGenerator<Rendered> {
  const { progress } = options;
  const running: Promise<Rendered>[] = [];
  const failures: TerminalError[] = [];
  for (let [started, done] = [0, 0]; done < names.length; done += 1) {
    for (; running.length < referencesAtATime && started < names.length; started += 1) {
      running.push(renderOne(names[started] ?? '', options));
    }
    const name = redactUrl(names[done] ?? '');
    const label = `rendering ${name.length > 40 ? `…${name.slice(-39)}` : name}`;
    progress.show(label, { done, total: names.length, unit: 'bundles' });
    const rendered = await running.shift();
    if (rendered?.failure !== undefined) failures.push(rendered.failure);
    else if (rendered !== undefined) yield rendered;
  }
  progress.clear();
  throwAll(failures);
}

/** The documents of references to bundles, by reference.
 *  @throws TerminalError RenderFailed */
export async function renderBundles(
  names: readonly string[],
  options: RenderOptions,
): Promise<ReadonlyMap<string, readonly JsonObject[]>> {
  const documents = new Map<string, readonly JsonObject[]>();
  for await (const { name, bundle } of renderAll(names, options)) {
    documents.set(name, bundle === undefined ? [] : [bundle]);
  }
  return documents;
}

async function* readCatalog(name: string, options: RenderOptions): AsyncGenerator<Meta> {
  try {
    for await (const meta of openCatalog(name, options)) {
      const value = await migrated(meta.value, options);
      yield value === meta.value ? meta : { ...meta, value };
    }
  } catch (thrown) {
    throw wrapped(name, thrown);
  }
}

/** The documents of references to bundles and catalogs, in the order of the references. Catalogs are read as streams.
 *  @throws TerminalError RenderFailed, for bundles after the last document */
export async function* renderReferences(names: readonly string[], options: RenderOptions): AsyncGenerator<Meta> {
  for await (const { name, bundle } of renderAll(names, options)) {
    if (bundle === undefined) yield* readCatalog(name, options);
    else yield metaOf(bundle, name);
  }
}
