/** Releases as commands are given them: a folder, a tar, a layout or a reference, read and compared. Main function: `openRelease`.
 *  @imports cli/bundle-files, cli/output, src/release, src/constraints, src/base */
export { differenceText, releaseDifference } from './difference.ts';
export { type Inclusion, loadedBy } from './inclusion.ts';
export { type OpenedRelease, openRelease } from './staged-release.ts';
