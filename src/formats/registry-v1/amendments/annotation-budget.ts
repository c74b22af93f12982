import { objectAt, TerminalError } from '../../../base/index.ts';
import type { RenderedObject } from '../registry-bundle.ts';
import { type Amendment, eachOfKind, without } from './amendment.ts';

/** What the API server allows all annotations of an object together. */
const maxAnnotationBytes = 262_144;
const examples = 'alm-examples';

function sizeOf(annotations: Readonly<Record<string, unknown>>): number {
  return Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
}

function fitted(deployment: RenderedObject): RenderedObject {
  const spec = objectAt(deployment, 'spec');
  const template = objectAt(spec, 'template');
  const metadata = objectAt(template, 'metadata');
  const annotations = objectAt(metadata, 'annotations') ?? {};
  if (sizeOf(annotations) <= maxAnnotationBytes) return deployment;
  const rest = without(annotations, examples);
  const sizeBytes = sizeOf(rest);
  if (sizeBytes > maxAnnotationBytes) {
    throw new TerminalError(
      'InvalidBundle',
      `deployment '${deployment.metadata.name ?? ''}': the annotations of the ClusterServiceVersion and of the Pod template have ${sizeBytes} bytes without ${examples}, more than the ${maxAnnotationBytes} bytes that the API server allows; the bundle's author has to shorten them`,
    );
  }
  return {
    ...deployment,
    spec: { ...spec, template: { ...template, metadata: { ...metadata, annotations: rest } } },
  };
}

/** Leaves the examples out of Pod templates whose annotations would be too large. */
export const annotationBudget: Amendment = {
  name: 'annotation-budget',
  reason:
    'All annotations of the ClusterServiceVersion go to the Pods; the API server refuses more than 256 KiB of them.',
  amend: (objects) => eachOfKind(objects, 'Deployment', fitted),
};
