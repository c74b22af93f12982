import { readBundleMetadata } from '../../src/dependencies/index.ts';
import { type AdmissionResult, resultOf } from '../review/result.ts';
import type { SourceFacts } from './facts.ts';

/** Metadata files of content that is readable before it is unpacked are valid, as unpacking requires. */
export function contentMetadata(provisionerClassName: string, { metadata }: SourceFacts): AdmissionResult {
  return resultOf(readBundleMetadata(metadata, provisionerClassName));
}
