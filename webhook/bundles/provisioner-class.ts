import { provisionerClasses } from '../../src/formats/index.ts';
import { type AdmissionResult, warn } from '../review/result.ts';

/** A field that names a provisioner class, and its values before and after a change. */
export interface ClassChange {
  readonly field: string;
  readonly before?: unknown;
  readonly after: string;
}

/** Warns of classes that no known provisioner serves: the object would stay without a status. A class that does not change is not reported again. */
export function provisionerClass(changes: readonly ClassChange[], foreignClasses: readonly string[]): AdmissionResult {
  const known = [...provisionerClasses, ...foreignClasses];
  const unknown = changes.filter(({ before, after }) => after !== before && !known.includes(after));
  return warn(
    unknown.map(
      ({ field, after }) =>
        `${field}: no provisioner is known that serves the class "${after}"; known: ${known.join(', ')}`,
    ),
  );
}
