import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseImageReference } from '../../src/api/index.ts';
import { isJsonObject, objectAt, parseYaml, TerminalError, textAt } from '../../src/base/index.ts';
import {
  maxReleaseFileBytes,
  parseImageReferences,
  parseVersions,
  type ReleaseComponent,
  releaseLimits,
  takesPayload,
  versionsKey,
} from '../../src/release/index.ts';
import { stageBundle } from '../bundle-files/index.ts';
import type { OptionValues, registryOptions } from '../command/index.ts';
import { openWorkFolder } from '../input/index.ts';
import { labelsIn } from '../oci/index.ts';
import type { Progress } from '../output/index.ts';
import type { componentOptions } from './options.ts';

type Values = OptionValues<typeof componentOptions & typeof registryOptions>;

/** What is needed to read components. */
export interface ComponentRequest {
  readonly values: Values;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Components, and what their images declare about images and versions. */
export interface FoundComponents {
  readonly components: readonly ReleaseComponent[];
  readonly images: ReadonlyMap<string, string>;
  readonly versions: ReadonlyMap<string, string>;
}

interface FoundComponent {
  readonly component: ReleaseComponent;
  /** By digest; undefined for a folder. */
  readonly image?: string;
  readonly versions: ReadonlyMap<string, string>;
}

const operatorLabel = 'io.openshift.release.operator';
const componentName = /^[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*$/;

function misuse(text: string): never {
  throw new TerminalError('InvalidOption', text);
}

/** The two sides of `NAME=VALUE`. */
function splitPair(option: string, text: string): readonly [string, string] {
  const at = text.indexOf('=');
  return at > 0 ? [text.slice(0, at), text.slice(at + 1)] : misuse(`--${option} ${text}: expected NAME=VALUE`);
}

function assertComponentName(name: string): void {
  if (componentName.test(name)) return;
  misuse(`component "${name}": expected letters and digits with single hyphens, as in names of manifest files`);
}

async function readFolder(name: string, folder: string, engine: string): Promise<FoundComponent> {
  assertComponentName(name);
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  const files: { name: string; content: Buffer }[] = [];
  for (const file of names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))) {
    const path = join(folder, file);
    const { size } = await stat(path);
    if (size > maxReleaseFileBytes) {
      throw new TerminalError(
        'FileTooLarge',
        `${path}: ${size} bytes, more than the limit of ${maxReleaseFileBytes} bytes`,
      );
    }
    files.push({ name: file, content: await readFile(path) });
  }
  return { component: { name, isEngine: name === engine, files }, versions: new Map() };
}

async function readImage(name: string, ref: string, request: ComponentRequest): Promise<FoundComponent> {
  assertComponentName(name);
  await using work = await openWorkFolder();
  const labels = await labelsIn(ref, { ...request, work });
  if (labels[operatorLabel] !== 'true')
    misuse(`component ${name}: ${ref}: the image lacks the label ${operatorLabel}=true`);
  const content = { limits: releaseLimits, takes: takesPayload };
  const staged = await stageBundle({ ...request, name: ref, work, content });
  await using staging = staged.staging;
  const entries = staging.readDirectory('manifests', maxReleaseFileBytes);
  if (entries === undefined) misuse(`component ${name}: ${ref}: the image has no directory /manifests`);
  const files: { name: string; content: Buffer }[] = [];
  for await (const entry of entries) if (entry.kind === 'file') files.push(entry);
  const { registry, repository } = parseImageReference(ref);
  return {
    component: { name, isEngine: name === request.values.engine, files },
    image: `${registry}/${repository}@${staged.digest}`,
    versions: parseVersions(labels[versionsKey] ?? ''),
  };
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}

/** The components of a folder that has one folder each. */
async function readFolderOfComponents(folder: string, engine: string): Promise<FoundComponent[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  if (folders.length === 0) misuse(`${folder}: expected a folder with one folder for each component`);
  return await Promise.all(folders.toSorted().map((name) => readFolder(name, join(folder, name), engine)));
}

/** Pull specs by name, of an ImageStream or a mapping. */
async function readImagesFile(path: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(path, 'utf8');
  const document = parseYaml(basename(path), text);
  if (!isJsonObject(document))
    misuse(`--images ${path}: expected an ImageStream or a mapping from names to pull specs`);
  if (textAt(document, 'kind') === 'ImageStream' && objectAt(document, 'spec') !== undefined) {
    return new Map(parseImageReferences(text).images.map(({ name, from }) => [name, from]));
  }
  return new Map(Object.keys(document).map((name) => [name, textAt(document, name)]));
}

/** All components that the arguments name, in their order: those of folders first.
 *  @throws TerminalError InvalidOption, NotFound and those of images */
export async function findComponents(folders: readonly string[], request: ComponentRequest): Promise<FoundComponents> {
  const { values } = request;
  const found: FoundComponent[] = [];
  for (const folder of folders) found.push(...(await readFolderOfComponents(folder, values.engine)));
  for (const text of values.component) {
    const [name, place] = splitPair('component', text);
    const read = (await isFolder(place)) ? readFolder(name, place, values.engine) : readImage(name, place, request);
    found.push(await read);
  }
  if (found.length === 0) misuse('expected a folder of components, or --component NAME=DIR|IMAGE');
  const fromFile = values.images === undefined ? [] : await readImagesFile(values.images);
  const own = found.flatMap(({ component, image }) => (image === undefined ? [] : [[component.name, image] as const]));
  const given = values.image.map((text) => splitPair('image', text));
  const versions = values['component-version'].map((text) => splitPair('component-version', text));
  return {
    components: found.map(({ component }) => component),
    images: new Map([...own, ...fromFile, ...given]),
    versions: new Map([...found.flatMap((one) => [...one.versions]), ...versions]),
  };
}
