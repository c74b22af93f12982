/** Commands about files of bundles; they are in `commands.ts`. Other commands that render take its options.
 *  @imports cli/bundle-files, cli/oci, cli/input, cli/output, cli/command, apiserver,
 *    src/bundle-checks, src/formats, src/content, src/api, src/base */
export { namespaceOptions } from './render-options.ts';
