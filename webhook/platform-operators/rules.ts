import { type AdmissionResult, allowed, denyInvalid } from '../review/result.ts';

/** The fields of a PlatformOperator that the rules evaluate. */
export interface PlatformOperatorSubject {
  readonly name: string;
  readonly packageName: string;
}

/** The name becomes that of a BundleDeployment, which may not be longer. */
const maxNameCharacters = 45;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** The name can be that of a BundleDeployment. */
export function platformOperatorName({ name }: PlatformOperatorSubject): AdmissionResult {
  if (name === '' || (name.length <= maxNameCharacters && label.test(name))) return allowed;
  return denyInvalid(
    `platformoperator name "${name}" must consist of at most ${maxNameCharacters} lower case letters, digits and "-", and begin and end with a letter or digit: the bundledeployment has the same name`,
  );
}

/** The whole name of the package is well formed; the definition of the kind looks for a part that is. */
export function platformOperatorPackage({ packageName }: PlatformOperatorSubject): AdmissionResult {
  if (label.test(packageName)) return allowed;
  return denyInvalid(
    `platformoperator.spec.package.name "${packageName}" must consist of lower case letters, digits and "-", and begin and end with a letter or digit`,
  );
}

/** Another package is another operator: it would take the place of what is installed without being its update. */
export function platformOperatorPackageImmutable(
  after: PlatformOperatorSubject,
  before: PlatformOperatorSubject,
): AdmissionResult {
  if (after.packageName === before.packageName) return allowed;
  return denyInvalid(
    `platformoperator.spec.package.name is immutable: it is "${before.packageName}"; delete the platformoperator and create one for package "${after.packageName}"`,
  );
}

/** A package is installed once. */
export function platformOperatorUnique(
  { name, packageName }: PlatformOperatorSubject,
  others: readonly PlatformOperatorSubject[],
): AdmissionResult {
  const other = others.find((one) => one.packageName === packageName && one.name !== name);
  if (other === undefined) return allowed;
  return denyInvalid(`package "${packageName}" is already installed by platformoperator "${other.name}"`);
}
