/** Documents of catalogs that commands make of bundles. Main function: `renderBundle`.
 *  @imports cli/bundle-files, cli/input, cli/output, cli/command, src/catalog, src/bundle-checks, src/base */
export { readImageTemplate } from './image-template.ts';
export { type RenderBundleOptions, renderBundle } from './render-bundle.ts';
