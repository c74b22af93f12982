import { readBundleMetadata } from '../../src/dependencies/index.ts';
import { type SourceFacts, type Verdict, verdictOf } from './rule.ts';

/** Metadata files of content that can be read before it is unpacked satisfy what they would have to satisfy then. */
export function contentMetadata({ metadata }: SourceFacts, provisionerClassName: string): Verdict {
  return verdictOf(readBundleMetadata(metadata, provisionerClassName));
}
