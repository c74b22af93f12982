/** Which update is next, and which bundles are installed together: update graphs of channels, and dependencies solved completely.
 *  Catalogs come in as `CatalogView`; out comes a choice with its reasons, or the reasons why there is none. Pure: reads nothing, knows no
 *  Kubernetes. */
export type { CatalogBundle, CatalogPackage, CatalogView, Channel, ChannelEntry } from './package.ts';
