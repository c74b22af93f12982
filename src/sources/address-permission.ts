import { redactUrl, TerminalError, TransientError } from '../base/index.ts';
import { type AddressRule, addressRuleFor, type ImagePolicy } from '../image-policy/index.ts';
import { addressFileName, provenanceProblems } from './chart-provenance.ts';

const denied = 'ImageDenied';

/** The rule for content at an address; undefined without a policy. Sends nothing.
 *  @throws TerminalError ImageDenied */
export function assertAddressAllowed(policy: ImagePolicy | undefined, address: string): AddressRule | undefined {
  if (policy === undefined) return undefined;
  const rule = addressRuleFor(policy, address);
  if (rule === undefined) {
    const text = 'image policy: sources of type "http" are denied, and no rule allows';
    throw new TerminalError(denied, `${text} ${redactUrl(address)}: use an image, or an allowed address`);
  }
  if (rule.isDenied) throw new TerminalError(denied, `image policy: ${redactUrl(address)} is denied`);
  return rule;
}

/** A required signer has signed the chart of that address; `read` fetches its provenance, undefined where there is none. A signature may come later.
 *  @throws TransientError ImageDenied with what is wrong */
export async function assertChartSigned(
  { signedBy }: AddressRule,
  chart: { readonly address: string; readonly digest: string },
  read: () => Promise<Buffer | undefined>,
): Promise<void> {
  if (signedBy.length === 0) return;
  const what = `image policy: ${redactUrl(chart.address)}`;
  const provenance = await read();
  if (provenance === undefined) {
    throw new TransientError(denied, `${what} is not signed: there is no provenance at the same address with ".prov"`);
  }
  const packed = { digest: chart.digest, fileName: addressFileName(chart.address) };
  const problem = await provenanceProblems(provenance, packed, signedBy);
  if (problem === undefined) return;
  throw new TransientError(denied, `${what} is not signed by a required signer: provenance: ${problem}`);
}
