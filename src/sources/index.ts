/** Where content comes from: image · git · http · configMaps · upload. One file each; `fetchSource` has a row for each; all fill a staging area of `src/content` and pin what they fetched. `pushImage` and `ArtifactRepository` are the ways back to a registry.
 *
 * Messages of errors carry no prefix of their own. Never writes outside the staging area, the layer cache and a temporary folder.
 *  @imports src/sources/definitions, src/image-policy, src/content, src/constraints, src/api, src/base
 *  @packages tldts */
export { type Artifact, type ArtifactContent, ArtifactRepository, type ArtifactRepositoryOptions } from './artifact.ts';
export { type FetchDeps, type FetchRequest, fetchSource } from './fetch.ts';
export { fetchGit, type GitSourceDeps } from './git.ts';
export { fetchHttp, type HttpSourceDeps } from './http.ts';
export {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
  type HttpRequest,
  readBody,
} from './http-client.ts';
export {
  fetchImage,
  fetchImageLabels,
  type ImageSourceDeps,
  imagePullBackOff,
  pinImage,
  verifyImage,
} from './image.ts';
export { moveToDirectory, readDirectoryLabel } from './image-directory.ts';
export { defaultPlatform, type Platform, parsePlatform } from './image-manifest.ts';
export { fetchImagePlatforms, type PlatformReaderDeps } from './image-platforms.ts';
export { type PushBlob, type PushEvents, type PushRequest, pushImage } from './image-push.ts';
export { type ImageManifest, ImageRepository, readImageManifest, type TaggedManifest } from './image-repository.ts';
export { LayerCache, type LayerCacheOptions } from './layer-cache.ts';
export { verifyFile } from './partial-blob.ts';
export { type FoundCredentials, findCredentials, openKeyring, type PullSecrets } from './pull-credentials.ts';
export { RateLimits } from './rate-limits.ts';
export { referrersTag } from './referrers.ts';
export { parseRegistryConfig } from './registry-config.ts';
export type { RegistryMirror } from './registry-mirrors.ts';
export type {
  ContentSource,
  FetchOptions,
  GitSourceSpec,
  ProgressListener,
  SourceConfigMap,
  SourceSecret,
} from './source.ts';
