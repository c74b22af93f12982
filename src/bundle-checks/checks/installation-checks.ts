import { errorMessage, TerminalError } from '../../base/index.ts';
import type { DirectoryEntry } from '../../content/index.ts';
import { assertSupported, findBundleProblems, type RegistryBundle, RegistryBundleReader } from '../../formats/index.ts';
import type { BundleFile, BundleUnderCheck } from '../bundle.ts';
import type { Check, Hit, Place } from '../check.ts';
import { csvPlace, placeIn } from '../csv-parts.ts';
import { parseField } from '../field-path.ts';

const installation = { suite: 'installation', stage: 'bundle', severity: 'error' } as const;

/** What a step of an installation says against a bundle; undefined when it says nothing. */
function refusal(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof TerminalError) return errorMessage(thrown);
    throw thrown;
  }
}

function entryOf({ path, source }: BundleFile): DirectoryEntry {
  return { kind: 'file', name: path.slice(path.indexOf('/') + 1), content: source.content };
}

/** The bundle as it is read for an installation, or why it cannot be; undefined for bundles of other formats. */
function readForInstallation(bundle: BundleUnderCheck): RegistryBundle | string | undefined {
  if (bundle.mediaType !== 'registry+v1') return undefined;
  let read: RegistryBundle | undefined;
  const problem = refusal(() => {
    const reader = new RegistryBundleReader();
    for (const file of bundle.metadataFiles) reader.addMetadata(entryOf(file));
    for (const file of bundle.manifestFiles) {
      // The faulty ones are read again, for the words that the installation has.
      if (file.fault === undefined) reader.addParsed(file);
      else reader.addManifest(entryOf(file));
    }
    read = reader.finish(bundle.hasManifests);
  });
  return problem ?? read;
}

/** What a message speaks of: a file, and a field of the one object in it. */
function spokenOf({ objects, manifestFiles, metadataFiles }: BundleUnderCheck, message: string): Place | undefined {
  const [, path, rest = ''] = /"((?:manifests|metadata)\/[^"]+)"(?:: (.*))?/s.exec(message) ?? [];
  const file = [...manifestFiles, ...metadataFiles].find((one) => one.path === path);
  if (file === undefined) return undefined;
  const [object, another] = objects.filter((one) => one.file === file);
  if (object === undefined || another !== undefined) return { file, path: [] };
  return placeIn(object, parseField(/^[a-z]\w*[.[][^: ]*(?=: )/.exec(rest)?.[0] ?? ''));
}

function* canBeRead(bundle: BundleUnderCheck): Iterable<Hit> {
  const read = readForInstallation(bundle);
  if (typeof read === 'string') yield { message: read, place: spokenOf(bundle, read) };
}

function* canBeRendered(bundle: BundleUnderCheck): Iterable<Hit> {
  const read = readForInstallation(bundle);
  if (read === undefined || typeof read === 'string') return;
  const unsupported = refusal(() => assertSupported(read, { hasCertificates: true, amendments: 'all' }));
  for (const message of [...findBundleProblems(read), ...(unsupported === undefined ? [] : [unsupported])]) {
    yield { message, place: csvPlace(bundle, []) };
  }
}

/** What Longshore itself says when it is to install the bundle, in the words that a Bundle's conditions have. */
export const installationChecks: readonly Check[] = [
  {
    ...installation,
    id: 'INST1',
    title: 'Longshore would not unpack the bundle: it cannot be read',
    whatToDo: 'Mend what the message names; it is what the condition of a Bundle would say.',
    find: canBeRead,
  },
  {
    ...installation,
    id: 'INST2',
    title: 'Longshore would not install the bundle: parts of it do not fit together, or are not supported',
    whatToDo: 'Mend what the message names; it is what the conditions of Bundle and BundleDeployment would say.',
    find: canBeRendered,
  },
];
