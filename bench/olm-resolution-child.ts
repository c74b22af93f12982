/** The measured resolver of Subscriptions: the index of a catalog is the argument. Prints how long a namespace with 20 new Subscriptions takes: the first
 *  time, in a thread that is started for it, and again. */
import { openCatalogIndex } from '../src/catalog/index.ts';
import { answerNamespace } from '../src/olm/subscription/answer.ts';
import type { NamespaceQuestion } from '../src/olm/subscription/question.ts';
import { createResolver } from '../src/olm/subscription/resolver.ts';

const subscribed = 20;
const rounds = 5;
const [file = ''] = process.argv.slice(2);
const catalog = { name: 'shop', namespace: 'olm' };

function questionFor(names: readonly string[]): NamespaceQuestion {
  const requested = names.map((name) => ({ name, packageName: name, catalog }));
  const resolution = { excludesOtherNamespaces: false, unavailable: [], requested, installed: [] };
  return { namespace: 'operators', installed: [], resolution };
}

/** The first packages that can be installed together, and the number of all. */
function choose(): { readonly names: readonly string[]; readonly packages: number } {
  using index = openCatalogIndex(file, catalog);
  const names: string[] = [];
  for (const name of index.packageNames()) {
    const isChosen = (): boolean =>
      answerNamespace(questionFor([...names, name]), [index]).resolution?.outcome === 'selected';
    if (names.length < subscribed && isChosen()) names.push(name);
  }
  return { names, packages: index.packageNames().length };
}

const { names, packages } = choose();
const held = {
  catalogs: [],
  places: [{ ...catalog, file, priority: 0, labels: {} }],
  unavailable: [],
  manifestsOf: () => Promise.resolve(undefined),
  [Symbol.dispose]: () => undefined,
};
const [firstMs, nextMs]: [number[], number[]] = [[], []];
for (let round = 0; round < rounds; round += 1) {
  using resolver = createResolver();
  for (const times of [firstMs, nextMs]) {
    const startedMs = performance.now();
    await resolver.answer(questionFor(names), held, AbortSignal.timeout(60_000));
    times.push(performance.now() - startedMs);
  }
}
process.stdout.write(`${JSON.stringify({ packages, subscribed: names.length, firstMs, nextMs })}\n`);
