import { establish, thing } from '../definitions.ts';
import { type Area, area } from '../suite.ts';

/** Texts for each format, good and bad ones. */
const texts: Readonly<Record<string, readonly string[]>> = {
  bsonobjectid: [
    '507f1f77bcf86cd799439011',
    '507f1f77bcf86cd79943901',
    'zz7f1f77bcf86cd799439011',
    '507F1F77BCF86CD799439011',
  ],
  uri: [
    'http://a.b/c',
    '/x',
    'x',
    '',
    'mailto:a@b',
    'http://a b',
    'http://a:b/',
    'a:b',
    '//x',
    'http://',
    '1:2',
    'http://[::1]:80',
    '/%zz',
    '/a#b',
    'http://x/?a=b c',
  ],
  email: [
    'a@b',
    'a@b.c',
    'a',
    '@b',
    'a@',
    'A B <a@b>',
    '<a@b>',
    '"a b"@c',
    'a@b@c',
    'a b@c',
    ' a@b ',
    'a@[1.2.3.4]',
    'a..b@c',
    '.a@c',
  ],
  hostname: ['a', 'a.b', 'a.b.', '-a', 'a-', 'a_b', '1', 'a..b', 'a.1', 'é.com', 'a.bc', 'a'.repeat(64), ''],
  ipv4: ['1.2.3.4', '01.02.03.04', '1.2.3', '256.1.1.1', '::1.2.3.4', '1.2.3.4/8', ''],
  ipv6: ['::1', '::', '1.2.3.4', '::1.2.3.4', '1::2::3', 'fe80::1%eth0', 'g::1', '1:2:3:4:5:6:7:8'],
  cidr: ['1.2.3.0/24', '1.2.3.4/33', '::/0', '::1/129', '1.2.3.4', '01.2.3.4/08', '1.2.3.4/-1', '1.2.3.4/'],
  mac: [
    '00:11:22:33:44:55',
    '00-11-22-33-44-55',
    '0011.2233.4455',
    '00:11:22:33:44',
    '00:11:22:33:44:55:66:77',
    '001122334455',
    '00:11-22:33:44:55',
    'gg:11:22:33:44:55',
  ],
  uuid: ['123e4567-e89b-12d3-a456-426614174000', '123E4567E89B12D3A456426614174000', '123e4567-e89b-12d3-a456', 'x'],
  uuid3: ['123e4567-e89b-32d3-a456-426614174000', '123e4567-e89b-42d3-a456-426614174000'],
  uuid4: [
    '123e4567-e89b-42d3-a456-426614174000',
    '123e4567-e89b-42d3-c456-426614174000',
    '123e4567-e89b-12d3-a456-426614174000',
  ],
  uuid5: ['123e4567-e89b-52d3-a456-426614174000', '123e4567-e89b-52d3-7456-426614174000'],
  isbn: ['0321751043', '978-0321751041', '0321751044', 'x'],
  isbn10: ['0321751043', '0-321-75104-3', '0321751044', '080442957X', '080442957x'],
  isbn13: ['978-0321751041', '9780321751042', '0321751043'],
  creditcard: ['4111111111111111', '4111-1111-1111-1111', '4111111111111112', '1234567890123456', '378282246310005'],
  ssn: ['123-45-6789', '123456789', '123 45 6789', '12-345-6789'],
  hexcolor: ['#ffffff', 'fff', '#FFF', '#ffff', 'ggg'],
  rgbcolor: ['rgb(1,2,3)', 'rgb(1, 2, 3)', 'rgb(256,2,3)', 'RGB(1,2,3)', 'rgb(01,2,3)', 'rgb( 1 , 2 , 3 )'],
  byte: ['aGk=', 'aGk', 'a', '', 'aGk=\n', 'aG-_', 'aGkh'],
  password: ['', 'x'],
  date: ['2020-02-29', '2021-02-29', '2020-2-3', '2020-13-01', '0001-01-01', '2020-01-01T00:00:00Z', ''],
  duration: [
    '1s',
    '1h30m',
    '1.5h',
    '-1s',
    '+1s',
    '1',
    '0',
    '1d',
    '2 days',
    '3 weeks and more',
    '1 sec',
    '1 secon',
    'x',
    '',
    '1 mo',
    '5 nanos',
    '1µs',
    '1 ms',
    '1.5d',
  ],
  datetime: [
    '2020-01-01T00:00:00Z',
    '2020-01-01t00:00:00z',
    '2020-01-01T00:00:00.123+01:00',
    '2020-01-01T24:00:00Z',
    '2020-01-01T00:60:00Z',
    '2020-01-01T00:00:00',
    '2020-01-01 00:00:00Z',
    '2020-02-30T00:00:00Z',
    '2020-01-01T00:00:00x5Z',
    '',
  ],
  'date-time': ['2020-01-01T00:00:00Z', 'x'],
  'bson-object-id': ['x'],
  'i-p-v4': ['x'],
  int32: ['x'],
  unheard: ['x', ''],
};

/** Which texts have which format. */
export const cases: Area = area('Formats of texts', (it) => {
  for (const [format, values] of Object.entries(texts)) {
    it(`CR-18 CR-19 ${format}`, async (api) => {
      const schema = { type: 'object', properties: { x: { type: 'string', format } } };
      const { things } = await establish(api, { schema });
      for (const x of values) {
        await api.ask('POST', `${things}?dryRun=All`, {
          body: thing(api, 'x', { x }),
          keep: (body) => ({ text: x, says: (body as { readonly message?: string }).message ?? '' }),
        });
      }
    });
  }
});
