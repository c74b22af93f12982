/** Which update is next, and which bundles are installed together: update graphs of channels, and dependencies solved completely.
 *  Catalogs come in as `CatalogView`; out comes a choice with its reasons, or the reasons why there is none. Pure: reads nothing, knows no
 *  Kubernetes.
 *  @imports src/constraints, src/base */
export { type Candidate, type Origin } from './dependencies/candidate.ts';
export { givenUp, type InstallationState } from './dependencies/fail-forward.ts';
export { type DependencyOffer, offersFor } from './dependencies/offers.ts';
export type {
  InstalledConstraints,
  PresentBundle,
  RequestedPackage,
  RequestedVersions,
  ResolutionRequest,
} from './dependencies/request.ts';
export { type Facts, factsOf, isMetBy, packagesFor, type Requirement } from './dependencies/requirement.ts';
export type { ChosenBundle, Conflict, Resolution } from './dependencies/resolution.ts';
export { resolve } from './dependencies/resolve.ts';
export { sortChannel } from './graph/channel-order.ts';
export {
  findBundle,
  findInstalled,
  firstInstalled,
  pathBetween,
  type UpdatePath,
} from './graph/path.ts';
export { compareReleases } from './graph/release.ts';
export { resolveV1, type V1Choice, type V1Request } from './graph/resolve-v1.ts';
export { describeEdge, type Edge, type InstalledBundle } from './graph/steps.ts';
export {
  type Hop,
  type Offer,
  offerOf,
  type Policy,
  type Update,
} from './graph/updates.ts';
export type { CatalogBundle, CatalogPackage, CatalogView, Channel, ChannelEntry } from './package.ts';
export { type SearchLimits, Steps } from './sat/steps.ts';
