/** Documents of catalogs that commands make of bundles. Main function: `renderBundle`.
 *  @imports cli/bundle-files, cli/input, cli/output, cli/command, src/catalog, src/bundle-checks, src/base */
export { type BundleNames, type RenderBundleOptions, renderBundle } from './render-bundle.ts';
