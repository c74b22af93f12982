import { type JsonObject, listOfTexts, objectAt, objectsAt, textAt, valueAt } from '../../../src/base/index.ts';
import { type FieldError, invalidField, requiredField } from '../../../src/schema/index.ts';
import { type KindRules, type KubeObject, numberAt, specOf } from '../../core/index.ts';
import { goTexts, invalidPrinted } from '../../schema/index.ts';
import {
  isStrictSubnet,
  networkErrors,
  networkWarnings,
  parseNetwork,
  portErrors,
  portNumberErrors,
} from './addresses.ts';
import { choice, eachErrors, forbiddenWhen } from './checks.ts';
import { defaultNetworkPolicy } from './policy-defaults.ts';
import { selectorErrors } from './selectors.ts';

/** Which traffic reaches pods. @see docs/spec/kube-api-types.md#validation-rules */

function portRangeErrors(port: JsonObject, field: string): FieldError[] {
  const [number, end] = [valueAt(port, 'port'), numberAt(port, 'endPort')];
  if (number === undefined) {
    const why = 'may not be specified when `port` is not specified';
    return end === undefined ? [] : [invalidField(`${field}.endPort`, end, why)];
  }
  if (typeof number === 'string') {
    const why = 'may not be specified when `port` is non-numeric';
    const errors = end === undefined ? [] : [invalidField(`${field}.endPort`, end, why)];
    return [...errors, ...portErrors(number, `${field}.port`)];
  }
  const errors = portErrors(number, `${field}.port`);
  if (end === undefined) return errors;
  if (end < Number(number)) {
    errors.push(invalidField(`${field}.endPort`, number, 'must be greater than or equal to `port`'));
  }
  return [...errors, ...portNumberErrors(end, `${field}.endPort`)];
}

const protocols = ['TCP', 'UDP', 'SCTP'];

function policyPortErrors(port: JsonObject, field: string): FieldError[] {
  return [...choice(`${field}.protocol`, valueAt(port, 'protocol'), protocols), ...portRangeErrors(port, field)];
}

/** What the stored object already has is not validated again. */
type Known = ReadonlySet<string>;

function blockErrors(block: JsonObject, field: string, known: Known): FieldError[] {
  const cidr = textAt(block, 'cidr');
  if (cidr === '') return [requiredField(`${field}.cidr`)];
  const errors = known.has(cidr) ? [] : networkErrors(cidr, `${field}.cidr`);
  if (parseNetwork(cidr) === undefined) return errors;
  const excepted = listOfTexts(block, 'except').flatMap((text, index) => {
    const path = `${field}.except[${index}]`;
    const malformed = known.has(text) ? [] : networkErrors(text, path);
    if (parseNetwork(text) === undefined || isStrictSubnet(text, cidr)) return malformed;
    return [invalidField(path, text, 'must be a strict subset of `cidr`')];
  });
  return [...errors, ...excepted];
}

function peerErrors(peer: JsonObject, field: string, known: Known): FieldError[] {
  const selectors = ['podSelector', 'namespaceSelector'].filter((key) => objectAt(peer, key) !== undefined);
  const errors = selectors.flatMap((key) => selectorErrors(objectAt(peer, key), `${field}.${key}`));
  const block = objectAt(peer, 'ipBlock');
  if (block !== undefined) errors.push(...blockErrors(block, `${field}.ipBlock`, known));
  else if (selectors.length === 0) errors.push(requiredField(field, 'must specify a peer'));
  const isBoth = block !== undefined && selectors.length > 0;
  return [...errors, ...forbiddenWhen(isBoth, field, 'may not specify both ipBlock and another peer')];
}

const directions = [
  { key: 'ingress', peers: 'from' },
  { key: 'egress', peers: 'to' },
];

function rulesErrors(spec: JsonObject, known: Known): FieldError[] {
  return directions.flatMap(({ key, peers }) =>
    eachErrors(objectsAt(spec, key), `spec.${key}`, (rule, field) => [
      ...eachErrors(objectsAt(rule, 'ports'), `${field}.ports`, policyPortErrors),
      ...eachErrors(objectsAt(rule, peers), `${field}.${peers}`, (peer, path) => peerErrors(peer, path, known)),
    ]),
  );
}

function typeErrors(spec: JsonObject): FieldError[] {
  const types = listOfTexts(spec, 'policyTypes');
  if (types.length > 2) {
    const shown = goTexts(types, 'networking.PolicyType');
    return [invalidPrinted('spec.policyTypes', shown, 'may not specify more than two policyTypes')];
  }
  return types.flatMap((type, index) => choice(`spec.policyTypes[${index}]`, type, ['Ingress', 'Egress']));
}

function validate(object: KubeObject, known: Known): FieldError[] {
  const spec = specOf(object);
  return [
    ...selectorErrors(objectAt(spec, 'podSelector'), 'spec.podSelector'),
    ...rulesErrors(spec, known),
    ...typeErrors(spec),
  ];
}

interface Block {
  readonly block: JsonObject;
  readonly field: string;
}

function blocksOf(object: KubeObject): Block[] {
  const spec = specOf(object);
  return directions.flatMap(({ key, peers }) =>
    objectsAt(spec, key).flatMap((rule, index) =>
      objectsAt(rule, peers).flatMap((peer, at) => {
        const block = objectAt(peer, 'ipBlock');
        return block === undefined ? [] : [{ block, field: `spec.${key}[${index}].${peers}[${at}].ipBlock` }];
      }),
    ),
  );
}

function warnings(object: KubeObject): string[] {
  return blocksOf(object).flatMap(({ block, field }) => [
    ...networkWarnings(textAt(block, 'cidr'), `${field}.cidr`),
    ...listOfTexts(block, 'except').flatMap((text, index) => networkWarnings(text, `${field}.except[${index}]`)),
  ]);
}

/** Defaults, rules and warnings of NetworkPolicies. A change is validated twice, and its errors appear twice. */
export const networkPolicyRules: KindRules = {
  generationOf: ['spec'],
  applyDefaults: defaultNetworkPolicy,
  validate: (object) => validate(object, new Set()),
  validateChange: (object, old) => {
    const known = new Set(
      blocksOf(old).flatMap(({ block }) => [textAt(block, 'cidr'), ...listOfTexts(block, 'except')]),
    );
    return [...validate(object, new Set()), ...validate(object, known)];
  },
  warnings,
};
