import { printable, systemClock, TerminalError } from '../../../src/base/index.ts';
import { type ImagePolicy, parseImagePolicy } from '../../../src/image-policy/index.ts';
import {
  forcedText,
  UnverifiedReleaseError,
  type VerifiedRelease,
  verifyRelease,
} from '../../../src/release/signatures/index.ts';
import { type OptionValues, type outputOption, printDocument, type registryOptions } from '../../command/index.ts';
import { readOptionFile } from '../../input/index.ts';
import { createProgress, type Progress } from '../../output/index.ts';
import { releaseReference } from '../release-reference.ts';
import { openSignaturePlaces } from '../signature-places.ts';
import type { verifyOptions } from '../verify-options.ts';

type Values = OptionValues<typeof verifyOptions & typeof registryOptions & typeof outputOption>;

interface Request {
  readonly name: string;
  readonly values: Values;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** What was verified, and what was not but was forced. */
interface Result {
  readonly digest: string;
  readonly signers: VerifiedRelease['signers'];
  /** The file of the image policy. */
  readonly policy?: string;
  readonly forced?: string;
}

const deadlineMs = 60 * 60_000;

function misuse(text: string): never {
  throw new TerminalError('InvalidOption', text);
}

/** Every place that was tried, on a line of its own. */
function withDetails(error: UnverifiedReleaseError): TerminalError {
  const lines = error.details.map((detail) => `\n  ${detail}`);
  return new TerminalError(error.reason, `The update cannot be verified: ${error.message}${lines.join('')}`, {
    cause: error,
  });
}

async function verified(reference: string, request: Request): Promise<Pick<Result, 'signers' | 'forced'>> {
  const { values, progress, signal } = request;
  using places = await openSignaturePlaces(request);
  const { keyrings, store } = places;
  progress.show('searching signatures');
  try {
    const { signers } = await verifyRelease(reference, { verifier: { keyrings }, store, clock: systemClock, signal });
    return { signers };
  } catch (thrown) {
    if (!(thrown instanceof UnverifiedReleaseError)) throw thrown;
    if (!values.force) throw withDetails(thrown);
    const forced = forcedText({ version: '', image: reference }, thrown);
    progress.finish(`warning: ${forced}`);
    return { signers: [], forced };
  }
}

async function policyOf(file: string | undefined): Promise<ImagePolicy | undefined> {
  return file === undefined ? undefined : parseImagePolicy(file, await readOptionFile('--policy', file));
}

function resultText({ digest, signers, policy, forced }: Result): string {
  if (forced !== undefined) return `${digest} is not verified\n`;
  const lines = signers.map(({ keyring, fingerprint }) => `  ${keyring}: signed by ${fingerprint}\n`);
  return `${digest} is verified\n${lines.join('')}${policy === undefined ? '' : `  ${policy}: signed as it requires\n`}`;
}

/** `longshore release verify RELEASE` */
export async function releaseVerify(values: Values, [name]: readonly [string]): Promise<number> {
  const { key, policy, 'from-payload': payload } = values;
  const hasKeys = key.length > 0 || payload !== undefined;
  if (!hasKeys && policy === undefined) misuse('expected --key FILE, --from-payload RELEASE or --policy FILE');
  using progress = createProgress(process.stderr, { isQuiet: values.output === 'json' });
  const request: Request = { name, values, progress, signal: AbortSignal.timeout(deadlineMs) };
  const reference = await releaseReference(name, await policyOf(policy), request);
  const found = hasKeys ? await verified(reference, request) : { signers: [] };
  progress.clear();
  const digest = reference.slice(reference.lastIndexOf('@') + 1);
  const result: Result = { digest, ...found, ...(policy === undefined ? {} : { policy }) };
  printDocument(values, result, () => printable(resultText(result)));
  return 0;
}
