import type { CatalogBundle, CatalogView } from '../package.ts';
import type { PresentBundle } from './request.ts';
import { type Facts, factsOf } from './requirement.ts';

/** A bundle that may be chosen: as an entry of one channel, or as what is installed. */
export interface Candidate {
  /** `catalog/namespace/channel/name`, `@existing/namespace//name`; without the namespace where there is none. */
  readonly id: string;
  readonly name: string;
  readonly facts: Facts;
  /** Undefined: it is installed. */
  readonly origin: Origin | undefined;
  /** It is installed, and keeps nothing else from being installed. */
  readonly isClaim?: boolean;
}

/** Where a candidate comes from. */
export interface Origin {
  readonly catalog: CatalogView;
  readonly channel: string;
  readonly bundle: CatalogBundle;
}

/** By code units, so that no language matters. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** `name`, or `namespace/name`. */
export function formatCatalogName({ name, namespace }: { readonly name: string; readonly namespace?: string }): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Makes the candidates of one resolution, each once: equal ones are the same object. */
export class Candidates {
  readonly #facts = new Map<CatalogBundle, Facts>();
  readonly #known = new Map<string, Candidate>();
  readonly #namespace: string | undefined;

  constructor(namespace: string | undefined) {
    this.#namespace = namespace;
  }

  installed(bundle: PresentBundle): Candidate {
    const { name, isClaim = false } = bundle;
    const id = [['@existing'], this.#namespace === undefined ? [] : [this.#namespace], ['', name]].flat().join('/');
    return this.#once({ id, name, origin: undefined, isClaim }, () => factsOf(bundle));
  }

  ofCatalog(origin: Origin): Candidate {
    const { catalog, channel, bundle } = origin;
    const { name, namespace } = catalog;
    const id = [[name], namespace === undefined ? [] : [namespace], [channel, bundle.name]].flat().join('/');
    return this.#once({ id, name: bundle.name, origin }, () => this.#factsOf(bundle));
  }

  #once(candidate: Omit<Candidate, 'facts'>, facts: () => Facts): Candidate {
    const known = this.#known.get(candidate.id);
    if (known !== undefined) return known;
    const made = { ...candidate, facts: facts() };
    this.#known.set(made.id, made);
    return made;
  }

  #factsOf(bundle: CatalogBundle): Facts {
    const known = this.#facts.get(bundle) ?? factsOf(bundle);
    this.#facts.set(bundle, known);
    return known;
  }
}
