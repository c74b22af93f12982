import { readBundleMetadata } from '../../src/dependencies/index.ts';
import { type AdmissionResult, resultOf, type SourceFacts } from './rule.ts';

/** Metadata files of content that can be read before it is unpacked satisfy what they would have to satisfy then. */
export function contentMetadata({ metadata }: SourceFacts, provisionerClassName: string): AdmissionResult {
  return resultOf(readBundleMetadata(metadata, provisionerClassName));
}
