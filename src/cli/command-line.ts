/**
 * The commands of the executable. Each has a page of help in `pages/` and a file in the folder of what it works on.
 * `command-pages.ts` lists them.
 */
import { existsSync } from 'node:fs'
import { configOf, type Config, type Environment } from '../config.ts'
import { coordinatesIn } from '../geo/text/parse-coordinates.ts'
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
import { createCredentialStore, type CredentialStore } from './account/credentials.ts'
import { commandNames, helpText } from './help.ts'
import { fetchAnswer } from './account/oauth-client.ts'
import { exitCodes } from './exit-codes.ts'
import type { QuestionDeps } from './question/question-backend.ts'
import { isCommand, type CommandName } from './command-pages.ts'
import { locationOfFlags } from './question/location-flags.ts'
import { findUnknownSettings, settingsTopic } from './settings.ts'
import { createLog } from '../log.ts'
import type { EmbeddedFile } from '../packs/embedded/embedded-file.ts'
import type { ServerProcess } from '../server-process.ts'
import { withRecordedServer } from './server/running-server.ts'
import type { SpawnProcess } from './server/supervisor.ts'
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
  /** The options of the app, except the configuration. Unpacks the embedded data, unless `embedded` is given. */
  appOptions(config: Config, embedded?: EmbeddedFile): Omit<AppOptions, 'config'>
  /** Unpacks the embedded data into the data folder without blocking this thread. */
  unpackEmbedded(dataFolder: string): Promise<EmbeddedFile>
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
const oneShotCommands = new Set('ask fetch area fields geocode lookup presets report run'.split(' '))

async function dispatch(args: string[], deps: CommandDeps): Promise<number> {
  if (args.length === 0) return printText(helpText(undefined), deps)
  const { values, positionals } = parseCommandArgs(args.length === 1 && args[0] === '--version' ? ['version'] : args)
  const [name = 'serve', ...rest] = positionals
  if (!isCommand(name)) throw unknownCommandError(name)
  requireKnownFlags(name, values)
  if (values.help) return printText(helpText(positionals.length > 0 ? name : undefined), deps)
  requireArgumentCount(name, rest)
  if (name === 'help') return printHelp(rest, deps)
  suggestAction(name, rest)
  if (name === 'version')
    return printText(
      values.json ? JSON.stringify(versionInfo(deps.version, deps.buildInfo())) : `fieldstone ${deps.version}`,
      deps,
    )
  if (name === 'completion') return printCompletion(rest[0], deps)
  if (name === 'sample')
    return (await import('./run/sample.ts')).sampleCommand(rest, { isForced: values.force === true, print: deps.print })
  if (name === 'man') return printText((await import('./manual-page.ts')).manualPage(deps.version), deps)
  return dispatchConfigured({ name, rest, values: await withResolvedPlaces(values, deps) }, deps)
}

/** Replaces the names of places in --at and --vs with their coordinates. */
async function withResolvedPlaces(values: CommandFlags, { printError }: CommandDeps): Promise<CommandFlags> {
  const resolve = async (place: string | boolean | undefined) =>
    typeof place === 'string' ? (await import('./question/place-flag.ts')).resolvePlaceFlag(place, printError) : place
  const [at, vs] = [await resolve(values.at), await resolve(values.vs)]
  return { ...values, ...(at !== undefined && { at }), ...(vs !== undefined && { vs }) }
}

type ParsedCommand = { name: CommandName; rest: string[]; values: CommandFlags }

/** A command that reads the configuration. `environment`: the settings that the configuration was read from. */
type ConfiguredCommand = ParsedCommand & {
  config: Config
  environment: Environment
  credentials: CredentialStore
  deps: CommandDeps
}

/** Runs a command that reads the configuration, and says if it created the data folder. */
async function dispatchConfigured({ name, rest, values }: ParsedCommand, deps: CommandDeps): Promise<number> {
  const env = commandEnvironment(values, deps.env)
  const unknownSettings = findUnknownSettings(env)
  rejectMisspelledSettings(unknownSettings)
  const credentials = createCredentialStore(deps.env)
  const environment = oneShotCommands.has(name) ? { FIELDSTONE_LOG: 'error', ...env } : env
  const settings = configOf(environment)
  const config = clientCommands.has(name) ? withRecordedServer(settings, environment) : settings
  if (name === 'serve')
    for (const it of unknownSettings)
      deps.printError(`The unknown setting ${it.name} was ignored. \`fieldstone help settings\` lists all settings.`)
  const hadFolder = existsSync(config.data)
  let code: number = exitCodes.failure
  try {
    return (code = await (commands[name] ?? serve)({ name, rest, values, config, environment, credentials, deps }))
  } finally {
    const isReported = name === 'serve' || name === 'restore' || (code !== exitCodes.ok && values.json === true)
    if (!hadFolder && !isReported && existsSync(config.data))
      deps.printError(`Created the data folder ${config.data}. To use another one, set --data.`)
  }
}

/** Commands about the server of the data folder. They find it where it listens. */
const clientCommands: ReadonlySet<string> = new Set(['healthcheck', 'login', 'user'])

/** The commands that read the configuration. Each loads its own code only, so that it starts faster. */
const commands: Partial<Record<CommandName, (command: ConfiguredCommand) => Promise<number>>> = {
  healthcheck: async ({ config, deps }) => (await import('./server/healthcheck.ts')).healthcheckCommand(config, deps),
  async token({ rest, values, config, deps }) {
    const { tokenCommand } = await import('./account/token.ts')
    return tokenCommand(rest, typeof values.name === 'string' ? values.name : 'command line', config, deps)
  },
  user: async ({ rest, values, config, deps }) =>
    (await import('./account/user.ts')).userCommand(rest, parseScopesFlag(values.scopes), config, deps),
  async login({ values, config, credentials, deps }) {
    const { loginCommand } = await import('./account/login.ts')
    return loginCommand(parseServerFlag(values) ?? config.base_url, parseScopesFlag(values.scopes)?.join(' ') ?? null, {
      ...deps,
      credentials,
      httpFetch: fetchAnswer,
      wait: (ms) => Bun.sleep(ms),
      now: () => new Date(),
    })
  },
  async mcp({ values, config, credentials, deps }) {
    const { mcpLocalCommand, mcpRemoteCommand } = await import('./question/mcp.ts')
    if (values.local) return mcpLocalCommand({ config, ...deps.appOptions(config) })
    const { readStdinLines } = await import('./question/mcp-bridge.ts')
    const remote = { ...deps, credentials, httpFetch: fetchAnswer, lines: readStdinLines() }
    return mcpRemoteCommand(parseServerFlag(values), config.token, remote)
  },
  doctor: async ({ rest, values, config, deps }) =>
    (await import('./doctor/doctor.ts')).doctorCommand(rest, values, config, deps),
  backup: async ({ rest, config, deps }) =>
    (await import('./server/backup.ts')).backupCommand(rest, { config, appOptions: deps.appOptions }, deps),
  restore: async ({ rest, config, deps }) => (await import('./server/restore.ts')).restoreCommand(rest, config, deps),
  async 'migrate-state'({ values, config, deps }) {
    const { migrateStateCommand } = await import('./server/migrate-state.ts')
    return migrateStateCommand(typeof values.to === 'string' ? values.to : '', config, deps.print)
  },
  nodes: async ({ values, config, deps }) =>
    (await import('./server/nodes.ts')).nodesCommand(config, { json: values.json === true, print: deps.print }),
  async pack({ rest, values, config, deps: { appOptions, print, printError } }) {
    const { packCommand } = await import('./pack/pack.ts')
    return packCommand(rest, values, { config, options: appOptions(config), print, printError })
  },
  ask: (command) => askQuestion(command.rest.join(' '), command),
  fetch: askApi,
  area: askApi,
  geocode: askApi,
  lookup: askApi,
  report: async (command) =>
    (await import('./question/report.ts')).reportCommand(command.values, questionDepsOf(command), command.deps),
  fields: async (command) =>
    (await import('./question/catalog-command.ts')).fieldsCommand(command.rest, catalogDepsOf(command)),
  presets: async (command) => (await import('./question/catalog-command.ts')).presetsCommand(catalogDepsOf(command)),
  async run({ rest, values, config, environment, credentials, deps }) {
    const { runCommand } = await import('./run/run.ts')
    return runCommand(rest, values, { ...deps, config, environment, credentials })
  },
}

async function serve({ config, values, deps }: ConfiguredCommand): Promise<number> {
  const { serverProcess = null, spawnProcess, version } = deps
  if (config.processes > 1 && !serverProcess && spawnProcess) {
    const { superviseCommand } = await import('./server/serve.ts')
    return superviseCommand(config, { version, spawnProcess, log: createLog(config.log, deps.printError) })
  }
  const { openListener } = await import('./server/listener.ts')
  const listener = serverProcess ? null : openListener(config, { version, isShared: false })
  try {
    // A worker unpacks the data while this thread loads the code and answers /healthz.
    const unpacking = deps.unpackEmbedded(config.data)
    const { serveCommand } = await import('./server/serve.ts')
    const { openInBrowser } = await import('./account/open-in-browser.ts')
    const { port, base_url } = serverProcess ?? listener!.config
    return await serveCommand(
      { ...deps.appOptions(config, await unpacking), config: { ...config, port, base_url }, serverProcess },
      {
        print: deps.print,
        listener,
        ...(values.open === true && { openUrl: (url) => openInBrowser(url, { data: config.data, env: deps.env }) }),
      },
    )
  } finally {
    await listener?.server.stop(true)
  }
}

function questionDepsOf({ config, credentials, deps }: ConfiguredCommand): QuestionDeps {
  return { options: { config, ...deps.appOptions(config) }, credentials }
}

function writesTable({ values, deps }: ConfiguredCommand): boolean {
  return deps.isTerminal === true && values.json !== true
}

function catalogDepsOf(command: ConfiguredCommand) {
  const { appOptions, print, printError } = command.deps
  return { contents: appOptions(command.config).contents, json: !writesTable(command), print, printError }
}

/** Sends a request to the API of a server, or of this process. */
async function askApi(command: ConfiguredCommand): Promise<number> {
  const { name, rest, values, deps } = command
  const { answerQuestion, apiRequestOf } = await import('./question/question.ts')
  const request = await apiRequestOf(name, rest, values)
  const { print, printError } = deps
  const output = { isTable: writesTable(command), isJson: values.json === true, print, printError }
  return answerQuestion(request, values, questionDepsOf(command), output)
}

function unknownCommandError(name: string, before = '', names = commandNames): UsageError {
  const suggestion = suggestName(name, names, (nearest) => `\`fieldstone ${before}${nearest}\``)
  return new UsageError(
    `Unknown command ${JSON.stringify(name)}.${suggestion} \`fieldstone --help\` lists the commands.`,
  )
}

/** Prints the page of a command, which has all of its actions: `fieldstone help pack starter`. */
function printHelp([name, ...action]: string[], deps: CommandDeps): number {
  if (name !== undefined && isCommand(name)) suggestAction(name, action)
  else if (name !== undefined && name !== settingsTopic)
    throw unknownCommandError(name, 'help ', [...commandNames, settingsTopic])
  return printText(helpText(name), deps)
}

async function askQuestion(question: string, command: ConfiguredCommand): Promise<number> {
  if (question.trim() === '')
    throw new UsageError('No question given. Usage: `fieldstone ask "<question>" --at <lat,lng>`.')
  const { values: flags, deps } = command
  const [{ askCommand }, { unitsOfFlag }] = await Promise.all([
    import('./question/ask.ts'),
    import('./question/question.ts'),
  ])
  // A question such as "What county is 39.7392,-104.9903 in?" has its own location.
  const at = coordinatesIn(question)[0]
  const location = locationOfFlags(flags.address === undefined ? { at, ...flags } : flags)
  return askCommand(
    { question, ...location, ...unitsOfFlag(flags), ...(flags.trace ? { include_trace: true } : {}) },
    flags,
    questionDepsOf(command),
    deps,
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
