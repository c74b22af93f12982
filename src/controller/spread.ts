/** A number from 0 to `count` - 1 for a text: always the same, and evenly spread over texts (FNV-1a). */
export function spread(text: string, count: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % count;
}
