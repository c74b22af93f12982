import { tracingChannel } from 'node:diagnostics_channel';

/** A piece of work that takes time, as traces show it. */
export interface TracedWork {
  /** One of few: what differs from object to object is an attribute. */
  readonly name: string;
  /** `client`: something is asked of another process; `server`: another process has asked. */
  readonly kind?: 'client' | 'server';
  /** May be extended during the work. Never secrets. */
  readonly attributes: Record<string, string | number | boolean>;
  /** The work of another process that this is part of, as in the header `traceparent`. */
  readonly parent?: string | undefined;
}

/** The channel of `node:diagnostics_channel` on which `traced` reports work. */
export const workChannel = 'longshore:work';

const channel = tracingChannel<unknown, TracedWork>(workChannel);

/** Does the work, and reports its start and end to subscribers of the channel. Costs nothing without subscribers. */
export async function traced<T>(what: TracedWork, work: () => Promise<T>): Promise<T> {
  return channel.hasSubscribers ? await channel.tracePromise(work, what) : await work();
}
