import { createPublicKey, X509Certificate } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue, splitCertificates, TerminalError } from '../base/index.ts';
import { describeArmoredKeys } from '../openpgp/index.ts';

const maxRules = 1000;

/** What is in the place of a public key, without showing it; undefined for a key that can be used. */
function describeKey(text: string): string | undefined {
  if (text.includes('PRIVATE KEY')) return 'a private key, which must stay with its owner';
  try {
    const { asymmetricKeyType: type = '' } = createPublicKey(text);
    return ['ec', 'rsa', 'ed25519'].includes(type) ? undefined : `a key of the type "${type}"`;
  } catch {
    return 'something else';
  }
}

/** Reads the members of a policy. Methods throw TerminalError InvalidImagePolicy, naming the field, what was expected and what was found. */
export class PolicyReader {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  refuse(field: string, expected: string, found: JsonValue | undefined): never {
    const shown = found === undefined ? 'nothing' : JSON.stringify(found).slice(0, 100);
    throw new TerminalError('InvalidImagePolicy', `${this.#file}: ${field}: expected ${expected}, found ${shown}`);
  }

  object(field: string, value: JsonValue | undefined, members: readonly string[]): JsonObject {
    if (!isJsonObject(value)) return this.refuse(field, 'a mapping', value);
    const other = Object.keys(value).find((key) => !members.includes(key));
    if (other !== undefined) this.refuse(field, `members among ${members.join(', ')}`, other);
    return value;
  }

  list(field: string, value: JsonValue | undefined): readonly JsonValue[] {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value) && value.length <= maxRules) return value;
    return this.refuse(field, `a list of at most ${maxRules} entries`, value);
  }

  text(field: string, value: JsonValue | undefined): string {
    return typeof value === 'string' && value !== '' ? value : this.refuse(field, 'a text', value);
  }

  flag(field: string, value: JsonValue | undefined): boolean {
    if (value === undefined) return false;
    return typeof value === 'boolean' ? value : this.refuse(field, 'true or false', value);
  }

  choice(field: string, value: JsonValue | undefined, whenAbsent: 'allow' | 'deny'): boolean {
    if (value === undefined) return whenAbsent === 'allow';
    return value === 'allow' || value === 'deny' ? value === 'allow' : this.refuse(field, 'allow or deny', value);
  }

  key(field: string, value: JsonValue | undefined): string {
    const text = this.text(field, value);
    const found = describeKey(text);
    if (found === undefined) return text;
    throw new TerminalError(
      'InvalidImagePolicy',
      `${this.#file}: ${field}: expected a public key in PEM (ECDSA, RSA or Ed25519), found ${found}`,
    );
  }

  armoredKeys(field: string, value: JsonValue | undefined): string {
    const text = this.text(field, value);
    const found = describeArmoredKeys(text);
    if (found === undefined) return text;
    throw new TerminalError(
      'InvalidImagePolicy',
      `${this.#file}: ${field}: expected OpenPGP public keys, as of: gpg --export --armor KEY, found ${found}`,
    );
  }

  certificates(field: string, value: JsonValue | undefined): string {
    const text = this.text(field, value);
    const all = splitCertificates(text);
    try {
      if (all.length > 0 && all.every((pem) => new X509Certificate(pem).ca)) return text;
    } catch {
      // Reported below.
    }
    return this.refuse(field, 'certificates of authorities in PEM', undefined);
  }
}
