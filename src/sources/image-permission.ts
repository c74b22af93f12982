import type { ImageReference } from '../api/index.ts';
import { TerminalError, TransientError } from '../base/index.ts';
import {
  type ImagePolicy,
  type ImageRule,
  type OpenpgpSigner,
  ruleFor,
  type SigstoreSigner,
  signatureProblem,
  signatureTag,
} from '../image-policy/index.ts';
import { artifactFileName, fetchProvenance, provenanceProblems } from './chart-provenance.ts';
import type { ChartLayers } from './image-layers.ts';
import { type AnySignature, type SignatureSearch, signaturesOf } from './image-signatures.ts';

const maxReported = 5;

/** Reason of errors about images that the policy does not allow. */
const imageDenied = 'ImageDenied';

/** The rule for an image; undefined without a policy. Asks no registry.
 *  @throws TerminalError ImageDenied */
export function assertAllowed(policy: ImagePolicy | undefined, reference: ImageReference): ImageRule | undefined {
  if (policy === undefined) return undefined;
  const name = `${reference.registry}/${reference.repository}`;
  const rule = ruleFor(policy, name);
  if (rule === undefined) {
    throw new TerminalError(imageDenied, `image policy: no rule allows ${name}: use an allowed image`);
  }
  if (rule.isDenied) throw new TerminalError(imageDenied, `image policy: ${name} is denied`);
  if (!rule.needsDigest || reference.digest !== undefined) return rule;
  const text = `image policy: ${name} must be named by digest (${name}@sha256:…), not by the tag "${reference.tag ?? ''}"`;
  throw new TerminalError(imageDenied, text);
}

/** Who may have signed, by the form of the signature. */
interface Signers {
  readonly sigstore: readonly SigstoreSigner[];
  readonly openpgp: readonly OpenpgpSigner[];
}

function signersOf({ signedBy }: ImageRule): Signers {
  return {
    sigstore: signedBy.filter((signer) => signer.kind !== 'openpgp'),
    openpgp: signedBy.filter((signer) => signer.kind === 'openpgp'),
  };
}

async function problemsOf(
  signers: readonly SigstoreSigner[],
  signature: AnySignature,
  digest: string,
): Promise<string | undefined> {
  const problems: string[] = [];
  for (const signer of signers) {
    const problem = await signatureProblem(signature, digest, signer);
    if (problem === undefined) return undefined;
    problems.push(problem);
  }
  return [...new Set(problems)].join(', ');
}

/** What is signed. */
export interface SignedImage {
  /** One of them is signed; each determines the next. */
  readonly digests: readonly string[];
  readonly chart: ChartLayers | undefined;
  /** By which it was asked for. */
  readonly tag: string | undefined;
}

/** Of signatures that were found, what is wrong with each; of those that were not, what is missing. */
interface Findings {
  readonly problems: readonly string[];
  readonly missing: readonly string[];
}

/** Undefined when a signature is right. */
async function checkSigstore(
  search: SignatureSearch,
  { digests }: SignedImage,
  signers: readonly SigstoreSigner[],
): Promise<Findings | undefined> {
  const problems: string[] = [];
  for (const digest of digests) {
    for await (const signature of signaturesOf(search, digest)) {
      const problem = await problemsOf(signers, signature, digest);
      if (problem === undefined) return undefined;
      problems.push(`signature ${problems.length + 1}: ${problem}`);
    }
  }
  const tags = digests.map(signatureTag).join(', ');
  return { problems, missing: [`there is no tag ${tags}, and no sigstore bundle is attached`] };
}

/** Undefined when the provenance is right. */
async function checkProvenance(
  search: SignatureSearch,
  { chart, tag }: SignedImage,
  signers: readonly OpenpgpSigner[],
): Promise<Findings | undefined> {
  if (chart?.provenance === undefined) {
    const text = chart === undefined ? 'it is no chart with provenance' : 'the chart has no provenance';
    return { problems: [], missing: [text] };
  }
  const provenance = await fetchProvenance(search, chart.provenance);
  const packed = { digest: chart.digest, fileName: artifactFileName(search.name, tag) };
  const problem = await provenanceProblems(provenance, packed, signers);
  return problem === undefined ? undefined : { problems: [`provenance: ${problem}`], missing: [] };
}

/** A required signer has signed the image. A signature may come later than its image.
 *  @throws TransientError ImageDenied with what was found */
export async function assertSigned(search: SignatureSearch, rule: ImageRule, image: SignedImage): Promise<void> {
  const { sigstore, openpgp } = signersOf(rule);
  const checks = [
    ...(sigstore.length === 0 ? [] : [() => checkSigstore(search, image, sigstore)]),
    ...(openpgp.length === 0 ? [] : [() => checkProvenance(search, image, openpgp)]),
  ];
  const all: Findings[] = [];
  for (const check of checks) {
    const findings = await check();
    if (findings === undefined) return;
    all.push(findings);
  }
  if (all.length === 0) return;
  const problems = all.flatMap((findings) => findings.problems);
  const what = `image policy: ${search.name}@${image.digests.at(-1) ?? ''}`;
  if (problems.length === 0) {
    const missing = all.flatMap((findings) => findings.missing).join('; ');
    throw new TransientError(imageDenied, `${what} is not signed: ${missing}`);
  }
  const more = problems.length > maxReported ? `; and ${problems.length - maxReported} more` : '';
  const text = `${what} is not signed by a required signer: ${problems.slice(0, maxReported).join('; ')}${more}`;
  throw new TransientError(imageDenied, text);
}
