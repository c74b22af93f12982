import { goQuote, type JsonObject, TerminalError } from '../../base/index.ts';
import { imageType, inspectedBytes } from '../image-type.ts';

/** What is known of a package that has no bundles yet. */
export interface PackageStart {
  readonly name: string;
  readonly defaultChannel?: string;
  readonly description?: string;
  readonly icon?: Buffer;
}

function mediaTypeOf(icon: Buffer): string {
  const start = icon.subarray(0, inspectedBytes).toString('utf8');
  const isText = !icon.includes(0) && !start.includes('\uFFFD');
  return imageType(icon) ?? (isText ? 'text/plain' : 'application/octet-stream');
}

/** The `olm.package` that a catalog begins with.
 *  @throws TerminalError InvalidIcon
 *  @see docs/spec/catalogs.md#init-dockerfile-list */
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
