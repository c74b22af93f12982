import { imageType, inspectedBytes } from '../image-type.ts';

/** Other names of media types. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/svg', 'image/svg+xml'],
  ['image/vnd.microsoft.icon', 'image/x-icon'],
]);

/** Why an icon cannot be shown.
 *  @see docs/spec/catalogs.md#icon */
export function iconFault(icon: { readonly base64data: string; readonly mediatype: string }): string | undefined {
  if (icon.base64data === '') return 'icon data must be set if icon is defined';
  if (icon.mediatype === '') return 'icon mediatype must be set if icon is defined';
  const type = imageType(Buffer.from(icon.base64data.slice(0, inspectedBytes * 2), 'base64'));
  if (type === undefined) return 'icon data is not an image';
  const stated = icon.mediatype.toLowerCase().split(';')[0]?.trim() ?? '';
  if ((aliases.get(stated) ?? stated) === type) return undefined;
  return `icon media type ${JSON.stringify(icon.mediatype)} does not match detected media type ${JSON.stringify(type)}`;
}
