import {
  bundleNameAnnotation,
  bundlePropertiesAnnotation,
  bundleReferenceAnnotation,
  bundleVersionAnnotation,
  dependenciesAnnotation,
  packageNameAnnotation,
} from '../../src/api/index.ts';
import { type JsonObject, objectAt } from '../../src/base/index.ts';
import { type AdmissionResult, allowed, forbid } from '../review/result.ts';

/** What controllers read of a Bundle that is installed: which bundle of a catalog it is, what it provides, and what it needs. */
const writtenKeys = [
  packageNameAnnotation,
  bundleNameAnnotation,
  bundleVersionAnnotation,
  bundleReferenceAnnotation,
  bundlePropertiesAnnotation,
  dependenciesAnnotation,
] as const;

/** Keys of the annotations of a Bundle that controllers write and that a change would change. */
export function changedWrittenAnnotations(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): readonly string[] {
  const [old, now] = [before, after].map((bundle) => objectAt(bundle, 'metadata', 'annotations') ?? {});
  return writtenKeys.filter((key) => old?.[key] !== now?.[key]);
}

/** Annotations that controllers write are changed only by users who may write what is recorded of installations. */
export function writtenAnnotations(changed: readonly string[], mayWriteRecords: boolean): AdmissionResult {
  if (changed.length === 0 || mayWriteRecords) return allowed;
  return forbid(
    `metadata.annotations: ${changed.join(', ')}: written by the controllers alone; to change what is installed, change the BundleDeployment or ClusterExtension`,
  );
}
