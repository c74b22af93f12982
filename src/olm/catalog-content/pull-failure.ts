import { errorMessage, TransientError } from '../../base/index.ts';
import { imagePullBackOff } from '../../sources/index.ts';

/** What an image could not be pulled for. The message for a missing tag is that of a kubelet, and lacks the response of the registry. */
export function pullFailureText(thrown: unknown): string {
  const isBackOff = thrown instanceof TransientError && thrown.reason === imagePullBackOff;
  return `${errorMessage(thrown)}${isBackOff && thrown.cause instanceof Error ? `: ${thrown.cause.message}` : ''}`;
}
