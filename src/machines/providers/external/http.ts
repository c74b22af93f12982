import { postJson } from '../../post-json.ts';
import type { Ask } from './external.ts';
import { answerDeadlineMs, maxAnswerBytes } from './protocol.ts';

export interface HttpProviderOptions {
  /** Of `http:` or `https:`. Redirects are not followed. */
  readonly url: string;
  /** Read before each request. */
  readonly token?: (() => Promise<string>) | undefined;
  readonly deadlineMs?: number;
}

/** Asks a provider with `POST` of a JSON document.
 *  @see docs/actuators.md */
export function askByHttp({ url, token, deadlineMs = answerDeadlineMs }: HttpProviderOptions): Ask {
  return async (text, { signal }) => {
    const secret = token === undefined ? '' : (await token()).trim();
    const headers = secret === '' ? {} : { authorization: `Bearer ${secret}` };
    return await postJson(text, { url, headers, secret, deadlineMs, maxBytes: maxAnswerBytes, signal });
  };
}
