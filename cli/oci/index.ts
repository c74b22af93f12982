/** Images and artifacts: OCI image layouts, logins, and what goes to and comes from registries. Main functions: `pullInto`, `pushTo`.
 *  @imports cli/input, cli/output, cli/command, src/sources, src/image-policy, src/content, src/api, src/base */
export { type BundleImage, buildBundleImage } from './bundle-image.ts';
export { isLayout, openLayout, readLayout, writeLayout } from './layout.ts';
export { digestOf, labelsIn, openRepository, platformsIn, pullInto, pushTo, type Transfer } from './registry.ts';
