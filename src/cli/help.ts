import { exitMeanings } from './exits.ts'
import { always } from './options.ts'
import type { Page } from './page.ts'
import { isCommand, pages } from './pages.ts'
import { settings } from './settings.ts'

const width = 120
const nameWidth_max = 30

/** The page of a command, or the overview when it is none. */
export function helpOf(command: string | undefined): string {
  return command !== undefined && isCommand(command) ? pageText(pages[command]) : overview()
}

export const commandNames = Object.keys(pages)

/** What stands before a flag's sentence: `--host <name>`. */
export function flagText(name: string, { value }: { value?: string }): string {
  return value === undefined ? `--${name}` : `--${name} <${value}>`
}

/** What a flag means, with what holds when it is not given. */
export function flagSays({ says, otherwise }: { says: string; otherwise?: string }): string {
  return otherwise === undefined ? says : `${says}; otherwise ${otherwise}`
}

function pageText({ usage, says, options, environment = [], exits, examples }: Page): string {
  const flags = Object.entries({ ...options, ...always }).map(([name, option]) => [flagText(name, option), flagSays(option)] as const)
  const variables = environment.map((name) => [name, settings[name]!] as const)
  const codes = Object.entries({ ...exitMeanings, ...exits }).filter(([code]) => exits?.[Number(code)] !== undefined || code === '0' || code === '64').map(([code, meaning]) => [code, meaning] as const)
  return [
    usage.map((line) => `fieldstone ${line}`).join('\n'),
    ...says.map((paragraph) => wrapped(paragraph, 0)),
    `Options:\n${table(flags)}`,
    ...(variables.length > 0 ? [`Environment:\n${table(variables)}`] : []),
    `Exit codes (\`fieldstone --help\` has them all):\n${table(codes)}`,
    `Examples:\n${examples.map(([line, does]) => `  ${line}\n      ${does}`).join('\n')}`,
  ].join('\n\n')
}

function overview(): string {
  const commands = Object.entries(pages).map(([name, { purpose }]) => [`fieldstone ${name}`, purpose] as const)
  return [
    'Fieldstone: what is true of this place? Named fields for any US coordinate, each with its provenance.',
    table(commands),
    '`fieldstone help <command>` tells what a command takes, `fieldstone help serve` every variable that is read.',
    `Exit codes:\n${table(Object.entries(exitMeanings).map(([code, meaning]) => [code, meaning] as const))}`,
  ].join('\n\n')
}

/** Names at the left, what they mean at the right; a name that is too long has a line of its own. */
function table(rows: readonly (readonly [name: string, says: string])[]): string {
  const column = Math.min(nameWidth_max, Math.max(...rows.map(([name]) => name.length))) + 4
  return rows.map(([name, says]) => {
    const text = wrapped(says, column)
    return name.length + 4 <= column ? `  ${name}${text.slice(2 + name.length)}` : `  ${name}\n${text}`
  }).join('\n')
}

function wrapped(text: string, indent: number): string {
  const lines = text.split(' ').reduce<string[]>((all, word) => {
    const last = all.at(-1)
    return last !== undefined && last.length + 1 + word.length <= width - indent ? [...all.slice(0, -1), `${last} ${word}`] : [...all, word]
  }, [])
  return lines.map((line) => `${' '.repeat(indent)}${line}`).join('\n')
}
