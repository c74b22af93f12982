import { readBundleMetadata } from '../../src/dependencies/index.ts';
import { type AdmissionResult, resultOf } from '../review/result.ts';
import type { SourceFacts } from './facts.ts';

/** Metadata files of content that can be read before it is unpacked satisfy what they would have to satisfy then. */
export function contentMetadata(provisionerClassName: string, { metadata }: SourceFacts): AdmissionResult {
  return resultOf(readBundleMetadata(metadata, provisionerClassName));
}
