import { provisionerClasses } from '../../src/formats/index.ts';
import { type AdmissionResult, allowed, warn } from './rule.ts';

/** Warns of a class that no known provisioner serves: the object would stay without a status. `field` is where it is set. */
export function provisionerClass(field: string, className: string, foreignClasses: readonly string[]): AdmissionResult {
  const known = [...provisionerClasses, ...foreignClasses];
  if (known.includes(className)) return allowed;
  return warn([`${field}: no provisioner is known that serves the class "${className}"; known: ${known.join(', ')}`]);
}
