import { isJsonEqual, type JsonObject, listAt, objectAt, objectsAt, textAt } from '../../../src/base/index.ts';
import {
  dns1123SubdomainProblems,
  type FieldError,
  invalidField,
  pathSegmentProblems,
  requiredField,
  unsupportedField,
} from '../../../src/schema/index.ts';
import { asJson, ensureObject, type KindRules, type KubeObject, setDefaults } from '../../core/index.ts';
import { goStruct, invalidPrinted } from '../../schema/index.ts';
import { choice, eachErrors, invalids } from './checks.ts';
import { selectorErrors } from './selectors.ts';

/** Roles and their bindings. The server validates a change twice, and its errors appear twice. @see docs/spec/kube-api-types.md#authorisation-requests-and-rbac */

const group = 'rbac.authorization.k8s.io';

function ruleErrors(rule: JsonObject, path: string, isNamespaced: boolean): FieldError[] {
  const hasVerbs = listAt(rule, 'verbs').length > 0;
  const errors = hasVerbs ? [] : [requiredField(`${path}.verbs`, 'verbs must contain at least one value')];
  const has = (key: string): boolean => listAt(rule, key).length > 0;
  const [field, urls] = [`${path}.nonResourceURLs`, listAt(rule, 'nonResourceURLs')];
  if (urls.length > 0) {
    if (isNamespaced) errors.push(invalidField(field, urls, 'namespaced rules cannot apply to non-resource URLs'));
    const isMixed = has('apiGroups') || has('resources') || has('resourceNames');
    const why = 'rules cannot apply to both regular resources and non-resource URLs';
    return isMixed ? [...errors, invalidField(field, urls, why)] : errors;
  }
  if (!has('apiGroups')) {
    errors.push(requiredField(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (!has('resources')) {
    errors.push(requiredField(`${path}.resources`, 'resource rules must supply at least one resource'));
  }
  return errors;
}

function rulesErrors(object: KubeObject): FieldError[] {
  const isNamespaced = object.kind === 'Role';
  return eachErrors(objectsAt(asJson(object), 'rules'), 'rules', (rule, field) =>
    ruleErrors(rule, field, isNamespaced),
  );
}

function aggregationErrors(object: KubeObject): FieldError[] {
  const aggregation = objectAt(asJson(object), 'aggregationRule');
  if (aggregation === undefined) return [];
  const field = 'aggregationRule.clusterRoleSelectors';
  const selectors = objectsAt(aggregation, 'clusterRoleSelectors');
  const why = 'at least one clusterRoleSelector required if aggregationRule is non-nil';
  if (selectors.length === 0) return [requiredField(field, why)];
  return eachErrors(selectors, field, (selector, path) => {
    const errors = selectorErrors(selector, path);
    return errors.length === 0 ? [] : [...errors, invalidField(path, undefined, 'invalid label selector.')];
  });
}

/** Rules of roles that are validated again at every change. */
function roleRules(check: (object: KubeObject) => FieldError[]): KindRules {
  return {
    nameProblems: pathSegmentProblems,
    validate: check,
    validateChange: (object) => [...check(object), ...check(object)],
  };
}

/** Rules of Roles. */
export const namespacedRoleRules: KindRules = roleRules(rulesErrors);

/** Rules of ClusterRoles: they may name paths, and gather the rules of others. */
export const clusterRoleRules: KindRules = roleRules((object) => [
  ...rulesErrors(object),
  ...aggregationErrors(object),
]);

function accountErrors(subject: JsonObject, path: string, isNamespaced: boolean): FieldError[] {
  const [name, apiGroup] = [textAt(subject, 'name'), textAt(subject, 'apiGroup')];
  const errors = name === '' ? [] : invalids(`${path}.name`, name, dns1123SubdomainProblems(name));
  if (apiGroup !== '') errors.push(unsupportedField(`${path}.apiGroup`, apiGroup, ['']));
  const isLost = !isNamespaced && textAt(subject, 'namespace') === '';
  return isLost ? [...errors, requiredField(`${path}.namespace`)] : errors;
}

function subjectErrors(subject: JsonObject, path: string, isNamespaced: boolean): FieldError[] {
  const errors = textAt(subject, 'name') === '' ? [requiredField(`${path}.name`)] : [];
  const kind = textAt(subject, 'kind');
  if (kind === 'ServiceAccount') return [...errors, ...accountErrors(subject, path, isNamespaced)];
  if (kind === 'User' || kind === 'Group') {
    return [...errors, ...choice(`${path}.apiGroup`, textAt(subject, 'apiGroup'), [group])];
  }
  return [...errors, unsupportedField(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group'])];
}

function bindingErrors(object: KubeObject): FieldError[] {
  const role = objectAt(asJson(object), 'roleRef');
  const isNamespaced = object.kind === 'RoleBinding';
  const kinds = isNamespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  const name = textAt(role, 'name');
  return [
    ...choice('roleRef.apiGroup', textAt(role, 'apiGroup'), [group]),
    ...choice('roleRef.kind', textAt(role, 'kind'), kinds),
    ...(name === '' ? [requiredField('roleRef.name')] : invalids('roleRef.name', name, pathSegmentProblems(name))),
    ...eachErrors(objectsAt(asJson(object), 'subjects'), 'subjects', (subject, path) =>
      subjectErrors(subject, path, isNamespaced),
    ),
  ];
}

function roleChangeErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const [now, before] = [objectAt(asJson(object), 'roleRef'), objectAt(asJson(old), 'roleRef')];
  if (isJsonEqual(now, before)) return [];
  const [APIGroup, Kind, Name] = [textAt(now, 'apiGroup'), textAt(now, 'kind'), textAt(now, 'name')];
  return [invalidPrinted('roleRef', goStruct('rbac.RoleRef', { APIGroup, Kind, Name }), 'cannot change roleRef')];
}

/** Rules of RoleBindings and ClusterRoleBindings. */
export const bindingRules: KindRules = {
  nameProblems: pathSegmentProblems,
  applyDefaults: (object) => {
    const role = ensureObject(asJson(object), 'roleRef');
    setDefaults(role, { apiGroup: group });
    for (const subject of objectsAt(asJson(object), 'subjects')) {
      const kind = textAt(subject, 'kind');
      if (kind === 'User' || kind === 'Group') setDefaults(subject, { apiGroup: group });
    }
  },
  validate: bindingErrors,
  validateChange: (object, old) => [
    ...bindingErrors(object),
    ...bindingErrors(object),
    ...roleChangeErrors(object, old),
  ],
};
