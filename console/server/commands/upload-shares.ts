import { ConsoleProblem } from '../problem.ts';

const mebibyte = 1024 * 1024;
/** Of the bodies that are in memory at a time, in all sessions of one user. */
const maxOfUser = 40 * mebibyte;
const maxOfAll = 160 * mebibyte;

/** The memory that bodies of requests take while they are read and worked on: a share for each user, so that one leaves room for others. */
export class UploadShares {
  readonly #byUser = new Map<string, number>();
  #all = 0;

  /** Takes part of the share of a user, until it is disposed of.
   *  @throws ConsoleProblem 429 */
  take(user: string, bytes: number): Disposable {
    const own = this.#byUser.get(user) ?? 0;
    if (own + bytes > maxOfUser || this.#all + bytes > maxOfAll) {
      throw new ConsoleProblem(429, 'TooManyUploads', {
        message: 'too many files are being uploaded at a time: try again in a moment',
      });
    }
    this.#byUser.set(user, own + bytes);
    this.#all += bytes;
    let isTaken = true;
    return {
      [Symbol.dispose]: () => {
        if (isTaken) this.#giveBack(user, bytes);
        isTaken = false;
      },
    };
  }

  #giveBack(user: string, bytes: number): void {
    this.#all -= bytes;
    const left = (this.#byUser.get(user) ?? bytes) - bytes;
    if (left === 0) this.#byUser.delete(user);
    else this.#byUser.set(user, left);
  }
}
