import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseArgs, parseEnv } from 'node:util'
import { allScopes, isScope, type Scope } from '../auth/scope.ts'
import { suggestName } from '../model/nearest-name.ts'
import { ConfigError, type Environment } from '../config.ts'
import { FileError } from '../files/file-error.ts'
import { fileErrorText } from '../model/text.ts'
import { commandPages, type CommandName } from './command-pages.ts'
import type { CommandPage } from './command-page.ts'
import type { findUnknownSettings } from './settings.ts'
import { globalOptions } from './shared-options.ts'
import { UsageError } from './usage-error.ts'

/** The flags of all commands, for parseArgs. The page of a command says which of them it takes. */
const flagSpecs = Object.fromEntries(
  Object.values(commandPages)
    .flatMap(({ options }) => Object.entries({ ...options, ...globalOptions }))
    .map(([name, { valueName }]) => [
      name,
      { type: valueName === undefined ? 'boolean' : 'string', ...(name === 'help' ? { short: 'h' } : {}) } as const,
    ]),
)

/** The flags of a command line by name. */
export type CommandFlags = Readonly<Record<string, string | boolean | undefined>>

/** Parses a command line. @throws {UsageError} for a flag that no command takes. */
export function parseCommandArgs(args: string[]): { values: CommandFlags; positionals: string[] } {
  try {
    const joined = ['--at', '--vs'].reduce(joinCoordinates, args)
    return parseArgs({ args: joinNegativeValues(joined), options: flagSpecs, allowPositionals: true })
  } catch (error) {
    // The rest of Node's message explains how to pass a file name that starts with a dash.
    const [problem = ''] = (error as Error).message.split('. ', 1)
    if (/^Unknown option '-?\d/.test(problem))
      throw new UsageError(
        'A coordinate is the value of an option, such as `--at 39.74,-104.99`. See `fieldstone --help`.',
      )
    throw new UsageError(`${problem}.${flagSuggestion(problem)} See \`fieldstone --help\`.`)
  }
}

function flagSuggestion(problem: string): string {
  const unknown = /^Unknown option '--([\w-]+)'/.exec(problem)?.[1]
  return unknown === undefined ? '' : suggestName(unknown, Object.keys(flagSpecs), (nearest) => `--${nearest}`)
}

/** Requires that the command takes all given flags. @throws {UsageError} */
export function requireKnownFlags(name: CommandName, values: CommandFlags): void {
  const knownFlags = Object.keys({ ...commandPages[name].options, ...globalOptions })
  const unknownFlag = Object.keys(values).find((flag) => !knownFlags.includes(flag))
  if (unknownFlag !== undefined)
    throw new UsageError(
      `\`fieldstone ${name}\` does not take --${unknownFlag}. \`fieldstone ${name} --help\` lists its options.`,
    )
}

/**
 * Suggests the action that is nearest to an unknown one. The command itself rejects all others. @throws {UsageError}
 */
export function suggestAction(name: CommandName, [action]: string[]): void {
  const { actions = [] }: CommandPage = commandPages[name]
  // The name of another shell is not a misspelling.
  if (name === 'completion' || action === undefined || actions.includes(action)) return
  const suggestion = suggestName(action, actions, (nearest) => `\`fieldstone ${name} ${nearest}\``)
  if (suggestion !== '')
    throw new UsageError(`Unknown action ${JSON.stringify(action)}.${suggestion} See \`fieldstone help ${name}\`.`)
}

/** Rejects extra arguments instead of ignoring them. */
export function requireArgumentCount(name: CommandName, args: string[]): void {
  const { usage, maxArguments: limit = 0 }: CommandPage = commandPages[name]
  if (args.length > limit)
    throw new UsageError(
      `Unexpected argument ${JSON.stringify(args[limit])}. Usage: ${usage.map((it) => `\`fieldstone ${it}\``).join(' or ')}. See \`fieldstone help ${name}\`.`,
    )
}

/** Joins the two numbers of `--at 39.7392, -104.9903`, which the shell separates at the space. */
function joinCoordinates(args: string[], flag: string): string[] {
  const position = args.indexOf(flag)
  const [lat = '', lng = ''] = args.slice(position + 1)
  const isPair = position >= 0 && /^[-+]?\d[\d.]*,?$/.test(lat) && /^[-+]?\d[\d.]*$/.test(lng)
  return isPair ? [...args.slice(0, position), `${flag}=${lat} ${lng}`, ...args.slice(position + 3)] : args
}

/**
 * Joins a flag and a negative number that follows it, such as a western longitude: parseArgs reads the number as a
 * flag.
 */
function joinNegativeValues(args: string[]): string[] {
  return args.reduce<string[]>((joinedArgs, arg) => {
    const previous = joinedArgs.at(-1)
    const isValue = /^-[\d.]/.test(arg) && previous !== undefined && /^--[\w-]+$/.test(previous)
    return isValue ? [...joinedArgs.slice(0, -1), `${previous}=${arg}`] : [...joinedArgs, arg]
  }, [])
}

/** The URL of --server in the form in which the credential file stores it. @throws {UsageError} */
export function parseServerFlag({ server }: CommandFlags): string | null {
  if (server === undefined) return null
  const url = typeof server === 'string' ? URL.parse(server) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.host === '')
    throw new UsageError(
      `--server ${JSON.stringify(server)} is not valid. Use a URL such as https://fieldstone.example.`,
    )
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** The settings: flags override the environment, which overrides the file of --env-file. */
export function commandEnvironment(values: CommandFlags, env: Environment): Environment {
  const file = typeof values['env-file'] === 'string' ? readEnvFile(values['env-file']) : {}
  const fromFlags = Object.entries({
    FIELDSTONE_HOST: values.host,
    FIELDSTONE_PORT: values.port,
    FIELDSTONE_DATA: values.data,
    FIELDSTONE_PROCESSES: values.processes,
  })
  return {
    ...file,
    ...env,
    ...Object.fromEntries(fromFlags.filter((it): it is [string, string] => typeof it[1] === 'string')),
  }
}

function readEnvFile(path: string): Environment {
  try {
    return parseEnv(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new ConfigError(`Cannot read the --env-file ${path}: ${fileErrorText(cause)}.`, { cause })
  }
}

/** Parses --scopes. Null if the flag was not given. @throws {UsageError} for an unknown scope. */
export function parseScopesFlag(flag: string | boolean | undefined): Scope[] | null {
  if (typeof flag !== 'string') return null
  const names = flag.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !isScope(name))
  if (unknown !== undefined)
    throw new UsageError(
      `Unknown scope ${JSON.stringify(unknown)} in --scopes.${suggestName(unknown, allScopes)} The scopes are ${allScopes.join(',')}, separated by commas.`,
    )
  return names.filter(isScope)
}

/** Rejects misspelled settings, which would silently have no effect: FIELDSTONE_OFLINE=1 leaves the network enabled. */
export function rejectMisspelledSettings(unknownSettings: ReturnType<typeof findUnknownSettings>): void {
  const misspelled = unknownSettings.filter(({ suggestion }) => suggestion !== null)
  if (misspelled.length > 0)
    throw new UsageError(
      misspelled
        .map(
          ({ name, suggestion }) =>
            `Unknown setting ${name}. Did you mean ${suggestion}? \`fieldstone help settings\` lists all settings. See /guide/settings on a running server.`,
        )
        .join('\n'),
    )
}

/** Requires the folder of --out to exist: creating a misspelled folder could write to the wrong disk. */
export function requireOutFolder({ out }: CommandFlags): void {
  const folder = typeof out === 'string' ? dirname(resolve(out)) : null
  if (folder !== null && !existsSync(folder))
    throw new FileError(`The folder ${folder} does not exist. Create it, or set --out to another file.`)
}
