import type { ReleasePayload } from '../../src/release/index.ts';
import { readPayload, releaseLimits, takesPayload } from '../../src/release/index.ts';
import { type BundleRequest, stageBundle } from '../bundle-files/index.ts';

/** A release as a command is given it. */
export interface OpenedRelease extends AsyncDisposable {
  readonly payload: ReleasePayload;
  readonly staging: Awaited<ReturnType<typeof stageBundle>>['staging'];
  /** Of the image; undefined for files that were none. */
  readonly digest: string | undefined;
  /** How the release is named in texts: by its digest, or by its place. */
  readonly reference: string;
}

/** Which release is read. */
export type ReleaseRequest = BundleRequest & {
  readonly profile: string;
  /** What templates have in the place of the release's own pull spec. */
  readonly releaseImage?: string | undefined;
};

/** Reads a release: a folder, a tar, an OCI image layout or the reference of an image or artifact. Its warnings are reported.
 *  @throws TerminalError InvalidRelease and those of `stageBundle` */
export async function openRelease(request: ReleaseRequest): Promise<OpenedRelease> {
  const { name, profile, progress } = request;
  const content = { limits: releaseLimits, takes: takesPayload };
  const { staging, digest } = await stageBundle({ ...request, content });
  await using stack = new AsyncDisposableStack();
  stack.use(staging);
  const reference = digest === undefined || name.includes('@') ? name : `${name}@${digest}`;
  const { releaseImage = reference } = request;
  const payload = await readPayload(staging, { releaseImage, clusterProfile: profile });
  for (const warning of payload.warnings) progress.finish(`warning: ${warning}`);
  stack.move();
  return { payload, staging, digest, reference, [Symbol.asyncDispose]: () => staging[Symbol.asyncDispose]() };
}
