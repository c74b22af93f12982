import { expect, test } from 'vitest';
import { isShown } from '../package-rows.ts';

function svg(content: string, before = ''): Buffer {
  const spaces =
    'xmlns="http://www.w3.org/2000/svg" xmlns:s="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';
  return Buffer.from(`${before}<svg ${spaces} viewBox="0 0 99 99">${content}</svg>`);
}

function isDrawn(bytes: Buffer, mediaType = 'image/svg+xml'): boolean {
  return isShown({ mediaType, bytes });
}

/** Eight levels of an element, each with ten references to the one below. */
function levels(name: string, reference: (id: string) => string): string {
  const level = (index: number): string => `<${name} id="n${index}">${reference(`n${index - 1}`).repeat(10)}</${name}>`;
  const [first, ...more] = Array.from({ length: 9 }, (_, index) => index);
  return `<${name} id="n${first}"><rect width="9" height="9"/></${name}>${more.map(level).join('')}${reference('n8')}`;
}

const rect = (attributes: string): string => `<rect width="9" height="9" ${attributes}/>`;
const bomb = svg(levels('g', (id) => `<use href="#${id}"/>`)).toString('base64');

test.each<[string, Buffer]>([
  ['uses', svg(levels('g', (id) => `<use href="#${id}"/>`))],
  ['uses with a prefix and spaces', svg(levels('g', (id) => `<s:use xlink:href = '#${id}' />`))],
  ['uses with characters by number', svg(levels('g', (id) => `<use href="&#35;&#x6e;${id.slice(1)}"/>`))],
  [
    'uses with an entity',
    svg(
      levels('g', (id) => `<use href="#&x;${id.slice(1)}"/>`),
      '<!DOCTYPE svg [<!ENTITY x "n">]>',
    ),
  ],
  ['uses that are animated', svg(levels('g', (id) => `<use><set attributeName="href" to="#${id}"/></use>`))],
  ['clip paths', svg(levels('clipPath', (id) => rect(`clip-path="url(#${id})"`)))],
  ['masks in a style', svg(levels('mask', (id) => rect(`style="mask:url('#${id}')"`)))],
  ['patterns', svg(levels('pattern', (id) => rect(`fill="url(#${id})"`)))],
  ['patterns that children inherit', svg(levels('pattern', (id) => `<g fill="url(#${id})">${rect('')}</g>`))],
  ['markers', svg(levels('marker', (id) => `<path marker-mid="url(#${id})" d="M0 0L1 1L2 2"/>`))],
  [
    'clip paths by classes',
    svg(
      levels('clipPath', (id) => rect(`class="c${id}"`)) +
        `<style>${Array.from({ length: 9 }, (_, index) => `.cn${index}{clip-path:url(#n${index})}`).join('')}</style>`,
    ),
  ],
  ['rules for something else than a browser reads', svg('<style>*{/*}.a{*/mask:url(#m)}</style><mask id="m"/>')],
  ['itself', svg('<g id="a"><use href="#a"/></g>')],
  ['a picture like that', svg(`<image href="data:image/svg+xml;base64,${bomb}"/>`)],
  ['a picture like that, written in pieces', svg(`<image href="da&#10;ta:image/svg+xml;base64,${bomb}"/>`)],
])('an icon is not shown that refers again and again to %s', (_, bytes) => {
  expect(isDrawn(bytes)).toBe(false);
});

test.each<[string, Buffer]>([
  ['elements without end', svg('<g/>'.repeat(30_000))],
  ['elements in each other', svg(`${'<g>'.repeat(300)}${'</g>'.repeat(300)}`)],
  ['selectors for each element', svg(`<style>${'*{x:1}'.repeat(4_000)}</style>${'<g/>'.repeat(15_000)}`)],
  ['selectors that look at everything', svg('<style>:has(* *) *{fill:red}</style>')],
  ['dashes without end', svg('<path stroke-dasharray=".0001" d="M0 0L99 99"/>'.repeat(1_000))],
  ['a page', svg('<foreignObject><div xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>')],
  ['entities with elements', svg('&x;', '<!DOCTYPE svg [<!ENTITY x "<g/>">]>')],
  ['a style sheet from elsewhere', svg('', '<?xml-stylesheet href="data:text/css,"?>')],
  ['another encoding', Buffer.from(svg('').toString(), 'utf16le')],
  ['no element', Buffer.from('an icon')],
  ['an end without a beginning', Buffer.from('<svg></g></svg>')],
  ['a comment without an end', svg('<!--'.repeat(100_000))],
])('an icon is not shown that has %s', (_, bytes) => {
  expect(isDrawn(bytes)).toBe(false);
});

test.each<[string, Buffer]>([
  [
    'Illustrator',
    svg(
      `<style>.st0{clip-path:url(#SVGID_2_);fill:url(#SVGID_1_);font-family:'Arial';}</style>
      <defs><rect id="SVGID_3_" width="9" height="9"/></defs>
      <linearGradient id="SVGID_1_"><stop offset="0" style="stop-color:#1D1D1B"/></linearGradient>
      <path class="st1" d="M1,1z"/>`,
      '<?xml version="1.0" encoding="utf-8"?><!-- Generator --><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd" [ <!ENTITY ns_svg "http://www.w3.org/2000/svg"> ]>',
    ),
  ],
  [
    'Sketch',
    svg(
      `<defs><path d="M0 0z" id="path-1"/></defs><g fill="none"><mask id="mask-2" fill="white"><use xlink:href="#path-1"/></mask>
      <use fill="#D8D8D8" xlink:href="#path-1"/><g mask="url(#mask-2)"><path d="M1 1z"/></g></g>`,
    ),
  ],
  [
    'Figma',
    svg(`<g clip-path="url(#clip0)">${'<path d="M0 0z" fill="url(#paint0)"/>'.repeat(200)}</g><defs><clipPath id="clip0"><rect/></clipPath>
      <linearGradient id="paint0" gradientUnits="userSpaceOnUse"><stop stop-color="#fff"/><stop offset="1"/></linearGradient></defs>`),
  ],
  [
    'Inkscape',
    svg(`<sodipodi:namedview sodipodi:docname="C:\\icons\\(1).svg"/>
      ${'<path style="fill:#ff0000;stroke-dasharray:none" d="M 0,0 z"/>'.repeat(1_000)}
      <image xlink:href="data:image/gif;base64,R0lGODlhAQABAAAAADs=&#10;"/>`),
  ],
])('an icon is shown as %s writes it', (_, bytes) => {
  expect(isDrawn(bytes)).toBe(true);
});

function png(width: number, height: number): Buffer {
  const head = Buffer.alloc(33);
  head.write('\x89PNG\r\n\x1a\n', 'latin1');
  head.write('IHDR', 12);
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head;
}

function gif(width: number, frameWidth: number): Buffer {
  const [screen, frame] = [Buffer.alloc(13), Buffer.alloc(14)];
  screen.write('GIF89a');
  screen.writeUInt16LE(width, 6);
  screen.writeUInt16LE(width, 8);
  frame.writeUInt8(0x2c);
  frame.writeUInt16LE(frameWidth, 5);
  frame.writeUInt16LE(frameWidth, 7);
  frame.writeUInt8(1, 11);
  return Buffer.concat([screen, frame, Buffer.from(';')]);
}

function webp(form: string, at: number, size: readonly number[]): Buffer {
  const bytes = Buffer.alloc(32);
  bytes.write(`RIFF\0\0\0\0WEBP${form}`, 'latin1');
  bytes.set(size, at);
  return bytes;
}

function jpeg(width: number, height: number): Buffer {
  const bytes = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc2, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  bytes.writeUInt16BE(height, 13);
  bytes.writeUInt16BE(width, 15);
  return bytes;
}

const [small, large] = [4_000, 16_000];

test.each<[string, Buffer, boolean]>([
  ['PNG', png(small, small), true],
  ['large PNG', png(large, large), false],
  ['GIF', gif(small, small), true],
  ['large GIF', gif(large, 1), false],
  ['GIF with a large frame', gif(1, large), false],
  ['WebP', webp('VP8 ', 26, [0xa0, 0x0f, 0xa0, 0x0f]), true],
  ['large WebP', webp('VP8 ', 26, [0x80, 0x3e, 0x80, 0x3e]), false],
  ['large WebP without loss', webp('VP8L', 21, [0xff, 0xff, 0xff, 0x0f]), false],
  ['large extended WebP', webp('VP8X', 24, [0x7f, 0x3e, 0, 0x7f, 0x3e, 0]), false],
  ['JPEG', jpeg(small, small), true],
  ['large JPEG', jpeg(large, large), false],
  ['truncated JPEG', jpeg(small, small).subarray(0, 14), false],
  ['AVIF, whatever it is called', Buffer.from('\0\0\0\x20ftypavif', 'latin1'), false],
])('of pictures those are shown that take little memory: %s', (_, bytes, isExpected) => {
  expect(isDrawn(bytes, 'image/png')).toBe(isExpected);
});

test('an icon that contains large pictures is not shown', () => {
  const image = (width: number): string =>
    `<image href="data:image/png;base64,${png(width, width).toString('base64')}"/>`;
  expect([isDrawn(svg(image(small))), isDrawn(svg(image(large))), isDrawn(svg(image(small).repeat(9)))]).toEqual([
    true,
    false,
    false,
  ]);
});
