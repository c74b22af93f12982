import { isJsonObject, type JsonObject, objectAt, objectsAt, textAt } from '../../../src/base/index.ts';
import type { KubeObject } from '../../../src/kube/index.ts';
import type { PackageRow } from '../wire.ts';
import { rasterPixels } from './icons/raster-pixels.ts';
import { isSvgCheap } from './icons/svg-cost.ts';

/** An image of a package, as a catalog has it. */
export interface Icon {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

const mediaTypes: ReadonlySet<string> = new Set([
  'image/svg+xml',
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
]);
/** Of an image. */
export const maxIconBytes: number = 512 * 1024;
const maxIconPixels = 4096 * 4096;
const maxSummaryLength = 240;
const maxWords = 20;
const maxWordLength = 100;
const maxChannels = 200;
/** Of an object, a package or a channel. */
const maxNameLength = 253;

function headOf(manifest: KubeObject): {
  readonly status: JsonObject;
  readonly csv: JsonObject;
  readonly version: string;
} {
  const status = isJsonObject(manifest['status']) ? manifest['status'] : {};
  const channels = objectsAt(status, 'channels');
  const channel = channels.find((one) => textAt(one, 'name') === textAt(status, 'defaultChannel')) ?? channels[0];
  const csv = objectAt(channel, 'currentCSVDesc') ?? {};
  return { status, csv, version: textAt(csv, 'version') };
}

function isImage({ mediaType, bytes }: Icon): boolean {
  return bytes.length > 0 && bytes.length <= maxIconBytes && mediaTypes.has(mediaType);
}

/** Whether pages show it: an image that is not too large, and that a browser draws soon, as the page waits for it. */
export function isShown(icon: Icon): boolean {
  if (!isImage(icon)) return false;
  if (icon.mediaType === 'image/svg+xml') return isSvgCheap(icon.bytes, maxIconPixels);
  return (rasterPixels(icon.bytes) ?? Infinity) <= maxIconPixels;
}

/** What a package has as its icon. */
function declaredIcon(manifest: KubeObject): Icon {
  const [icon] = objectsAt(headOf(manifest).csv, 'icon');
  return { mediaType: textAt(icon, 'mediatype'), bytes: Buffer.from(textAt(icon, 'base64data'), 'base64') };
}

/** The icon of a package; undefined for what is no image, or one that is not shown. */
export function iconOf(manifest: KubeObject): Icon | undefined {
  const found = declaredIcon(manifest);
  return isShown(found) ? found : undefined;
}

/** A list has thousands of rows: a package is not shown by an essay in place of a word. */
function short(text: string): string {
  return text.slice(0, maxWordLength);
}

function wordsOf(value: unknown): readonly string[] {
  const words = Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [];
  return words.slice(0, maxWords).map(short);
}

function nameAt(parent: JsonObject | undefined, key: string): string {
  return textAt(parent, key).slice(0, maxNameLength);
}

/** The first sentences of a description, without the marks of Markdown. */
function summaryOf(csv: JsonObject): string {
  const text = textAt(objectAt(csv, 'annotations'), 'description') || textAt(csv, 'description');
  return text
    .slice(0, maxSummaryLength * 4)
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[#*_`>]+/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, maxSummaryLength);
}

/** A PackageManifest as a row of the catalog. */
export function packageRow(manifest: KubeObject): PackageRow {
  const { status, csv, version } = headOf(manifest);
  const annotations = objectAt(csv, 'annotations');
  const owned = objectsAt(objectAt(csv, 'customresourcedefinitions'), 'owned');
  const channels = objectsAt(status, 'channels');
  const supported = objectsAt(csv, 'installModes').filter((mode) => mode['supported'] === true);
  const { name = '', namespace = '' } = manifest.metadata;
  return {
    name: nameAt(status, 'packageName') || name,
    namespace,
    catalog: nameAt(status, 'catalogSource'),
    catalogNamespace: nameAt(status, 'catalogSourceNamespace'),
    catalogTitle: nameAt(status, 'catalogSourceDisplayName') || nameAt(status, 'catalogSource'),
    title: short(textAt(csv, 'displayName')) || name,
    summary: summaryOf(csv),
    provider: short(textAt(objectAt(status, 'provider'), 'name')),
    keywords: wordsOf(csv['keywords']),
    apis: wordsOf(owned.map((crd) => textAt(crd, 'kind'))),
    capability: short(textAt(annotations, 'capabilities')),
    categories: wordsOf(
      textAt(annotations, 'categories')
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== ''),
    ),
    channels: channels.slice(0, maxChannels).map((channel) => nameAt(channel, 'name')),
    defaultChannel: nameAt(status, 'defaultChannel'),
    version: version.slice(0, maxNameLength),
    installModes: wordsOf(supported.map((mode) => textAt(mode, 'type'))),
    isDeprecated: objectAt(status, 'deprecation') !== undefined,
    // Whether it is shown is found out when it is.
    hasIcon: isImage(declaredIcon(manifest)),
  };
}
