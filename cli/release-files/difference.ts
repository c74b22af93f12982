import { formatYaml } from '../../src/base/index.ts';
import {
  compareReleases,
  describeManifest,
  type ReleaseManifest,
  type ReleasePayload,
} from '../../src/release/index.ts';
import { counted, unifiedDiff } from '../output/index.ts';

type Change = 'added' | 'removed' | 'changed';

/** Two releases of which one follows the other. */
interface ComparedReleases {
  readonly before: ReleasePayload;
  readonly after: ReleasePayload;
}

interface ShownManifest {
  readonly change: Change;
  readonly file: string;
  readonly object: string;
  readonly diff: string;
}

/** What differs, as it is printed. */
export interface ShownDifference {
  readonly from: string;
  readonly to: string;
  readonly images: readonly {
    readonly change: Change;
    readonly name: string;
    readonly from?: string;
    readonly to?: string;
  }[];
  readonly manifests: readonly ShownManifest[];
}

function changeOf({ before, after }: { readonly before: unknown; readonly after: unknown }): Change {
  if (before === undefined) return 'added';
  return after === undefined ? 'removed' : 'changed';
}

/** As YAML with sorted members, so that order and comments make no difference. `neutral` replaces what differs in every release. */
function textOf(manifest: ReleaseManifest | undefined, neutral: (text: string) => string): string {
  return manifest === undefined ? '' : neutral(formatYaml(manifest.object));
}

/** Puts words in the place of the version and the pull specs of a release: these differ in nearly every object, and are listed once. */
function neutralizer({ metadata, images }: ReleasePayload): (text: string) => string {
  const names = new Map(images.images.map(({ name, from }) => [from, name]));
  const byLength = [...names.keys()].toSorted((a, b) => b.length - a.length);
  return (text) => {
    const withoutImages = byLength.reduce(
      (done, from) => (done.includes(from) ? done.replaceAll(from, `<image ${names.get(from)}>`) : done),
      text,
    );
    return withoutImages.replaceAll(metadata.version, '<version>');
  };
}

function shownManifests({ before, after }: ComparedReleases, isNoisy: boolean): ShownManifest[] {
  const same = (text: string): string => text;
  const [old, fresh] = isNoisy ? [same, same] : [neutralizer(before), neutralizer(after)];
  return compareReleases(before, after).manifests.flatMap((change) => {
    const [from, to] = [textOf(change.before, old), textOf(change.after, fresh)];
    const manifest = change.after ?? change.before;
    if (from === to || manifest === undefined) return [];
    const object = describeManifest(manifest.key);
    const { kind, namespace, name } = manifest.key;
    const place = `${manifest.fileName}: ${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
    const title = ({ metadata }: ReleasePayload): string => `${metadata.version} ${place}`;
    const diff = unifiedDiff({ title: title(before), text: from }, { title: title(after), text: to });
    return [{ change: changeOf(change), file: manifest.fileName, object, diff }];
  });
}

/** What people should know of the change from one release to another; `isNoisy` with what differs in nearly every object. */
export function releaseDifference(releases: ComparedReleases, isNoisy: boolean): ShownDifference {
  const { before, after } = releases;
  const images = compareReleases(before, after).images.map((change) => ({
    change: changeOf(change),
    name: change.name,
    ...(change.before === undefined ? {} : { from: change.before }),
    ...(change.after === undefined ? {} : { to: change.after }),
  }));
  const manifests = shownManifests(releases, isNoisy);
  return { from: before.metadata.version, to: after.metadata.version, images, manifests };
}

/** As lines of text: `+`, `-` and `~` images, and a unified diff of each object. */
export function differenceText({ from, to, images, manifests }: ShownDifference): string {
  if (images.length + manifests.length === 0) return `${from} and ${to} have the same images and objects\n`;
  const marks = { added: '+', removed: '-', changed: '~' };
  const lines = images.map(({ change, name, from: old = '', to: fresh = '' }) => {
    const specs = [old, fresh].filter((spec) => spec !== '');
    return `${marks[change]} image ${name}: ${specs.join(' -> ')}\n`;
  });
  const summary = `${from} -> ${to}: ${counted(images.length, 'image')}, ${counted(manifests.length, 'object')}\n`;
  return [summary, ...lines, ...manifests.map(({ diff }) => diff)].join('');
}
