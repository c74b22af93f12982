import { type OperatorGroup, olmAnnotations } from '../api/index.ts';
import { parseGoDuration } from '../base/index.ts';

/** How long the image of a bundle may take for Subscriptions of this group, in milliseconds: 0 for no limit; undefined without a valid annotation.
 *  @see docs/spec/olm-v0.md#bundle-unpack */
export function unpackTimeoutOf({ metadata }: OperatorGroup): number | undefined {
  const text = metadata.annotations?.[olmAnnotations.unpackTimeout];
  const nanos = text === undefined ? undefined : parseGoDuration(text);
  return nanos === undefined || nanos < 0n ? undefined : Math.ceil(Number(nanos) / 1e6);
}
