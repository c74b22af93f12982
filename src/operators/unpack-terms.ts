import { type OperatorGroup, olmAnnotations } from '../api/index.ts';
import { parseGoDuration } from '../base/index.ts';

/** What the annotations of an OperatorGroup require of the images of bundles, in milliseconds; undefined without a valid annotation.
 *  @see docs/spec/olm-v0.md#bundle-unpack */
export interface UnpackTerms {
  /** How long an image may take; 0 for no limit. */
  readonly timeoutMs?: number;
  /** How long after a failure it is not tried again. */
  readonly minRetryMs?: number;
}

function durationMs({ metadata }: OperatorGroup, key: string): number | undefined {
  const text = metadata.annotations?.[key];
  const nanos = text === undefined ? undefined : parseGoDuration(text);
  return nanos === undefined || nanos < 0n ? undefined : Math.ceil(Number(nanos) / 1e6);
}

/** The terms of the Subscriptions of this group. */
export function unpackTermsOf(group: OperatorGroup): UnpackTerms {
  const timeoutMs = durationMs(group, olmAnnotations.unpackTimeout);
  const minRetryMs = durationMs(group, olmAnnotations.unpackMinRetryInterval);
  return { ...(timeoutMs !== undefined && { timeoutMs }), ...(minRetryMs !== undefined && { minRetryMs }) };
}
