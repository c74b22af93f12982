import { defineThings, objectOf, ruled } from '../ruled-crds.ts';
import { type Area, area } from '../suite.ts';

const integer = { type: 'integer' };
const text = { type: 'string' };

/** How rules of CRDs are held against objects. */
export const cases: Area = area('CRD rules on objects', (it) => {
  it('CR-20 CR-21 CR-22 messages and reasons', async (api) => {
    const rules = [
      { rule: 'self.n > 0' },
      { rule: 'self.n > 1', message: 'n must be more than one' },
      { rule: 'self.n > 2', reason: 'FieldValueForbidden', message: 'not allowed' },
      { rule: 'self.n > 3', reason: 'FieldValueRequired', message: 'needed' },
      { rule: 'self.n > 4', reason: 'FieldValueDuplicate', message: 'twice' },
      { rule: 'self.n > 5', reason: 'FieldValueInvalid', message: 'wrong' },
      { rule: 'self.n > 6', fieldPath: '.n', message: 'at n' },
      { rule: 'self.n > 7', fieldPath: ".m['x-y']", message: 'at m' },
      { rule: ' self.n > 8 ', message: ' with blanks ' },
    ];
    const spec = ruled(objectOf({ n: integer, m: { type: 'object', additionalProperties: integer } }), ...rules);
    const things = await defineThings(api, objectOf({ spec }));
    await things.create('none', {});
    await things.create('bad', { spec: { n: 0 } });
    await things.create('good', { spec: { n: 9 } });
    await things.change('good', { spec: { n: 5 } });
  });

  it('message expressions', async (api) => {
    const messages = [
      "'n is %d'.format([self.n])",
      "''",
      "'two\\nlines'",
      "'  blanks  '",
      'self.long + self.long',
      'string(1 / (self.n - self.n))',
    ];
    const rules = messages.map((messageExpression, index) => ({
      rule: `self.n > ${index + 10}`,
      messageExpression,
      message: `fallback ${index}`,
    }));
    const plain = { rule: 'self.n > 20', messageExpression: "''" };
    const spec = ruled(objectOf({ n: integer, long: { type: 'string', maxLength: 4000 } }), ...rules, plain);
    const things = await defineThings(api, objectOf({ spec }));
    await things.create('bad', { spec: { n: 1, long: 'x'.repeat(3000) } });
  });

  it('CR-23 transition rules', async (api) => {
    const spec = ruled(
      objectOf({ n: ruled({ ...integer }, { rule: 'self == oldSelf', message: 'n is fixed' }), m: integer }),
      { rule: 'self.m >= oldSelf.m', message: 'm may only grow' },
      { rule: '!has(oldSelf.m) || has(self.m)', message: 'm may not go' },
    );
    const things = await defineThings(api, objectOf({ spec }));
    await things.create('a', { spec: { n: 1, m: 1 } });
    await things.change('a', { spec: { n: 2 } });
    await things.change('a', { spec: { m: 0 } });
    await things.change('a', { spec: { m: 2 } });
    await things.change('a', { spec: { m: null } });
    await things.create('b', { spec: { m: 1 } });
    await things.change('b', { spec: { n: 1 } });
  });

  it('optional oldSelf', async (api) => {
    const rule = 'oldSelf.hasValue() ? self.n > oldSelf.value().n : self.n == 1';
    const spec = ruled(objectOf({ n: integer }), { rule, optionalOldSelf: true, message: 'starts at 1 and grows' });
    const things = await defineThings(api, objectOf({ spec }));
    await things.create('a', { spec: { n: 2 } });
    await things.create('b', { spec: { n: 1 } });
    await things.change('b', { spec: { n: 1 }, metadata: { labels: { a: 'b' } } });
    await things.change('b', { spec: { n: 5 } });
    await things.create('c', {});
    await things.change('c', { spec: { n: 7 } });
  });

  it('transition rules in lists with keys and in maps', async (api) => {
    const item = ruled(objectOf({ k: text, v: integer }, { required: ['k'] }), {
      rule: 'self.v >= oldSelf.v',
      messageExpression: "'%s: %d after %d'.format([self.k, self.v, oldSelf.v])",
    });
    const list = {
      type: 'array',
      maxItems: 10,
      items: item,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    };
    const map = { type: 'object', maxProperties: 10, additionalProperties: ruled({ ...integer }, 'self >= oldSelf') };
    const things = await defineThings(api, objectOf({ spec: objectOf({ list, map }) }));
    await things.create('a', {
      spec: {
        list: [
          { k: 'a', v: 1 },
          { k: 'b', v: 2 },
        ],
        map: { x: 1 },
      },
    });
    await things.change('a', {
      spec: {
        list: [
          { k: 'b', v: 1 },
          { k: 'a', v: 1 },
          { k: 'c', v: 0 },
        ],
      },
    });
    await things.change('a', {
      spec: {
        list: [
          { k: 'c', v: 0 },
          { k: 'b', v: 3 },
        ],
      },
    });
    await things.change('a', { spec: { map: { x: 0 } } });
    await things.change('a', { spec: { map: { y: 0 } } });
  });

  it('CR-24 rules are not looked at when the object is wrong otherwise', async (api) => {
    const spec = ruled(
      objectOf({ n: integer, e: { type: 'string', enum: ['a'] }, p: { type: 'string', pattern: '^a' } }),
      'self.n > 5',
    );
    const things = await defineThings(api, objectOf({ spec }));
    await things.create('type', { spec: { n: 'a' } });
    await things.create('enum', { spec: { n: 1, e: 'b' } });
    await things.create('pattern', { spec: { n: 1, p: 'b' } });
  });

  it('CR-25 CR-26 ratcheting: what was wrong before may stay', async (api) => {
    const things = await defineThings(api, objectOf({ spec: objectOf({ n: integer, m: integer }) }));
    await things.create('a', { spec: { n: 1, m: 1 } });
    const n = ruled({ ...integer }, { rule: 'self > 5', message: 'n' });
    const spec = ruled(objectOf({ n, m: integer }), { rule: 'self.n + self.m > 10', message: 'sum' });
    await things.redefine(objectOf({ spec }));
    await things.change('a', { metadata: { labels: { a: 'b' } } });
    await things.change('a', { spec: { m: 2 } });
    await things.change('a', { spec: { m: 20 } });
    await things.change('a', { spec: { n: 2 } });
    await things.create('b', { spec: { n: 1 } });
  });

  it('ratcheting in lists without keys', async (api) => {
    const list = { type: 'array', maxItems: 10, items: integer };
    const things = await defineThings(api, objectOf({ spec: objectOf({ list, m: integer }) }));
    await things.create('a', { spec: { list: [1, 2] } });
    const after = { ...list, items: ruled({ ...integer }, 'self > 5') };
    await things.redefine(objectOf({ spec: objectOf({ list: after, m: integer }) }));
    await things.change('a', { spec: { m: 2 } });
    await things.change('a', { spec: { list: [1, 3] } });
    await things.change('a', { spec: { list: [2, 1] } });
  });

  it('ratcheting in lists with keys', async (api) => {
    const item = objectOf({ k: text, v: integer }, { required: ['k'] });
    const list = (items: typeof item) => ({
      type: 'array',
      maxItems: 10,
      items,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    });
    const things = await defineThings(api, objectOf({ spec: objectOf({ list: list(item) }) }));
    await things.create('a', {
      spec: {
        list: [
          { k: 'a', v: 1 },
          { k: 'b', v: 2 },
        ],
      },
    });
    await things.redefine(objectOf({ spec: objectOf({ list: list(ruled(item, 'self.v > 5') as typeof item) }) }));
    await things.change('a', {
      spec: {
        list: [
          { k: 'b', v: 2 },
          { k: 'a', v: 1 },
        ],
      },
    });
    await things.change('a', {
      spec: {
        list: [
          { k: 'b', v: 3 },
          { k: 'a', v: 1 },
        ],
      },
    });
    await things.change('a', {
      spec: {
        list: [
          { k: 'b', v: 2 },
          { k: 'c', v: 1 },
        ],
      },
    });
  });

  it('null, absent and empty', async (api) => {
    const spec = ruled(
      objectOf({ a: { type: 'string', nullable: true }, b: text, c: { type: 'string', default: 'd' } }),
      { rule: 'has(self.a)', message: 'has a' },
      { rule: "has(self.a) && self.a == 'x'", message: 'a is x' },
      { rule: 'has(self.b)', message: 'has b' },
      { rule: "self.c == 'd'", message: 'c is d' },
      { rule: "self.b == ''", message: 'b is empty' },
    );
    const things = await defineThings(api, objectOf({ spec }));
    await things.create('null', { spec: { a: null } });
    await things.create('empty', { spec: { a: '', b: '', c: '' } });
    await things.create('x', { spec: { a: 'x', b: '' } });
  });

  it('int-or-string at run time', async (api) => {
    const spec = ruled(
      objectOf({ either: { 'x-kubernetes-int-or-string': true } }),
      { rule: 'self.either > 1' },
      { rule: "self.either.endsWith('%')" },
      { rule: "type(self.either) == int ? self.either > 1 : self.either == '50%'" },
      { rule: "self.either == '5' || self.either == 5" },
    );
    const things = await defineThings(api, objectOf({ spec }));
    await things.create('number', { spec: { either: 1 } });
    await things.create('text', { spec: { either: '40%' } });
  });

  it('errors while rules run', async (api) => {
    const spec = ruled(
      objectOf({
        n: integer,
        m: { type: 'object', additionalProperties: text },
        l: { type: 'array', maxItems: 5, items: text },
      }),
      "self.m['a'] == 'b'",
      "self.m.a == 'b'",
      "self.l[3] == 'b'",
      '1 / self.n > 0',
      '1 % self.n > 0',
      '9223372036854775807 + self.n > 1',
      "self.missing == 'a'".replace('missing', 'm.missing'),
      { rule: "duration(self.l[0]) > duration('1s')", message: 'with a message' },
      "self.n == 1 || self.m['a'] == 'b'",
      "self.n == 0 || self.m['a'] == 'b'",
      "self.l.all(x, x == self.m['z'])",
      "self.l.exists(x, x == 'a' || x == self.m['z'])",
    );
    const things = await defineThings(api, objectOf({ spec }));
    await things.create('zero', { spec: { n: 0, m: {}, l: ['a'] } });
    await things.create('one', { spec: { n: 1, m: { x: 'y' }, l: ['a', 'b'] } });
  });

  it('rules that cost too much when they run', async (api) => {
    const list = { type: 'array', maxItems: 700, items: { type: 'string', maxLength: 5 } };
    const spec = ruled(objectOf({ list }), 'self.list.all(x, self.list.all(y, x == y))', 'size(self.list) < 2');
    const things = await defineThings(api, objectOf({ spec }));
    await things.create('few', { spec: { list: ['a', 'a'] } });
    await things.create('many', { spec: { list: Array.from({ length: 700 }, () => 'a') } });
  });

  it('rules at the root and on status', async (api) => {
    const root = ruled(
      objectOf({ spec: objectOf({ n: integer }), status: ruled(objectOf({ m: integer }), 'self.m < 10') }),
      { rule: "self.metadata.name.startsWith('good')", message: 'name' },
      { rule: 'self.spec.n > self.status.m', message: 'n over m' },
    );
    const things = await defineThings(api, root);
    await things.create('bad', { spec: { n: 1 }, status: { m: 20 } });
    await things.create('good', { spec: { n: 1 }, status: { m: 0 } });
    await things.change('good', { status: { m: 11 } });
  });

  it('sets and lists with keys compare without order', async (api) => {
    const set = {
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'set',
      items: { type: 'string', maxLength: 5 },
    };
    const keyed = {
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: objectOf({ k: { type: 'string', maxLength: 5 }, v: integer }, { required: ['k'] }),
    };
    const plain = { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 5 } };
    const spec = ruled(
      objectOf({ set, keyed, plain }),
      'self.set == oldSelf.set',
      'self.keyed == oldSelf.keyed',
      'self.plain == oldSelf.plain',
      "self.set + ['z'] == ['z', 'b', 'a']",
      '(self.keyed + oldSelf.keyed).size() == 2',
    );
    const things = await defineThings(api, objectOf({ spec }));
    const [a, b] = [
      { k: 'a', v: 1 },
      { k: 'b', v: 2 },
    ];
    await things.create('a', { spec: { set: ['a', 'b'], keyed: [a, b], plain: ['a', 'b'] } });
    await things.change('a', { spec: { set: ['b', 'a'], keyed: [b, a], plain: ['b', 'a'] } });
    await things.change('a', { spec: { set: ['b', 'a'], keyed: [b, a] } });
  });

  it('escaped names at run time', async (api) => {
    const spec = ruled(
      objectOf({ 'a-b': text, 'a.b/c': text, in: text, x__y: text }),
      "self.a__dash__b == '1'",
      "self.a__dot__b__slash__c == '1'",
      "self.__in__ == '1'",
      "self.x__underscores__y == '1'",
      { rule: 'has(self.a__dash__b)', fieldPath: "['a-b']", reason: 'FieldValueRequired', message: 'a-b' },
    );
    const things = await defineThings(api, objectOf({ spec }));
    await things.create('bad', { spec: { 'a.b/c': '2', in: '2', x__y: '2' } });
    await things.create('good', { spec: { 'a-b': '1', 'a.b/c': '1', in: '1', x__y: '1' } });
  });

  it('embedded resources and preserved data', async (api) => {
    const embedded = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    };
    const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const spec = ruled(
      objectOf({ inner: ruled(embedded, "self.metadata.name == 'x'"), free }),
      "self.inner.kind == 'X'",
      'self.free == oldSelf.free',
      'self.inner == oldSelf.inner',
    );
    const things = await defineThings(api, objectOf({ spec }));
    const inner = { apiVersion: 'v1', kind: 'Y', metadata: { name: 'y' }, data: 1 };
    await things.create('bad', { spec: { inner } });
    const good = { apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, data: 1 };
    await things.create('good', { spec: { inner: good, free: { a: [1] } } });
    await things.change('good', { spec: { free: { a: [2] } } });
    await things.change('good', { spec: { inner: { data: 2 } } });
  });
});
