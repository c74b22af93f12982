/** Releases as commands are given them: a folder, a tar, a layout or a reference, read and compared. Main function: `openRelease`.
 *  @imports cli/bundle-files, cli/output, cli/command, src/release, src/constraints, src/base */
export { differenceText, releaseDifference } from './difference.ts';
export { loadedBy } from './inclusion.ts';
export { inclusionOptions } from './options.ts';
export { type OpenedRelease, openRelease } from './staged-release.ts';
