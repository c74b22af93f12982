/** Where PackageManifests are served.
 *  @see docs/spec/olm-v0.md#packagemanifest */
export const packagesGroup = 'packages.operators.coreos.com';
export const packagesVersion = 'v1';
export const packagesApiVersion: string = `${packagesGroup}/${packagesVersion}`;
export const packagesKind = 'PackageManifest';
export const packagesResource = 'packagemanifests';
