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

/** The flags of all commands, for parseArgs. The page of a command says which of them it takes. */
const flagSpecs = Object.fromEntries(
  Object.values(commandPages)
    .flatMap(({ options }) => Object.entries({ ...options, ...globalOptions }))
    .map(([name, { valueName }]) => [
      name,
      { type: valueName === undefined ? 'boolean' : 'string', ...(name === 'help' ? { short: 'h' } : {}) } as const,
    ]),
)

type Flags = Readonly<Record<string, string | boolean | undefined>>

/** What every command needs beside its arguments. */
export type CommandDeps = {
  env: Environment
  print(line: string): void
  printError(line: string): void
  /** The options of the app, except the configuration. */
  appOptions(config: Config): Omit<AppOptions, 'config'>
  version: string
  buildInfo(): BuildInfo
}

/** Runs a command line and returns its exit code. */
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

/**
 * Returns stack traces without source excerpts: in the compiled executable, a source line has thousands of characters.
 */
function errorText(error: unknown): string {
  if (!(error instanceof Error)) return Bun.inspect(error)
  return [
    error.stack ?? error.message,
    ...(error.cause === undefined ? [] : [`Caused by: ${errorText(error.cause)}`]),
  ].join('\n')
}

/** Whether a file operation failed for a reason that the user can fix. The message of the error names the path. */
function isFileSystemError(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'syscall' in error &&
    'code' in error &&
    /^E(?:ROFS|ACCES|PERM|NOSPC|DQUOT|NOTDIR|ISDIR|EXIST|NAMETOOLONG|LOOP)$/.test(String(error.code))
  )
}

/** Commands that log errors only: the log of a server would hide their output. */
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
    deps.printError(`${it.name} is not a setting; ignored. \`fieldstone help serve\` lists all settings.`)
  return serveCommand({ config, ...deps.appOptions(config) }, deps.print)
}

/** Rejects misspelled settings, which would silently have no effect: FIELDSTONE_OFLINE=1 leaves the network enabled. */
function rejectMisspelledSettings(unknownSettings: ReturnType<typeof findUnknownSettings>): void {
  const misspelled = unknownSettings.filter(({ suggestion }) => suggestion !== null)
  if (misspelled.length > 0)
    throw new UsageError(
      misspelled
        .map(
          ({ name, suggestion }) =>
            `Unknown setting ${name}. Did you mean ${suggestion}? \`fieldstone help serve\` lists all settings.`,
        )
        .join('\n'),
    )
}

function parseCommandArgs(args: string[]): { values: Flags; positionals: string[] } {
  try {
    return parseArgs({ args: joinNegativeValues(args), options: flagSpecs, allowPositionals: true })
  } catch (error) {
    // The rest of Node's message explains how to pass a file name that starts with a dash.
    throw new UsageError(`${(error as Error).message.split('. ', 1)[0]}. See \`fieldstone --help\`.`)
  }
}

function requireKnownFlags(name: CommandName, values: Flags): void {
  const knownFlags = Object.keys({ ...commandPages[name].options, ...globalOptions })
  const unknownFlag = Object.keys(values).find((flag) => !knownFlags.includes(flag))
  if (unknownFlag !== undefined)
    throw new UsageError(
      `\`fieldstone ${name}\` does not take --${unknownFlag}. It takes ${knownFlags.map((flag) => `--${flag}`).join(', ')}. See \`fieldstone --help\`.`,
    )
}

/** Rejects extra arguments instead of ignoring them. */
function requireArgumentCount(name: CommandName, args: string[]): void {
  const { usage, maxArguments: limit = 0 }: CommandPage = commandPages[name]
  if (args.length > limit)
    throw new UsageError(
      `Unexpected argument ${JSON.stringify(args[limit])}. Usage: ${usage.map((it) => `\`fieldstone ${it}\``).join(' or ')}. See \`fieldstone help ${name}\`.`,
    )
}

function unknownCommandError(name: string): UsageError {
  return new UsageError(
    `Unknown command ${JSON.stringify(name)}. The commands are ${commandNames.join(', ')}. See \`fieldstone --help\`.`,
  )
}

function printHelp(name: string | undefined, deps: CommandDeps): number {
  if (name !== undefined && !isCommand(name)) throw unknownCommandError(name)
  return printText(helpText(name), deps)
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

/** The value of --server without a trailing slash, as the credential file stores it. */
function parseServerFlag({ server }: Flags): string | null {
  if (server === undefined) return null
  if (typeof server !== 'string' || !/^https?:\/\/[^/]/.test(server) || !URL.canParse(server))
    throw new UsageError('--server must be a URL such as https://fieldstone.example.')
  return server.replace(/\/$/, '')
}

/** The settings: flags override the environment, which overrides the file of --env-file. */
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
    throw new ConfigError(`Cannot read the --env-file ${path}: ${(cause as Error).message}`, { cause })
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
      '`fieldstone doctor` takes dataset names only with --live. Usage: `fieldstone doctor --live [<dataset> …]`.',
    )
  if ([live, recover, clock].filter((it) => it === true).length > 1 || (recover && json))
    throw new UsageError(
      `These flags cannot be combined. Usage: ${commandPages.doctor.usage.map((it) => `\`fieldstone ${it}\``).join(' or ')}.`,
    )
  if (recover) return recoverCommand(config.data, new Date(), print)
  if (!live)
    return checkMachine({ config, appOptions, now: new Date(), checksClock: clock === true }, (findings) =>
      (json ? [JSON.stringify(findings)] : formatFindings(findings)).forEach(print),
    )
  const unknown = names.filter((name) => !Object.hasOwn(appOptions(config).contents.datasets, name))
  if (unknown.length > 0)
    throw new UsageError(`Unknown dataset ${unknown.join(', ')}. GET /v1/meta/sources lists all datasets.`)
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
  if (question.trim() === '')
    throw new UsageError('No question given. Usage: `fieldstone ask "<question>" --at <lat,lng>`.')
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
      `No known shell given. Usage: \`fieldstone completion ${Object.keys(completionShells).join('|')}\`. See \`fieldstone --help\`.`,
    )
  return printText(completionShells[shell](), deps)
}

function printText(text: string, { print }: CommandDeps): number {
  print(text)
  return 0
}
