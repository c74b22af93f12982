import type { ResourceCall } from './api-parts.ts';
import type { Reply } from './exchange.ts';
import { handlePatch } from './patch-handler.ts';
import { handleGet } from './read-handlers.ts';
import { handleUpdate } from './write-handlers.ts';

type Handler = (call: ResourceCall) => Promise<Reply | undefined>;

/** Handlers by `<verb> <subresource>`, or `<verb> <storage key>/<subresource>` where one resource differs. */
export const subresourceHandlers: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['get status', handleGet],
  ['update status', handleUpdate],
  ['patch status', handlePatch],
  ['update finalize', handleUpdate],
]);
