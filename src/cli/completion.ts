import type { CommandOption, CommandPage } from './command-page.ts'
import { globalOptions } from './shared-options.ts'
import { commandPages } from './command-pages.ts'
import { settingsTopic } from './settings.ts'
import { quoteForShell as quoted } from './shell-word.ts'

/** The function that returns the completion script of each shell. */
export const completionShells = { bash, zsh, fish }

export function isShell(name: string | undefined): name is keyof typeof completionShells {
  return name !== undefined && Object.hasOwn(completionShells, name)
}

const pageEntries = Object.entries(commandPages) as [name: string, page: CommandPage][]
const flagsOf = ({ options }: CommandPage): [name: string, option: CommandOption][] =>
  Object.entries({ ...options, ...globalOptions })
const actionsOf = (name: string, { actions = [] }: CommandPage): readonly string[] =>
  name === 'help' ? [...pageEntries.map(([it]) => it), settingsTopic] : actions

function bash(): string {
  const valueFlags = [...new Map(pageEntries.flatMap(([, page]) => flagsOf(page)))].filter(
    ([, { valueName }]) => valueName !== undefined,
  )
  const choices = valueFlags
    .filter(([, { completion }]) => Array.isArray(completion))
    .map(
      ([name, { completion }]) =>
        `    --${name}) COMPREPLY=($(compgen -P "$list" -W "${(completion as readonly string[]).join(' ')}" -- "\${now##*,}")); return ;;`,
    )
  const files = valueFlags.filter(([, { completion }]) => completion === 'files').map(([name]) => `--${name}`)
  const freeValues = valueFlags.filter(([, { completion }]) => completion === undefined).map(([name]) => `--${name}`)
  return [
    '_fieldstone() {',
    '  local now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= flags= actions= names= files= i',
    '  COMPREPLY=()',
    // The items of a comma-separated list before the last one.
    '  local list=${now%"${now##*,}"}',
    '  case $before in',
    ...choices,
    `    ${files.join('|')}) COMPREPLY=($(compgen -f -- "$now")); return ;;`,
    `    ${freeValues.join('|')}) return ;;`,
    '  esac',
    '  for ((i = 1; i < COMP_CWORD; i++)); do',
    '    case ${COMP_WORDS[i]} in -*) ;; *) command=${COMP_WORDS[i]}; break ;; esac',
    '  done',
    '  case $command in',
    ...pageEntries.map(
      ([name, page]) =>
        `    ${name}) flags="${flagsOf(page)
          .map(([flag]) => `--${flag}`)
          .join(' ')}"; actions="${actionsOf(name, page).join(' ')}"; ${bashArguments(page)} ;;`,
    ),
    `    *) flags="${flagsOf(commandPages.serve)
      .map(([flag]) => `--${flag}`)
      .join(' ')}"; actions="${pageEntries.map(([name]) => name).join(' ')}" ;;`,
    '  esac',
    '  if [[ $now == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$now"))',
    '  elif [[ -z $command || $before == "$command" ]] && [[ -n $actions ]]; then COMPREPLY=($(compgen -W "$actions" -- "$now"))',
    `  else COMPREPLY=($(compgen -W "$names" -- "$now") $([[ $files ]] && compgen -f -- "$now")); fi`,
    '}',
    'complete -o filenames -F _fieldstone fieldstone',
  ].join('\n')
}

function bashArguments({ argumentCompletion: { names = [], files } = {} }: CommandPage): string {
  return `names="${names.join(' ')}"; files=${files ? 'yes' : ''}`
}

function zsh(): string {
  const escapeZsh = (text: string) =>
    text.replaceAll('\\', '\\\\').replaceAll('[', '\\[').replaceAll(']', '\\]').replaceAll(':', '\\:')
  const actionOf = ({ completion, isList }: CommandOption) => {
    if (completion === 'files') return '_files'
    if (!completion) return ' '
    return isList ? `_sequence compadd - ${completion.join(' ')}` : `(${completion.join(' ')})`
  }
  const valueSpec = (option: CommandOption) =>
    option.valueName === undefined ? '' : `:${escapeZsh(option.valueName)}:${actionOf(option)}`
  const flags = (page: CommandPage) =>
    flagsOf(page).map(([name, option]) => quoted(`--${name}[${escapeZsh(option.description)}]${valueSpec(option)}`))
  return [
    '#compdef fieldstone',
    '_fieldstone() {',
    '  local -a commands=(',
    ...pageEntries.map(([name, { summary }]) => `    ${quoted(`${name}:${escapeZsh(summary)}`)}`),
    '  )',
    '  if (( CURRENT == 2 )); then _describe command commands; return; fi',
    '  local command=$words[2]',
    '  shift words',
    '  (( CURRENT-- ))',
    '  case $command in',
    ...pageEntries.map(([name, page]) => {
      const actions = actionsOf(name, page)
      return `    ${name}) _arguments ${[...flags(page), ...(actions.length > 0 ? [quoted(`1:action:(${actions.join(' ')})`)] : []), ...zshArguments(page)].join(' ')} ;;`
    }),
    '  esac',
    '}',
    '_fieldstone "$@"',
  ].join('\n')
}

function zshArguments({ argumentCompletion: { names, files } = {} }: CommandPage): string[] {
  const parts = [...(names ? [`compadd - ${names.join(' ')}`] : []), ...(files ? ['_files'] : [])]
  return parts.length > 0 ? [quoted(`*:argument:{${parts.join('; ')}}`)] : []
}

function fish(): string {
  const line = (condition: string, rest: string) => `complete -c fieldstone -n ${quoted(condition)} ${rest}`
  return [
    'complete -c fieldstone -f',
    ...pageEntries.flatMap(([name, page]) => [
      line('__fish_use_subcommand', `-a ${name} -d ${quoted(page.summary)}`),
      ...actionsOf(name, page).map((action) => line(`__fish_seen_subcommand_from ${name}`, `-a ${action}`)),
      ...fishArguments(page).map((rest) => line(`__fish_seen_subcommand_from ${name}`, rest)),
      ...flagsOf(page).map(([flag, option]) =>
        line(
          `__fish_seen_subcommand_from ${name}`,
          [`-l ${flag}`, `-d ${quoted(option.description)}`, ...fishValue(option)].join(' '),
        ),
      ),
    ]),
  ].join('\n')
}

function fishArguments({ argumentCompletion: { names, files } = {} }: CommandPage): string[] {
  return [...(names ? [`-a ${quoted(names.join(' '))}`] : []), ...(files ? ['-F'] : [])]
}

/** The options of `complete` for the value of a flag, none for a flag without a value. */
function fishValue({ valueName, completion, isList }: CommandOption): string[] {
  if (valueName === undefined) return []
  if (completion === 'files') return ['-r -F']
  if (!completion) return ['-x']
  const names = completion.join(' ')
  return [`-x -a ${quoted(isList ? `(__fish_append , ${names})` : names)}`]
}
