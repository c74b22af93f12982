/** Bundles as commands are given them: a folder, a tar, a layout or a reference, staged and read. Main function: `stageBundle`.
 *  @imports cli/oci, cli/input, cli/output, cli/command, src/bundle-checks, src/chart-renderer, src/formats, src/content, src/image-policy, src/kube,
 *    src/api, src/base */
export { bundleContent } from './bundle-content.ts';
export { openChartRenderer } from './chart.ts';
export { type BundleFacts, classOfBundle, inspectBundle } from './inspect.ts';
export { readStagedRegistryBundle } from './registry-bundle.ts';
export { type BundleRequest, stageBundle, stagePath } from './staged-bundle.ts';
