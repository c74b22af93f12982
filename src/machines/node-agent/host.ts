import type { DisruptionAction } from './difference.ts';
import type { NodeConfig } from './node-config.ts';

/** What an agent remembers on its node, so that it continues after a restart. */
export interface NodeJournal {
  /** The configuration that the node has, as a rendered MachineConfig. */
  readonly current?: { readonly name: string; readonly spec: NodeConfig['spec'] };
  /** The update that has begun to write. */
  readonly update?: {
    readonly config: string;
    /** `writing`: files may be written in part; `written`: all are; `rebooting`: a reboot was requested in the boot `bootId`. */
    readonly step: 'writing' | 'written' | 'rebooting';
    readonly bootId: string;
  };
}

/** A node as its agent sees it: the contract by which another operating system, or an image based one, is joined. All calls may be repeated: an agent
 *  that was killed in between makes them again.
 *  @see docs/node-updates.md */
export interface NodeHost {
  /** Whether images of the operating system and types of the kernel can be changed. */
  readonly canChangeImages: boolean;
  /** Changes with each boot. */
  bootId(): Promise<string>;
  /** What `remember` was called with last; empty on a new node. */
  recall(): Promise<NodeJournal>;
  /** Durable when it resolves. */
  remember(journal: NodeJournal): Promise<void>;
  /** What differs on the node from what it is to have; undefined if nothing does. */
  drift(config: NodeConfig): Promise<string | undefined>;
  /** Brings the node from one configuration to another. What only `before` has is removed. When it throws, the node is as before. */
  apply(before: NodeConfig, after: NodeConfig): Promise<void>;
  /** Reloads and restarts units. */
  perform(actions: readonly DisruptionAction[]): Promise<void>;
  /** After how many milliseconds to see again whether the node was restarted. */
  untilBootMs(): Promise<number>;
  /** Requests a reboot, and answers after how many milliseconds the agent continues if it is not stopped by it. */
  reboot(): Promise<number>;
}
