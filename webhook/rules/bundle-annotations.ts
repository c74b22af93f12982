import { bundleAnnotationPrefix, dependenciesAnnotation, packageVersionAnnotation } from '../../src/api/index.ts';
import {
  checkBundleAnnotations,
  packageVersionProblems,
  readAnnotatedDependencies,
} from '../../src/dependencies/index.ts';
import { type AdmissionResult, mergeResults, resultOf } from './rule.ts';

type Annotations = Readonly<Record<string, string>>;

/** The annotations that this rule is about. */
export function bundleAnnotationsOf(annotations: Annotations = {}): Annotations {
  const isOurs = (key: string): boolean =>
    key.startsWith(bundleAnnotationPrefix) || key === dependenciesAnnotation || key === packageVersionAnnotation;
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => isOurs(key)));
}

/** Annotations of a Bundle or template about its bundle are well formed and fit its provisioner class, including dependencies. */
export function bundleAnnotations(annotations: Annotations, provisionerClassName: string): AdmissionResult {
  return mergeResults([
    resultOf(checkBundleAnnotations(annotations, { provisionerClassName, isContent: false })),
    resultOf({ problems: packageVersionProblems(annotations), warnings: [] }),
    resultOf({ problems: readAnnotatedDependencies(annotations).problems, warnings: [] }),
  ]);
}
