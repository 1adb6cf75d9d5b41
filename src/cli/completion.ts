import type { Option, Page } from './page.ts'
import { always } from './options.ts'
import { pages } from './pages.ts'
import { shellQuoted as quoted } from './shell-word.ts'

/** The shells whose completion can be printed. */
export const shells = { bash, zsh, fish }

export function isShell(name: string | undefined): name is keyof typeof shells {
  return name !== undefined && Object.hasOwn(shells, name)
}

const commands = Object.entries(pages) as [name: string, page: Page][]
const flagsOf = ({ options }: Page): [name: string, option: Option][] => Object.entries({ ...options, ...always })
const actionsOf = (name: string, { actions = [] }: Page): readonly string[] => (name === 'help' ? commands.map(([it]) => it) : actions)

function bash(): string {
  const values = [...new Map(commands.flatMap(([, page]) => flagsOf(page)))].filter(([, { value }]) => value !== undefined)
  const choices = values.filter(([, { completes }]) => Array.isArray(completes)).map(([name, { completes }]) => `    --${name}) COMPREPLY=($(compgen -W "${(completes as readonly string[]).join(' ')}" -- "$now")); return ;;`)
  const files = values.filter(([, { completes }]) => completes === 'files').map(([name]) => `--${name}`)
  const words = values.filter(([, { completes }]) => completes === undefined).map(([name]) => `--${name}`)
  return [
    '_fieldstone() {',
    '  local now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= flags= actions= i',
    '  COMPREPLY=()',
    '  case $before in',
    ...choices,
    `    ${files.join('|')}) COMPREPLY=($(compgen -f -- "$now")); return ;;`,
    `    ${words.join('|')}) return ;;`,
    '  esac',
    '  for ((i = 1; i < COMP_CWORD; i++)); do',
    '    case ${COMP_WORDS[i]} in -*) ;; *) command=${COMP_WORDS[i]}; break ;; esac',
    '  done',
    '  case $command in',
    ...commands.map(([name, page]) => `    ${name}) flags="${flagsOf(page).map(([flag]) => `--${flag}`).join(' ')}"; actions="${actionsOf(name, page).join(' ')}" ;;`),
    `    *) flags="${flagsOf(pages.serve).map(([flag]) => `--${flag}`).join(' ')}"; actions="${commands.map(([name]) => name).join(' ')}" ;;`,
    '  esac',
    '  if [[ $now == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$now"))',
    '  elif [[ -z $command || $before == "$command" ]] && [[ -n $actions ]]; then COMPREPLY=($(compgen -W "$actions" -- "$now"))',
    '  else COMPREPLY=($(compgen -f -- "$now")); fi',
    '}',
    'complete -o filenames -F _fieldstone fieldstone',
  ].join('\n')
}

function zsh(): string {
  const told = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('[', '\\[').replaceAll(']', '\\]').replaceAll(':', '\\:')
  const after = ({ value, completes }: Option) => (value === undefined ? '' : `:${told(value)}:${completes === 'files' ? '_files' : completes ? `(${completes.join(' ')})` : ' '}`)
  const flags = (page: Page) => flagsOf(page).map(([name, option]) => quoted(`--${name}[${told(option.says)}]${after(option)}`))
  return [
    '#compdef fieldstone',
    '_fieldstone() {',
    '  local -a commands=(',
    ...commands.map(([name, { purpose }]) => `    ${quoted(`${name}:${told(purpose)}`)}`),
    '  )',
    '  if (( CURRENT == 2 )); then _describe command commands; return; fi',
    '  local command=$words[2]',
    '  shift words',
    '  (( CURRENT-- ))',
    '  case $command in',
    ...commands.map(([name, page]) => {
      const actions = actionsOf(name, page)
      return `    ${name}) _arguments ${[...flags(page), ...(actions.length > 0 ? [quoted(`1:action:(${actions.join(' ')})`)] : []), quoted('*:file:_files')].join(' ')} ;;`
    }),
    '  esac',
    '}',
    '_fieldstone "$@"',
  ].join('\n')
}

function fish(): string {
  const line = (condition: string, rest: string) => `complete -c fieldstone -n ${quoted(condition)} ${rest}`
  return [
    'complete -c fieldstone -f',
    ...commands.flatMap(([name, page]) => [
      line('__fish_use_subcommand', `-a ${name} -d ${quoted(page.purpose)}`),
      ...actionsOf(name, page).map((action) => line(`__fish_seen_subcommand_from ${name}`, `-a ${action}`)),
      ...flagsOf(page).map(([flag, option]) => line(`__fish_seen_subcommand_from ${name}`, [`-l ${flag}`, `-d ${quoted(option.says)}`, ...(option.value === undefined ? [] : [option.completes === 'files' ? '-r -F' : option.completes ? `-x -a ${quoted(option.completes.join(' '))}` : '-x'])].join(' '))),
    ]),
  ].join('\n')
}
