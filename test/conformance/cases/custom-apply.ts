import type { JsonValue } from '../../../src/base/index.ts';
import { establish, settled, thing } from '../definitions.ts';
import type { Probe } from '../probe.ts';
import { type Area, area } from '../suite.ts';

const text = { type: 'string' };
const preserve = 'x-kubernetes-preserve-unknown-fields';
const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        a: text,
        n: { type: 'integer' },
        list: { type: 'array', items: text },
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
        map: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', required: ['name'], properties: { name: text, v: text, w: text } },
        },
        mapOfTwo: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name', 'port'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: text, port: { type: 'integer', default: 80 }, v: text },
          },
        },
        atomic: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
        granular: { type: 'object', additionalProperties: text },
        free: { type: 'object', [preserve]: true },
        either: { 'x-kubernetes-int-or-string': true },
        nested: { type: 'object', properties: { deep: { type: 'object', properties: { a: text, b: text } } } },
        byDefault: { type: 'string', default: 'usual' },
      },
    },
    status: { type: 'object', properties: { phase: text } },
  },
};

async function apply(
  api: Probe,
  path: string,
  ...[spec, manager = 'one', query = '']: [unknown, string?, string?]
): Promise<void> {
  await api.ask('PATCH', `${path}/x?fieldManager=${manager}${query}`, {
    contentType: 'application/apply-patch+yaml',
    body: thing(api, 'x', { spec }),
    keep: settled,
  });
}

const emptied =
  'kube-apiserver makes null of a map whose last field is taken away and then refuses its own null; the embedded server leaves an empty map out.';
const nulls =
  'kube-apiserver refuses null in an applied object, but takes it in every other write; the embedded server takes it in all.';

const wrong: Readonly<Record<string, JsonValue>> = {
  'an unknown field': { zz: 1 },
  'a number for a text': { a: 1 },
  'a text for a number': { n: 'x' },
  'a text for a list': { list: 'x' },
  'a list for a map': { granular: ['x'] },
  'a number in a map': { granular: { a: 1 } },
  'a number in a set': { set: [1] },
  'duplicates in a set': { set: ['a', 'a'] },
  'a text in a list map': { map: ['x'] },
  'an item without a key': { map: [{ v: 'x' }] },
  'duplicate keys': { map: [{ name: 'a' }, { name: 'a', v: 'x' }] },
  'an unknown field in an item': { map: [{ name: 'a', zz: 1 }] },
  'a boolean for either': { either: true },
  'a text for the whole': 'x',
};

/** Server-side apply of custom resources: how lists and maps merge, and what does not fit. */
export const cases: Area = area('Applying custom resources', (it) => {
  it('CR-43 a list map is merged by key', async (api) => {
    const { things } = await establish(api, { schema });
    await apply(api, things, {
      map: [
        { name: 'a', v: '1' },
        { name: 'b', v: '1' },
      ],
    });
    await apply(
      api,
      things,
      {
        map: [
          { name: 'c', v: '2' },
          { name: 'a', w: '2' },
        ],
      },
      'two',
    );
    await apply(api, things, { map: [{ name: 'a', v: '2' }] }, 'two');
    await apply(api, things, { map: [{ name: 'a', v: '2' }] }, 'two', '&force=true');
    await apply(api, things, { map: [{ name: 'b', v: '1' }] });
    await apply(api, things, { map: [] });
  });

  it('a list map with a key by default', async (api) => {
    const { things } = await establish(api, { schema });
    await apply(api, things, { mapOfTwo: [{ name: 'a', v: '1' }] });
    await apply(
      api,
      things,
      {
        mapOfTwo: [
          { name: 'a', port: 80, v: '2' },
          { name: 'a', port: 81 },
        ],
      },
      'two',
    );
    await apply(api, things, { mapOfTwo: [{ name: 'a', port: 81, v: '3' }] }, 'two');
  });

  it('a set, an atomic list and an atomic map', async (api) => {
    const { things } = await establish(api, { schema });
    await apply(api, things, { set: ['a', 'b'], list: ['a', 'b'], atomic: { a: 'x' } });
    await apply(api, things, { set: ['b', 'c'] }, 'two');
    await apply(api, things, { list: ['c'], atomic: { b: 'y' } }, 'two');
    await apply(api, things, { list: ['c'], atomic: { b: 'y' } }, 'two', '&force=true');
    await apply(api, things, { set: ['b'] });
  });

  it('granular, free and nested maps', async (api) => {
    const { things } = await establish(api, { schema });
    await apply(api, things, {
      granular: { a: '1' },
      free: { x: { y: 1 }, l: [1] },
      nested: { deep: { a: '1' } },
      either: 1,
    });
    await apply(
      api,
      things,
      { granular: { b: '2' }, free: { x: { z: 2 }, l: [2] }, nested: { deep: { b: '2' } }, either: '1' },
      'two',
    );
    await apply(api, things, { granular: { b: '2' }, free: { x: { z: 2 } }, nested: { deep: { b: '2' } } }, 'two');
    await apply(api, things, { nested: {} });
  });

  it('the last member of a map goes', { differs: emptied }, async (api) => {
    const { things } = await establish(api, { schema });
    await apply(api, things, { nested: { deep: { a: '1' } } });
    await apply(api, things, { nested: {} }, 'two');
    await apply(api, things, {});
    await apply(api, things, {}, 'two');
  });

  it('defaults have no owner', async (api) => {
    const { things } = await establish(api, { schema });
    await apply(api, things, {});
    await apply(api, things, { byDefault: 'mine' }, 'two');
  });

  it('updates and patches beside', async (api) => {
    const { things } = await establish(api, { schema, version: { subresources: { status: {} } } });
    await api.ask('POST', `${things}?fieldManager=creator`, {
      body: thing(api, 'x', { spec: { a: '1', list: ['x'] } }),
      keep: settled,
    });
    await apply(api, things, { a: '1' });
    await apply(api, things, { a: '2' });
    await api.ask('PATCH', `${things}/x?fieldManager=patcher`, {
      contentType: 'application/merge-patch+json',
      body: { spec: { a: '3', n: 1 } },
      keep: settled,
    });
    await apply(api, things, { a: '1' });
    await api.ask('PATCH', `${things}/x/status?fieldManager=one`, {
      contentType: 'application/apply-patch+yaml',
      body: thing(api, 'x', { spec: { a: '7' }, status: { phase: 'up' } }),
      keep: settled,
    });
    await api.ask('PATCH', `${things}/x?fieldManager=one&force=true`, {
      contentType: 'application/apply-patch+yaml',
      body: thing(api, 'x', { spec: { a: '8' }, status: { phase: 'down' } }),
      keep: settled,
    });
  });

  it('does not take null for a text', { differs: nulls }, async (api) => {
    const { things } = await establish(api, { schema });
    await apply(api, things, { a: null });
  });

  for (const [name, spec] of Object.entries(wrong)) {
    it(`does not take ${name}`, async (api) => {
      const { things } = await establish(api, { schema });
      await apply(api, things, spec);
    });
  }
});
