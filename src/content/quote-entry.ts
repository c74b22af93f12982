/** A name for messages: never longer than a line. */
export function quoteEntry(name: string): string {
  return JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);
}
