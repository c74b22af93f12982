import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../src/base/index.ts';
import { configsLabel, readStagedCatalog } from '../../../src/catalog/index.ts';
import { openStaging, stageFiles, type WorkFolder } from '../../input/index.ts';
import { buildBundleImage, pullInto, pushTo, type Transfer } from '../../oci/index.ts';

const maxCatalogBytes = 64 * 1024 * 1024;

/** Where an image of a catalog goes, and what that takes. */
export interface CatalogTarget {
  /** `HOST/REPOSITORY:TAG` */
  readonly ref: string;
  readonly work: WorkFolder;
  readonly transfer: Transfer;
}

/** Builds the image of a catalog and pushes it. The answer is its reference by digest. */
export async function pushCatalog(
  documents: readonly JsonObject[],
  { ref, work, transfer }: CatalogTarget,
): Promise<string> {
  const folder = join(work.path, 'catalog');
  await mkdir(join(folder, 'configs'), { recursive: true });
  const text = documents.map((document) => JSON.stringify(document)).join('\n');
  await writeFile(join(folder, 'configs', 'catalog.json'), text);
  await using staging = await stageFiles(folder, work, transfer.signal);
  const dir = join(work.path, 'image');
  await mkdir(dir);
  const image = await buildBundleImage(staging, {
    form: 'image',
    compression: 'none',
    dir,
    labels: { [configsLabel]: '/configs' },
    signal: transfer.signal,
  });
  return await pushTo(ref, image, transfer);
}

/** The documents of an image that `pushCatalog` has pushed. */
export async function pullCatalog({ ref, work, transfer }: CatalogTarget): Promise<readonly JsonObject[]> {
  await using staging = await openStaging(work, 'earlier');
  await pullInto(staging, ref, { ...transfer, work, directoryLabel: configsLabel });
  const documents: JsonObject[] = [];
  let bytes = 0;
  for await (const { value } of readStagedCatalog(staging, { signal: transfer.signal })) {
    bytes += JSON.stringify(value).length;
    if (bytes > maxCatalogBytes) break;
    if (isJsonObject(value)) documents.push(value);
  }
  return documents;
}
