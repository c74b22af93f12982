const longestMs = 60 * 60_000;

/** The wait that a server requests by `Retry-After`, in seconds or as an HTTP date: at most an hour.
 *  Undefined when there is no such header, or none that can be read. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, longestMs);
  // Dates begin with the name of a day; Date.parse would take much else.
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? undefined : Math.min(Math.max(dateMs - nowMs, 0), longestMs);
}
