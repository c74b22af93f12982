import { goQuote, type JsonObject, TerminalError } from '../../base/index.ts';

/** What is known of a package that has no bundles yet. */
export interface PackageStart {
  readonly name: string;
  readonly defaultChannel?: string;
  readonly description?: string;
  readonly icon?: Buffer;
}

/** How images begin; what is not here is told by how it looks. */
const signatures: readonly { readonly mediatype: string; readonly bytes: string; readonly offset?: number }[] = [
  { mediatype: 'image/png', bytes: '89504e470d0a1a0a' },
  { mediatype: 'image/jpeg', bytes: 'ffd8ff' },
  { mediatype: 'image/gif', bytes: '47494638' },
  { mediatype: 'image/webp', bytes: '57454250', offset: 8 },
  { mediatype: 'image/bmp', bytes: '424d' },
  { mediatype: 'image/x-icon', bytes: '00000100' },
];

function mediaTypeOf(icon: Buffer): string {
  const found = signatures.find(({ bytes, offset = 0 }) => {
    return icon.subarray(offset, offset + bytes.length / 2).toString('hex') === bytes;
  });
  if (found !== undefined) return found.mediatype;
  const start = icon.subarray(0, 4096).toString('utf8').trimStart();
  if (/^(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*|<!DOCTYPE svg[^>]*>\s*)*<svg[\s/>]/i.test(start)) return 'image/svg+xml';
  const isText = !icon.includes(0) && !start.includes('\uFFFD');
  return isText ? 'text/plain' : 'application/octet-stream';
}

/** The `olm.package` that a catalog begins with.
 *  @throws TerminalError InvalidIcon
 *  @see catalogs-and-resolution.md, section 3.3 */
export function initPackage({ name, defaultChannel, description, icon }: PackageStart): JsonObject {
  const document: JsonObject = { schema: 'olm.package', name, defaultChannel: defaultChannel ?? '' };
  if (icon !== undefined) {
    const mediatype = mediaTypeOf(icon);
    if (!mediatype.startsWith('image/')) {
      throw new TerminalError('InvalidIcon', `detected invalid type ${goQuote(mediatype)}: not an image`);
    }
    document['icon'] = { base64data: icon.toString('base64'), mediatype };
  }
  return description === undefined ? document : { ...document, description };
}
