import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The secret of a link that signs in once. The next one is made when it was used. */
export class OneTimeLink {
  #secret = '';
  #onNew: (secret: string) => void;

  /** @param onNew gets each secret that is valid from now on */
  constructor(onNew: (secret: string) => void) {
    this.#onNew = onNew;
  }

  /** Makes the first secret, or replaces the present one. */
  renew(): void {
    this.#secret = randomBytes(24).toString('base64url');
    this.#onNew(this.#secret);
  }

  /** Whether it is the present secret, which is used up then. */
  use(secret: string): boolean {
    if (this.#secret === '' || !timingSafeEqual(digest(secret), digest(this.#secret))) return false;
    this.renew();
    return true;
  }
}
