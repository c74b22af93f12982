import { goQuote, type JsonObject, type JsonValue } from '../../src/base/index.ts';
import { type FieldError } from '../../src/schema/index.ts';

/** A list of texts of a named Go type: `[]core.IPFamily{"IPv4"}`; an empty one is Go's nil. */
export function goTexts(texts: readonly string[], type = 'string'): string {
  return texts.length === 0 ? `[]${type}(nil)` : `[]${type}{${texts.map(goQuote).join(', ')}}`;
}

function goMember(value: JsonValue | undefined): string {
  if (typeof value === 'string') return goQuote(value);
  return value === null || value === undefined ? '<nil>' : JSON.stringify(value);
}

/** A struct of scalars, members in the order given: `core.Taint{Key:"a", TimeAdded:<nil>}`. */
export function goStruct(type: string, members: JsonObject): string {
  const list = Object.entries(members).map(([key, value]) => `${key}:${goMember(value)}`);
  return `${type}{${list.join(', ')}}`;
}

const decimalScales = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const binaryPowers = new Map([
  ['Ki', 10n],
  ['Mi', 20n],
  ['Gi', 30n],
  ['Ti', 40n],
  ['Pi', 50n],
  ['Ei', 60n],
]);

/** A quantity as it was written: its digits, their scale and its text; `kept` is the text that Go remembers, where that is another. */
export function goQuantity(text: string, kept: string = text): string {
  const [number = '', suffix = ''] = text.replace('+', '').split(/(?=[a-zA-Z])(.*)/);
  const [, fraction = ''] = number.split('.');
  const digits = BigInt(number.replace('.', '') || '0');
  const power = binaryPowers.get(suffix);
  const value = digits << (power ?? 0n);
  const scale = (decimalScales.get(suffix) ?? 0) - fraction.length;
  const amount = `i:resource.int64Amount{value:${value}, scale:${scale}}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}`;
  return `resource.Quantity{${amount}, s:${goQuote(kept)}, Format:"${power === undefined ? 'DecimalSI' : 'BinarySI'}"}`;
}

/** `Invalid value` of a value already in Go's notation. */
export function invalidPrinted(field: string, printed: string, detail: string): FieldError {
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${printed}: ${detail}` };
}
