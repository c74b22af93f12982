import type { QuorumMember } from './decide.ts';

interface Call {
  readonly signal: AbortSignal;
}

/** A group of members that needs a majority, such as etcd. */
export interface QuorumProvider {
  /** The members as a majority knows them: what one of them remembers is not enough.
   *  @throws Error when there is no majority */
  members(call: Call): Promise<readonly QuorumMember[]>;
  /** Adds a member that does not vote, at an address. */
  addLearner(address: string, call: Call): Promise<void>;
  promote(id: string, call: Call): Promise<void>;
  remove(id: string, call: Call): Promise<void>;
}
