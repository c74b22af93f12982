import { textAt } from '../../base/index.ts';
import { asCurrentDefinition } from '../../formats/index.ts';
import type { FieldError } from '../../schema/index.ts';
import type { BundleUnderCheck, ManifestObject } from '../bundle.ts';
import type { ApiRules, Check, CheckContext, Hit } from '../check.ts';
import { placeIn } from '../csv-parts.ts';
import { parseField } from '../field-path.ts';
import { checksOfProblems, type ProblemRow } from '../problem-rows.ts';

const crds = { suite: 'default', stage: 'crds', severity: 'error' } as const;
const versions = ['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1'];

function isOld({ apiVersion }: ManifestObject): boolean {
  return apiVersion === versions[1];
}

type Validation = ReturnType<ApiRules['validate']>;

/** By definition: validating a large one takes long, and every row below asks. Other objects of the bundle change nothing about it. */
const validations = new WeakMap<ApiRules, WeakMap<ManifestObject, Validation>>();

function validationOf(crd: ManifestObject, rules: ApiRules): Validation {
  const known = validations.get(rules) ?? new WeakMap<ManifestObject, Validation>();
  validations.set(rules, known);
  const validation = known.get(crd) ?? rules.validate(asCurrentDefinition(crd.object));
  known.set(crd, validation);
  return validation;
}

/** Errors of the definition from a current server; an old one is installed as v1. */
function errorsOf(crd: ManifestObject, { rules }: CheckContext): readonly FieldError[] {
  if (!versions.includes(crd.apiVersion)) return [];
  const { errors } = validationOf(crd, rules);
  return errors.filter(({ field }) => !field.startsWith('status'));
}

const at =
  (pattern: RegExp, text = /./) =>
  ({ field, message }: FieldError): boolean =>
    pattern.test(field) && text.test(message);

/** The first that matches has the error. */
const rules: readonly ProblemRow<FieldError>[] = [
  {
    id: 'CRD1',
    title: 'the name is not `<plural>.<group>`',
    whatToDo: 'Name it after spec.names.plural and spec.group.',
    matches: at(/^metadata\.name$/),
  },
  {
    id: 'CRD2',
    title: 'the group is missing, or has no dot',
    whatToDo: 'Use a domain that you own as group.',
    matches: at(/^spec\.group$/),
  },
  {
    id: 'CRD3',
    title: 'the scope is missing, or unknown',
    whatToDo: 'Write scope: Namespaced, or scope: Cluster.',
    matches: at(/^spec\.scope$/),
  },
  {
    id: 'CRD4',
    title: 'not exactly one version is the storage version',
    whatToDo: 'Set storage: true for one version.',
    matches: at(/^spec\.versions$/, /exactly one version/),
  },
  {
    id: 'CRD5',
    title: 'two versions have one name',
    whatToDo: 'Give every version a name of its own.',
    matches: at(/^spec\.versions$/, /unique version names/),
  },
  {
    id: 'CRD6',
    title: 'the name of a version is not a DNS label',
    whatToDo: 'Name versions v1, v1beta1 and so on.',
    matches: at(/^spec\.versions\[\d+\]\.name$/),
  },
  {
    id: 'CRD8',
    title: 'kind and listKind are the same',
    whatToDo: 'Call the list <Kind>List.',
    matches: at(/^spec\.names\.listKind$/, /may not be the same/),
  },
  {
    id: 'CRD7',
    title: 'one of the names is missing or malformed',
    whatToDo: 'Write plural and kind; singular and listKind follow from the kind.',
    matches: at(/^spec\.names/),
  },
  {
    id: 'CRD10',
    title: 'a conversion webhook without review versions',
    whatToDo: 'Name the review versions that the webhook understands: conversionReviewVersions: [v1].',
    matches: at(/^spec\.conversion\..*conversionReviewVersions/),
  },
  {
    id: 'CRD11',
    title: 'a conversion webhook, and `preserveUnknownFields: true`',
    whatToDo: 'Set preserveUnknownFields: false.',
    matches: at(/^spec\.conversion\.strategy$/, /preserveUnknownFields/),
  },
  {
    id: 'CRD9',
    title: 'a conversion webhook without a usable address',
    whatToDo: 'Give the webhook a service or a URL, and a port from 1 to 65535.',
    matches: at(/^spec\.conversion/),
  },
  {
    id: 'CRD12',
    title: 'a protected group of Kubernetes without approval',
    whatToDo:
      'Use a group of your own: *.k8s.io and *.kubernetes.io are for APIs that the Kubernetes project approved.',
    matches: at(/^metadata\.annotations\[api-approved/),
  },
  {
    id: 'CRD13',
    title: 'a schema is not structural, has a bad default, or a CEL rule that does not compile',
    whatToDo: 'Fix the schema: a cluster refuses the definition.',
    matches: at(/openAPIV3Schema/),
  },
  {
    id: 'CRD14',
    title: 'a cluster refuses the definition for any other reason',
    whatToDo: 'Fix the definition: a cluster refuses it.',
    matches: () => true,
  },
];

/** kube-apiserver speaks of what all versions have alike as if it stood at the top. */
function ownField(field: string): string {
  const part = field.replace(/^spec\.validation\b/, 'spec.schema');
  return part.replace(
    /^spec\.(?=(?:schema|subresources|additionalPrinterColumns|selectableFields)\b)/,
    'spec.versions[0].',
  );
}

/** Where v1 has what kube-apiserver names as it has it inside. */
function writtenField(field: string): string {
  return field
    .replace(/^spec\.conversion\.(webhookClientConfig|conversionReviewVersions)\b/, (_, part: string) => {
      return `spec.conversion.webhook.${part === 'webhookClientConfig' ? 'clientConfig' : part}`;
    })
    .replace(/\.JSONPath$/, '.jsonPath');
}

function hitOf(crd: ManifestObject, { field: serverField, message }: FieldError): Hit {
  const field = ownField(serverField);
  const text = field === '' ? message : `${field}: ${message}`;
  const path = parseField(isOld(crd) ? field : writtenField(field));
  return { message: text.length > 2000 ? `${text.slice(0, 2000)}…` : text, place: placeIn(crd, path) };
}

function* definitionProblems(
  { crds: all }: BundleUnderCheck,
  context: CheckContext,
): Iterable<{ problem: FieldError; hit: Hit }> {
  for (const crd of all) for (const problem of errorsOf(crd, context)) yield { problem, hit: hitOf(crd, problem) };
}

/** CustomResourceDefinitions, as a server of today would take them. @see docs/spec/bundle-format.md#crds */
export const definitionChecks: readonly Check[] = [
  {
    ...crds,
    id: 'L7',
    stage: 'loading',
    title: 'a CRD is of an API version that does not exist',
    whatToDo: 'Write apiVersion: apiextensions.k8s.io/v1.',
    *find(bundle) {
      for (const crd of bundle.crds) {
        if (versions.includes(crd.apiVersion)) continue;
        const message = `unsupported CRD version ${textAt(crd.object, 'apiVersion')} for ${crd.file.path}`;
        yield { message, place: placeIn(crd, ['apiVersion']) };
      }
    },
  },
  ...checksOfProblems(rules, { ...crds, find: definitionProblems }),
  {
    ...crds,
    id: 'CRD15',
    severity: 'warning',
    title: 'a field of a CRD is unknown',
    whatToDo: 'Remove the field, or correct its name: a cluster drops it.',
    *find(bundle, context) {
      for (const crd of bundle.crds) {
        if (crd.apiVersion !== versions[0]) continue;
        for (const field of validationOf(crd, context.rules).unknownFields) {
          if (field.startsWith('status')) continue;
          yield { message: `unknown field "${field}"`, place: placeIn(crd, parseField(field)) };
        }
      }
    },
  },
  {
    ...crds,
    id: 'T9',
    stage: 'content',
    severity: 'warning',
    title: 'a CRD of `v1beta1`, which no cluster serves any more',
    whatToDo:
      'Write it as apiextensions.k8s.io/v1: clusters from 1.22 on accept no other. Longshore converts it when it installs the bundle.',
    *find(bundle) {
      for (const crd of bundle.crds.filter(isOld)) {
        const message =
          'CustomResourceDefinition of apiextensions.k8s.io/v1beta1: deprecated in 1.16+, removed in 1.22';
        yield { message, place: placeIn(crd, ['apiVersion']) };
      }
    },
  },
];
