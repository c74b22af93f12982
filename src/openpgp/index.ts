/** OpenPGP: key rings read, signed messages verified and made. Main types: `Keyring`, `SignedMessage`. Keys and signatures are evaluated by a library,
 *  which the first use loads; messages are taken apart here, within limits. Never decrypts a message, never fetches a key.
 *  @imports src/base
 *  @packages openpgp */
export { describeArmoredKeys } from './armored-keys.ts';
export { maxCleartextBytes, verifyCleartextMessage } from './cleartext-message.ts';
export { type Keyring, readKeyring } from './keyring.ts';
export { type SigningKey, signMessage } from './sign-message.ts';
export { maxSignatureBytes, verifySignedMessage } from './signed-message.ts';
