import type { ResourceCall } from './api-parts.ts';
import type { Reply } from './exchange.ts';
import { mediaType, unsupportedMediaType } from './negotiation.ts';

export async function handlePatch(call: ResourceCall): Promise<Reply> {
  mediaType(call.exchange.header('content-type'));
  throw unsupportedMediaType([]);
}
