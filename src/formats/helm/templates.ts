import { parseJson, TerminalError } from '../../base/index.ts';
import type { ContainedChart } from './chart-folder.ts';
import { remoteReference } from './schema-references.ts';

/** Functions, and members of `.Release`, whose result is not the same each time. */
const unsteadyWords =
  /\b(rand(Alpha|AlphaNum|Ascii|Bytes|Int|Numeric)|shuffle|uuidv4|now|ago|date|dateInZone|htmlDate|genPrivateKey|genCA|genCAWithKey|genSelfSignedCert|genSelfSignedCertWithKey|genSignedCert|genSignedCertWithKey|htpasswd|bcrypt|encryptAES|IsInstall|IsUpgrade)\b/;
const capabilitiesWord = /\bCapabilities\b/;

/** What the result of a chart depends on besides its values, as far as its templates show. */
export interface ChartTraits {
  /** Rendering again may give something else. */
  readonly isUnsteady: boolean;
  /** It asks which version of Kubernetes it is for, or which APIs there are. */
  readonly asksForCapabilities: boolean;
}

function* templateTexts(charts: readonly ContainedChart[]): Generator<string> {
  for (const { files } of charts) {
    for (const { path, content } of files) {
      if (path.startsWith('templates/')) yield new TextDecoder().decode(content);
      // `tpl` renders values as templates.
      if (path === 'values.yaml') yield new TextDecoder().decode(content);
    }
  }
}

/** Only what stands between braces is a template. */
function actionsOf(text: string): string {
  const actions: string[] = [];
  let end = 0;
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', end)) {
    const close = text.indexOf('}}', open + 2);
    if (close < 0) break;
    end = close + 2;
    actions.push(text.slice(open, end));
  }
  return actions.join('\n');
}

/** Looks through all templates of a chart and those that it contains. */
export function traitsOf(charts: readonly ContainedChart[]): ChartTraits {
  let [isUnsteady, asksForCapabilities] = [false, false];
  for (const text of templateTexts(charts)) {
    const actions = actionsOf(text);
    isUnsteady ||= unsteadyWords.test(actions);
    asksForCapabilities ||= capabilitiesWord.test(actions);
    if (isUnsteady && asksForCapabilities) break;
  }
  return { isUnsteady, asksForCapabilities };
}

/** Those of `apiVersions` whose groups the templates name: the others decide nothing. */
export function namedApis(charts: readonly ContainedChart[], apiVersions: readonly string[]): readonly string[] {
  const texts = [...templateTexts(charts)].map(actionsOf).join('\n');
  const groups = new Map<string, boolean>();
  const isNamed = (api: string): boolean => {
    const group = api.includes('/') ? api.split('/', 1).join('') : api;
    const known = groups.get(group) ?? texts.includes(group);
    groups.set(group, known);
    return known;
  };
  return apiVersions.filter(isNamed);
}

/** Schemas of values stand for themselves: an engine would fetch what they refer to.
 *  @throws TerminalError InvalidBundle */
export function assertSchemasAlone(charts: readonly ContainedChart[]): void {
  for (const { path, files } of charts) {
    const file = files.find((one) => one.path === 'values.schema.json');
    if (file === undefined) continue;
    const name = path === '' ? file.path : `${path}/${file.path}`;
    const text = new TextDecoder().decode(file.content);
    const remote = remoteReference(parseJson(name, text));
    if (remote === undefined) continue;
    const shown = JSON.stringify(remote.slice(0, 200));
    const message = `${name}: refers to ${shown}: nothing is fetched while a chart is rendered; copy that schema into $defs and refer to it there`;
    throw new TerminalError('InvalidBundle', message);
  }
}
