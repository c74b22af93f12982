import type { CatalogPackage } from '../../resolver/index.ts';

interface Recent {
  readonly found: CatalogPackage;
  readonly characters: number;
}

/** Packages that were read last from catalogs, within a limit of the text that they were read from. */
export class RecentPackages {
  readonly #maxCharacters: number;
  readonly #all = new Map<string, Recent>();
  readonly #catalogs = new WeakMap<object, number>();
  #count = 0;
  #characters = 0;

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  get(catalog: object, name: string): CatalogPackage | undefined {
    const key = this.#keyOf(catalog, name);
    const known = this.#all.get(key);
    if (known === undefined) return undefined;
    this.#all.delete(key);
    this.#all.set(key, known);
    return known.found;
  }

  put(catalog: object, found: CatalogPackage, characters: number): void {
    this.#drop(this.#keyOf(catalog, found.name));
    this.#all.set(this.#keyOf(catalog, found.name), { found, characters });
    this.#characters += characters;
    for (const oldest of this.#all.keys()) {
      if (this.#characters <= this.#maxCharacters) return;
      this.#drop(oldest);
    }
  }

  /** Those of a catalog that is closed. */
  forget(catalog: object): void {
    const start = this.#keyOf(catalog, '');
    for (const key of this.#all.keys()) if (key.startsWith(start)) this.#drop(key);
  }

  #keyOf(catalog: object, name: string): string {
    let number = this.#catalogs.get(catalog);
    if (number === undefined) {
      this.#count += 1;
      number = this.#count;
      this.#catalogs.set(catalog, number);
    }
    return `${number} ${name}`;
  }

  #drop(key: string): void {
    this.#characters -= this.#all.get(key)?.characters ?? 0;
    this.#all.delete(key);
  }
}
