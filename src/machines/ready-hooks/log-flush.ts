import type { MachineHook } from '../hook/definition.ts';

/** The instance ends this time after its node is drained, so that exporters of logs and metrics have sent what they have.
 *  @see docs/spec/machine-lifecycle.md#53-uses-named-by-the-hook-chapter */
export function logFlushHook(delaySeconds: number): MachineHook {
  return {
    stage: 'preTerminate',
    name: 'hooks.platform/LogFlush',
    owner: 'longshore/log-flush',
    work: ({ drainedAtMs = 0 }, { nowMs }) => {
      const leftSeconds = Math.ceil((drainedAtMs + delaySeconds * 1000 - nowMs) / 1000);
      if (leftSeconds <= 0) return Promise.resolve(undefined);
      // Times of conditions have whole seconds, and a clock may have been set back.
      const waitSeconds = Math.min(leftSeconds, delaySeconds);
      const message = `logs are flushed for ${delaySeconds} s after the drain`;
      return Promise.resolve({ waitSeconds, message });
    },
  };
}
