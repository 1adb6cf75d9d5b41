import { configOf, type Config, type Environment } from '../config.ts'
import { suggestName } from '../model/nearest-name.ts'
import { isShell, completionShells } from './completion.ts'
import {
  commandEnvironment,
  parseCommandArgs,
  parseScopesFlag,
  parseServerFlag,
  rejectMisspelledSettings,
  requireArgumentCount,
  requireKnownFlags,
  suggestAction,
  type CommandFlags,
} from './command-args.ts'
import { commandFailureOf } from './command-error.ts'
import { createCredentialStore } from './credentials.ts'
import { commandNames, helpText } from './help.ts'
import { fetchAnswer } from './oauth-client.ts'
import type { QuestionDeps } from './question-backend.ts'
import { isCommand, type CommandName } from './command-pages.ts'
import { locationOfFlags } from './location-flags.ts'
import { findUnknownSettings } from './settings.ts'
import { createLog } from '../log.ts'
import type { ServerProcess } from '../server-process.ts'
import type { SpawnProcess } from './supervisor.ts'
import { UsageError } from './usage-error.ts'
import { versionInfo, type BuildInfo } from './version.ts'
import type { AppOptions } from '../app.ts'

/** What every command needs beside its arguments. */
export type CommandDeps = {
  env: Environment
  print(line: string): void
  printError(line: string): void
  /** Whether standard output is a terminal, so that answers are tables. */
  isTerminal?: boolean
  /** The options of the app, except the configuration. */
  appOptions(config: Config): Omit<AppOptions, 'config'>
  version: string
  /** The connection of a process of `serve --processes`; null in every other process. */
  serverProcess?: ServerProcess | null
  /** Starts a process of `serve --processes`. */
  spawnProcess?: SpawnProcess
  buildInfo(): BuildInfo
}

/** Runs a command line and returns its exit code. With --json, an error is an object on standard error. */
export async function runCommandLine(args: string[], deps: CommandDeps): Promise<number> {
  try {
    return await dispatch(args, deps)
  } catch (error) {
    const { exitCode, text, detail } = commandFailureOf(error)
    deps.printError(args.includes('--json') ? JSON.stringify({ detail }) : text)
    return exitCode
  }
}

/** Commands that log errors only: the log of a server would hide their output. */
const oneShotCommands: ReadonlySet<string> = new Set([
  'ask',
  'fetch',
  'area',
  'fields',
  'geocode',
  'lookup',
  'presets',
  'report',
  'run',
])

async function dispatch(args: string[], deps: CommandDeps): Promise<number> {
  if (args.length === 0) return printText(helpText(undefined), deps)
  const { values, positionals } = parseCommandArgs(args.length === 1 && args[0] === '--version' ? ['version'] : args)
  const [name = 'serve', ...rest] = positionals
  if (!isCommand(name)) throw unknownCommandError(name)
  requireKnownFlags(name, values)
  if (values.help) return printText(helpText(positionals.length > 0 ? name : undefined), deps)
  requireArgumentCount(name, rest)
  suggestAction(name, rest)
  if (name === 'help') return printHelp(rest[0], deps)
  if (name === 'version')
    return printText(
      values.json ? JSON.stringify(versionInfo(deps.version, deps.buildInfo())) : `fieldstone ${deps.version}`,
      deps,
    )
  if (name === 'completion') return printCompletion(rest[0], deps)
  if (name === 'sample')
    return (await import('./sample.ts')).sampleCommand(rest, { isForced: values.force === true, print: deps.print })
  if (name === 'man') return printText((await import('./manual-page.ts')).manualPage(deps.version), deps)
  return dispatchConfigured({ name, rest, values: await withResolvedPlaces(values, deps) }, deps)
}

/** Replaces the names of places in --at and --vs with their coordinates. */
async function withResolvedPlaces(values: CommandFlags, { printError }: CommandDeps): Promise<CommandFlags> {
  const resolve = async (place: string | boolean | undefined) =>
    typeof place === 'string' ? (await import('./place-flag.ts')).resolvePlaceFlag(place, printError) : place
  const [at, vs] = [await resolve(values.at), await resolve(values.vs)]
  return { ...values, ...(at !== undefined && { at }), ...(vs !== undefined && { vs }) }
}

type ParsedCommand = { name: CommandName; rest: string[]; values: CommandFlags }

/** Runs a command that reads the configuration. Only its own code is loaded, which makes it start faster. */
async function dispatchConfigured({ name, rest, values }: ParsedCommand, deps: CommandDeps): Promise<number> {
  const env = commandEnvironment(values, deps.env)
  const unknownSettings = findUnknownSettings(env)
  rejectMisspelledSettings(unknownSettings)
  const credentials = createCredentialStore(deps.env)
  const commandSettings = oneShotCommands.has(name) ? { FIELDSTONE_LOG: 'error', ...env } : env
  const config = configOf(commandSettings)
  if (name === 'healthcheck') return (await import('./healthcheck.ts')).healthcheckCommand(config, deps)
  if (name === 'token') {
    const { tokenCommand } = await import('./token.ts')
    return tokenCommand(rest, typeof values.name === 'string' ? values.name : 'command line', config, deps)
  }
  if (name === 'user')
    return (await import('./user.ts')).userCommand(rest, parseScopesFlag(values.scopes), config, deps)
  if (name === 'login') {
    const { loginCommand } = await import('./login.ts')
    return loginCommand(parseServerFlag(values) ?? config.base_url, parseScopesFlag(values.scopes)?.join(' ') ?? null, {
      ...deps,
      credentials,
      httpFetch: fetchAnswer,
      wait: (ms) => Bun.sleep(ms),
      now: () => new Date(),
    })
  }
  if (name === 'mcp' && values.local)
    return (await import('./mcp.ts')).mcpLocalCommand({ config, ...deps.appOptions(config) })
  if (name === 'mcp')
    return (await import('./mcp.ts')).mcpRemoteCommand(parseServerFlag(values), config.token, {
      ...deps,
      credentials,
      httpFetch: fetchAnswer,
      lines: (await import('./mcp-bridge.ts')).readStdinLines(),
    })
  if (name === 'doctor') return (await import('./doctor.ts')).doctorCommand(rest, values, config, deps)
  if (name === 'backup')
    return (await import('./backup.ts')).backupCommand(rest, { config, appOptions: deps.appOptions }, deps)
  if (name === 'restore') return (await import('./restore.ts')).restoreCommand(rest, config, deps)
  if (name === 'migrate-state') {
    const { migrateStateCommand } = await import('./migrate-state.ts')
    return migrateStateCommand(typeof values.to === 'string' ? values.to : '', config, deps.print)
  }
  if (name === 'nodes')
    return (await import('./nodes.ts')).nodesCommand(config, { json: values.json === true, print: deps.print })
  if (name === 'pack')
    return (await import('./pack.ts')).packCommand(rest, values, {
      config,
      options: deps.appOptions(config),
      print: deps.print,
      printError: deps.printError,
    })
  const questionDeps = () => ({ options: { config, ...deps.appOptions(config) }, credentials })
  const { print, printError } = deps
  const output = { isTable: deps.isTerminal === true && values.json !== true, print, printError }
  if (name === 'ask') return askQuestion(rest.join(' '), values, questionDeps(), deps.print)
  if (name === 'fetch' || name === 'area' || name === 'geocode' || name === 'lookup') {
    const { answerQuestion, apiRequestOf } = await import('./question.ts')
    return answerQuestion(await apiRequestOf(name, rest, values), values, questionDeps(), output)
  }
  if (name === 'report') return (await import('./report.ts')).reportCommand(values, questionDeps(), deps)
  if (name === 'fields' || name === 'presets') {
    const { contents } = deps.appOptions(config)
    const commandDeps = { contents, json: !output.isTable, print: deps.print, printError: deps.printError }
    const { fieldsCommand, presetsCommand } = await import('./catalog-command.ts')
    return name === 'fields' ? fieldsCommand(rest, commandDeps) : presetsCommand(commandDeps)
  }
  if (name === 'run') {
    const { runCommand } = await import('./run.ts')
    return runCommand(rest, values, { ...deps, config, environment: commandSettings, credentials })
  }
  for (const it of unknownSettings)
    deps.printError(`The unknown setting ${it.name} was ignored. \`fieldstone help serve\` lists all settings.`)
  return serve(config, values, deps)
}

async function serve(config: Config, values: CommandFlags, deps: CommandDeps): Promise<number> {
  const { serveCommand, superviseCommand } = await import('./serve.ts')
  const { openInBrowser } = await import('./open-in-browser.ts')
  const { serverProcess = null, spawnProcess } = deps
  if (config.processes > 1 && !serverProcess && spawnProcess)
    return superviseCommand(config, spawnProcess, createLog(config.log, deps.printError))
  return serveCommand(
    { config, ...deps.appOptions(config), serverProcess },
    {
      print: deps.print,
      ...(values.open === true && { openUrl: (url) => openInBrowser(url, { data: config.data, env: deps.env }) }),
    },
  )
}

function unknownCommandError(name: string): UsageError {
  const suggestion = suggestName(name, commandNames, (nearest) => `\`fieldstone ${nearest}\``)
  return new UsageError(
    `Unknown command ${JSON.stringify(name)}.${suggestion} \`fieldstone --help\` lists the commands.`,
  )
}

function printHelp(name: string | undefined, deps: CommandDeps): number {
  if (name !== undefined && !isCommand(name)) throw unknownCommandError(name)
  return printText(helpText(name), deps)
}

async function askQuestion(
  question: string,
  flags: CommandFlags,
  questionDeps: QuestionDeps,
  print: (line: string) => void,
): Promise<number> {
  if (question.trim() === '')
    throw new UsageError('No question given. Usage: `fieldstone ask "<question>" --at <lat,lng>`.')
  const [{ askCommand }, { unitsOfFlag }] = await Promise.all([import('./ask.ts'), import('./question.ts')])
  return askCommand(
    { question, ...locationOfFlags(flags), ...unitsOfFlag(flags), ...(flags.trace ? { include_trace: true } : {}) },
    flags,
    questionDeps,
    print,
  )
}

function printCompletion(shell: string | undefined, deps: CommandDeps): number {
  if (!isShell(shell))
    throw new UsageError(
      `Missing or unknown shell. Usage: \`fieldstone completion ${Object.keys(completionShells).join('|')}\`. See \`fieldstone --help\`.`,
    )
  return printText(completionShells[shell](), deps)
}

function printText(text: string, { print }: CommandDeps): number {
  print(text)
  return 0
}
