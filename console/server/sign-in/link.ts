import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The secret of a link that signs in once. The next one is made when it was used. */
export class OneTimeLink {
  #secret = '';
  #onNew: (secret: string) => void;
  /** Whether others on the machine may have seen the secret. */
  #isExposed: boolean;

  /** @param onNew gets each secret that is valid from now on
   *  @param isFirstExposed whether the first one is given to a program: everyone on the machine may read the arguments of programs */
  constructor(onNew: (secret: string) => void, isFirstExposed = false) {
    this.#onNew = onNew;
    this.#isExposed = isFirstExposed;
  }

  /** Makes the first secret, or replaces the present one. */
  renew(): void {
    this.#secret = randomBytes(24).toString('base64url');
    this.#onNew(this.#secret);
  }

  /** Whether it is the present secret, which is used up then; one that others may have seen counts only if `isOwn`. */
  use(secret: string, isOwn: () => boolean): boolean {
    if (this.#secret === '' || !timingSafeEqual(digest(secret), digest(this.#secret))) return false;
    const isValid = !this.#isExposed || isOwn();
    this.#isExposed = false;
    this.renew();
    return isValid;
  }
}
