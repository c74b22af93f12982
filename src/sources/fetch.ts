import { isSourceType, type SourceType } from '../api/index.ts';
import { TerminalError } from '../base/index.ts';
import { fetchConfigMaps } from './config-maps.ts';
import { definitionOf } from './definitions/index.ts';
import { fetchGit, type GitSourceDeps } from './git.ts';
import { fetchHttp, type HttpSourceDeps } from './http.ts';
import { fetchImage, type ImageRequest, type ImageSourceDeps } from './image.ts';
import type { ContentSource, FetchOptions, SourceConfigMap, SourceSecret } from './source.ts';
import { fetchUpload } from './upload.ts';

/** A source, where its content goes, and what of the cluster it needs. */
export interface FetchRequest extends Omit<ImageRequest, 'credentials' | 'directoryLabel'> {
  /** The Secret that a source of a server names. */
  readonly secret?: SourceSecret | undefined;
  /** Every ConfigMap that the source names. */
  readonly configMaps?: readonly SourceConfigMap[] | undefined;
  /** Path of the uploaded file. */
  readonly uploadPath: string;
}

/** Clients of each type of server. */
export interface FetchDeps {
  readonly image: ImageSourceDeps;
  readonly git: GitSourceDeps;
  readonly http: HttpSourceDeps;
}

type Fetch = (request: FetchRequest, options: FetchOptions, deps: FetchDeps) => Promise<ContentSource>;

/** One row a type of source. */
const fetches: { readonly [Type in SourceType]: Fetch } = {
  image: (request, options, deps) => fetchImage(deps.image, request, options),
  git: (request, options, deps) => fetchGit(deps.git, request, options),
  http: (request, options, deps) => fetchHttp(deps.http, request, options),
  configMaps: ({ configMaps = [], ...request }, options) => fetchConfigMaps({ ...request, configMaps }, options),
  upload: ({ uploadPath: path, ...request }, options) => fetchUpload({ ...request, path }, options),
};

/** Fetches the content of a source into the staging area; the answer is the source pinned by digest or commit.
 *  @throws TerminalError ImageDenied, UnsupportedSource · what the source throws */
export async function fetchSource(
  deps: FetchDeps,
  request: FetchRequest,
  options: FetchOptions,
): Promise<ContentSource> {
  const { source, policy } = request;
  const { type } = source;
  if (definitionOf(source).isImage !== true && policy?.allowsOtherSources === false) {
    throw new TerminalError('ImageDenied', `image policy: sources of type "${type}" are denied: use an image`);
  }
  if (!isSourceType(type)) throw new TerminalError('UnsupportedSource', `source type "${type}" not supported`);
  return await fetches[type](request, options, deps);
}
