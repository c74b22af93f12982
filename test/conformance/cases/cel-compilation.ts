import type { JsonObject } from '../../../src/base/index.ts';
import { objectOf, ruled, tryDefinition } from '../ruled-crds.ts';
import { type Area, area } from '../suite.ts';

const text = { type: 'string' };
const integer = { type: 'integer' };
const texts = { type: 'array', items: text };

const spec: JsonObject = {
  n: integer,
  m: integer,
  f: { type: 'number' },
  b: { type: 'boolean' },
  name: { type: 'string', maxLength: 20 },
  either: { 'x-kubernetes-int-or-string': true },
  when: { type: 'string', format: 'date-time' },
  span: { type: 'string', format: 'duration' },
  bytes: { type: 'string', format: 'byte' },
  few: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 20 } },
  map: { type: 'object', maxProperties: 10, additionalProperties: integer },
  'a-b': text,
  'a.b/c': text,
  in: text,
  x__y: text,
  $odd: text,
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  any: { 'x-kubernetes-preserve-unknown-fields': true },
};

/** Expressions on the spec above, some good, most bad. */
const expressions: Readonly<Record<string, string>> = {
  'a field that is there': 'self.n > 0',
  'CRD-22 a field that is not there': 'self.nope > 0',
  'a field of a text': 'self.name.first == 1',
  'a variable that is not there': 'other.n > 0',
  'a function that is not there': 'lenght(self.name) > 0',
  'a method that is not there': 'self.name.lenght() > 0',
  'a number held against a text': "self.n == 'a'",
  'a number added to a text': 'self.n + self.name',
  'a number where a boolean is expected': 'self.n',
  'a text where a boolean is expected': 'self.name',
  'a number among truths': 'self.b && self.n',
  'two faults at once': 'self.nope && self.none',
  'an operand that is missing': 'self.n >',
  'two operands without operator': 'self.n self.m',
  'a single equals sign': 'self.n = 1',
  'a parenthesis that is not closed': '(self.n > 0',
  'a bracket that is not closed': 'self.few[0',
  'a text that is not closed': "self.name == 'abc",
  'an unknown character': 'self.n # 1',
  'words for operators': 'self.b and self.b',
  'a reserved word': 'self.b && if',
  'a reserved word as a field': 'self.in == "a"',
  'an escaped reserved word': "self.__in__ == 'a'",
  'an escaped dash': "self.a__dash__b == 'a'",
  'an escaped dot and slash': "self.a__dot__b__slash__c == 'a'",
  'escaped underscores': "self.x__underscores__y == 'a'",
  'underscores that are not escaped': "self.x__y == 'a'",
  'a name that cannot be escaped': "self.$odd == 'a'",
  'preserved fields': "self.free.a == 'a'",
  'has() of preserved fields': 'has(self.free)',
  'a field without a type': 'self.any == 1',
  'int-or-string as a number': 'self.either > 1',
  'int-or-string as a text': "self.either.startsWith('a')",
  'a time': "self.when > timestamp('2024-01-01T00:00:00Z')",
  'a time that is none': "self.when > timestamp('yesterday')",
  'a duration': "self.span < duration('1h')",
  'a duration that is none': "self.span < duration('1 day')",
  bytes: "self.bytes == b'abc'",
  'bytes held against a text': "self.bytes == 'abc'",
  'a pattern': "self.name.matches('^a+$')",
  'a pattern that is none': "self.name.matches('a(')",
  'a pattern that is none for find': "self.name.find('a(') == ''",
  'a list of two types': "self.n in [1, 'a']",
  'a map of two types': "{'a': 1, 'b': 'c'} == {}",
  'has() of no field': 'has(self)',
  'a macro without a name': 'self.few.all(1, true)',
  'a macro with too few arguments': 'self.few.all(x)',
  'a macro over a number': 'self.n.all(x, true)',
  'a macro whose test is no truth': 'self.few.all(x, x.size())',
  'macros with two variables': 'self.few.all(i, x, x.size() > i)',
  'a macro with one name twice': 'self.few.all(x, x, true)',
  'a macro over a map': "self.map.all(k, k.startsWith('a'))",
  'a map with a number as key': 'self.map[1] == 1',
  'a list with a text as index': "self.few['a'] == 'b'",
  'a choice between two types': "self.b ? 1 : 'a'",
  'a number that is too large': 'self.n < 9223372036854775808',
  'optional access': "self.?name.orValue('a') == 'a'",
  'an optional where none is meant': 'self.?name == self.name',
  'a format that fits': "'%s %d'.format([self.name, self.n]) == ''",
  'a format with too few arguments': "'%s %s'.format([self.name]) == ''",
  'a format with a wrong argument': "'%d'.format([self.name]) == ''",
  quantities: "quantity('1Gi').isGreaterThan(quantity('1Mi'))",
  addresses: "cidr('10.0.0.0/8').containsIP(self.name)",
  versions: "semver('1.2.3').major() == 1",
  'functions of the newest lists': 'self.few.sort() == self.few',
  'functions for admission only': "authorizer.path('/healthz').check('get').allowed()",
  'messages of wide characters': "self.name == '\u00E4\u{1D4B3}' && self.nope",
  'several lines': 'self.n > 0 &&\n  self.nope > 0',
  'a constant that cannot be computed': "int('x') > 0",
  'a comment': 'self.n > 0 // the number\n',
  'a message literal': 'Thing{n: 1} == self',
  'the type of a field': 'type(self.n) == int',
  'a type that is not there': 'type(self.n) == integer',
  'the whole against a part': 'self == self.n',
  'truth of null': 'self.name == null',
};

/** How rules of CRDs are read and checked when the CRD is written. */
export const cases: Area = area('Compilation of CRD rules', (it) => {
  for (const [name, rule] of Object.entries(expressions)) {
    it(`${name}`, async (api) => {
      const message = rule.includes('\n') ? { message: 'm' } : {};
      await tryDefinition(api, objectOf({ spec: ruled(objectOf(spec), { rule, ...message }) }));
    });
  }

  it('a rule without text, messages that are none', async (api) => {
    const rules = [
      { rule: ' ' },
      { rule: 'true', message: ' ' },
      { rule: 'true', message: 'a\nb' },
      { rule: 'true\n&& true' },
      { rule: 'true', messageExpression: ' ' },
      { rule: 'true', reason: 'Nonsense' },
    ];
    await tryDefinition(api, objectOf({ spec: ruled(objectOf(spec), ...rules) }));
  });

  it('field paths that are none', async (api) => {
    const paths = ['.n', '.nope', 'n', '.few[0]', ".map['a']", ".map['a", "['a-b']", "['a-c']", '.free.x', '.n.x', ' '];
    const rules = paths.map((fieldPath) => ({ rule: 'true', fieldPath }));
    await tryDefinition(api, objectOf({ spec: ruled(objectOf(spec), ...rules) }));
  });

  it('message expressions that do not compile', async (api) => {
    const messages = ["'a' + self.name", 'self.n', 'self.nope', "'%d'.format([self.n])"];
    const rules = messages.map((messageExpression) => ({ rule: 'self.n > 0', messageExpression }));
    await tryDefinition(api, objectOf({ spec: ruled(objectOf(spec), ...rules) }));
  });

  it('optionalOldSelf without oldSelf', async (api) => {
    const rules = [
      { rule: 'self.n > 0', optionalOldSelf: true },
      { rule: 'oldSelf.hasValue() ? self.n >= oldSelf.value().n : true', optionalOldSelf: true },
      { rule: 'oldSelf.n == self.n', optionalOldSelf: true },
      { rule: 'self.n >= oldSelf.n', optionalOldSelf: false },
    ];
    await tryDefinition(api, objectOf({ spec: ruled(objectOf(spec), ...rules) }));
  });

  it('CRD-24 oldSelf where items do not correspond', async (api) => {
    const item = ruled(objectOf({ k: text, v: integer }, { required: ['k'] }), 'self.v >= oldSelf.v');
    const atomic = { type: 'array', maxItems: 5, items: item };
    const keyed = { ...atomic, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
    const set = {
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'set',
      items: ruled({ type: 'string', maxLength: 5 }, 'self == oldSelf'),
    };
    await tryDefinition(api, objectOf({ atomic }));
    await tryDefinition(api, objectOf({ keyed }));
    await tryDefinition(api, objectOf({ set }));
    await tryDefinition(api, objectOf({ outer: { type: 'array', maxItems: 5, items: objectOf({ inner: keyed }) } }));
  });

  it('metadata at the root', async (api) => {
    const rules = ["self.metadata.name.startsWith('a')", "self.metadata.labels['a'] == 'b'", "self.kind == 'Thing'"];
    await tryDefinition(api, ruled(objectOf({ spec: objectOf(spec) }), ...rules));
  });

  it('metadata of embedded resources', async (api) => {
    const embedded = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    };
    const rules = [
      "self.inner.metadata.name == 'a'",
      "self.inner.metadata.labels['a'] == 'b'",
      "self.inner.kind == 'X'",
    ];
    await tryDefinition(api, ruled(objectOf({ inner: embedded }), ...rules));
  });

  it('rules on lists, maps and scalars', async (api) => {
    const list = ruled(
      { type: 'array', maxItems: 5, items: ruled({ ...integer }, 'self > 0', 'self.x') },
      'size(self) > 1',
    );
    const map = ruled(
      { type: 'object', maxProperties: 5, additionalProperties: integer },
      "self['a'] > 1",
      'self.a > 1',
    );
    const either = ruled({ 'x-kubernetes-int-or-string': true }, 'self != 1', "self != 'a'");
    await tryDefinition(api, objectOf({ list, map, either }));
  });

  it('CRD-23 rules that may cost too much', async (api) => {
    await tryDefinition(api, objectOf({ spec: ruled(texts, 'self.all(x, self.all(y, x == y))') }));
    await tryDefinition(api, objectOf({ spec: ruled(texts, "self.all(x, x.contains('a'))") }));
    const bounded = { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 100 } };
    await tryDefinition(api, objectOf({ spec: ruled(bounded, "self.all(x, x.contains('a'))") }));
    await tryDefinition(api, objectOf({ spec: ruled(bounded, 'self.all(x, self.all(y, self.all(z, x == y)))') }));
    const message = { rule: 'size(self) > 0', messageExpression: 'self.map(x, self.map(y, x + y).join()).join()' };
    await tryDefinition(api, objectOf({ spec: ruled(texts, message) }));
  });

  it('CRD-23 rules below lists without bound', async (api) => {
    const item = ruled(objectOf({ name: text }), "self.name.startsWith('a')");
    await tryDefinition(api, objectOf({ spec: { type: 'array', items: item } }));
    await tryDefinition(api, objectOf({ spec: { type: 'array', maxItems: 1000, items: item } }));
    const map = { type: 'object', additionalProperties: { type: 'array', items: item } };
    await tryDefinition(api, objectOf({ spec: map }));
  });

  it('CRD-23 rules that cost too much together', async (api) => {
    const bounded = { type: 'array', maxItems: 1000, items: { type: 'string', maxLength: 100 } };
    const rules = Array.from({ length: 30 }, (_, index) => `self.all(x, self.exists(y, y.startsWith('${index}')))`);
    await tryDefinition(api, objectOf({ spec: ruled(bounded, ...rules) }));
  });

  it('rules of a schema that is wrong otherwise are not compiled', async (api) => {
    await tryDefinition(api, objectOf({ spec: ruled(objectOf({ a: {} }), 'self.nope') }));
    await tryDefinition(api, objectOf({ spec: ruled(objectOf({ a: text }), { rule: 'self.nope', message: ' ' }) }));
  });

  it('rules inside of branches', async (api) => {
    const branch = { properties: { n: ruled({}, 'self > 1') } };
    await tryDefinition(api, objectOf({ spec: objectOf(spec, { allOf: [branch] }) }));
    await tryDefinition(api, objectOf({ spec: objectOf(spec, { anyOf: [branch] }) }));
  });
});
