import { expect, test } from 'vitest';
import { imageType } from './image-type.ts';

const typeOf = (text: string): string | undefined => imageType(Buffer.from(text));

test('an SVG may begin with a declaration, comments and a document type', () => {
  const parts = ['<?xml version="1.0"?>\n', '<!-- a --> <!-- b -->', '<!DOCTYPE svg PUBLIC "x" [ <!ENTITY n "v"> ]>'];
  expect(typeOf(`\uFEFF${parts.join('')}<svg width="1"/>`)).toBe('image/svg+xml');
  expect(typeOf('<svg:svg xmlns:svg="x"/>')).toBe('image/svg+xml');
  expect(typeOf('<html><svg/></html>')).toBeUndefined();
});

test('images are known by how they begin', () => {
  expect(imageType(Buffer.from('89504e470d0a1a0a00', 'hex'))).toBe('image/png');
  expect(typeOf('GIF89a')).toBe('image/gif');
  expect(typeOf('RIFF1234WEBPVP8 ')).toBe('image/webp');
  expect(typeOf('')).toBeUndefined();
});

test.each([
  '<!---->'.repeat(9_000),
  `<!DOCTYPE svg${'['.repeat(60_000)}`,
  '<?xml>'.repeat(9_000),
  '<!--'.repeat(15_000),
])('text made to be searched long is answered at once', (text) => {
  expect(typeOf(text)).toBeUndefined();
});
