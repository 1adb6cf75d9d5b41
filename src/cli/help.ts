import { exitCodeMeanings } from './exit-codes.ts'
import { globalOptions } from './shared-options.ts'
import type { CommandPage } from './command-page.ts'
import { isCommand, commandPages } from './command-pages.ts'
import { settingDescriptions } from './settings.ts'

const width = 120
const maxNameWidth = 30

/** The page of a command, or the overview when it is none. */
export function helpText(command: string | undefined): string {
  return command !== undefined && isCommand(command) ? pageText(commandPages[command]) : overview()
}

export const commandNames = Object.keys(commandPages)

/** What stands before a flag's sentence: `--host <name>`. */
export function flagUsage(name: string, { valueName }: { valueName?: string }): string {
  return valueName === undefined ? `--${name}` : `--${name} <${valueName}>`
}

/** What a flag means, with what holds when it is not given. */
export function flagDescription({ description, defaultText }: { description: string; defaultText?: string }): string {
  return defaultText === undefined ? description : `${description}; otherwise ${defaultText}`
}

function pageText({ usage, description, options, environment = [], exitCodes, examples }: CommandPage): string {
  const flags = Object.entries({ ...options, ...globalOptions }).map(
    ([name, option]) => [flagUsage(name, option), flagDescription(option)] as const,
  )
  const variables = environment.map((name) => [name, settingDescriptions[name]!] as const)
  const codes = Object.entries({ ...exitCodeMeanings, ...exitCodes })
    .filter(([code]) => exitCodes?.[Number(code)] !== undefined || code === '0' || code === '64')
    .map(([code, meaning]) => [code, meaning] as const)
  return [
    usage.map((line) => `fieldstone ${line}`).join('\n'),
    ...description.map((paragraph) => wrapText(paragraph, 0)),
    `Options:\n${formatTable(flags)}`,
    ...(variables.length > 0 ? [`Environment:\n${formatTable(variables)}`] : []),
    `Exit codes (\`fieldstone --help\` has them all):\n${formatTable(codes)}`,
    `Examples:\n${examples.map(([line, does]) => `  ${line}\n      ${does}`).join('\n')}`,
  ].join('\n\n')
}

function overview(): string {
  const commands = Object.entries(commandPages).map(([name, { summary }]) => [`fieldstone ${name}`, summary] as const)
  return [
    'Fieldstone: what is true of this place? Named fields for any US coordinate, each with its provenance.',
    formatTable(commands),
    '`fieldstone help <command>` tells what a command takes, `fieldstone help serve` every variable that is read.',
    `Exit codes:\n${formatTable(Object.entries(exitCodeMeanings).map(([code, meaning]) => [code, meaning] as const))}`,
  ].join('\n\n')
}

/** Names at the left, what they mean at the right; a name that is too long has a line of its own. */
function formatTable(rows: readonly (readonly [name: string, says: string])[]): string {
  const column = Math.min(maxNameWidth, Math.max(...rows.map(([name]) => name.length))) + 4
  return rows
    .map(([name, says]) => {
      const text = wrapText(says, column)
      return name.length + 4 <= column ? `  ${name}${text.slice(2 + name.length)}` : `  ${name}\n${text}`
    })
    .join('\n')
}

function wrapText(text: string, indent: number): string {
  const lines = text.split(' ').reduce<string[]>((all, word) => {
    const last = all.at(-1)
    return last !== undefined && last.length + 1 + word.length <= width - indent
      ? [...all.slice(0, -1), `${last} ${word}`]
      : [...all, word]
  }, [])
  return lines.map((line) => `${' '.repeat(indent)}${line}`).join('\n')
}
