/** Servers choose where they redirect to: such an address must not fill a message. */
const maxShownCharacters = 500;

/** The URL without user information and query values, for messages and logs, cut to 500 characters; other text loses what looks like
 *  credentials. A word of a query that has no value may be one itself. */
export function redactUrl(text: string): string {
  const shown = redacted(text);
  return shown.length > maxShownCharacters ? `${shown.slice(0, maxShownCharacters)}…` : shown;
}

function redacted(text: string): string {
  // `HOST:PORT/REPOSITORY`, an image, would count as a URL of the scheme HOST.
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return redactWords(text);
  try {
    const url = new URL(text);
    const user = url.username === '' && url.password === '' ? '' : 'redacted@';
    const query = [...url.searchParams]
      .map(([key, value]) => (value === '' ? 'redacted' : `${key}=redacted`))
      .join('&');
    return `${url.protocol}//${user}${url.host}${url.pathname}${query === '' ? '' : `?${query}`}`;
  } catch {
    // A password with a "/" that is not escaped makes it no URL.
    return redactWords(text.replace(/\/\/\S*@/, '//redacted@'));
  }
}

function redactWords(text: string): string {
  return text
    .replace(/\/\/[^/@]*@/, '//redacted@')
    .replaceAll(/([?&])([^=&?]+=)?[^&]*/g, (_, mark: string, key: string = '') => `${mark}${key}redacted`);
}
