import { arch } from 'node:process';
import {
  cutText,
  isJsonObject,
  isSha256Digest,
  type JsonObject,
  type JsonValue,
  serverText,
  TerminalError,
} from '../base/index.ts';
import type { Descriptor } from './descriptor.ts';
import { type ChartLayers, chartLayersOf, type Layer, readLayers } from './image-layers.ts';

const indexTypes: ReadonlySet<string> = new Set([
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
]);
const manifestTypes: ReadonlySet<string> = new Set([
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
]);
/** Of images; artifacts have others. */
const configTypes: ReadonlySet<string> = new Set([
  'application/vnd.oci.image.config.v1+json',
  'application/vnd.docker.container.image.v1+json',
]);
/** `{}` */
const emptyConfigBytes = 2;
const schema1Type = /^application\/vnd\.docker\.distribution\.manifest\.v1\+/;

const maxPlatforms = 200;

/** The `accept` header for manifests. */
export const manifestAccept: string = [...manifestTypes, ...indexTypes].join(', ');

export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string;
}

/** An index leads to another manifest; an image or artifact has layers, lowest first, and an image has a configuration. */
export type ImageDocument =
  | { readonly kind: 'index'; readonly chosen: Descriptor }
  | ({ readonly kind: 'image'; readonly config: Descriptor | undefined } & ImageLayers);

interface ImageLayers {
  readonly layers: readonly Layer[];
  readonly chart: ChartLayers | undefined;
}

function refuse(what: string, text: string): never {
  throw new TerminalError('InvalidManifest', `${what}: ${text}`);
}

function parseDescriptor(what: string, value: JsonValue | undefined): Descriptor & { readonly raw: JsonObject } {
  if (!isJsonObject(value)) return refuse(what, 'expected a descriptor');
  const { digest, size } = value;
  if (typeof digest !== 'string' || !isSha256Digest(digest))
    return refuse(what, 'expected a sha256 digest in a descriptor');
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
    return refuse(what, 'expected a size in a descriptor');
  return { digest, sizeBytes: size, raw: value };
}

function platformOf(raw: JsonObject): Platform | undefined {
  const platform = raw['platform'];
  if (!isJsonObject(platform)) return undefined;
  const { os, architecture, variant } = platform;
  if (typeof os !== 'string' || typeof architecture !== 'string' || os === 'unknown') return undefined;
  return { os, architecture, ...(typeof variant === 'string' ? { variant } : {}) };
}

function isAttestation(raw: JsonObject): boolean {
  const annotations = raw['annotations'];
  return isJsonObject(annotations) && annotations['vnd.docker.reference.type'] === 'attestation-manifest';
}

function formatPlatform(platform: Platform): string {
  return [platform.os, platform.architecture, platform.variant].filter((part) => part !== undefined).join('/');
}

/** The requested platform's manifest; else the only one; else one without a platform, as content images have it. */
function chooseManifest(what: string, items: readonly JsonValue[], requested: Platform): Descriptor {
  const candidates = items
    .map((item) => parseDescriptor(what, item))
    .filter(({ raw }) => !isAttestation(raw))
    .map((descriptor) => ({ descriptor, platform: platformOf(descriptor.raw) }));
  const isRequested = (platform: Platform | undefined): boolean =>
    platform?.os === requested.os &&
    platform.architecture === requested.architecture &&
    (requested.variant === undefined || platform.variant === requested.variant);
  const chosen =
    candidates.find(({ platform }) => isRequested(platform)) ??
    (candidates.length === 1 ? candidates[0] : candidates.find(({ platform }) => platform === undefined));
  if (chosen !== undefined) return chosen.descriptor;
  const offered = candidates
    .map(({ platform }) => (platform === undefined ? 'none' : formatPlatform(platform)))
    .join(', ');
  return refuse(what, `no manifest for platform ${formatPlatform(requested)}, only for: ${serverText(offered)}`);
}

function typeOfDocument(what: string, document: JsonObject, contentType: string | undefined): string {
  const declared = document['mediaType'] ?? contentType?.split(';')[0]?.trim();
  const type = typeof declared === 'string' ? declared : '';
  const isSchema1 = schema1Type.test(type) || document['schemaVersion'] === 1;
  return isSchema1
    ? refuse(what, 'is a manifest of schema 1, which is not supported: push the image again with a current tool')
    : type;
}

function parseLayers(
  what: string,
  document: JsonObject,
  { layers, isChart = false }: { readonly layers: readonly JsonValue[]; readonly isChart: boolean | undefined },
): ImageLayers {
  const all = layers.map((layer) => parseDescriptor(what, layer));
  return { layers: readLayers(what, document, { all, isChart }), chart: chartLayersOf(all) };
}

function configOf(what: string, { config }: JsonObject): Descriptor | undefined {
  if (!isJsonObject(config) || typeof config['mediaType'] !== 'string') return undefined;
  if (!configTypes.has(config['mediaType'])) return undefined;
  const { digest, sizeBytes } = parseDescriptor(what, config);
  return sizeBytes <= emptyConfigBytes ? undefined : { digest, sizeBytes };
}

/** Reads a manifest or an index; `contentType` decides where the document has no media type.
 *  @throws TerminalError InvalidManifest */
export function parseImageDocument(
  what: string,
  document: JsonValue,
  options: {
    readonly contentType: string | undefined;
    readonly platform: Platform;
    /** A chart is expected. Default false: charts are refused. */
    readonly isChart?: boolean | undefined;
  },
): ImageDocument {
  if (!isJsonObject(document)) return refuse(what, 'expected a manifest');
  const type = typeOfDocument(what, document, options.contentType);
  const { manifests, layers } = document;
  if (indexTypes.has(type) && Array.isArray(manifests)) {
    return { kind: 'index', chosen: chooseManifest(what, manifests, options.platform) };
  }
  if (manifestTypes.has(type) && Array.isArray(layers)) {
    return {
      kind: 'image',
      ...parseLayers(what, document, { layers, isChart: options.isChart }),
      config: configOf(what, document),
    };
  }
  return refuse(what, `media type ${JSON.stringify(cutText(type, 200))} is not that of an image manifest or index`);
}

/** The platforms in a manifest or index. */
export interface DeclaredPlatforms {
  /** Those of an index. */
  readonly platforms: readonly Platform[];
  /** Manifests of an index without a platform. */
  readonly silent: readonly Descriptor[];
  /** Of a manifest: the configuration with its platform. */
  readonly config: Descriptor | undefined;
}

/** Reads the platforms of an image, as far as the document names them.
 *  @throws TerminalError InvalidManifest */
export function readPlatforms(what: string, document: JsonValue, contentType: string | undefined): DeclaredPlatforms {
  if (!isJsonObject(document)) return refuse(what, 'expected a manifest');
  const type = typeOfDocument(what, document, contentType);
  const { manifests, config } = document;
  if (!indexTypes.has(type) || !Array.isArray(manifests)) {
    return { platforms: [], silent: [], config: parseDescriptor(what, config) };
  }
  if (manifests.length > maxPlatforms) return refuse(what, `more than ${maxPlatforms} manifests in an index`);
  const items = manifests.map((item) => parseDescriptor(what, item)).filter(({ raw }) => !isAttestation(raw));
  return {
    platforms: items.map(({ raw }) => platformOf(raw)).filter((platform) => platform !== undefined),
    silent: items.filter(({ raw }) => raw['platform'] === undefined),
    config: undefined,
  };
}

/** Of images for this machine. */
export function defaultPlatform(): string {
  // Images have Go's name of it.
  return `linux/${arch === 'x64' ? 'amd64' : arch}`;
}

/** Reads `os/architecture[/variant]`.
 *  @throws TerminalError InvalidPlatform */
export function parsePlatform(text: string): Platform {
  const [os, architecture, variant, ...rest] = text.split('/');
  if (os === undefined || os === '' || architecture === undefined || architecture === '' || rest.length > 0) {
    throw new TerminalError('InvalidPlatform', `platform "${text}": expected os/architecture[/variant]`);
  }
  return { os, architecture, ...(variant === undefined ? {} : { variant }) };
}
