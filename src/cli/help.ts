import { exitCodeMeanings } from './exit-codes.ts'
import { globalOptions } from './shared-options.ts'
import type { CommandPage } from './command-page.ts'
import { isCommand, commandPages } from './command-pages.ts'
import { settingDescriptions, settingsTopic } from './settings.ts'

const width = 120
const maxNameWidth = 30

/** Returns the help page of a command, the list of settings, or the overview if there is no such command. */
export function helpText(command: string | undefined): string {
  if (command === settingsTopic) return settingsText()
  return command !== undefined && isCommand(command) ? pageText(commandPages[command]) : overview()
}

export const commandNames = Object.keys(commandPages)

/** The left column of a flag: `--host <name>`. */
export function flagUsage(name: string, { valueName }: { valueName?: string }): string {
  return valueName === undefined ? `--${name}` : `--${name} <${valueName}>`
}

/** The description of a flag, with its default. */
export function flagDescription({ description, defaultText }: { description: string; defaultText?: string }): string {
  return defaultText === undefined ? description : `${description} Default: ${defaultText}.`
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
    `Examples:\n${examplesText(examples)}`,
    ...description.map((paragraph) => wrapText(paragraph, 0)),
    `Options:\n${formatTable(flags)}`,
    ...(variables.length > 0 ? [`Environment:\n${formatTable(variables)}`] : []),
    `Exit codes (\`fieldstone --help\` lists all of them):\n${formatTable(codes)}`,
  ].join('\n\n')
}

function examplesText(examples: readonly (readonly [line: string, description: string])[]): string {
  return examples.map(([line, description]) => `  ${line}\n      ${description}`).join('\n')
}

function overview(): string {
  const commands = Object.entries(commandPages).map(([name, { summary }]) => [`fieldstone ${name}`, summary] as const)
  return [
    'Fieldstone returns named fields for any US coordinate or address, each with its provenance.',
    `Examples:\n${examplesText([
      ['fieldstone serve', 'Serve the dashboard and the API at http://127.0.0.1:8080'],
      ['fieldstone fetch --at "Denver, CO" --preset place_context', 'Fetch the fields that need no network'],
      ['fieldstone run sites.csv --preset place_context --out sites.answers.csv', 'Answer every row of a file'],
    ])}`,
    `Commands:\n${formatTable(commands)}`,
    'Run `fieldstone help <command>` for details, and `fieldstone help settings` for all settings.\nThe guide is at /guide on a running server, such as http://127.0.0.1:8080/guide.',
    `Exit codes:\n${formatTable(Object.entries(exitCodeMeanings).map(([code, meaning]) => [code, meaning] as const))}`,
  ].join('\n\n')
}

function settingsText(): string {
  return [
    'Settings are environment variables, or lines of the file of --env-file. A flag overrides its setting.',
    formatTable(Object.entries(settingDescriptions)),
  ].join('\n\n')
}

/** Formats two columns. A name that is too long for its column gets its own line. */
function formatTable(rows: readonly (readonly [name: string, description: string])[]): string {
  const column = Math.min(maxNameWidth, Math.max(...rows.map(([name]) => name.length))) + 4
  return rows
    .map(([name, description]) => {
      const text = wrapText(description, column)
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
