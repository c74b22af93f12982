import { isSourceType, type SourceType } from '../api/index.ts';
import { TerminalError } from '../base/index.ts';
import { fetchConfigMaps } from './config-maps.ts';
import { fetchGit, type GitSourceDeps } from './git.ts';
import { fetchHttp, type HttpSourceDeps } from './http.ts';
import { fetchImage, type ImageRequest, type ImageSourceDeps } from './image.ts';
import type { ContentSource, FetchOptions, SourceConfigMap, SourceSecret } from './source.ts';
import { fetchUpload } from './upload.ts';

/** A source, where its content goes, and what of the cluster it needs. */
export interface FetchRequest extends Omit<ImageRequest, 'credentials' | 'directoryLabel' | 'firstRef'> {
  /** The source as it was asked for at first, when `source` is what became of it. */
  readonly firstSource?: ContentSource | undefined;
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

/** What a policy can only allow as a whole. */
function unlessDenied(fetch: Fetch): Fetch {
  return async (request, options, deps) => {
    const { source, policy } = request;
    if (policy === undefined || policy.allowsOtherSources) return await fetch(request, options, deps);
    const text = `image policy: sources of type "${source.type}" are denied: use an image`;
    throw new TerminalError('ImageDenied', text);
  };
}

/** One row a type of source. */
const fetches: { readonly [Type in SourceType]: Fetch } = {
  image: ({ firstSource, ...request }, options, deps) =>
    fetchImage(deps.image, { ...request, firstRef: firstSource?.image?.ref }, options),
  git: unlessDenied((request, options, deps) => fetchGit(deps.git, request, options)),
  http: ({ firstSource, ...request }, options, deps) =>
    fetchHttp(deps.http, { ...request, firstUrl: firstSource?.http?.url }, options),
  configMaps: unlessDenied(({ configMaps = [], ...request }, options) =>
    fetchConfigMaps({ ...request, configMaps }, options),
  ),
  upload: unlessDenied(({ uploadPath: path, ...request }, options) => fetchUpload({ ...request, path }, options)),
};

/** Fetches the content of a source into the staging area; the answer is the source pinned by digest or commit.
 *  @throws TerminalError ImageDenied, UnsupportedSource · what the source throws */
export async function fetchSource(
  deps: FetchDeps,
  request: FetchRequest,
  options: FetchOptions,
): Promise<ContentSource> {
  const { type } = request.source;
  if (!isSourceType(type)) throw new TerminalError('UnsupportedSource', `source type "${type}" not supported`);
  return await fetches[type](request, options, deps);
}
