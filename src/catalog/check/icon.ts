const signatures: readonly (readonly [type: string, is: (start: Buffer) => boolean])[] = [
  ['image/png', (start) => start.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]))],
  ['image/jpeg', (start) => start.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  ['image/gif', (start) => start.subarray(0, 4).toString('latin1') === 'GIF8'],
  ['image/webp', (start) => start.subarray(8, 12).toString('latin1') === 'WEBP'],
  ['image/bmp', (start) => start.subarray(0, 2).toString('latin1') === 'BM'],
  ['image/x-icon', (start) => start.subarray(0, 4).equals(Buffer.from([0, 0, 1, 0]))],
  ['image/svg+xml', (start) => /<svg[\s>:]|<!doctype svg|<[a-z]+:svg[\s>]/i.test(start.toString('utf8'))],
];
/** An SVG may begin with a licence. */
const inspectedBytes = 65_536;

/** Other names of media types. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/svg', 'image/svg+xml'],
  ['image/vnd.microsoft.icon', 'image/x-icon'],
]);

/** By its first bytes; undefined when it is none that is known. */
function imageType(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, inspectedBytes);
  return signatures.find(([, is]) => is(start))?.[0];
}

/** Why an icon cannot be shown.
 *  @see catalogs-and-resolution.md, section 1.4, `icon` */
export function iconFault(icon: { readonly base64data: string; readonly mediatype: string }): string | undefined {
  if (icon.base64data === '') return 'icon data must be set if icon is defined';
  if (icon.mediatype === '') return 'icon mediatype must be set if icon is defined';
  const type = imageType(Buffer.from(icon.base64data.slice(0, inspectedBytes * 2), 'base64'));
  if (type === undefined) return 'icon data is not an image';
  const said = icon.mediatype.toLowerCase().split(';')[0]?.trim() ?? '';
  if ((aliases.get(said) ?? said) === type) return undefined;
  return `icon media type ${JSON.stringify(icon.mediatype)} does not match detected media type ${JSON.stringify(type)}`;
}
