import { isJsonObject, type JsonObject, objectAt, objectsAt, parseYaml, TerminalError, textAt } from '../base/index.ts';

/** An image of a release. */
export interface ReleaseImage {
  /** The tag in `image-references`, by which manifests refer to it. */
  readonly name: string;
  /** The pull spec; by digest in a release, an example in the manifests of a component. */
  readonly from: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The file `image-references`, an ImageStream. */
export interface ImageReferences {
  /** The version of the release; empty in the manifests of a component. */
  readonly name: string;
  readonly images: readonly ReleaseImage[];
}

/** Annotation of an image, and label of the image of a component: versions of parts, `KEY=VERSION,…`. */
export const versionsKey = 'io.openshift.build.versions';

/** `KEY=VERSION,…` as a map. */
export function parseVersions(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(',').map((pair) => pair.trim().split('='));
  return new Map(pairs.flatMap(([key = '', version = '']) => (key === '' ? [] : [[key, version] as const])));
}

/** The versions of parts, such as `kubernetes`, that the images of a release declare. Of several, the first one. */
export function componentVersions({ images }: ImageReferences): ReadonlyMap<string, string> {
  const all = images.flatMap(({ annotations }) => [...parseVersions(annotations[versionsKey] ?? '')]);
  return new Map(all.toReversed().toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** A name that something in a manifest's text, or a template, can refer to. */
const imageName = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,252}$/;
const maxImages = 10_000;

function imageOf(tag: JsonObject): ReleaseImage {
  const name = textAt(tag, 'name');
  if (!imageName.test(name)) {
    const text = `image-references: spec.tags: "${name.slice(0, 100)}" is no name of an image`;
    throw new TerminalError('InvalidRelease', text);
  }
  const from = textAt(objectAt(tag, 'from'), 'name');
  if (from === '') {
    throw new TerminalError('InvalidRelease', `image-references: spec.tags "${name}": from.name: expected a pull spec`);
  }
  const annotations = Object.entries(objectAt(tag, 'annotations') ?? {});
  const texts = annotations.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return { name, from, annotations: Object.fromEntries(texts) };
}

/** Reads `image-references`, JSON in a release, YAML or JSON in the manifests of a component.
 *  @throws TerminalError InvalidRelease and those of `parseYaml` */
export function parseImageReferences(text: string): ImageReferences {
  const document = parseYaml('image-references', text);
  if (!isJsonObject(document) || document['kind'] !== 'ImageStream') {
    throw new TerminalError('InvalidRelease', 'image-references: expected an ImageStream of image.openshift.io/v1');
  }
  const tags = objectsAt(objectAt(document, 'spec'), 'tags');
  if (tags.length > maxImages)
    throw new TerminalError('InvalidRelease', `image-references: more than ${maxImages} images`);
  const images = tags.map(imageOf);
  const known = new Set<string>();
  for (const { name } of images) {
    if (known.has(name)) throw new TerminalError('InvalidRelease', `image-references: spec.tags: "${name}" twice`);
    known.add(name);
  }
  return { name: textAt(objectAt(document, 'metadata'), 'name'), images };
}
