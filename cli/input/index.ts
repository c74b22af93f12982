/** What commands are given: names of bundles, paths and what they are, certificate authorities, and the folder that they work in.
 *  @imports src/content, src/base */
export { readAuthorities } from './authorities.ts';
export { type ImagePlace, readBundleName } from './bundle-name.ts';
export { readMappingFile } from './mapping-file.ts';
export { readOptionFile } from './option-file.ts';
export { layoutMarker, pathKind } from './path-kind.ts';
export { openFilledStaging, openStaging, openWorkFolder, stageFiles, type WorkFolder } from './work-folder.ts';
