/** Texts on which a careless regular expression, or a careless loop, takes minutes: by name, what reads them. */
import { fieldReferenceErrors } from '../../apiserver/registry/kinds/pod/field-references.ts';
import { formatYamlPieces, parseJson, parseYamlDocuments, redactUrl, trimEnd } from '../../src/base/index.ts';
import { basicTypes, compileProgram, isFaulty, kubernetesFunctions } from '../../src/cel/index.ts';
import { configProblems } from '../../src/formats/registry-v1/config.ts';
import { missingRules } from '../../src/rbac/index.ts';
import { openKeyring } from '../../src/sources/pull-credentials.ts';

const length = 1_400_000;
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

function evaluateDouble(text: string): void {
  const environment = {
    functions: kubernetesFunctions(),
    variables: new Map([['text', basicTypes.string]]),
    structs: new Map(),
  };
  const program = compileProgram('double(text) > 0.0', environment);
  if (isFaulty(program)) throw new Error('the expression has faults');
  program.run(() => text, 1e9);
}

function readKeyring(key: string): void {
  const auths = JSON.stringify({ auths: { [key]: { auth: 'YTpi' } } });
  const data = { '.dockerconfigjson': Buffer.from(auths).toString('base64') };
  openKeyring({ secrets: [{ name: 'pull', type: 'kubernetes.io/dockerconfigjson', data }] });
}

/** `missingRules` asks whether one path is held by another that ends with a star. */
function comparePaths(own: string): void {
  missingRules([{ verbs: ['get'], nonResourceURLs: [own] }], [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }]);
}

export const costlyTexts: Readonly<Record<string, () => unknown>> = {
  'a quantity of digits in spec.config': () =>
    configProblems({ deploymentConfig: { resources: { limits: { cpu: `${'1'.repeat(length)}x` } } } }),
  'thousands of variables in spec.config': () =>
    configProblems({ deploymentConfig: { env: many(200_000, (at) => ({ name: `a${at}` })) } }),
  'thousands of wrong variables in spec.config': () =>
    configProblems({ deploymentConfig: { env: many(700_000, () => 1) } }),
  'a YAML tag before empty lines': () => parseYamlDocuments('text', `!a${'\n'.repeat(length)}`),
  'a YAML number of millions of digits': () => parseYamlDocuments('text', '1'.repeat(16_000_000)),
  'a JSON number of millions of digits': () => parseJson('text', '1'.repeat(32_000_000)),
  'a YAML block with empty lines in it': () =>
    [...formatYamlPieces({ a: `b${'\n'.repeat(length)}c`, d: 'e'.repeat(100) }, 50)].length,
  'an address of question marks': () => redactUrl(`git@host:a${'?'.repeat(length)}`),
  'an address of slashes': () => trimEnd(`https://host${'/'.repeat(length)}a`, '/'),
  'a registry of slashes in a pull secret': () => readKeyring(`host/${'/'.repeat(length)}a`),
  'a path of stars in a role': () => comparePaths(`/${'*'.repeat(length)}a*`),
  'digits that CEL converts': () => evaluateDouble(`${'1'.repeat(length)}x`),
  'a field path of brackets in a pod': () =>
    fieldReferenceErrors({ apiVersion: 'v1', fieldPath: `a${"['".repeat(length / 2)}]` }, 'fieldRef', []),
};
