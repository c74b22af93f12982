import { readFile, stat } from 'node:fs/promises';
import { TerminalError } from '../../../src/base/index.ts';
import { type SigningKey, signMessage } from '../../../src/openpgp/index.ts';
import { atomicSignature } from '../../../src/release/signatures/index.ts';
import { type OptionValues, type outputOption, printDocument, type registryOptions } from '../../command/index.ts';
import { createProgress } from '../../output/index.ts';
import { addToStore, writeConfigMap } from '../mirror/release-signatures.ts';
import { releaseReference } from '../release-reference.ts';
import type { signOptions } from '../sign-options.ts';

type Values = OptionValues<typeof signOptions & typeof registryOptions & typeof outputOption>;

const deadlineMs = 60 * 60_000;
const maxKeyBytes = 256 * 1024;

function misuse(text: string): never {
  throw new TerminalError('InvalidOption', text);
}

async function readSecret(file: string): Promise<string> {
  const { size } = await stat(file);
  if (size > maxKeyBytes) throw new TerminalError('FileTooLarge', `${file}: more than ${maxKeyBytes} bytes`);
  return await readFile(file, 'utf8');
}

async function signingKey({ key, 'passphrase-file': file }: Values): Promise<SigningKey> {
  if (key === undefined) return misuse('expected --key FILE');
  const passphrase = file === undefined ? undefined : (await readSecret(file)).replace(/\r?\n$/, '');
  return { armored: await readSecret(key), passphrase };
}

/** `longshore release sign RELEASE` */
export async function releaseSign(values: Values, [name]: readonly [string]): Promise<number> {
  const { to, 'signatures-to': mapsTo } = values;
  if (to === undefined && mapsTo === undefined) misuse('expected --to DIR or --signatures-to DIR');
  const key = await signingKey(values);
  using progress = createProgress(process.stderr, { isQuiet: values.output === 'json' });
  const reading = { values, progress, signal: AbortSignal.timeout(deadlineMs) };
  const reference = await releaseReference(name, undefined, reading);
  progress.clear();
  const at = reference.lastIndexOf('@');
  const [repository, digest] = [reference.slice(0, at), reference.slice(at + 1)];
  const signature = await signMessage(atomicSignature(digest, repository), key);
  const files = [
    ...(to === undefined ? [] : [await addToStore(to, digest, signature)]),
    ...(mapsTo === undefined ? [] : [await writeConfigMap(mapsTo, digest, [signature])]),
  ];
  printDocument(values, { digest, files }, () =>
    [`signed ${digest}`, ...files.map((file) => `wrote ${file}`), ''].join('\n'),
  );
  return 0;
}
