import { isUtf8 } from 'node:buffer';
import { errorMessage, isJsonObject, parseYamlDocuments, TerminalError, textAt, yamlFault } from '../../base/index.ts';
import type { DecodedProperty } from './decode.ts';
import { decoded } from './go-shape.ts';
import { propertyFault, shapeOfProperty } from './property-shapes.ts';

function yamlProblem(text: string): string | undefined {
  try {
    parseYamlDocuments('manifest', text, { isLastKeyTaken: true });
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof TerminalError)) throw thrown;
    if (thrown.reason !== 'InvalidYaml') return errorMessage(thrown);
    const { reason, line } = yamlFault(thrown);
    return line === undefined ? `yaml: ${reason}` : `yaml: line ${line}: ${reason}`;
  }
}

function contentProblem(content: Buffer): string | undefined {
  if (!isUtf8(content)) return 'yaml: invalid leading UTF-8 octet';
  const text = content.toString();
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return yamlProblem(text);
  }
}

/** Why the manifest in an `olm.bundle.object` cannot be read; undefined when it can. */
export function bundleObjectFault(property: DecodedProperty, index: number): string | undefined {
  const shape = propertyFault(property);
  if (shape !== undefined) return `parse property at index ${index} as bundle object: ${shape}`;
  const value = decoded(shapeOfProperty(property.type), property.value);
  const content = Buffer.from(textAt(isJsonObject(value) ? value : undefined, 'data'), 'base64');
  const problem = contentProblem(content);
  return problem === undefined ? undefined : `convert bundle object property at index ${index} to JSON: ${problem}`;
}
