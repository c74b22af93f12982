import { listOfTexts, objectAt, objectsAt, textAt } from '../../base/index.ts';
import type { BundleUnderCheck } from '../bundle.ts';
import type { Check, CheckContext, Hit, ImagePlatform } from '../check.ts';
import { csvHit, csvParts, deploymentParts, type Part, podSpecOf } from '../csv-parts.ts';
import { goList } from './csv-view.ts';

const multiarch = { suite: 'multiarch', stage: 'optional', severity: 'warning' } as const;
const traits = ['architecture', 'os'] as const;
type Trait = (typeof traits)[number];
const wordsOf = {
  architecture: { label: 'operatorframework.io/arch.', named: 'Arch(s)', usual: 'amd64', plural: 'architectures' },
  os: { label: 'operatorframework.io/os.', named: 'OS(s)', usual: 'linux', plural: 'OS' },
} as const;

/** An image that the bundle names, and where. */
interface Used {
  readonly image: string;
  readonly path: Part['path'];
  /** The Pod's spec that the container stands in. */
  readonly pod?: Part;
  readonly container?: string;
}

function containers(bundle: BundleUnderCheck): readonly Used[] {
  return deploymentParts(bundle)
    .map(podSpecOf)
    .flatMap((pod) =>
      objectsAt(pod.value, 'containers').map((value, index) => ({
        image: textAt(value, 'image'),
        path: [...pod.path, 'containers', index, 'image'],
        pod,
        container: textAt(value, 'name'),
      })),
    );
}

function managers(bundle: BundleUnderCheck): readonly Used[] {
  const all = containers(bundle);
  const named = all.filter(({ container }) => container === 'manager');
  return named.length > 0 ? named : all.filter(({ container }) => container !== 'kube-rbac-proxy');
}

function usedImages(bundle: BundleUnderCheck): readonly Used[] {
  const related = csvParts(bundle, 'spec', 'relatedImages').map(({ value, path }) => ({
    image: textAt(value, 'image'),
    path: [...path, 'image'],
  }));
  const first = new Map<string, Used>();
  for (const used of [...containers(bundle), ...related]) {
    if (used.image !== '' && !first.has(used.image)) first.set(used.image, used);
  }
  return [...first.values()];
}

/** The images whose platforms the suite `multiarch` asks for, each once. */
export function imagesOf(bundle: BundleUnderCheck): readonly string[] {
  return usedImages(bundle).map(({ image }) => image);
}

function platformsOf({ images }: CheckContext, image: string): readonly ImagePlatform[] | undefined {
  const found = images?.get(image);
  return found === undefined || typeof found === 'string' ? undefined : found.filter(({ os }) => os.trim() !== '');
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter((text) => text !== '' && text !== 'unknown').toSorted();
}

function labelled({ csv }: BundleUnderCheck, trait: Trait): readonly string[] {
  const labels = objectAt(csv?.object, 'metadata', 'labels') ?? {};
  const { label } = wordsOf[trait];
  return Object.keys(labels)
    .filter((key) => key.startsWith(label) && labels[key] === 'supported')
    .map((key) => key.slice(label.length));
}

function promised(bundle: BundleUnderCheck, trait: Trait): readonly string[] {
  const labels = labelled(bundle, trait);
  return labels.length > 0 ? labels : [wordsOf[trait].usual];
}

function offered(bundle: BundleUnderCheck, context: CheckContext, trait: Trait): readonly string[] {
  return unique(
    managers(bundle).flatMap(({ image }) => (platformsOf(context, image) ?? []).map((platform) => platform[trait])),
  );
}

function* unreadable(bundle: BundleUnderCheck, { images }: CheckContext): Iterable<Hit> {
  for (const { image, path } of usedImages(bundle)) {
    const cause = images?.get(image);
    if (typeof cause === 'string') yield csvHit(bundle, path, `unable to inspect the image (${image}) : ${cause}`);
  }
}

function* unsupported(bundle: BundleUnderCheck, context: CheckContext): Iterable<Hit> {
  for (const os of promised(bundle, 'os')) {
    for (const architecture of promised(bundle, 'architecture')) {
      const lacking = imagesOf(bundle).filter((image) => {
        const platforms = platformsOf(context, image);
        return platforms?.some((one) => one.os === os && one.architecture === architecture) === false;
      });
      if (lacking.length === 0) continue;
      const text = `not all images specified are providing the support described via the CSV labels. Note that (OS.architecture): (${os}.${architecture}) was not found for the image(s) [${lacking.toSorted().join(' ')}]`;
      yield csvHit(bundle, ['metadata', 'labels'], text);
    }
  }
}

function unlabelled(trait: Trait): Check['find'] {
  const { label, named, usual, plural } = wordsOf[trait];
  return function* find(bundle, context) {
    const found = offered(bundle, context, trait);
    const labels = labelled(bundle, trait);
    const missing = found.filter((one) => !labels.includes(one));
    if (missing.length === 0 || (found.length === 1 && found[0] === usual)) return;
    const images = unique(managers(bundle).map(({ image }) => image)).join(' ');
    const support = trait === 'os' ? `${usual} OS` : `${usual} ${plural}`;
    const lost = trait === 'os' ? 'OS(s)' : plural;
    const text = `check if the CSV is missing the label (${label}<value>) for the ${named}: ${goList(missing)}. Be aware that your Operator manager image [${images}] provides this support. Thus, it is very likely that you want to provide it and if you support more than ${support}, you MUST,use the required labels for all which are supported.Otherwise, your solution cannot be listed on the cluster for these ${lost}`;
    yield csvHit(bundle, ['metadata', 'labels'], text);
  };
}

function* lacking(bundle: BundleUnderCheck, context: CheckContext): Iterable<Hit> {
  const own = new Set(managers(bundle).map(({ image }) => image));
  for (const { image, path } of usedImages(bundle)) {
    const platforms = own.has(image) ? undefined : platformsOf(context, image);
    if (platforms === undefined) continue;
    for (const trait of traits) {
      const required = unique([...promised(bundle, trait), ...offered(bundle, context, trait)]);
      const missing = required.filter((one) => !platforms.some((platform) => platform[trait] === one));
      if (missing.length === 0) continue;
      const { named } = wordsOf[trait];
      const text = `check if the image ${image} should not support ${goList(missing)}. Note that this CSV has labels for this ${named} Your manager image [${[...own].join(' ')}] are providing this support OR the CSV is configured via labels to support it. Then, please verify if this image should not support it`;
      yield csvHit(bundle, path, text);
    }
  }
}

/** The platforms that a Pod may be scheduled to by its node affinity; empty where it does not restrict them. */
function affinityOf(pod: Part): readonly string[] {
  const required = objectAt(pod.value, 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution');
  const texts = objectsAt(required, 'nodeSelectorTerms').flatMap((term) => {
    const valuesOf = (key: string): readonly string[] =>
      objectsAt(term, 'matchExpressions')
        .filter((one) => textAt(one, 'key') === key && textAt(one, 'operator') === 'In')
        .flatMap((one) => listOfTexts(one, 'values'));
    const systems = valuesOf('kubernetes.io/os');
    return (systems.length === 0 ? ['linux'] : systems).flatMap((os) =>
      valuesOf('kubernetes.io/arch').map((architecture) => `${os}/${architecture}`),
    );
  });
  return unique(texts);
}

interface Scheduled {
  readonly used: Used;
  /** Undefined: not readable. */
  readonly image: readonly string[] | undefined;
  readonly affinity: readonly string[];
}

function* scheduled(bundle: BundleUnderCheck, context: CheckContext): Iterable<Scheduled> {
  for (const used of containers(bundle)) {
    if (used.pod === undefined || context.images?.has(used.image) !== true) continue;
    const platforms = platformsOf(context, used.image);
    const image = platforms && unique(platforms.map(({ os, architecture }) => `${os}/${architecture}`));
    yield { used, image, affinity: affinityOf(used.pod) };
  }
}

function affinityCheck(problemOf: (it: Scheduled) => string | undefined): Check['find'] {
  return function* find(bundle, context) {
    for (const it of scheduled(bundle, context)) {
      const text = problemOf(it);
      if (text !== undefined) yield csvHit(bundle, it.used.path, text);
    }
  };
}

const withoutAffinity = affinityCheck(({ used, image, affinity }) => {
  if (affinity.length > 0) return undefined;
  if (image === undefined)
    return `check if the CSV is missing a node affinity configuration for the image: ${JSON.stringify(used.image)}.`;
  return `check if the CSV has a missing or invalid node affinity configuration for the image: ${JSON.stringify(used.image)}. The image data suggests the following platforms are supported: ${goList(image)}`;
});

const affinityTooWide = affinityCheck(({ used, image, affinity }) => {
  const more = affinity.filter((one) => image?.includes(one) === false);
  if (image === undefined || more.length === 0) return undefined;
  return `the CSV includes ${goList(more)} in the node affinity configuration for the image: ${JSON.stringify(used.image)}, but the image data suggests the following platforms are supported: ${goList(image)}`;
});

const affinityTooNarrow = affinityCheck(({ used, image, affinity }) => {
  const more = affinity.length === 0 ? [] : (image ?? []).filter((one) => !affinity.includes(one));
  if (more.length === 0) return undefined;
  return `the image data indicates ${goList(more)} is supported for the image: ${JSON.stringify(used.image)}, but the node affinity configuration for the image only specifies ${goList(affinity)}`;
});

/** Whether images, labels and node affinity speak of the same platforms; images are read for it. @see docs/spec/bundle-format.md#multiarch */
export const multiarchChecks: readonly Check[] = [
  {
    ...multiarch,
    id: 'M1',
    title: 'an image cannot be read',
    whatToDo: 'Correct the reference, log in to its registry, or validate again when the registry answers.',
    find: unreadable,
  },
  {
    ...multiarch,
    id: 'M2',
    severity: 'error',
    title: 'an image lacks a platform that the labels promise',
    whatToDo: 'Build the image for that platform, or remove the label; without labels linux and amd64 are promised.',
    find: unsupported,
  },
  {
    ...multiarch,
    id: 'M3',
    title: 'the manager supports an architecture that has no label',
    whatToDo: 'Label the CSV with operatorframework.io/arch.<arch>: supported for each one.',
    find: unlabelled('architecture'),
  },
  {
    ...multiarch,
    id: 'M4',
    title: 'the manager supports an operating system that has no label',
    whatToDo: 'Label the CSV with operatorframework.io/os.<os>: supported for each one.',
    find: unlabelled('os'),
  },
  {
    ...multiarch,
    id: 'M5',
    title: 'another image lacks a platform that the manager or the labels support',
    whatToDo: 'Build that image for it, too, unless it is never used there.',
    find: lacking,
  },
  {
    ...multiarch,
    id: 'M6',
    title: 'a Pod has no node affinity for the platforms of its image',
    whatToDo: 'Require kubernetes.io/arch and kubernetes.io/os of the nodes in the affinity of the Pod.',
    find: withoutAffinity,
  },
  {
    ...multiarch,
    id: 'M7',
    title: 'the node affinity names a platform that the image does not support',
    whatToDo: 'Remove the platform from the affinity, or build the image for it.',
    find: affinityTooWide,
  },
  {
    ...multiarch,
    id: 'M8',
    title: 'the node affinity leaves out a platform that the image supports',
    whatToDo: 'Add the platform to the affinity, unless the operator does not run there.',
    find: affinityTooNarrow,
  },
];
