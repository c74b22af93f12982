/** What a user can do about a reason of a condition of a BundleDeployment; NAME stands for the deployment. */
const adviceByReason: Readonly<Record<string, readonly string[]>> = {
  NoProvisioner: [
    'correct spec.provisionerClassName of the deployment and of its template',
    'check that the controllers run: longshore doctor',
  ],
  UnpackFailed: [
    'correct the source: its address, tag or path, or the pull secret that it names',
    'the fetch is repeated by itself; a source that is final when it fails needs a change of the spec',
  ],
  UnpackPending: [],
  BundleLoadFailed: ['correct the content of the bundle: longshore bundle validate shows what is wrong with it'],
  DependenciesNotMet: ['install what provides the missing dependency; it is checked again by itself'],
  PermissionsMissing: [
    'grant the service account what it lacks: longshore permissions bd/NAME prints the roles to apply',
  ],
  InstallFailed: [
    'longshore diff bd/NAME shows what would change, and what blocks it',
    'longshore tree bd/NAME shows every object',
  ],
  UpgradeFailed: [
    'the installed version stays in place: longshore diff bd/NAME shows what blocks the new one',
    'longshore rollback NAME returns to the version before',
  ],
  InstallIncomplete: ['longshore tree bd/NAME shows which objects are missing'],
  Unhealthy: ['longshore tree bd/NAME shows which objects are unhealthy, and why'],
  InstallationStatusFalse: ['correct what keeps it from being installed'],
  RemovalFailed: ['remove what holds the deletion: the message names it'],
  Paused: ['remove the annotation core.rukpak.io/paused to continue'],
  CertificatesOverdue: ['check that the controllers run: longshore doctor'],
};

/** What a user can do about a condition of the deployment `name`, the most likely first. */
export function adviceOfDeployment(name: string, reason: string): readonly string[] {
  return (adviceByReason[reason] ?? []).map((text) => text.replaceAll('NAME', name));
}
