import { formatPath, isJsonObject, listAt, objectAt, objectsAt, textAt, valueAt } from '../../base/index.ts';
import { findKind } from '../../formats/index.ts';
import type { BundleUnderCheck, ManifestObject } from '../bundle.ts';
import type { Check, CheckContext, Hit } from '../check.ts';
import { containerParts, csvHit, csvParts, placeIn } from '../csv-parts.ts';
import { parseField } from '../field-path.ts';
import { isOperator } from './loading-checks.ts';

const content = { suite: 'default', stage: 'content', severity: 'error' } as const;
const maxAnnotationBytes = 262_144;

const hints: Readonly<Record<string, string>> = {
  Deployment: 'Move it to spec.install.spec.deployments of the ClusterServiceVersion.',
  ValidatingWebhookConfiguration: 'Move it to spec.webhookdefinitions of the ClusterServiceVersion.',
  MutatingWebhookConfiguration: 'Move it to spec.webhookdefinitions of the ClusterServiceVersion.',
  APIService: 'Move it to spec.apiservicedefinitions of the ClusterServiceVersion.',
};

function apiOf({ apiVersion, kind }: ManifestObject): string {
  return `${apiVersion}, Kind=${kind}`;
}

function* unsupported(bundle: BundleUnderCheck): Iterable<Hit> {
  if (!isOperator(bundle)) return;
  for (const object of bundle.others) {
    if (findKind(object.kind) !== undefined) continue;
    const hint = hints[object.kind];
    yield {
      message: `Value ${apiOf(object)}: unsupported media type registry+v1 for bundle object`,
      place: placeIn(object, ['kind']),
      ...(hint === undefined ? {} : { whatToDo: hint }),
    };
  }
}

function* namespaces(bundle: BundleUnderCheck): Iterable<Hit> {
  if (!isOperator(bundle)) return;
  for (const object of bundle.others) {
    const namespace = textAt(objectAt(object.object, 'metadata'), 'namespace');
    if (namespace === '') continue;
    const text = `Value ${object.name}: error validating object: metadata.namespace: Forbidden: not allowed on this type.`;
    yield { message: text, place: placeIn(object, ['metadata', 'namespace']) };
  }
}

function annotationBytes({ object }: ManifestObject): number {
  const entries = Object.entries(objectAt(object, 'metadata', 'annotations') ?? {});
  const texts = entries.map(([key, value]) => key + (typeof value === 'string' ? value : ''));
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Errors of a cluster about the other manifests; the installer decides on their names and namespaces. */
function* manifestHits({ others }: BundleUnderCheck, { rules }: CheckContext): Iterable<Hit> {
  for (const manifest of others) {
    if (findKind(manifest.kind) === undefined) continue;
    const { namespace: _namespace, ...metadata } = objectAt(manifest.object, 'metadata') ?? {};
    for (const { field, message } of rules.validate({ ...manifest.object, metadata }).errors) {
      // Too many annotations: T4 has them.
      if (field === 'metadata.annotations') continue;
      const text = `${manifest.kind} "${manifest.name}": ${field === '' ? '' : `${field}: `}${message}`;
      const place = placeIn(manifest, parseField(field));
      yield { message: text.length > 2000 ? `${text.slice(0, 2000)}…` : text, place };
    }
  }
}

function* wrongAnnotations({ objects }: BundleUnderCheck): Iterable<Hit> {
  for (const object of objects) {
    // Those of the ClusterServiceVersion are among its types: L6; those of other objects are validated by the cluster.
    const annotations = valueAt(objectAt(object.object, 'metadata'), 'annotations');
    if (object.kind !== 'CustomResourceDefinition' || !isJsonObject(annotations)) continue;
    for (const [key, value = null] of Object.entries(annotations)) {
      if (typeof value === 'string' || value === null) continue;
      const path = ['metadata', 'annotations', key];
      yield {
        message: `${formatPath(path)}: expected a string, found ${JSON.stringify(value)}`,
        place: placeIn(object, path),
      };
    }
  }
}

function* caseCollisions({ manifestFiles, metadataFiles }: BundleUnderCheck): Iterable<Hit> {
  const seen = new Map<string, string>();
  for (const { path } of [...manifestFiles, ...metadataFiles]) {
    const folded = path.toLowerCase();
    const other = seen.get(folded);
    if (other !== undefined) {
      yield { message: `${path} and ${other} differ in upper and lower case only`, place: { file: path } };
    }
    seen.set(folded, path);
  }
}

/** Keys that v0 makes of file names, for files of both directories together. */
function* keyCollisions({ manifestFiles, metadataFiles }: BundleUnderCheck): Iterable<Hit> {
  const seen = new Map<string, string>();
  for (const { path } of [...manifestFiles, ...metadataFiles]) {
    const key = (path.split('/')[1] ?? '').replaceAll(/[^-A-Za-z0-9_.]/g, '-');
    const other = seen.get(key);
    if (other !== undefined)
      yield { message: `${path} and ${other} become one key "${key}" of a ConfigMap`, place: { file: path } };
    seen.set(key, path);
  }
}

function relatedImages(bundle: BundleUnderCheck): ReadonlySet<string> {
  return new Set(csvParts(bundle, 'spec', 'relatedImages').map(({ value }) => textAt(value, 'image')));
}

/** Images of containers, and those that variables hand on to the operator. */
function usedImages(
  bundle: BundleUnderCheck,
): readonly { readonly image: string; readonly path: (string | number)[] }[] {
  return containerParts(bundle).flatMap(({ value, path }) => [
    { image: textAt(value, 'image'), path: [...path, 'image'] },
    ...objectsAt(value, 'env').flatMap((variable, index) =>
      textAt(variable, 'name').startsWith('RELATED_IMAGE_')
        ? [{ image: textAt(variable, 'value'), path: [...path, 'env', index, 'value'] }]
        : [],
    ),
  ]);
}

function* unlistedImages(bundle: BundleUnderCheck): Iterable<Hit> {
  const related = relatedImages(bundle);
  const unlisted = usedImages(bundle).filter(({ image }) => image !== '' && !related.has(image));
  const first = new Map(unlisted.toReversed().map((used) => [used.image, used]));
  if (related.size === 0 && first.size > 0) {
    const text = `spec.relatedImages is missing, and the operator uses ${first.size} ${first.size === 1 ? 'image' : 'images'}`;
    yield csvHit(bundle, ['spec', 'relatedImages'], text);
    return;
  }
  for (const { image, path } of first.values()) {
    yield csvHit(bundle, path, `image "${image.slice(0, 300)}" is used but not in spec.relatedImages`);
  }
}

/** What is in `manifests/` beside the ClusterServiceVersion and CRDs. @see docs/spec/bundle-format.md#kinds-allowed-in-manifests, docs/spec/bundle-format.md#content, docs/spec/bundle-format.md#sizes-compression-configmaps, docs/spec/bundle-format.md#corner-cases-from-the-field */
export const contentChecks: readonly Check[] = [
  {
    ...content,
    id: 'T1',
    title: 'a manifest is of a kind that the format does not allow',
    whatToDo: 'Remove the manifest: installers refuse the bundle. The operator can create such objects itself.',
    find: unsupported,
  },
  {
    ...content,
    id: 'T3',
    severity: 'warning',
    title: 'a manifest names a namespace',
    whatToDo: 'Remove metadata.namespace: installers overwrite it.',
    find: namespaces,
  },
  {
    ...content,
    id: 'T4',
    title: 'the annotations of an object exceed 262144 bytes in total',
    whatToDo: 'Shorten the annotations; clusters accept no more.',
    *find({ objects }) {
      for (const object of objects) {
        if (annotationBytes(object) <= maxAnnotationBytes) continue;
        const message = `metadata.annotations: Too long: may not be more than ${maxAnnotationBytes} bytes`;
        yield { message, place: placeIn(object, ['metadata', 'annotations']) };
      }
    },
  },
  {
    ...content,
    id: 'T7',
    title: 'a cluster would refuse a manifest: its name, its metadata, or anything in it',
    whatToDo: 'Fix the field: the installation fails otherwise.',
    find: manifestHits,
  },
  {
    ...content,
    id: 'T10',
    title: 'an annotation of a CRD is not a string',
    whatToDo: 'Put the value in quotes.',
    find: wrongAnnotations,
  },
  {
    ...content,
    id: 'T11',
    severity: 'warning',
    title: 'the names of two files differ only in upper and lower case',
    whatToDo: 'Rename one: on some disks they are one file.',
    find: caseCollisions,
  },
  {
    ...content,
    id: 'T12',
    severity: 'warning',
    title: 'two files get one key in the ConfigMap that v0 unpacks a bundle into',
    whatToDo: 'Rename one: the other would be lost.',
    find: keyCollisions,
  },
  {
    ...content,
    id: 'T13',
    severity: 'warning',
    title: 'an image is used and not listed in `spec.relatedImages`',
    whatToDo: 'List it: disconnected clusters mirror what is listed.',
    find: unlistedImages,
  },
  {
    ...content,
    id: 'T14',
    severity: 'warning',
    title: 'a related image is named by tag, not by digest',
    whatToDo: 'Write repository@sha256:…: a tag may move, and mirrors need digests.',
    *find(bundle) {
      for (const { value, path } of csvParts(bundle, 'spec', 'relatedImages')) {
        const image = textAt(value, 'image');
        if (image === '' || image.includes('@')) continue;
        yield csvHit(bundle, [...path, 'image'], `related image "${image.slice(0, 300)}" is named without digest`);
      }
    },
  },
  {
    ...content,
    id: 'T15',
    severity: 'warning',
    title: 'a CRD ships a conversion webhook without port',
    whatToDo: 'Leave conversion to spec.webhookdefinitions, or write the port; the default is 443.',
    *find({ crds }) {
      for (const crd of crds) {
        const path = ['spec', 'conversion', 'webhook', 'clientConfig', 'service'];
        const service = objectAt(crd.object, ...path);
        if (service === undefined || valueAt(service, 'port') !== undefined) continue;
        yield { message: `${formatPath(path)}: no port, 443 is taken`, place: placeIn(crd, path) };
      }
    },
  },
  {
    ...content,
    id: 'T16',
    severity: 'warning',
    title: 'a CRD ships a conversion webhook that the operator does not serve',
    whatToDo:
      'Name the CRD in conversionCRDs of a ConversionWebhook in spec.webhookdefinitions, or remove spec.conversion; installers of Longshore can drop it (--drop-foreign-conversion).',
    *find(bundle) {
      const own = csvParts(bundle, 'spec', 'webhookdefinitions').flatMap(({ value }) =>
        listAt(value, 'conversionCRDs'),
      );
      for (const crd of bundle.crds) {
        const conversion = objectAt(crd.object, 'spec', 'conversion');
        const name = textAt(objectAt(crd.object, 'metadata'), 'name');
        if (textAt(conversion, 'strategy') !== 'Webhook' || own.includes(name)) continue;
        const message = `custom resource definition '${name}' is converted by a webhook that no webhookdefinition serves: every conversion fails`;
        yield { message, place: placeIn(crd, ['spec', 'conversion']) };
      }
    },
  },
];
