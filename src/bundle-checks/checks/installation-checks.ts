import { errorMessage, objectAt, TerminalError } from '../../base/index.ts';
import type { DirectoryEntry } from '../../content/index.ts';
import {
  assertSupported,
  BundleFaults,
  findBundleProblems,
  findCertificateProvider,
  type RegistryBundle,
  RegistryBundleReader,
  type RenderedObject,
  renderBundle,
  supportedModes,
} from '../../formats/index.ts';
import type { BundleFile, BundleUnderCheck } from '../bundle.ts';
import type { Check, CheckContext, Hit, Place } from '../check.ts';
import { csvPlace, placeIn } from '../csv-parts.ts';
import { parseField } from '../field-path.ts';

const installation = { suite: 'installation', stage: 'bundle', severity: 'error' } as const;

/** The errors of an installation step for a bundle; empty when there is none. */
function refusals(work: () => void): readonly string[] {
  try {
    work();
    return [];
  } catch (thrown) {
    if (thrown instanceof BundleFaults) return thrown.faults.map(errorMessage);
    if (thrown instanceof TerminalError) return [errorMessage(thrown)];
    throw thrown;
  }
}

function entryOf({ path, source }: BundleFile): DirectoryEntry {
  return { kind: 'file', name: path.slice(path.indexOf('/') + 1), content: source.content };
}

interface Reading {
  /** Undefined for bundles of other formats, and faulty ones. */
  readonly bundle?: RegistryBundle;
  readonly refusals: readonly string[];
}

/** The bundle as it is read for an installation, or why it cannot be. */
function readForInstallation(bundle: BundleUnderCheck): Reading {
  if (bundle.mediaType !== 'registry+v1') return { refusals: [] };
  const read: { bundle?: RegistryBundle } = {};
  const found = refusals(() => {
    const reader = new RegistryBundleReader();
    for (const file of bundle.metadataFiles) reader.addMetadata(entryOf(file));
    for (const file of bundle.manifestFiles) {
      // The faulty ones are read again, for the words that the installation has.
      if (file.fault === undefined) reader.addParsed(file);
      else reader.addManifest(entryOf(file));
    }
    read.bundle = reader.finish(bundle.hasManifests);
  });
  return { ...read, refusals: found };
}

/** What a message is about: a file, and a field of the one object in it. */
function spokenOf({ objects, manifestFiles, metadataFiles }: BundleUnderCheck, message: string): Place | undefined {
  const [, path, rest = ''] = /"((?:manifests|metadata)\/[^"]+)"(?:: (.*))?/s.exec(message) ?? [];
  const file = [...manifestFiles, ...metadataFiles].find((one) => one.path === path);
  if (file === undefined) return undefined;
  const [object, another] = objects.filter((one) => one.file === file);
  if (object === undefined || another !== undefined) return { file, path: [] };
  return placeIn(object, parseField(/^[a-z]\w*[.[][^: ]*(?=: )/.exec(rest)?.[0] ?? ''));
}

function* canBeRead(bundle: BundleUnderCheck): Iterable<Hit> {
  for (const message of readForInstallation(bundle).refusals) yield { message, place: spokenOf(bundle, message) };
}

/** Namespaces that an installation in each mode is rendered for. */
const installNamespace = 'operators';
const targetsOf: Readonly<Record<string, readonly string[]>> = {
  AllNamespaces: [''],
  OwnNamespace: [installNamespace],
  SingleNamespace: ['watched'],
  MultiNamespace: ['watched', 'watched-too'],
};

/** What the bundle is rendered to in each mode that it supports, and why it is not, each reason once. */
function renderings(read: RegistryBundle): {
  readonly objects: readonly RenderedObject[];
  readonly refusals: readonly string[];
} {
  const certificates = findCertificateProvider('cert-manager');
  const objects: RenderedObject[] = [];
  const found = supportedModes(read.csv).flatMap((mode) =>
    refusals(() => {
      const options = { installNamespace, targetNamespaces: targetsOf[mode] ?? [] };
      objects.push(...renderBundle(read, { ...options, ...(certificates === undefined ? {} : { certificates }) }));
    }),
  );
  return { objects, refusals: [...new Set(found)] };
}

function* canBeRendered(bundle: BundleUnderCheck): Iterable<Hit> {
  const { bundle: read } = readForInstallation(bundle);
  if (read === undefined) return;
  const unsupported = refusals(() => assertSupported(read, { hasCertificates: true, amendments: 'all' }));
  const problems = findBundleProblems(read);
  const others = problems.length > 0 ? [] : renderings(read).refusals;
  for (const message of [...problems, ...others, ...unsupported]) {
    yield { message, place: csvPlace(bundle, []) };
  }
}

/** As a kube-apiserver names the metadata of a Pod template: `spec.template.labels`, but `spec.template.metadata.labels` for a selector that does not match. */
const templateMetadata = /^spec\.template\.(metadata|labels|annotations)\b/;

/** Other checks look at manifests, and at the parts of the ClusterServiceVersion by themselves: this one at what is made of them. */
function isGenerated({ kind }: RenderedObject, field: string): boolean {
  if (kind === 'CustomResourceDefinition') return false;
  return field.startsWith('metadata') || (kind === 'Deployment' && templateMetadata.test(field));
}

function* isAccepted(bundle: BundleUnderCheck, { rules }: CheckContext): Iterable<Hit> {
  const { bundle: read } = readForInstallation(bundle);
  if (read === undefined || findBundleProblems(read).length > 0) return;
  const shipped = new Set(read.others.map(({ kind, metadata }) => `${kind}/${metadata.name ?? ''}`));
  for (const object of renderings(read).objects) {
    const name = `${object.kind}/${object.metadata.name ?? ''}`;
    if (shipped.has(name)) continue;
    const { errors } = rules.validate({ ...object, metadata: objectAt(object, 'metadata') ?? {} });
    for (const { field, message } of errors) {
      if (isGenerated(object, field)) yield { message: `${name}: ${field}: ${message}`, place: csvPlace(bundle, []) };
    }
  }
}

/** Errors that Longshore itself reports for the bundle, with the messages of a Bundle's conditions. */
export const installationChecks: readonly Check[] = [
  {
    ...installation,
    id: 'INST1',
    title: 'Longshore would not unpack the bundle: it cannot be read',
    whatToDo: 'Correct what the message names; the condition of a Bundle would have the same message.',
    find: canBeRead,
  },
  {
    ...installation,
    id: 'INST2',
    title: 'Longshore would not install the bundle: parts of it do not fit together, or are not supported',
    whatToDo:
      'Correct what the message names; the conditions of Bundle and BundleDeployment would have the same message.',
    find: canBeRendered,
  },
  {
    ...installation,
    id: 'INST3',
    title: 'a cluster would refuse objects rendered from the ClusterServiceVersion: names, labels, annotations of Pods',
    whatToDo: 'Correct the field of the ClusterServiceVersion from which the message quotes.',
    find: isAccepted,
  },
];
