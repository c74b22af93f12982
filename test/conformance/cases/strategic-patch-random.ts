import type { JsonObject, JsonValue } from '../../../src/base/index.ts';
import { SeededRandom } from '../random.ts';
import { pathOf, podTemplate, strategicPatch } from '../sample-objects.ts';
import { type Area, area } from '../suite.ts';

const names = ['a', 'b', 'c', 'd'] as const;
const count = 60;

function environment(random: SeededRandom): JsonObject[] {
  return random.some(['E1', 'E2', 'E3'], 0.6).map((name) => ({ name, value: String(random.below(9)) }));
}

/** Each container has ports of its own: equal ones make the server warn. */
function ports(random: SeededRandom, name: string): JsonObject[] {
  const base = 10 * name.charCodeAt(0);
  return random
    .some([base, base + 1, base + 2], 0.5)
    .map((containerPort) => ({ containerPort, ...(random.happens(0.4) ? { name: `p${containerPort}` } : {}) }));
}

function container(random: SeededRandom, name: string): JsonObject {
  return {
    name,
    image: `registry.example/${name}:${random.below(9)}`,
    ...(random.happens(0.6) ? { env: environment(random) } : {}),
    ...(random.happens(0.5) ? { ports: ports(random, name) } : {}),
    ...(random.happens(0.3) ? { command: random.some(['x', 'y', 'z'], 0.7) } : {}),
    ...(random.happens(0.3) ? { resources: { limits: { cpu: '1', memory: '1Gi' } } } : {}),
  };
}

function podSpec(random: SeededRandom): JsonObject {
  const some = random.some(names, 0.6);
  return {
    containers: (some.length === 0 ? ['a'] : some).map((name) => container(random, name)),
    volumes: random.some(['v1', 'v2'], 0.5).map((name) => ({ name, emptyDir: {} })),
    nodeSelector: Object.fromEntries(random.some(['k1', 'k2'], 0.6).map((key) => [key, 'x'])),
  };
}

/** A change of a keyed list: items changed, new, deleted, perhaps all replaced, perhaps with an order. */
function listPatch(
  random: SeededRandom,
  [field, key]: readonly [field: string, key: string],
  items: readonly JsonObject[],
): JsonObject {
  const changed = items.map((item) => (random.happens(0.2) ? { [key]: item[key] ?? '', $patch: 'delete' } : item));
  const list: JsonObject[] = random.happens(0.12) ? [{ $patch: 'replace' }, ...changed] : changed;
  if (!random.happens(0.4)) return { [field]: list };
  const kept = changed.filter((item) => !Object.hasOwn(item, '$patch')).map((item) => ({ [key]: item[key] ?? '' }));
  return { [field]: list, [`$setElementOrder/${field}`]: random.happens(0.5) ? kept : [...kept, ...kept.slice(0, 1)] };
}

function containerPatch(random: SeededRandom, name: string): JsonObject {
  const { env, ports: own, ...rest } = container(random, name);
  const dropped = random.pick(['image', 'command', 'resources', 'tty'] as const);
  return {
    ...rest,
    ...(random.happens(0.15) ? { [dropped]: null } : {}),
    ...(env === undefined ? {} : listPatch(random, ['env', 'name'], env as JsonObject[])),
    ...(own === undefined ? {} : listPatch(random, ['ports', 'containerPort'], own as JsonObject[])),
  };
}

function specPatch(random: SeededRandom): JsonObject {
  const touched = random.some(names, 0.5).map((name) => containerPatch(random, name));
  const selector: JsonObject = {
    k1: random.happens(0.3) ? null : 'y',
    ...(random.happens(0.1) ? { $patch: 'replace' } : {}),
  };
  const volumes = random.some(['v1', 'v2', 'v3'], 0.5).map((name) => ({
    name,
    configMap: { name: 'c' },
    $retainKeys: random.happens(0.1) ? ['name'] : ['name', 'configMap'],
  }));
  return {
    ...(touched.length === 0 ? {} : listPatch(random, ['containers', 'name'], touched)),
    ...(random.happens(0.5) ? listPatch(random, ['volumes', 'name'], volumes) : {}),
    ...(random.happens(0.5) ? { nodeSelector: selector } : {}),
  };
}

/** Pairs of a live object and a patch, made by chance of a fixed seed. */
export const cases: Area = area('Strategic merge patch, by chance', (it) => {
  for (let seed = 1; seed <= count; seed += 1) {
    it(`patches a pod's spec as kube-apiserver does, seed ${seed}`, async (api) => {
      const random = new SeededRandom(seed);
      await api.setUp('POST', pathOf(api, 'podtemplates'), { body: podTemplate('a', podSpec(random)) });
      const keep = (body: JsonValue): JsonValue => {
        const { kind, template } = body as { kind: string; template: JsonObject };
        return kind === 'Status' ? body : (template['spec'] ?? null);
      };
      const path = `${pathOf(api, 'podtemplates', 'a')}?fieldManager=p`;
      await api.ask('PATCH', path, {
        body: { template: { spec: specPatch(random) } },
        contentType: strategicPatch,
        keep,
      });
      await api.ask('PATCH', path, { body: { template: { spec: specPatch(random) } }, contentType: strategicPatch });
    });
  }
});
