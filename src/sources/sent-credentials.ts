import { withoutSecret } from '../base/index.ts';

/** Shorter ones would be found in any text. */
const leastCharacters = 4;

/** What a header `authorization` has as a secret: all of it, its token, and of basic credentials the pair and the password. */
function secretsIn(authorization: string): readonly string[] {
  const [, scheme = '', value = ''] = /^(\S+)\s+(.*)$/.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [value];
  const pair = Buffer.from(value, 'base64').toString();
  return [value, pair, pair.slice(pair.indexOf(':') + 1)];
}

/** The text of a server without the credentials that it was sent, in any form: a server that returns the headers of a request in an error must not bring them into
 *  conditions, events and logs. */
export function withoutCredentials(text: string, authorization: string | undefined): string {
  if (authorization === undefined) return text;
  const secrets = secretsIn(authorization).filter((secret) => secret.length >= leastCharacters);
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]);
  return forms.reduce(withoutSecret, text);
}
