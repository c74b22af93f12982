/** What answers on subresources. Main export: `subresourceHandlers`. The type of a resource lists its subresources. */
import type { VerbHandler } from '../api-parts.ts';
import { handlePatch } from '../patch-handler.ts';
import { handleGet } from '../read-handlers.ts';
import { handleUpdate } from '../write-handlers.ts';
import { bindPod } from './binding.ts';
import { evictPod } from './eviction.ts';
import { readLog, refuseStream } from './pods.ts';
import { forwardPorts } from './port-forward.ts';
import { getScale, patchScale, updateScale } from './scale.ts';
import { issueToken } from './token.ts';

const wholeObject = ['status', 'finalize', 'approval', 'ephemeralcontainers', 'resize'];
const streams = ['exec', 'attach', 'proxy'];

/** Handlers by `<verb> <subresource>`. */
export const subresourceHandlers: ReadonlyMap<string, VerbHandler> = new Map<string, VerbHandler>([
  ...wholeObject.flatMap((name): [string, VerbHandler][] => [
    [`get ${name}`, handleGet],
    [`update ${name}`, handleUpdate],
    [`patch ${name}`, handlePatch],
  ]),
  ...streams.flatMap((name): [string, VerbHandler][] => [
    [`get ${name}`, refuseStream],
    [`create ${name}`, refuseStream],
  ]),
  ['get portforward', forwardPorts],
  ['create portforward', forwardPorts],
  ['get log', readLog],
  ['get scale', getScale],
  ['update scale', updateScale],
  ['patch scale', patchScale],
  ['create eviction', evictPod],
  ['create binding', bindPod],
  ['create token', issueToken],
]);
