import { maxProvenanceBytes, type OpenpgpSigner, type PackedChart, provenanceProblem } from '../image-policy/index.ts';
import type { Descriptor } from './descriptor.ts';
import { readPiece, type SignatureSearch } from './image-signatures.ts';

/** Of a chart in a registry, which has no file: its name is that of the repository, and the version that of the tag, where the tag is one. */
export function artifactFileName(repository: string, tag: string | undefined): PackedChart['fileName'] {
  const name = repository.split('/').at(-1) ?? '';
  // Tags may not contain the "+" of a version.
  const tagged = tag !== undefined && /^v?\d+\.\d+\.\d+/.test(tag) ? tag.replaceAll('_', '+') : undefined;
  return ({ version }) => `${name}-${tagged ?? version}.tgz`;
}

/** Of a chart on a web server: the last part of the address. */
export function addressFileName(address: string): PackedChart['fileName'] {
  const file = new URL(address).pathname.split('/').at(-1) ?? '';
  return () => {
    try {
      return decodeURIComponent(file);
    } catch {
      return file;
    }
  };
}

/** The address of the provenance of a packed chart. */
export function provenanceAddress(address: string): string {
  const url = new URL(address);
  url.pathname = `${url.pathname}.prov`;
  return url.href;
}

/** The provenance beside a chart in a registry. */
export async function fetchProvenance({ places, name }: SignatureSearch, { digest }: Descriptor): Promise<Buffer> {
  return await places.ask(({ client }) => readPiece(client, { name, digest, maxBytes: maxProvenanceBytes }));
}

/** What is wrong with a provenance for each signer; undefined when one of them has signed. */
export async function provenanceProblems(
  provenance: Buffer,
  chart: PackedChart,
  signers: readonly OpenpgpSigner[],
): Promise<string | undefined> {
  const problems = new Set<string>();
  for (const signer of signers) {
    const problem = await provenanceProblem(provenance, chart, signer);
    if (problem === undefined) return undefined;
    problems.add(problem);
  }
  return [...problems].join(', ');
}
