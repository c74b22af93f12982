/** Where PackageManifests are served.
 *  @see docs/spec/olm-v0.md#packagemanifest */
export const packagesGroup = 'packages.operators.coreos.com';
/** The version of the group that is served. */
export const packagesVersion = 'v1';
/** `group/version` */
export const packagesApiVersion: string = `${packagesGroup}/${packagesVersion}`;
/** Of each package. */
export const packagesKind = 'PackageManifest';
/** Plural of the kind. */
export const packagesResource = 'packagemanifests';
