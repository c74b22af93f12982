/** Where content comes from: image · git. One file each; all fill a staging area of `src/content` and pin what they fetched.
 *
 * Messages of errors carry no prefix of their own. Never writes outside the staging area and the layer cache. */
export type { ContentSource, FetchOptions, GitSourceSpec, ProgressListener, SourceSecret } from './source.ts';
