import type { JsonObject, JsonValue } from '../base/index.ts';
import type { PolicyReader } from './policy-reader.ts';
import type { OpenpgpSigner } from './signer.ts';

/** What holds for content from web servers. */
export interface AddressRule {
  /** `https://host/path`; `*` matches anything between two slashes, `**` at the end anything below. */
  readonly addresses: readonly string[];
  readonly isDenied: boolean;
  /** One of them must have signed the provenance of the chart; empty: no signature is required. */
  readonly signedBy: readonly OpenpgpSigner[];
}

const maxPatternLength = 512;

function readAddress(reader: PolicyReader, field: string, value: JsonValue): string {
  const pattern = reader.text(field, value);
  if (pattern.length > maxPatternLength) reader.refuse(field, `at most ${maxPatternLength} characters`, pattern);
  const [, host, ...path] = /^https?:\/\/[^/?#@\s]+\/[^?#\s]*$/.test(pattern) ? pattern.split('/').slice(1) : [];
  if (host === undefined) {
    reader.refuse(field, 'https://host/path without query, perhaps with * or, at the end, **', pattern);
  }
  if (path.slice(0, -1).some((part) => part.includes('**')) || /.\*\*|\*\*./.test(path.at(-1) ?? ''))
    reader.refuse(field, '** only as the last part', pattern);
  return pattern.replace(`//${host}`, `//${host.toLowerCase()}`);
}

/** Reads a rule with addresses; the reader of signers is that of all rules.
 *  @throws TerminalError InvalidImagePolicy */
export function readAddressRule(
  reader: PolicyReader,
  field: string,
  { rule, signedBy }: { readonly rule: JsonObject; readonly signedBy: readonly OpenpgpSigner[] },
): AddressRule {
  const addresses = reader
    .list(`${field}.addresses`, rule['addresses'])
    .map((pattern, index) => readAddress(reader, `${field}.addresses[${index}]`, pattern));
  if (addresses.length === 0) reader.refuse(`${field}.addresses`, 'at least one address', rule['addresses']);
  return { addresses, isDenied: reader.flag(`${field}.deny`, rule['deny']), signedBy };
}
