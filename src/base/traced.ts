import { tracingChannel } from 'node:diagnostics_channel';

/** A piece of work that takes time, as traces show it. */
export interface TracedWork {
  /** One of few: what differs from object to object is an attribute. */
  readonly name: string;
  /** `client`: something is asked of another process; `server`: another process has asked. */
  readonly kind?: 'client' | 'server';
  /** May be added to while the work goes on. Never secrets. */
  readonly attributes: Record<string, string | number | boolean>;
  /** The work of another process that this is part of, as the header `traceparent` says it. */
  readonly parent?: string | undefined;
}

/** Where `traced` tells of work, for `node:diagnostics_channel`. */
export const workChannel = 'longshore:work';

const channel = tracingChannel<unknown, TracedWork>(workChannel);

/** Does the work, and tells whoever follows the channel when it began and how it ended. Costs nothing while nobody does. */
export async function traced<T>(what: TracedWork, work: () => Promise<T>): Promise<T> {
  return channel.hasSubscribers ? await channel.tracePromise(work, what) : await work();
}
