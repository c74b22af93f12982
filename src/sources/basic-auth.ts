import { TerminalError } from '../base/index.ts';
import type { SourceSecret } from './source.ts';

export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

/** The keys `username` and `password` of a Secret.
 *  @throws TerminalError InvalidSecret, naming the Secret and the missing key */
export function readBasicCredentials(secret: SourceSecret | undefined): BasicCredentials | undefined {
  if (secret === undefined) return undefined;
  const read = (key: string): string => {
    const data = secret.data ?? {};
    const value = Object.hasOwn(data, key) ? data[key] : undefined;
    if (value !== undefined) return Buffer.from(value, 'base64').toString();
    throw new TerminalError('InvalidSecret', `secret "${secret.name}" has no key "${key}"`);
  };
  return { username: read('username'), password: read('password') };
}

/** The value of the header `authorization`. */
export function basicAuthorization({ username, password }: BasicCredentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
