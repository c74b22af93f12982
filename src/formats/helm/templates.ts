import { parseJson, TerminalError } from '../../base/index.ts';
import { renderFailed } from '../format.ts';
import type { ContainedChart } from './chart-folder.ts';
import { nameRoom, remoteReference } from './schema-references.ts';

/** Functions, and members of `.Release`, whose result is not the same each time. */
const unsteadyWords =
  /\b(rand(Alpha|AlphaNum|Ascii|Bytes|Int|Numeric)|shuffle|uuidv4|now|ago|date|dateInZone|htmlDate|genPrivateKey|genCA|genCAWithKey|genSelfSignedCert|genSelfSignedCertWithKey|genSignedCert|genSignedCertWithKey|htpasswd|bcrypt|encryptAES|IsInstall|IsUpgrade)\b/;
const capabilitiesWord = /\bCapabilities\b/;

/** Of all templates of a chart and those that it contains: the largest charts have a tenth of these. */
const maxActions = 200_000;
const maxActionCharacters = 16 * 1024 * 1024;
/** Of the groups that are looked for, in the characters that they are looked for in. */
const maxComparisons = 1024 * 1024 * 1024;

/** What the result of a chart depends on besides its values, as far as its templates show. */
export interface ChartTraits {
  /** Rendering again may give something else. */
  readonly isUnsteady: boolean;
  /** It asks which version of Kubernetes it is for, or which APIs there are. */
  readonly asksForCapabilities: boolean;
  /** What stands between braces. */
  readonly actions: string;
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

/** Only what stands between braces is a template.
 *  @throws TerminalError RenderFailed for more than any chart has */
function actionsOf(charts: readonly ContainedChart[]): string {
  const actions: string[] = [];
  let characters = 0;
  for (const text of templateTexts(charts)) {
    let end = 0;
    for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', end)) {
      const close = text.indexOf('}}', open + 2);
      if (close < 0) break;
      end = close + 2;
      characters += end - open;
      if (actions.push(text.slice(open, end)) <= maxActions && characters <= maxActionCharacters) continue;
      const limits = `at most ${maxActions} actions of at most ${maxActionCharacters} characters together`;
      throw new TerminalError(renderFailed, `the templates of the chart: expected ${limits}`);
    }
  }
  return actions.join('\n');
}

/** Looks through all templates of a chart and those that it contains: once, as that takes time.
 *  @throws TerminalError RenderFailed for very many templates */
export function traitsOf(charts: readonly ContainedChart[]): ChartTraits {
  const actions = actionsOf(charts);
  const [isUnsteady, asksForCapabilities] = [unsteadyWords.test(actions), capabilitiesWord.test(actions)];
  return { isUnsteady, asksForCapabilities, actions };
}

/** Those of `apiVersions` whose groups the templates name: the others decide nothing. All, where it takes long to find them. */
export function namedApis({ actions }: ChartTraits, apiVersions: readonly string[]): readonly string[] {
  const groupOf = (api: string): string => (api.includes('/') ? api.split('/', 1).join('') : api);
  const groups = [...new Set(apiVersions.map(groupOf))];
  if (groups.length * actions.length > maxComparisons) return apiVersions;
  const named = new Set(groups.filter((group) => actions.includes(group)));
  return apiVersions.filter((api) => named.has(groupOf(api)));
}

/** Schemas of values stand for themselves: an engine would fetch what they refer to.
 *  @throws TerminalError InvalidBundle */
export function assertSchemasAlone(charts: readonly ContainedChart[]): void {
  const room = nameRoom();
  for (const { path, files } of charts) {
    const file = files.find((one) => one.path === 'values.schema.json');
    if (file === undefined) continue;
    const name = path === '' ? file.path : `${path}/${file.path}`;
    const text = new TextDecoder().decode(file.content);
    const remote = remoteReference(parseJson(name, text), room);
    if (remote === undefined) continue;
    const shown = JSON.stringify(remote.slice(0, 200));
    const message = `${name}: refers to ${shown}: nothing is fetched while a chart is rendered; copy that schema into $defs and refer to it there`;
    throw new TerminalError('InvalidBundle', message);
  }
}
