import { TerminalError } from '../../base/index.ts';

/** What is wrong with a catalog, at a place. */
export interface CatalogFault {
  /** As in `MetaPlace`. */
  readonly file: string;
  /** Undefined where the file as a whole is meant. */
  readonly line?: number;
  readonly message: string;
}

/** `catalog.yaml:12: …` */
export function faultText({ file, line, message }: CatalogFault): string {
  return line === undefined ? `${file}: ${message}` : `${file}:${line}: ${message}`;
}

const maxFaults = 200;

function textOf(faults: readonly CatalogFault[], more: number): string {
  const [first] = faults;
  if (faults.length === 1 && first !== undefined) return faultText(first);
  const lines = faults.map((fault) => `  ${faultText(fault)}`);
  if (more > 0) lines.push(`  and ${more} more`);
  return [`${faults.length + more} documents or files cannot be read:`, ...lines].join('\n');
}

/** A catalog cannot be read; has all that is wrong, up to a limit. */
export class UnreadableCatalog extends TerminalError {
  readonly faults: readonly CatalogFault[];

  constructor(faults: readonly CatalogFault[], more: number) {
    super('UnreadableCatalog', textOf(faults, more));
    this.faults = faults;
  }
}

/** Collects what is wrong, so that all of it is reported at the end. */
export class FaultList {
  readonly #faults: CatalogFault[] = [];
  #more = 0;

  add(fault: CatalogFault): void {
    if (this.#faults.length < maxFaults) this.#faults.push(fault);
    else this.#more += 1;
  }

  /** @throws UnreadableCatalog when there was anything */
  throwIfAny(): void {
    if (this.#faults.length > 0) throw new UnreadableCatalog(this.#faults, this.#more);
  }
}
