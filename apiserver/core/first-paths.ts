const maxCharacters = 1024 * 1024;

/** The first paths of fields, as far as there is room: each has the names of all that its field is in, which may be long, and there may be very many. */
export class FirstPaths {
  readonly paths: string[] = [];
  #left = maxCharacters;

  /** Whether there is room for more. */
  get hasRoom(): boolean {
    return this.#left > 0;
  }

  /** The first is taken whatever its length is. */
  add(path: string): void {
    if (this.hasRoom) this.paths.push(path);
    this.#left -= path.length;
  }
}
