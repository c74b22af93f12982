import type { ManifestRecord, PayloadFile, PayloadReading, ReleasePayload } from '../../release/index.ts';

/** Jobs of the thread that reads releases. */
export interface PayloadJobs {
  readonly read: {
    readonly input: { readonly files: readonly PayloadFile[]; readonly reading: PayloadReading };
    readonly result: Omit<ReleasePayload, 'manifests'> & { readonly manifests: readonly ManifestRecord[] };
  };
}
