import type { FunctionDeclaration } from '../language/environment.ts';
import { addressFunctions } from './addresses.ts';
import { operators } from './arithmetic.ts';
import { authorizerFunctions } from './authorizer.ts';
import { collectionFunctions } from './collections.ts';
import { conversions } from './conversions.ts';
import { declareFunctions } from './declare.ts';
import { formatFunctions } from './formatting.ts';
import { formatDeclarations, namedFormatFunctions } from './named-formats.ts';
import { patternFunctions } from './patterns.ts';
import { quantityFunctions } from './quantities.ts';
import { extensionDeclarations, standardDeclarations } from './standard-declarations.ts';
import { textFunctions } from './texts.ts';
import { timeFunctions } from './times.ts';
import { urlFunctions } from './urls.ts';

const implementations = {
  ...operators,
  ...conversions,
  ...timeFunctions,
  ...collectionFunctions,
  ...textFunctions,
  ...patternFunctions,
  ...formatFunctions,
  ...urlFunctions,
  ...addressFunctions,
  ...quantityFunctions,
  ...namedFormatFunctions,
  ...authorizerFunctions,
};

let functions: ReadonlyMap<string, FunctionDeclaration> | undefined;

/** Every function that expressions in Kubernetes 1.33 may call, by name. Made once. */
export function kubernetesFunctions(): ReadonlyMap<string, FunctionDeclaration> {
  const text = [standardDeclarations, extensionDeclarations, formatDeclarations].map((part) => part.trim()).join('\n');
  functions ??= new Map(declareFunctions(text, implementations).map((declaration) => [declaration.name, declaration]));
  return functions;
}
