const maxLines = 5_000;
const maxCharacters = 4 * 1024 * 1024;
const maxLineCharacters = 8 * 1024;

/** The latest lines of the log of this process, for the pages of its user. */
export class RecentLines {
  readonly #lines: string[] = [];
  #characters = 0;

  /** Adds a line; a long one is not kept. */
  add(line: string): void {
    if (line.length > maxLineCharacters) return;
    this.#lines.push(line);
    this.#characters += line.length;
    while (this.#lines.length > maxLines || this.#characters > maxCharacters) {
      this.#characters -= this.#lines.shift()?.length ?? 0;
    }
  }

  /** The oldest first. */
  lines(): readonly string[] {
    return this.#lines;
  }
}
