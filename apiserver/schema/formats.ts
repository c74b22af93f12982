import { isIP, isIPv4, isIPv6 } from 'node:net';

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const uuidOfVersion = (digit: number): RegExp =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${digit}[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i');
const hostLabel = /^[a-zA-Z0-9_]([a-zA-Z0-9_-]{0,61}[a-zA-Z0-9_])?$/;

function isHostname(text: string): boolean {
  const bare = text.endsWith('.') ? text.slice(0, -1) : text;
  return bare.length > 0 && text.length <= 255 && bare.split('.').every((part) => hostLabel.test(part));
}

function isUri(text: string): boolean {
  return text !== '' && (text.startsWith('/') || URL.canParse(text));
}

function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (parts === null) return false;
  const [year, month, day] = parts.slice(1).map(Number);
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day));
  return date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
}

function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.split(/[Tt]/, 2);
  const match = /^(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?([Zz]|[-+]\d\d:?\d\d)?$/.exec(time);
  if (match === null) return false;
  const [hour, minute, second] = match.slice(1, 4).map((part) => Number(part ?? 0));
  return isDate(date) && Math.max(hour ?? 0, (minute ?? 0) / 2.5, (second ?? 0) / 2.5) < 24;
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  const family = isIP(address);
  return rest.length === 0 && family !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

function isByte(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

const duration = /^-?((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h|d|w))+$|^0$/;
const wordyDuration =
  /^\d+(\.\d+)?\s*(ns|nano|us|µs|micro|ms|milli|s|sec|second|m|min|minute|h|hr|hour|d|day|w|wk|week)s?$/i;

function isIsbn(text: string, length: 10 | 13 | undefined): boolean {
  const digits = text.replaceAll(/[\s-]/g, '');
  const is10 = /^\d{9}[\dXx]$/.test(digits) && isbn10Sum(digits) % 11 === 0;
  const is13 = /^\d{13}$/.test(digits) && isbn13Sum(digits) % 10 === 0;
  if (length === undefined) return is10 || is13;
  return length === 10 ? is10 : is13;
}

function isbn10Sum(digits: string): number {
  return Array.from(digits).reduce(
    (sum, digit, index) => sum + (digit.toUpperCase() === 'X' ? 10 : Number(digit)) * (10 - index),
    0,
  );
}

function isbn13Sum(digits: string): number {
  return Array.from(digits).reduce((sum, digit, index) => sum + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
}

function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '');
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return digits.length >= 12 && digits.length <= 19 && sum % 10 === 0;
}

const checks: ReadonlyMap<string, (text: string) => boolean> = new Map<string, (text: string) => boolean>([
  ['bsonobjectid', (text) => /^[0-9a-f]{24}$/i.test(text)],
  ['uri', isUri],
  ['email', (text) => text.length <= 320 && /^[^\s@<>()[\]\\,;:"]+@[^\s@]+$/.test(text)],
  ['hostname', isHostname],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['cidr', isCidr],
  [
    'mac',
    (text) => /^([0-9a-f]{2}[:-]){5}([0-9a-f]{2}([:-][0-9a-f]{2}){0,14})$|^([0-9a-f]{4}\.){2}[0-9a-f]{4}$/i.test(text),
  ],
  ['uuid', (text) => uuid.test(text)],
  ['uuid3', (text) => uuidOfVersion(3).test(text)],
  ['uuid4', (text) => uuidOfVersion(4).test(text)],
  ['uuid5', (text) => uuidOfVersion(5).test(text)],
  ['isbn', (text) => isIsbn(text, undefined)],
  ['isbn10', (text) => isIsbn(text, 10)],
  ['isbn13', (text) => isIsbn(text, 13)],
  ['creditcard', isCreditCard],
  ['ssn', (text) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['hexcolor', (text) => /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text)],
  ['rgbcolor', (text) => /^rgb\(\s*\d{1,3}\s*,\s*\d{1,3}\s*,\s*\d{1,3}\s*\)$/.test(text)],
  ['byte', isByte],
  ['password', () => true],
  ['date', isDate],
  ['duration', (text) => duration.test(text) || wordyDuration.test(text)],
  ['datetime', isDateTime],
]);

/** Whether a text has the format. Formats that the server does not know accept every text; hyphens in a format's name do not count. */
export function hasFormat(text: string, format: string): boolean {
  return checks.get(format.replaceAll('-', ''))?.(text) ?? true;
}

/** Whether CRD authors get a warning for this format. */
export function isKnownFormat(format: string): boolean {
  return checks.has(format.replaceAll('-', '')) || ['int32', 'int64', 'float', 'double'].includes(format);
}
