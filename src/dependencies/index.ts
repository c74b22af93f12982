/** Dependencies between the bundles of a cluster: rules for their annotations and metadata files, what is known of them, and who
 *  may be installed now. Pure: never talks to a cluster.
 *  @imports src/constraints, src/api, src/base */
export { checkBundleAnnotations, type Findings } from './bundle-annotations.ts';
export {
  boundedProperties,
  dependenciesOf,
  hasNeeds,
  offeredProperties,
  packageVersionProblems,
  readAnnotatedDependencies,
  readProperties,
  whyUnknown,
} from './bundle-facts.ts';
export { type BundleMetadata, metadataFileNames, readBundleMetadata } from './bundle-metadata.ts';
export { Effort } from './effort.ts';
export { type AnnotatedBundle, type ReadParticipants, readParticipants, shortest } from './participants.ts';
export { type MetNeed, type Relations, relationsOf } from './relations.ts';
export {
  involvedWith,
  meetsAlone,
  neededApis,
  type Participant,
  type Survey,
  type Unmet,
  unmetOf,
  usersOf,
} from './standing.ts';
