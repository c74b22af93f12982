import { cutText, firstRepeated, isJsonObject, type JsonObject, TerminalError } from '../base/index.ts';
import type { Descriptor } from './descriptor.ts';

/** A layer of an image or artifact, and what it holds. */
export interface Layer extends Descriptor {
  readonly content: LayerContent;
}

/** `layer`: a tar whose whiteouts hide what is below. `archive`: a tar. `file`: the bytes of the file `path`.
 *  `any`: the same, unless the bytes are those of an archive: then that is unpacked. */
export type LayerContent =
  | { readonly kind: 'layer' }
  | { readonly kind: 'archive' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'any'; readonly path: string };

interface RawLayer extends Descriptor {
  readonly raw: JsonObject;
}

const layerTypePattern =
  /^application\/vnd\.(oci\.image\.layer\.v1\.tar|docker\.image\.rootfs\.diff\.tar)([+.](gzip|zstd))?$/;
const foreignTypePattern =
  /^application\/vnd\.(oci\.image\.layer\.nondistributable\.v1\.tar|docker\.image\.rootfs\.foreign\.diff\.tar)([+.](gzip|zstd))?$/;
const archiveTypePattern = /(tar|gzip|zstd|tgz|octet-stream)/;
const helmTypePattern = /^application\/vnd\.cncf\.helm\./;
const chartType = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
const provenanceType = 'application/vnd.cncf.helm.chart.provenance.v1.prov';
const emptyType = 'application/vnd.oci.empty.v1+json';
const titleAnnotation = 'org.opencontainers.image.title';
/** `oras` sets it on a folder that it has packed. */
const unpackAnnotation = 'io.deis.oras.content.unpack';
/** Where files of an artifact lie that names no folder for any of them. */
const defaultFolder = 'manifests';

function refuse(what: string, text: string): never {
  throw new TerminalError('InvalidManifest', `${what}: ${text}`);
}

function typeOf(raw: JsonObject | undefined): string {
  const mediaType = raw?.['mediaType'];
  return typeof mediaType === 'string' ? mediaType : '';
}

function annotationOf({ raw }: RawLayer, name: string): string | undefined {
  const annotations = raw['annotations'];
  const value = isJsonObject(annotations) && Object.hasOwn(annotations, name) ? annotations[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Whether it is a chart as `helm push` writes it. */
function isChart(document: JsonObject, layers: readonly RawLayer[]): boolean {
  const config = document['config'];
  const types = [typeOf(isJsonObject(config) ? config : undefined), ...layers.map(({ raw }) => typeOf(raw))];
  return types.some((type) => helmTypePattern.test(type));
}

/** A packed chart and its signature, as `helm push` writes them. */
export interface ChartLayers {
  /** Of the packed chart. */
  readonly digest: string;
  readonly provenance: Descriptor | undefined;
}

/** Undefined for what is no chart. */
export function chartLayersOf(layers: readonly RawLayer[]): ChartLayers | undefined {
  const chart = layers.find(({ raw }) => typeOf(raw) === chartType);
  if (chart === undefined) return undefined;
  const provenance = layers.find(({ raw }) => typeOf(raw) === provenanceType);
  return { digest: chart.digest, provenance };
}

/** The packed chart; its provenance is left out. */
function readChartLayer(what: string, layers: readonly RawLayer[], isExpected: boolean): readonly Layer[] {
  if (!isExpected) {
    refuse(
      what,
      'is a Helm chart: expected an image or artifact that holds manifests; charts have the provisioner class core-rukpak-io-helm',
    );
  }
  const chart =
    layers.find(({ raw }) => typeOf(raw) === chartType) ?? refuse(what, `expected a layer of media type ${chartType}`);
  const { digest, sizeBytes } = chart;
  return [{ digest, sizeBytes, content: { kind: 'archive' } }];
}

function assertSupported(what: string, layers: readonly RawLayer[]): void {
  const foreign = layers.find(({ raw }) => foreignTypePattern.test(typeOf(raw)));
  if (foreign !== undefined) {
    refuse(
      what,
      `layer ${foreign.digest} is not distributable: registries do not keep its content. Build the image without a base image that has such layers`,
    );
  }
}

/** What `oras pull` would write: files at their titles, folders unpacked. */
function readTitledLayers(what: string, layers: readonly RawLayer[]): readonly Layer[] {
  const titles = layers.map((layer) => {
    const title = annotationOf(layer, titleAnnotation);
    if (title !== undefined) return title;
    return refuse(
      what,
      `layer ${layer.digest} has no title, and others have one: expected the annotation ${titleAnnotation}`,
    );
  });
  const isFolder = (layer: RawLayer): boolean => annotationOf(layer, unpackAnnotation) === 'true';
  const hasFolder = layers.some((layer, index) => isFolder(layer) || titles[index]?.includes('/'));
  const twice = firstRepeated(titles);
  if (twice !== undefined) refuse(what, `two layers have the title ${JSON.stringify(cutText(twice, 200))}`);
  return layers.map((layer, index) => {
    const { digest, sizeBytes } = layer;
    const title = titles[index] ?? '';
    const path = hasFolder ? title : `${defaultFolder}/${title}`;
    const kind = layers.length === 1 ? 'any' : 'file';
    return { digest, sizeBytes, content: isFolder(layer) ? { kind: 'archive' } : { kind, path } };
  });
}

function readPlainLayers(what: string, layers: readonly RawLayer[]): readonly Layer[] {
  const odd = layers.find(({ raw }) => !layerTypePattern.test(typeOf(raw)));
  if (odd === undefined) {
    return layers.map(({ digest, sizeBytes }) => ({ digest, sizeBytes, content: { kind: 'layer' } }));
  }
  if (layers.length === 1 && archiveTypePattern.test(typeOf(odd.raw))) {
    return [{ digest: odd.digest, sizeBytes: odd.sizeBytes, content: { kind: 'archive' } }];
  }
  const expected =
    layers.length === 1
      ? `a tar, or a file with the annotation ${titleAnnotation}`
      : 'tar layers of an image, or one single layer';
  return refuse(
    what,
    `layer ${odd.digest} has media type ${JSON.stringify(cutText(typeOf(odd.raw), 200))}: expected ${expected}`,
  );
}

/** What the layers of a manifest hold. An image has tar layers. An artifact has one layer that is a tar, of whatever type, or layers with titles:
 *  those are files at these paths, in the folder `manifests` when none of them names a folder.
 *  @throws TerminalError InvalidManifest */
export function readLayers(
  what: string,
  document: JsonObject,
  { all, isChart: isExpected }: { readonly all: readonly RawLayer[]; readonly isChart: boolean },
): readonly Layer[] {
  const layers = all.filter(({ raw }) => typeOf(raw) !== emptyType);
  if (isChart(document, layers)) return readChartLayer(what, layers, isExpected);
  assertSupported(what, layers);
  if (layers.length === 0) refuse(what, 'has no layers: expected an image or artifact that holds manifests');
  const isTitled = layers.some((layer) => annotationOf(layer, titleAnnotation) !== undefined);
  return isTitled ? readTitledLayers(what, layers) : readPlainLayers(what, layers);
}
