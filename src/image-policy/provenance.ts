import { cutText, errorMessage, isJsonObject, parseYaml, textAt } from '../base/index.ts';
import { maxCleartextBytes, readKeyring, verifyCleartextMessage } from '../openpgp/index.ts';
import type { OpenpgpSigner } from './signer.ts';

/** A packed chart, as its provenance names it. */
export interface PackedChart {
  /** Of the archive: `ahoy-0.1.0.tgz`. For an artifact, which has no file, it may depend on the chart's metadata. */
  readonly fileName: (metadata: { readonly name: string; readonly version: string }) => string;
  /** Of the archive. */
  readonly digest: string;
}

/** Of a provenance file. */
export const maxProvenanceBytes: number = maxCleartextBytes;

/** Between the two documents that are signed. */
const separator = '\n...\n';

/** What is signed: the metadata of the chart, and the digests of its files. */
function readSigned(content: string): { readonly name: string; readonly version: string; readonly files: unknown } {
  const [chart = '', sums, ...rest] = content.split(separator);
  if (sums === undefined || rest.length > 0)
    throw new Error('the signed text is no provenance of a chart: expected the metadata of the chart, and files');
  const metadata = parseYaml('the signed metadata', chart);
  const { files } = (parseYaml('the signed list of files', sums) ?? {}) as { readonly files?: unknown };
  const { name, version } = isJsonObject(metadata)
    ? { name: textAt(metadata, 'name'), version: textAt(metadata, 'version') }
    : { name: '', version: '' };
  return { name, version, files };
}

async function verifyProvenance(provenance: Buffer, chart: PackedChart, { keys }: OpenpgpSigner): Promise<void> {
  const keyring = await readKeyring('openpgp', Buffer.from(keys));
  const { content } = await verifyCleartextMessage(provenance.toString(), keyring, new Date());
  const { files, ...metadata } = readSigned(content.toString());
  const fileName = chart.fileName(metadata);
  const digest = isJsonObject(files) && Object.hasOwn(files, fileName) ? files[fileName] : undefined;
  if (typeof digest !== 'string') throw new Error(`it is not for a file ${JSON.stringify(cutText(fileName, 200))}`);
  if (digest !== chart.digest) throw new Error(`it is for ${cutText(digest, 100)}, and the chart is ${chart.digest}`);
}

/** Why the provenance (`helm package --sign`) does not show that the signer has signed the chart; undefined when it does. The first call loads the
 *  library for OpenPGP. */
export async function provenanceProblem(
  provenance: Buffer,
  chart: PackedChart,
  signer: OpenpgpSigner,
): Promise<string | undefined> {
  try {
    await verifyProvenance(provenance, chart, signer);
    return undefined;
  } catch (thrown) {
    // As with other signatures: whatever is wrong with it, it does not count.
    return errorMessage(thrown);
  }
}
