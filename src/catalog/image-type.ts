/** How images begin; others are recognized by their text. */
const signatures: readonly { readonly type: string; readonly bytes: string; readonly offset?: number }[] = [
  { type: 'image/png', bytes: '89504e470d0a1a0a' },
  { type: 'image/jpeg', bytes: 'ffd8ff' },
  { type: 'image/gif', bytes: '47494638' },
  { type: 'image/webp', bytes: '57454250', offset: 8 },
  { type: 'image/bmp', bytes: '424d' },
  { type: 'image/x-icon', bytes: '00000100' },
];
/** An SVG may begin with a licence. */
export const inspectedBytes = 65_536;
/** Each part ends at one place alone, so that no text makes the search long. */
const svgStart =
  /^(?:<\?xml[^>]*>\s*|<!--(?:(?!-->)[\s\S])*-->\s*|<!DOCTYPE svg[^>[]*(?:\[[^\]]*\]\s*)?>\s*)*<(?:[a-z]+:)?svg[\s/>]/i;

/** The media type of an image by its first bytes; undefined for what is no image. */
export function imageType(image: Buffer): string | undefined {
  const found = signatures.find(
    ({ bytes, offset = 0 }) => image.subarray(offset, offset + bytes.length / 2).toString('hex') === bytes,
  );
  if (found !== undefined) return found.type;
  const start = image.subarray(0, inspectedBytes).toString('utf8').trimStart();
  return svgStart.test(start) ? 'image/svg+xml' : undefined;
}
