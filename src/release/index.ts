/** Releases of a cluster: the payload of a release image read, checked and put together; which manifests a cluster takes of it, and in which order they are
 *  applied. Pure but for the staged files it reads; knows no cluster. Main functions: `readPayload`, `selectManifests`, `buildTaskGraph`, `buildRelease`.
 *  @imports src/constraints, src/content, src/drawing, src/base */
export { type BuiltRelease, buildRelease, type ReleaseComponent, type ReleasePlan } from './build-release.ts';
export { compareReleases, type ReleaseDifference } from './difference.ts';
export { componentVersions, parseImageReferences, parseVersions, versionsKey } from './image-references.ts';
export {
  type ClusterChoices,
  capabilitiesOf,
  defaultProfile,
  type InclusionProfile,
  omissionOf,
} from './inclusion.ts';
export {
  describeManifest,
  type ManifestKey,
  type ManifestRecord,
  manifestKeyText,
  manifestOf,
  payloadDirectories,
  type ReleaseManifest,
  storedManifest,
} from './manifest.ts';
export {
  type LoadedManifests,
  maxReleaseFileBytes,
  type PayloadReading,
  parsePayload,
  type ReleasePayload,
  readPayload,
  readPayloadFiles,
  releaseLimits,
  selectManifests,
  takesPayload,
} from './payload.ts';
export type { PayloadFile } from './read-manifests.ts';
export type { ReleaseMetadata } from './release-metadata.ts';
export { drawTasksSvg, nodeSize, nodeTitle, stagesOf } from './task-graph/picture.ts';
export type { ReleaseTask } from './task-graph/split.ts';
export { type ApplyMode, buildTaskGraph, type TaskGraph, type TaskNode } from './task-graph/task-graph.ts';
