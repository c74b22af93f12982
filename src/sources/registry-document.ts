import { type JsonValue, parseJson } from '../base/index.ts';

/** Many times what an image has: thousands of layers and platforms. To parse as many as fit into 4 MiB takes seconds. */
const maxValues = 200_000;

/** Parses a document of a registry, such as a manifest; `what` names it in messages.
 *  @throws TerminalError InvalidJson, TooManyValues, TooDeeplyNested, ForbiddenKey */
export function parseRegistryDocument(what: string, text: string): JsonValue {
  return parseJson(what, text, { maxValues });
}
