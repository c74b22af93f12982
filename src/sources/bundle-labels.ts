import { bundleAnnotationPrefix } from '../api/index.ts';
import { formatYaml, isJsonObject, type JsonObject, type JsonValue, parseYaml, TerminalError } from '../base/index.ts';
import type { FileNode, Staging } from '../content/index.ts';

/** Labels of an image that describe its bundle, by the keys of `metadata/annotations.yaml`. */
export type BundleLabels = ReadonlyMap<string, string>;

const names = ['mediatype', 'manifests', 'metadata', 'package', 'channels', 'channel.default'];
const keys: readonly string[] = names.map((name) => `${bundleAnnotationPrefix}${name}.v1`);
const mediaTypeKey = `${bundleAnnotationPrefix}mediatype.v1`;
const maxLabelBytes = 4096;
const maxFileBytes = 1024 * 1024;
const path = 'metadata/annotations.yaml';

/** The labels of an image's configuration that are about a bundle; too long ones, and what is no text, are none.
 *  @see docs/spec/bundle-format.md#image-labels-and-annotations-yaml */
export function labelsOf({ config }: JsonObject): BundleLabels {
  const labels = isJsonObject(config) && isJsonObject(config['Labels']) ? config['Labels'] : {};
  const found = keys.map((key) => [key, Object.hasOwn(labels, key) ? labels[key] : undefined] as const);
  return new Map(
    found.filter(
      (entry): entry is readonly [string, string] =>
        typeof entry[1] === 'string' && Buffer.byteLength(entry[1]) <= maxLabelBytes,
    ),
  );
}

interface Annotated {
  readonly document: JsonObject;
  readonly annotations: JsonObject;
}

async function documentIn(staging: Staging, node: FileNode): Promise<JsonValue> {
  try {
    const text = (await staging.readFile(path, node, maxFileBytes)).toString('utf8');
    return parseYaml(path, text) ?? {};
  } catch (thrown) {
    if (thrown instanceof TerminalError) return null;
    throw thrown;
  }
}

/** What `metadata/annotations.yaml` is: a file, nothing yet, or something that cannot be added to. */
function nodeOf({ tree }: Staging): FileNode | 'absent' | undefined {
  if (tree.get(['manifests'])?.kind !== 'directory') return undefined;
  const directory = tree.get(['metadata']);
  if (directory === undefined) return 'absent';
  const node = tree.get(['metadata', 'annotations.yaml']);
  if (node === undefined) return directory.kind === 'directory' ? 'absent' : undefined;
  return node.kind === 'file' ? node : undefined;
}

/** The file as it is, empty where there is none; undefined where nothing can be added to it. The reader of the bundle reports what is
 *  wrong with its file. */
async function readAnnotated(staging: Staging): Promise<Annotated | undefined> {
  const node = nodeOf(staging);
  if (node === undefined) return undefined;
  const document = node === 'absent' ? {} : await documentIn(staging, node);
  if (!isJsonObject(document)) return undefined;
  const { annotations = {} } = document;
  return isJsonObject(annotations) ? { document, annotations } : undefined;
}

/** Whether labels may have something to add to the `metadata/annotations.yaml` of what is staged. */
export async function lacksAnnotations(staging: Staging): Promise<boolean> {
  const annotated = await readAnnotated(staging);
  return annotated !== undefined && keys.some((key) => !Object.hasOwn(annotated.annotations, key));
}

/** Fills in what the `metadata/annotations.yaml` of a staged operator (registry+v1) lacks by the labels of its image; members of the file
 *  stay. */
export async function addLabelledAnnotations(staging: Staging, labels: BundleLabels): Promise<void> {
  const annotated = await readAnnotated(staging);
  if (annotated === undefined) return;
  const { document, annotations } = annotated;
  const added = [...labels].filter(([key]) => !Object.hasOwn(annotations, key));
  const mediaType = annotations[mediaTypeKey] ?? labels.get(mediaTypeKey) ?? 'registry+v1';
  if (added.length === 0 || mediaType !== 'registry+v1') return;
  const bytes = Buffer.from(formatYaml({ ...document, annotations: { ...annotations, ...Object.fromEntries(added) } }));
  const layer = staging.beginLayer('labels of the image');
  layer.addFile(path, { sizeBytes: bytes.length, isExecutable: false })(bytes);
}
