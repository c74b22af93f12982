import type { JsonObject } from '../../../src/base/index.ts';
import {
  configMap,
  deployment,
  jsonPatch,
  mergePatch,
  metadataOnly,
  pathOf,
  strategicPatch,
  withoutPatched,
} from '../sample-objects.ts';
import { type Area, area } from '../suite.ts';

const modes = ['', '?fieldValidation=Strict', '?fieldValidation=Warn', '?fieldValidation=Ignore', '?fieldValidation='];

const yamlDiffers = {
  differs: 'The YAML parser words its errors itself, and takes neither keys that stand twice nor a second document.',
};

/** Unknown and duplicate fields, and the options of writes. */
export const cases: Area = area('Field validation and write options', (it) => {
  it('W102 W103 W104 finds unknown fields', async (api) => {
    const template = {
      spec: { containers: [{ name: 'a', image: 'a', imag: 'b', ports: [{ containerPort: 1, x: 1 }] }], y: {} },
    };
    for (const mode of modes) {
      const body = { ...configMap('a'), foo: 1, metadata: { name: 'a', bar: 2 } };
      await api.ask('POST', `${pathOf(api, 'configmaps')}${mode}`, {
        body,
        keep: (answer) => ((answer as JsonObject)['kind'] === 'Status' ? answer : metadataOnly(answer)),
      });
      await api.ask('DELETE', pathOf(api, 'configmaps', 'a'), { keep: () => null });
      await api.ask('POST', `${pathOf(api, 'podtemplates')}${mode}`, {
        body: { metadata: { name: 'a' }, template, z: [] },
      });
      await api.ask('DELETE', pathOf(api, 'podtemplates', 'a'), { keep: () => null });
    }
  });

  it('W102 finds unknown fields in updates', async (api) => {
    await api.setUp('POST', pathOf(api, 'configmaps'), { body: configMap('a') });
    for (const mode of modes) {
      const body = { ...configMap('a'), Data: {}, data: { b: 'c' } };
      await api.ask('PUT', `${pathOf(api, 'configmaps', 'a')}${mode}`, { body });
    }
  });

  it('W105 names unknown and duplicate fields in the order of the document', async (api) => {
    const strict = '?fieldValidation=Strict';
    const spec = '{"x":1,"containers":[{"name":"a","image":"x","image":"y","w":1}],"v":1}';
    const template = `{"metadata":{"name":"a","z":1,"name":"b"},"y":1,"template":{"spec":${spec}},"template":{"b":1},"a":1}`;
    const contentType = 'application/json';
    await api.ask('POST', `${pathOf(api, 'podtemplates')}${strict}`, { rawBody: template, contentType });
    const map =
      '{"kind":"ConfigMap","b":1,"data":{"k":"1","k":"2"},"a":1,"metadata":{"name":"a","c":{},"name":"a"},"b":2}';
    await api.ask('POST', `${pathOf(api, 'configmaps')}${strict}`, { rawBody: map, contentType });
    await api.ask('POST', `${pathOf(api, 'configmaps')}?fieldValidation=Warn`, { rawBody: map, contentType });
  });

  it('W105 finds duplicate fields in JSON', async (api) => {
    for (const mode of modes) {
      const rawBody =
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","name":"b","labels":{"x":"1","x":"2"}},"data":{"a":"1","a":"2","a":"3"},"data":{"c":"1"},"foo":1,"foo":2}';
      await api.ask('POST', `${pathOf(api, 'configmaps')}${mode}`, { rawBody, contentType: 'application/json' });
      await api.ask('DELETE', pathOf(api, 'configmaps', 'b'), { keep: () => null });
      const pod =
        '{"metadata":{"name":"a"},"template":{"spec":{"containers":[{"name":"a","name":"b","image":"x"},{"image":"y","env":[{"name":"e","value":"1","value":"2"}],"name":"c"}]}}}';
      await api.ask('POST', `${pathOf(api, 'podtemplates')}${mode}`, { rawBody: pod, contentType: 'application/json' });
      await api.ask('DELETE', pathOf(api, 'podtemplates', 'a'), { keep: () => null });
    }
  });

  it('W105 finds duplicate and unknown fields in YAML', yamlDiffers, async (api) => {
    const rawBody =
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: "1"\n  a: "2"\nfoo: 1\nbar: {x: 1, x: 2}\n';
    for (const mode of modes) {
      await api.ask('POST', `${pathOf(api, 'configmaps')}${mode}`, { rawBody, contentType: 'application/yaml' });
      await api.ask('DELETE', pathOf(api, 'configmaps', 'a'), { keep: () => null });
    }
  });

  it('W051 reads YAML', yamlDiffers, async (api) => {
    const texts = [
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: 1}\n',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: yes}\n',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: "1", b: ~}\n',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\ndata: {1: "x", true: "y"}\n',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: e}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: f}\n',
      'a: [',
      '\t- x',
      'hello',
      '- a',
      '',
    ];
    for (const rawBody of texts)
      await api.ask('POST', pathOf(api, 'configmaps'), { rawBody, contentType: 'application/yaml' });
  });

  it('W102 finds unknown fields that a patch brings', async (api) => {
    await api.setUp('POST', pathOf(api, 'configmaps'), { body: configMap('a', { data: { a: '1' } }) });
    const path = pathOf(api, 'configmaps', 'a');
    for (const mode of modes) {
      await api.ask('PATCH', `${path}${mode}`, {
        body: { foo: 1, metadata: { bar: 2 } },
        contentType: mergePatch,
        keep: (body) => JSON.stringify(body).includes('strict decoding error: unknown field'),
      });
      await api.ask('PATCH', `${path}${mode}`, { body: { foo: 1 }, contentType: strategicPatch });
      await api.ask('PATCH', `${path}${mode}`, {
        body: [{ op: 'add', path: '/foo', value: 1 }],
        contentType: jsonPatch,
        keep: (body) => JSON.stringify(body).includes('strict decoding error: unknown field'),
      });
      await api.ask('PATCH', `${path}${mode}`, {
        body: [{ op: 'add', path: '/data/b', value: 'c', foo: 1 }],
        contentType: jsonPatch,
        keep: withoutPatched,
      });
    }
  });

  it('W105 finds duplicate fields in patches', async (api) => {
    await api.setUp('POST', pathOf(api, 'configmaps'), { body: configMap('a', { data: { a: '1' } }) });
    const path = pathOf(api, 'configmaps', 'a');
    for (const mode of modes) {
      const rawBody = '{"data":{"b":"1","b":"2"},"data":{"c":"3"}}';
      await api.ask('PATCH', `${path}${mode}`, { rawBody, contentType: mergePatch, keep: withoutPatched });
      await api.ask('PATCH', `${path}${mode}`, { rawBody, contentType: strategicPatch });
      await api.ask('PATCH', `${path}${mode}`, {
        rawBody: '[{"op":"add","op":"add","path":"/data/d","value":"e"}]',
        contentType: jsonPatch,
        keep: withoutPatched,
      });
    }
  });

  it('W102 names the value that a strict patch would give', async (api) => {
    await api.setUp('POST', pathOf(api, 'configmaps'), { body: configMap('a', { metadata: { managedFields: [{}] } }) });
    const path = pathOf(api, 'configmaps', 'a');
    await api.ask('PATCH', `${path}?fieldValidation=Strict`, {
      body: { foo: 1 },
      contentType: mergePatch,
      keep: withoutPatched,
    });
    await api.ask('PATCH', `${path}?fieldValidation=Strict`, {
      body: [{ op: 'add', path: '/foo', value: 1 }],
      contentType: jsonPatch,
      keep: withoutPatched,
    });
  });

  it('W106 refuses field managers', async (api) => {
    const managers = [
      'x'.repeat(128),
      'x'.repeat(129),
      'a%0Ab',
      'a%00',
      '%C3%A4',
      '%F0%9F%98%80',
      'a%E2%80%8Bb',
      '%20',
      '',
    ];
    for (const [index, manager] of managers.entries()) {
      await api.ask('POST', `${pathOf(api, 'configmaps')}?fieldManager=${manager}`, {
        body: configMap(`a${index}`, { data: { a: '1' } }),
      });
    }
  });

  it('W106 refuses fieldValidation and force', async (api) => {
    await api.setUp('POST', pathOf(api, 'configmaps'), { body: configMap('a') });
    const path = pathOf(api, 'configmaps', 'a');
    for (const query of [
      'fieldValidation=x',
      'fieldValidation=strict',
      'fieldValidation=Strict&fieldValidation=Warn',
      'dryRun=x&fieldValidation=y&fieldManager=%0A',
    ]) {
      await api.ask('POST', `${pathOf(api, 'configmaps')}?${query}`, { body: configMap('b') });
      await api.ask('PUT', `${path}?${query}`, { body: configMap('a') });
      await api.ask('PATCH', `${path}?${query}`, { body: {}, contentType: mergePatch });
    }
    for (const query of ['force=true', 'force=false', 'force=', 'force=x', 'force=1']) {
      await api.ask('PATCH', `${path}?${query}`, { body: {}, contentType: mergePatch });
    }
  });

  it('W134 names the manager after the user agent', async (api) => {
    const agents = [
      'kubectl/v1.33 (linux)',
      'x',
      '/x',
      '',
      'a b/1',
      'a\tb/1',
      `${'long'.repeat(40)}/1`,
      'Mozilla/5.0 (X11)',
      'ä/1',
    ];
    for (const [index, agent] of agents.entries()) {
      const body = configMap(`a${index}`, { data: { a: '1' } });
      await api.ask('POST', pathOf(api, 'configmaps'), { body, headers: { 'user-agent': agent } });
    }
  });

  it('W052 names the field of the wrong type in patches', async (api) => {
    await api.setUp('POST', pathOf(api, 'configmaps'), { body: configMap('a') });
    const path = pathOf(api, 'configmaps', 'a');
    for (const body of [
      { data: { a: 1 } },
      { data: 'x' },
      { metadata: { labels: { a: 1 } } },
      { metadata: 'x' },
      { immutable: 'x' },
      { kind: 'Secret' },
      { apiVersion: 'v2' },
      { kind: null },
    ]) {
      await api.ask('PATCH', path, { body, contentType: mergePatch, keep: withoutPatched });
      await api.ask('PATCH', path, { body, contentType: strategicPatch, keep: withoutPatched });
    }
    await api.setUp('POST', pathOf(api, 'apps/v1/deployments'), {
      body: deployment('a', { paused: true, replicas: 0 }),
    });
    for (const spec of [
      { replicas: 'x' },
      { replicas: 1.5 },
      { paused: 'x' },
      { template: { spec: { containers: 'x' } } },
      { strategy: { rollingUpdate: { maxSurge: true } } },
    ]) {
      await api.ask('PATCH', pathOf(api, 'apps/v1/deployments', 'a'), {
        body: { spec },
        contentType: mergePatch,
        keep: withoutPatched,
      });
      await api.ask('PATCH', pathOf(api, 'apps/v1/deployments', 'a'), {
        body: { spec },
        contentType: strategicPatch,
        keep: withoutPatched,
      });
    }
  });
});
