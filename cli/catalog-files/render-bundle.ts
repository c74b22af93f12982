import { isJsonObject, type JsonObject, listAt, objectAt, textAt } from '../../src/base/index.ts';
import { readBundleForChecks } from '../../src/bundle-checks/index.ts';
import { type BundleParts, bundleDocument } from '../../src/catalog/index.ts';
import { bundleContent, stageBundle } from '../bundle-files/index.ts';
import type { OptionValues, registryOptions } from '../command/index.ts';
import { openWorkFolder } from '../input/index.ts';
import type { Progress } from '../output/index.ts';
import { bundleParts } from './bundle-parts.ts';

/** What an image's reference can be made of. */
export interface BundleNames {
  readonly Package: string;
  readonly Name: string;
  readonly Version: string;
}

/** How a bundle becomes a document. */
export interface RenderBundleOptions {
  /** Those of `registryOptions`. */
  readonly values: OptionValues<typeof registryOptions>;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Names the images of bundles that come from folders. */
  readonly imageOf?: ((names: BundleNames) => string) | undefined;
  readonly warn: (text: string) => void;
}

function namesOf(document: JsonObject): BundleNames {
  const own = listAt(document, 'properties').find((item) => isJsonObject(item) && item['type'] === 'olm.package');
  const version = textAt(objectAt(isJsonObject(own) ? own : undefined, 'value'), 'version');
  return { Package: textAt(document, 'package'), Name: textAt(document, 'name'), Version: version };
}

function folderImage(parts: BundleParts, { imageOf }: RenderBundleOptions): string | undefined {
  return imageOf?.(namesOf(bundleDocument(parts).document));
}

/** The `olm.bundle` of a bundle in a folder or an image, with its manifests.
 *  @throws TerminalError and TransientError, as `stageBundle` and `bundleDocument` */
export async function renderBundle(name: string, options: RenderBundleOptions): Promise<JsonObject> {
  await using work = await openWorkFolder();
  const { staging, isFolder } = await stageBundle({ ...options, name, work });
  await using _staging = staging;
  const { parts, warnings } = bundleParts(readBundleForChecks(await bundleContent(name, staging)));
  const image = isFolder ? folderImage(parts, options) : name.replace(/^(oci|docker):\/\//, '');
  const made = bundleDocument(parts, image);
  for (const text of [...warnings, ...made.warnings]) options.warn(text);
  return made.document;
}
