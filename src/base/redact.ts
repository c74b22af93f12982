/** The URL without user information and query values, for messages and logs; text that is no URL loses what looks like credentials. */
export function redactUrl(text: string): string {
  try {
    const url = new URL(text);
    const user = url.username === '' && url.password === '' ? '' : 'redacted@';
    const query = [...url.searchParams.keys()].map((key) => `${key}=redacted`).join('&');
    return `${url.protocol}//${user}${url.host}${url.pathname}${query === '' ? '' : `?${query}`}`;
  } catch {
    return text.replace(/\/\/[^/@]*@/, '//redacted@');
  }
}
