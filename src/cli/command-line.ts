import { readFileSync } from 'node:fs'
import { parseArgs, parseEnv } from 'node:util'
import { ConfigError, configOf, type Config, type Environment } from '../config.ts'
import { storageErrorFor, isTransientSqliteError } from '../store/sqlite-errors.ts'
import { StoreError } from '../store/store-error.ts'
import { askCommand } from './ask.ts'
import { backupCommand } from './backup.ts'
import { isShell, completionShells } from './completion.ts'
import { createCredentialStore } from './credentials.ts'
import { checkMachine, formatFindings } from './doctor-machine.ts'
import { recoverCommand } from './doctor-state.ts'
import { checkSources, formatSourceChecks } from './doctor-sources.ts'
import { exitCodes } from './exit-codes.ts'
import { healthcheckCommand } from './healthcheck.ts'
import { commandNames, helpText } from './help.ts'
import { readStdinLines } from './stdin-lines.ts'
import { loginCommand } from './login.ts'
import { manualPage } from './manual-page.ts'
import { fetchAnswer } from './oauth-client.ts'
import { globalOptions } from './shared-options.ts'
import { packCommand } from './pack.ts'
import type { CommandPage } from './command-page.ts'
import { isCommand, commandPages, type CommandName } from './command-pages.ts'
import { answerInProcess, locationOfFlags, apiRequestOf } from './question.ts'
import { restoreCommand } from './restore.ts'
import { runCommand } from './run.ts'
import { parseScopesFlag } from './scopes-flag.ts'
import { serveCommand } from './serve.ts'
import { findUnknownSettings } from './unknown-settings.ts'
import { tokenCommand } from './token.ts'
import { UsageError } from './usage-error.ts'
import { userCommand } from './user.ts'
import { versionInfo, type BuildInfo } from './version.ts'
import type { AppOptions } from '../app.ts'

/** The flags of all commands, as they are parsed; which of them a command takes is what its page says. */
const flagSpecs = Object.fromEntries(
  Object.values(commandPages)
    .flatMap(({ options }) => Object.entries({ ...options, ...globalOptions }))
    .map(([name, { valueName }]) => [
      name,
      { type: valueName === undefined ? 'boolean' : 'string', ...(name === 'help' ? { short: 'h' } : {}) } as const,
    ]),
)

type Flags = Readonly<Record<string, string | boolean | undefined>>

/** What a command is given beside its words: the house's data, and the world outside. */
export type CommandDeps = {
  env: Environment
  print(line: string): void
  printError(line: string): void
  /** All that it takes to open the app but the configuration. */
  appOptions(config: Config): Omit<AppOptions, 'config'>
  version: string
  buildInfo(): BuildInfo
}

/** Carries out a command line and gives its exit code. */
export async function runCommandLine(args: string[], deps: CommandDeps): Promise<number> {
  try {
    return await dispatch(args, deps)
  } catch (error) {
    if (error instanceof UsageError) return fail(error, exitCodes.usage)
    if (error instanceof ConfigError || error instanceof StoreError) return fail(error, exitCodes.config)
    if (isTransientSqliteError(error)) return fail(storageErrorFor(error), exitCodes.failure)
    if (isFileSystemError(error)) return fail(error, exitCodes.failure)
    deps.printError(errorText(error))
    return exitCodes.internalError
  }

  function fail({ message }: Error, exitCode: number): number {
    deps.printError(message)
    return exitCode
  }
}

/** Without the lines of code round each place: in an executable these are thousands of letters long. */
function errorText(error: unknown): string {
  if (!(error instanceof Error)) return Bun.inspect(error)
  return [
    error.stack ?? error.message,
    ...(error.cause === undefined ? [] : [`because of ${errorText(error.cause)}`]),
  ].join('\n')
}

/** A file or folder that this user may not write, or that is something else, or a disk with no room: what failed says which. */
function isFileSystemError(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'syscall' in error &&
    'code' in error &&
    /^E(?:ROFS|ACCES|PERM|NOSPC|DQUOT|NOTDIR|ISDIR|EXIST|NAMETOOLONG|LOOP)$/.test(String(error.code))
  )
}

/** Who asks once is told of what goes wrong, and not of every pack that is there. */
const oneShotCommands: ReadonlySet<string> = new Set(['ask', 'fetch', 'geocode', 'lookup', 'run'])

async function dispatch(args: string[], deps: CommandDeps): Promise<number> {
  const { values, positionals } = parseCommandArgs(args.length === 1 && args[0] === '--version' ? ['version'] : args)
  const [name = 'serve', ...rest] = positionals
  if (!isCommand(name)) throw unknownCommandError(name)
  requireKnownFlags(name, values)
  if (values.help) return printText(helpText(positionals.length > 0 ? name : undefined), deps)
  requireArgumentCount(name, rest)
  if (name === 'help') return printHelp(rest[0], deps)
  if (name === 'version')
    return printText(
      values.json ? JSON.stringify(versionInfo(deps.version, deps.buildInfo())) : `fieldstone ${deps.version}`,
      deps,
    )
  if (name === 'completion') return printCompletion(rest[0], deps)
  if (name === 'man') return printText(manualPage(deps.version), deps)
  const env = commandEnvironment(values, deps)
  const unknownSettings = findUnknownSettings(env)
  rejectMisspelledSettings(unknownSettings)
  const config = configOf(oneShotCommands.has(name) ? { FIELDSTONE_LOG: 'error', ...env } : env)
  if (name === 'healthcheck') return healthcheckCommand(config, deps)
  if (name === 'token')
    return tokenCommand(rest, typeof values.name === 'string' ? values.name : 'command line', config, deps)
  if (name === 'user') return userCommand(rest, parseScopesFlag(values.scopes), config, deps)
  if (name === 'login')
    return loginCommand(parseServerFlag(values) ?? config.base_url, parseScopesFlag(values.scopes)?.join(' ') ?? null, {
      ...deps,
      credentials: createCredentialStore(deps.env),
      httpFetch: fetchAnswer,
      wait: (ms) => Bun.sleep(ms),
      now: () => new Date(),
    })
  if (name === 'mcp' && values.local)
    return (await import('./mcp.ts')).mcpLocalCommand({ config, ...deps.appOptions(config) })
  if (name === 'mcp')
    return (await import('./mcp.ts')).mcpRemoteCommand(parseServerFlag(values), config.token, {
      ...deps,
      credentials: createCredentialStore(deps.env),
      httpFetch: fetchAnswer,
      lines: readStdinLines(),
    })
  if (name === 'doctor') return doctorCommand(rest, values, config, deps)
  if (name === 'backup') return backupCommand(rest, { config, appOptions: deps.appOptions }, deps)
  if (name === 'restore') return restoreCommand(rest, config, deps)
  if (name === 'pack')
    return packCommand(rest, values, {
      config,
      options: deps.appOptions(config),
      print: deps.print,
      printError: deps.printError,
    })
  if (name === 'ask') return askQuestion(rest.join(' '), values, { config, ...deps.appOptions(config) }, deps.print)
  if (name === 'fetch' || name === 'geocode' || name === 'lookup')
    return answerInProcess(apiRequestOf(name, rest, values), { config, ...deps.appOptions(config) }, deps.print)
  if (name === 'run') return runCommand(rest, values, { config, ...deps })
  for (const it of unknownSettings)
    deps.printError(`${it.name} is no setting, and is not heeded. \`fieldstone help serve\` lists those that are.`)
  return serveCommand({ config, ...deps.appOptions(config) }, deps.print)
}

/** A slip in a name would go unnoticed otherwise: FIELDSTONE_OFLINE=1 leaves the network on. */
function rejectMisspelledSettings(unknownSettings: ReturnType<typeof findUnknownSettings>): void {
  const misspelled = unknownSettings.filter(({ suggestion }) => suggestion !== null)
  if (misspelled.length > 0)
    throw new UsageError(
      misspelled
        .map(
          ({ name, suggestion }) =>
            `${name} is no setting: was ${suggestion} meant? \`fieldstone help serve\` lists them all.`,
        )
        .join('\n'),
    )
}

function parseCommandArgs(args: string[]): { values: Flags; positionals: string[] } {
  try {
    return parseArgs({ args: joinNegativeValues(args), options: flagSpecs, allowPositionals: true })
  } catch (error) {
    // What follows the first sentence tells how to name a file that begins with a dash.
    throw new UsageError(`${(error as Error).message.split('. ', 1)[0]}. \`fieldstone --help\` lists what there is.`)
  }
}

function requireKnownFlags(name: CommandName, values: Flags): void {
  const knownFlags = Object.keys({ ...commandPages[name].options, ...globalOptions })
  const unknownFlag = Object.keys(values).find((flag) => !knownFlags.includes(flag))
  if (unknownFlag !== undefined)
    throw new UsageError(
      `\`fieldstone ${name}\` takes no --${unknownFlag}; it takes ${knownFlags.map((flag) => `--${flag}`).join(', ')}. \`fieldstone --help\` lists what there is.`,
    )
}

/** A word that a command does not understand may have been the most important one. */
function requireArgumentCount(name: CommandName, args: string[]): void {
  const { usage, maxArguments: limit = 0 }: CommandPage = commandPages[name]
  if (args.length > limit)
    throw new UsageError(
      `${JSON.stringify(args[limit])} is one word too many: it is written ${usage.map((it) => `\`fieldstone ${it}\``).join(' or ')}. \`fieldstone help ${name}\` tells more.`,
    )
}

function unknownCommandError(name: string): UsageError {
  return new UsageError(
    `There is no command ${JSON.stringify(name)}: there are ${commandNames.join(', ')}. \`fieldstone --help\` tells more.`,
  )
}

function printHelp(name: string | undefined, deps: CommandDeps): number {
  if (name !== undefined && !isCommand(name)) throw unknownCommandError(name)
  return printText(helpText(name), deps)
}

/** A number below zero behind a flag is its value, and not a flag of its own: the west of a box is. */
function joinNegativeValues(args: string[]): string[] {
  return args.reduce<string[]>((joinedArgs, arg) => {
    const previous = joinedArgs.at(-1)
    const isValue = /^-[\d.]/.test(arg) && previous !== undefined && /^--[\w-]+$/.test(previous)
    return isValue ? [...joinedArgs.slice(0, -1), `${previous}=${arg}`] : [...joinedArgs, arg]
  }, [])
}

/** The server that is meant, as its logins are kept by it. */
function parseServerFlag({ server }: Flags): string | null {
  if (server === undefined) return null
  if (typeof server !== 'string' || !/^https?:\/\/[^/]/.test(server) || !URL.canParse(server))
    throw new UsageError('--server takes an address such as https://fieldstone.example.')
  return server.replace(/\/$/, '')
}

/** The environment, below it the file that --env-file names, above it the flags. */
function commandEnvironment(values: Flags, { env }: CommandDeps): Environment {
  const file = typeof values['env-file'] === 'string' ? readEnvFile(values['env-file']) : {}
  const fromFlags = Object.entries({
    FIELDSTONE_HOST: values.host,
    FIELDSTONE_PORT: values.port,
    FIELDSTONE_DATA: values.data,
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
    throw new ConfigError(`The file ${path} of --env-file cannot be read: ${(cause as Error).message}`, { cause })
  }
}

async function doctorCommand(
  names: string[],
  { live, json, recover, clock }: Flags,
  config: Config,
  { print, appOptions }: CommandDeps,
): Promise<number> {
  if (!live && names.length > 0)
    throw new UsageError(
      '`fieldstone doctor --live [<dataset> …]` asks the sources on other servers, each for its fields at known places; without --live it takes no words.',
    )
  if ([live, recover, clock].filter((it) => it === true).length > 1 || (recover && json))
    throw new UsageError(
      `${commandPages.doctor.usage.map((it) => `\`fieldstone ${it}\``).join(', ')}: one of them at a time.`,
    )
  if (recover) return recoverCommand(config.data, new Date(), print)
  if (!live)
    return checkMachine({ config, appOptions, now: new Date(), checksClock: clock === true }, (findings) =>
      (json ? [JSON.stringify(findings)] : formatFindings(findings)).forEach(print),
    )
  const unknown = names.filter((name) => !Object.hasOwn(appOptions(config).contents.datasets, name))
  if (unknown.length > 0)
    throw new UsageError(`There is no dataset ${unknown.join(', ')}: GET /v1/meta/sources lists them all.`)
  return checkSources({ config, ...appOptions(config) }, names, (checks) =>
    (json ? [JSON.stringify(checks)] : formatSourceChecks(checks)).forEach(print),
  )
}

function askQuestion(
  question: string,
  flags: Flags,
  options: AppOptions,
  print: (line: string) => void,
): Promise<number> {
  if (question.trim() === '') throw new UsageError('Nothing is asked: `fieldstone ask "<question>" --at <lat,lng>`.')
  return askCommand(
    { question, ...locationOfFlags(flags), ...(flags.trace ? { include_trace: true } : {}) },
    flags.json === true,
    options,
    print,
  )
}

function printCompletion(shell: string | undefined, deps: CommandDeps): number {
  if (!isShell(shell))
    throw new UsageError(
      `\`fieldstone completion ${Object.keys(completionShells).join('|')}\` prints the completion of a shell. \`fieldstone --help\` tells more.`,
    )
  return printText(completionShells[shell](), deps)
}

function printText(text: string, { print }: CommandDeps): number {
  print(text)
  return 0
}
