const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** A number of any length in base 62, with the digits of Go's `big.Int`: 0–9, a–z, A–Z. */
export function base62(bytes: Uint8Array): string {
  let rest = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  do {
    text = `${digits[Number(rest % 62n)] ?? ''}${text}`;
    rest /= 62n;
  } while (rest > 0n);
  return text;
}
