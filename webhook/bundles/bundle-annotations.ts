import { bundleAnnotationPrefix, dependenciesAnnotation, packageVersionAnnotation } from '../../src/api/index.ts';
import { isJsonEqual } from '../../src/base/index.ts';
import {
  checkBundleAnnotations,
  packageVersionProblems,
  readAnnotatedDependencies,
} from '../../src/dependencies/index.ts';
import { type AdmissionResult, allowed, mergeResults, resultOf } from '../review/result.ts';

type Annotations = Readonly<Record<string, string>>;

/** What a Bundle and a template have in common. */
interface BundleLike {
  readonly metadata?: { readonly annotations?: Annotations };
  readonly spec: { readonly provisionerClassName: string };
}

/** A Bundle or template before and after a change; `before` is undefined for a new one. */
export interface AnnotationsChange {
  readonly before?: BundleLike;
  readonly after: BundleLike;
}

/** The annotations that this rule is about. */
function bundleAnnotationsOf({ metadata }: BundleLike): Annotations {
  const isOurs = (key: string): boolean =>
    key.startsWith(bundleAnnotationPrefix) || key === dependenciesAnnotation || key === packageVersionAnnotation;
  return Object.fromEntries(Object.entries(metadata?.annotations ?? {}).filter(([key]) => isOurs(key)));
}

/** Annotations of a Bundle or template about its bundle are well formed and fit its provisioner class, including dependencies. Unchanged annotations are
 *  not validated again. */
export function bundleAnnotations({ before, after }: AnnotationsChange): AdmissionResult {
  const annotations = bundleAnnotationsOf(after);
  if (before !== undefined && isJsonEqual(annotations, bundleAnnotationsOf(before))) return allowed;
  const { provisionerClassName } = after.spec;
  return mergeResults([
    resultOf(checkBundleAnnotations(annotations, { provisionerClassName, isContent: false })),
    resultOf({ problems: packageVersionProblems(annotations), warnings: [] }),
    resultOf({ problems: readAnnotatedDependencies(annotations).problems, warnings: [] }),
  ]);
}
