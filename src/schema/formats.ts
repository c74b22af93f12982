import { isIPv6 } from 'node:net';

const hex = String.raw`[0-9a-f]`;

/** `third` is what the third and the fourth group begin with. */
function uuidPattern(third: readonly [string, string]): RegExp {
  return new RegExp(`^${hex}{8}-?${hex}{4}-?${third[0]}${hex}{3}-?${third[1]}${hex}{3}-?${hex}{12}$`, 'i');
}

const hostname =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.))+([a-zA-Z\p{L}]){2,63})$/u;

function isHostname(text: string): boolean {
  return (
    Buffer.byteLength(text) <= 255 &&
    hostname.test(text) &&
    text.split('.').every((part) => Buffer.byteLength(part) <= 63)
  );
}

const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/;

/** What a request line may name: an absolute URL or an absolute path. */
function isUri(text: string): boolean {
  const path = text.split(/[?#]/, 1).join('');
  if (text === '' || /\p{Cc}/u.test(text) || /%(?![0-9a-fA-F]{2})/.test(path)) return false;
  if (text.startsWith('/')) return true;
  const rest = text.replace(scheme, '');
  if (rest === text) return false;
  return !rest.startsWith('//') || isAuthority(rest.slice(2).split(/[/?]/, 1).join(''));
}

function isAuthority(text: string): boolean {
  const host = text.slice(text.lastIndexOf('@') + 1);
  return /^(\[[^\]]*\]|[^:[\]\s"<>\\^`{|}]*)(:\d*)?$/.test(host);
}

function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (parts === null) return false;
  const [year = 0, month = 0, day = 0] = parts.slice(1).map(Number);
  // Years below 100 would be taken for those of the last century; the calendar repeats every 400 years.
  const date = new Date(Date.UTC(year + 400, month - 1, day));
  return date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
}

function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  const match = /^(\d{2}):(\d{2}):(\d{2})(.\d+)?(z|[+-]\d{2}:\d{2})$/.exec(time);
  if (match === null || !isDate(date)) return false;
  const [, hour = '', minute = '', second = ''] = match;
  return hour <= '23' && minute <= '59' && second <= '59';
}

/** Leading zeros are accepted, as kube-apiserver does. */
function isDotted(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^\d+$/.test(part) && Number(part) <= 255);
}

function isSixWithDots(text: string): boolean {
  const end = text.lastIndexOf(':') + 1;
  return end > 0 && isDotted(text.slice(end)) && isIPv6(`${text.slice(0, end)}1.1.1.1`);
}

function isAddress(text: string): 4 | 6 | 0 {
  if (isDotted(text)) return 4;
  return !text.includes('%') && (isIPv6(text) || isSixWithDots(text)) ? 6 : 0;
}

function isCidr(text: string): boolean {
  const slash = text.indexOf('/');
  const bits = text.slice(slash + 1);
  const family = slash < 0 ? 0 : isAddress(text.slice(0, slash));
  return family !== 0 && /^\d{1,8}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

const unitNames = [
  ['ns', 'nano'],
  ['us', 'µs', 'micro'],
  ['ms', 'milli'],
  ['s', 'sec'],
  ['m', 'min'],
  ['h', 'hr', 'hour'],
  ['d', 'day'],
  ['w', 'wk', 'week'],
];

/** The last name of a unit may go on (`seconds`), the others must be whole. */
function isUnit(word: string): boolean {
  const unit = word.toLowerCase();
  return unitNames.some((names) => names.includes(unit) || unit.startsWith(names.at(-1) ?? unit));
}

function isDuration(text: string): boolean {
  if (/^[-+]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return true;
  if (text.length > 10_000) return false;
  return Array.from(text.matchAll(/(?<!\d)\d+\s*([A-Za-zµ]+)/g)).some(([, word = '']) => isUnit(word));
}

function isbn10(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = Array.from(digits).reduce(
    (total, digit, index) => total + (digit === 'X' ? 10 : Number(digit)) * (index + 1),
    0,
  );
  return sum % 11 === 0;
}

function isbn13(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = Array.from(digits).reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
  return sum % 10 === 0;
}

const cardNumber =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|(222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11}|6[27][0-9]{14})$/;

function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/[^0-9]+/g, '');
  if (!cardNumber.test(digits)) return false;
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}

const channel = String.raw`\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*`;
const color = new RegExp(`^rgb\\(${channel},${channel},${channel}\\)$`);

/** 6, 8 or 20 bytes, in pairs with colons or hyphens, in fours with dots or without anything between. */
function isMac(text: string): boolean {
  if (/^([0-9a-f]{12}|[0-9a-f]{16}|[0-9a-f]{40})$/i.test(text)) return true;
  const pairs = [':', '-'].some((by) => isHexGroups(text.split(by), 2, [6, 8, 20]));
  return pairs || isHexGroups(text.split('.'), 4, [3, 4, 10]);
}

function isHexGroups(groups: readonly string[], length: number, counts: readonly number[]): boolean {
  return (
    counts.includes(groups.length) && groups.every((group) => group.length === length && /^[0-9a-f]+$/i.test(group))
  );
}

/** An address as in a header: `a@b`, `<a@b>`, `Name <a@b>`. */
function isEmail(text: string): boolean {
  if (text.length > 10_000) return false;
  const [, address = text.trim()] = /^[^<>@,;:()[\]\\]*<([^<>]*)>\s*$/.exec(text) ?? [];
  const atom = String.raw`[^\s@<>()[\]\\,;:".\x00-\x1f\x7f]+`;
  return new RegExp(`^(${atom}(\\.${atom})*|"([^"\\\\]|\\\\.)*")@(${atom}(\\.${atom})*|\\[[^\\]\\s]*\\])$`).test(
    address,
  );
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;

const checks: ReadonlyMap<string, (text: string) => boolean> = new Map<string, (text: string) => boolean>([
  ['bsonobjectid', (text) => /^[0-9a-f]{24}$/i.test(text)],
  ['uri', isUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', (text) => text.includes('.') && isAddress(text) !== 0],
  ['ipv6', (text) => text.includes(':') && isIPv6(text) && !text.includes('%')],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', (text) => uuidPattern([hex, hex]).test(text)],
  ['uuid3', (text) => uuidPattern(['3', hex]).test(text)],
  ['uuid4', (text) => uuidPattern(['4', '[89ab]']).test(text)],
  ['uuid5', (text) => uuidPattern(['5', '[89ab]']).test(text)],
  ['isbn', (text) => isbn10(text) || isbn13(text)],
  ['isbn10', isbn10],
  ['isbn13', isbn13],
  ['creditcard', isCreditCard],
  ['ssn', (text) => /^\d{3}[- ]\d{2}[- ]\d{4}$/.test(text)],
  ['hexcolor', (text) => /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text)],
  ['rgbcolor', (text) => color.test(text)],
  ['byte', (text) => base64.test(text)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
]);

/** Whether a text has the format. Formats that the server does not know accept every text; hyphens in a format's name do not count. */
export function hasFormat(text: string, format: string): boolean {
  return checks.get(format.replaceAll('-', ''))?.(text) ?? true;
}

/** Whether texts are checked for this format. */
export function isKnownFormat(format: string): boolean {
  return checks.has(format.replaceAll('-', ''));
}
