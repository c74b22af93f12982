import type { Command, OptionSpec } from '../command/index.ts';

/** Objects of the cluster whose names complete a word; `prefix` stands before them. */
export interface NameRequest {
  readonly kind: 'Bundle' | 'BundleDeployment' | 'ClusterExtension';
  readonly prefix: string;
}

/** What may stand where the cursor is: words, file names, or names that only the cluster knows. */
export interface Completion {
  readonly words: readonly string[];
  readonly paths: 'none' | 'files' | 'folders';
  readonly names: readonly NameRequest[];
}

const nothing: Completion = { words: [], paths: 'none', names: [] };

function offering(words: readonly string[]): Completion {
  return { ...nothing, words };
}

function naming(kind: NameRequest['kind'], prefix = ''): Completion {
  return { ...nothing, names: [{ kind, prefix }] };
}

/** What the arguments of commands stand for, by the name that help gives them. */
const byArgument: Readonly<Record<string, Completion>> = {
  BUNDLE: naming('Bundle'),
  NAME: naming('BundleDeployment'),
  'bd/NAME': naming('BundleDeployment', 'bd/'),
  'bundle/NAME': naming('Bundle', 'bundle/'),
  'clusterextension/NAME': naming('ClusterExtension', 'clusterextension/'),
  SHELL: offering(['bash', 'zsh', 'fish']),
  OLD: { ...nothing, paths: 'files' },
  NEW: { ...nothing, paths: 'files' },
};

function argumentCompletion(name: string | undefined): Completion {
  if (name === undefined) return nothing;
  if (name === 'DIR') return { ...nothing, paths: 'folders' };
  if (/^[a-z]+(\|[a-z]+)+$/.test(name)) return offering(name.split('|'));
  const forms = name
    .split('|')
    .flatMap((form) => (Object.hasOwn(byArgument, form) ? [byArgument[form] ?? nothing] : []));
  const isPath = /\b(DIR|LAYOUT|FILE)\b/.test(name) || forms.some(({ paths }) => paths === 'files');
  return {
    words: forms.flatMap(({ words }) => words),
    paths: isPath ? 'files' : 'none',
    names: forms.flatMap(({ names }) => names),
  };
}

function optionCompletion(spec: OptionSpec): Completion {
  if (spec.kind === 'text' && spec.choices !== undefined) return offering(spec.choices);
  // NAME may be that of anything, as of a namespace.
  return { ...argumentCompletion(spec.placeholder?.replace(/\..*$/, '')), names: [] };
}

function optionOf(command: Command, word: string | undefined): OptionSpec | undefined {
  const found = Object.entries(command.options).find(
    ([name, { short }]) => word === `--${name}` || (short !== undefined && word === `-${short}`),
  );
  return found?.[1];
}

/** How many of `words` are arguments: neither options nor their values. */
function countArguments(command: Command, words: readonly string[]): number {
  return words.filter((word, index) => {
    const before = optionOf(command, words[index - 1]);
    return !word.startsWith('-') && (before === undefined || before.kind === 'flag');
  }).length;
}

function commandWords(commands: readonly Command[], typed: readonly string[]): Completion {
  const shown = commands.filter(({ isHidden }) => isHidden !== true).map(({ name }) => name.split(' '));
  const fitting = shown.filter((name) => typed.every((word, index) => name[index] === word));
  return offering([...new Set(fitting.flatMap((name) => name[typed.length] ?? []))]);
}

/** What may follow. `words` are those of the command line behind the program's name; the last one is being typed, and may be empty. */
export function complete(commands: readonly Command[], words: readonly string[]): Completion {
  const typed = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  const command = [2, 1]
    .map((count) => commands.find(({ name }) => typed.length >= count && name === typed.slice(0, count).join(' ')))
    .find((found) => found !== undefined);
  if (command === undefined) return commandWords(commands, typed);
  const rest = typed.slice(command.name.split(' ').length);
  const pending = optionOf(command, rest.at(-1));
  if (pending !== undefined && pending.kind !== 'flag') return optionCompletion(pending);
  if (current.startsWith('-')) return offering([...Object.keys(command.options).map((name) => `--${name}`), '--help']);
  const { positionals = [] } = command;
  const last = positionals.at(-1);
  // The last argument may stand for many.
  return argumentCompletion(
    positionals[countArguments(command, rest)] ?? (last?.endsWith('...') === true ? last : undefined),
  );
}

/** The value that an option has among `words`, as far as completion has to know it. */
export function optionValue(words: readonly string[], name: string): string | undefined {
  const index = words.lastIndexOf(`--${name}`);
  const joined = words.find((word) => word.startsWith(`--${name}=`));
  return index < 0 ? joined?.slice(name.length + 3) : words[index + 1];
}

const names = ['longshore', 'rukpakctl'];

const scripts: Readonly<Record<string, string>> = {
  bash: `# bash completion for longshore: source <(longshore completion bash)
_longshore() {
  local current="\${COMP_WORDS[COMP_CWORD]}" shape='' line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $shape ]]; then shape=$line; elif [[ $line == "$current"* ]]; then COMPREPLY+=("$line"); fi
  done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  case $shape in files) shape=-f ;; folders) shape=-d ;; *) return ;; esac
  compopt -o filenames 2>/dev/null
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$shape" -- "$current")
}
complete -F _longshore ${names.join(' ')}
`,
  zsh: `#compdef ${names.join(' ')}
# zsh completion for longshore: source <(longshore completion zsh)
_longshore() {
  local -a lines
  lines=("\${(@f)$("$words[1]" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  case $lines[1] in
    files) compadd -- "\${(@)lines[2,-1]}"; _files ;;
    folders) _files -/ ;;
    *) compadd -- "\${(@)lines[2,-1]}" ;;
  esac
}
compdef _longshore ${names.join(' ')}
`,
  fish: `# fish completion for longshore: longshore completion fish | source
function __longshore_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l lines ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
  switch "$lines[1]"
    case files
      printf '%s\\n' $lines[2..-1]
      __fish_complete_path "$current"
    case folders
      __fish_complete_directories "$current"
    case '*'
      printf '%s\\n' $lines[2..-1]
  end
end
${names.map((name) => `complete -c ${name} -f -a '(__longshore_complete)'`).join('\n')}
`,
};

/** The script that teaches a shell to complete; undefined for a shell that is not known. */
export function completionScript(shell: string): string | undefined {
  return Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
}
