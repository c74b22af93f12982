export interface Challenge {
  readonly scheme: 'basic' | 'bearer';
  readonly parameters: ReadonlyMap<string, string>;
}

/** Reads `WWW-Authenticate`; undefined when it names no scheme that we speak. */
export function parseChallenge(header: string | undefined): Challenge | undefined {
  const match = /^\s*(basic|bearer)\b(.*)$/is.exec(header ?? '');
  if (match === null) return undefined;
  const parameters = new Map<string, string>();
  for (const [, key = '', quoted, bare] of (match[2] ?? '').matchAll(/\b(\w+)=(?:"([^"]*)"|([^\s,]+))/g)) {
    parameters.set(key.toLowerCase(), quoted ?? bare ?? '');
  }
  return { scheme: match[1]?.toLowerCase() === 'bearer' ? 'bearer' : 'basic', parameters };
}
