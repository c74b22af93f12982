import {
  isJsonObject,
  type JsonObject,
  maxMetadataFileBytes,
  serverText,
  TerminalError,
} from '../../src/base/index.ts';
import type { Property } from '../../src/constraints/index.ts';
import { type PackedObjects, packObjects, type Staging } from '../../src/content/index.ts';
import {
  type BundleMetadata,
  boundedProperties,
  metadataFileNames,
  offeredProperties,
  readBundleMetadata,
} from '../../src/dependencies/index.ts';
import { formatOf, readStaged } from '../../src/formats/index.ts';
import { roomAfter } from './object-size.ts';

const checkPrefix = 'get objects from bundle manifests: ';
const maxObjectBytes = 3 * 1024 * 1024;

/** What is known of the files of a bundle. */
export interface ReadBundle {
  readonly objectCount: number;
  readonly version: string | undefined;
  readonly properties: readonly Property[];
  readonly warnings: readonly string[];
  /** What they were parsed into. */
  readonly packed: PackedObjects | undefined;
}

/** Reads the metadata directory, where there is one.
 *  @throws TerminalError FileTooLarge, InvalidMetadata with everything that is wrong */
export async function checkMetadata(provisionerClassName: string, staging: Staging): Promise<BundleMetadata> {
  const files = new Map<string, Buffer>();
  for (const name of metadataFileNames) {
    const node = staging.tree.get(['metadata', name]);
    if (node?.kind !== 'file') continue;
    files.set(name, await staging.readFile(`metadata/${name}`, node, maxMetadataFileBytes));
  }
  const metadata = readBundleMetadata(files, provisionerClassName);
  if (metadata.problems.length === 0) return metadata;
  throw new TerminalError('InvalidMetadata', metadata.problems.join('; '));
}

/** Kubernetes API servers accept no larger one.
 *  @throws TerminalError InvalidBundle */
function assertAccepted(object: JsonObject): void {
  if (roomAfter(maxObjectBytes, object) >= 0) return;
  const { kind, metadata } = object;
  const name = isJsonObject(metadata) ? metadata['name'] : undefined;
  const what = `${typeof kind === 'string' ? serverText(kind, 100) : 'the object'} ${serverText(JSON.stringify(name ?? null), 300)}`;
  const text = `${checkPrefix}${what} has more than the limit of ${maxObjectBytes} bytes as JSON, which an API server accepts: expected smaller objects`;
  throw new TerminalError('InvalidBundle', text);
}

/** Reads and checks the files of a bundle.
 *  @throws TerminalError InvalidBundle, InvalidMetadata, FileTooLarge */
export async function readBundle(staging: Staging, provisionerClassName: string): Promise<ReadBundle> {
  const format = formatOf(provisionerClassName);
  const { objects, parsed, version } = await readStaged(format, staging, checkPrefix);
  for (const object of objects) assertAccepted(object);
  const { properties, warnings, packageName } = await checkMetadata(provisionerClassName, staging);
  return {
    objectCount: objects.length,
    version,
    properties: boundedProperties([...properties, ...offeredProperties(objects, packageName)]),
    warnings: [...warnings],
    packed: await packObjects(format.name, parsed),
  };
}
