import { printableLine } from './printable.ts';

const defaultMaxCharacters = 1000;

/** The text, cut to a number of characters. */
export function cutText(text: string, maxCharacters: number): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters).toWellFormed()}…` : text;
}

/** A text that a server chose, for a message: one printable line of at most 1000 characters, or `maxCharacters`. Every text of a server that enters an
 *  error passes through here where the message is made, so that no server fills conditions, events and logs. */
export function serverText(text: string | Buffer, maxCharacters: number = defaultMaxCharacters): string {
  // What is cut off is not worth escaping.
  const start = text
    .toString()
    .trim()
    .slice(0, maxCharacters + 1);
  return cutText(printableLine(start), maxCharacters);
}

/** The text without a secret that was sent to its server, as it is or as JSON escapes it: a server that returns what it was sent must not bring it into
 *  conditions, events and logs. */
export function withoutSecret(text: string, secret: string): string {
  if (secret === '') return text;
  const inJson = JSON.stringify(secret).slice(1, -1);
  const forms = new Set([secret, inJson, inJson.replaceAll('/', String.raw`\/`)]);
  return [...forms].reduce((rest, form) => rest.replaceAll(form, '[hidden]'), text);
}
