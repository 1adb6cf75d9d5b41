import { readFileSync } from 'node:fs'
import { parseArgs, parseEnv } from 'node:util'
import { ConfigError, configOf, type Config, type Environment } from '../config.ts'
import { diskRefusal, isOfTheDisk } from '../store/disk.ts'
import { StoreError } from '../store/store-error.ts'
import { ask } from './ask.ts'
import { backupTo } from './backup.ts'
import { isShell, shells } from './completion.ts'
import { openCredentials } from './credentials.ts'
import { doctorHere, linesOf } from './doctor-here.ts'
import { recoverHere } from './doctor-state.ts'
import { doctorLive, tableOf } from './doctor.ts'
import { exits } from './exits.ts'
import { healthcheck } from './healthcheck.ts'
import { commandNames, helpOf } from './help.ts'
import { linesHere } from './lines.ts'
import { login } from './login.ts'
import { manual } from './man.ts'
import { fetchAnswer } from './oauth-client.ts'
import { always } from './options.ts'
import { pack } from './pack.ts'
import type { Page } from './page.ts'
import { isCommand, pages, type CommandName } from './pages.ts'
import { answered, placeOf, questionOf } from './question.ts'
import { restoreFrom } from './restore.ts'
import { run } from './run.ts'
import { scopesIn } from './scopes.ts'
import { serve } from './serve.ts'
import { strangeSettings } from './strange-settings.ts'
import { token } from './token.ts'
import { UsageError } from './usage-error.ts'
import { user } from './user.ts'
import { versionFacts, type Build } from './version.ts'
import type { AppOptions } from '../app.ts'

/** The flags of all commands, as they are parsed; which of them a command takes is what its page says. */
const flags = Object.fromEntries(Object.values(pages).flatMap(({ options }) => Object.entries({ ...options, ...always })).map(([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string', ...(name === 'help' ? { short: 'h' } : {}) } as const]))

type Flags = Readonly<Record<string, string | boolean | undefined>>

/** What a command is given beside its words: the house's data, and the world outside. */
export type Outside = {
  env: Environment
  print(line: string): void
  complain(line: string): void
  /** All that it takes to open the app but the configuration. */
  house(config: Config): Omit<AppOptions, 'config'>
  version: string
  build(): Build
}

/** Carries out a command line and gives its exit code. */
export async function command(words: string[], outside: Outside): Promise<number> {
  try {
    return await carriedOut(words, outside)
  } catch (error) {
    if (error instanceof UsageError) return complained(error, exits.usage)
    if (error instanceof ConfigError || error instanceof StoreError) return complained(error, exits.config)
    if (isOfTheDisk(error)) return complained(diskRefusal(error), exits.refused)
    if (isOfTheFiles(error)) return complained(error, exits.refused)
    outside.complain(whole(error))
    return exits.fault
  }

  function complained({ message }: Error, code: number): number {
    outside.complain(message)
    return code
  }
}

/** Without the lines of code round each place: in an executable these are thousands of letters long. */
function whole(error: unknown): string {
  if (!(error instanceof Error)) return Bun.inspect(error)
  return [error.stack ?? error.message, ...(error.cause === undefined ? [] : [`because of ${whole(error.cause)}`])].join('\n')
}

/** A file or folder that this user may not write, or that is something else, or a disk with no room: what failed says which. */
function isOfTheFiles(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && 'code' in error && /^E(?:ROFS|ACCES|PERM|NOSPC|DQUOT|NOTDIR|ISDIR|EXIST|NAMETOOLONG|LOOP)$/.test(String(error.code))
}

/** Who asks once is told of what goes wrong, and not of every pack that is there. */
const asksOnce: ReadonlySet<string> = new Set(['ask', 'fetch', 'geocode', 'lookup', 'run'])

async function carriedOut(words: string[], outside: Outside): Promise<number> {
  const { values, positionals } = parsed(words.length === 1 && words[0] === '--version' ? ['version'] : words)
  const [name = 'serve', ...rest] = positionals
  if (!isCommand(name)) throw noCommand(name)
  mustTake(name, values)
  if (values.help) return said(helpOf(positionals.length > 0 ? name : undefined), outside)
  mustTakeWords(name, rest)
  if (name === 'help') return helped(rest[0], outside)
  if (name === 'version') return said(values.json ? JSON.stringify(versionFacts(outside.version, outside.build())) : `fieldstone ${outside.version}`, outside)
  if (name === 'completion') return completed(rest[0], outside)
  if (name === 'man') return said(manual(outside.version), outside)
  const env = environment(values, outside)
  const strange = strangeSettings(env)
  mustBeMeant(strange)
  const config = configOf(asksOnce.has(name) ? { FIELDSTONE_LOG: 'error', ...env } : env)
  if (name === 'healthcheck') return healthcheck(config, outside)
  if (name === 'token') return token(rest, typeof values.name === 'string' ? values.name : 'command line', config, outside)
  if (name === 'user') return user(rest, scopesIn(values.scopes), config, outside)
  if (name === 'login') return login(serverOf(values) ?? config.base_url, scopesIn(values.scopes)?.join(' ') ?? null, { ...outside, credentials: openCredentials(outside.env), ask: fetchAnswer, wait: (ms) => Bun.sleep(ms), now: () => new Date() })
  if (name === 'mcp' && values.local) return (await import('./mcp.ts')).mcpHere({ config, ...outside.house(config) })
  if (name === 'mcp') return (await import('./mcp.ts')).mcpThere(serverOf(values), config.token, { ...outside, credentials: openCredentials(outside.env), ask: fetchAnswer, lines: linesHere() })
  if (name === 'doctor') return doctor(rest, values, config, outside)
  if (name === 'backup') return backupTo(rest, { config, house: outside.house }, outside)
  if (name === 'restore') return restoreFrom(rest, config, outside)
  if (name === 'pack') return pack(rest, values, { config, options: outside.house(config), print: outside.print, complain: outside.complain })
  if (name === 'ask') return asked(rest.join(' '), values, { config, ...outside.house(config) }, outside.print)
  if (name === 'fetch' || name === 'geocode' || name === 'lookup') return answered(questionOf(name, rest, values), { config, ...outside.house(config) }, outside.print)
  if (name === 'run') return run(rest, values, { config, ...outside })
  for (const it of strange) outside.complain(`${it.name} is no setting, and is not heeded. \`fieldstone help serve\` lists those that are.`)
  return serve({ config, ...outside.house(config) }, outside.print)
}

/** A slip in a name would go unnoticed otherwise: FIELDSTONE_OFLINE=1 leaves the network on. */
function mustBeMeant(strange: ReturnType<typeof strangeSettings>): void {
  const slips = strange.filter(({ meant }) => meant !== null)
  if (slips.length > 0) throw new UsageError(slips.map(({ name, meant }) => `${name} is no setting: was ${meant} meant? \`fieldstone help serve\` lists them all.`).join('\n'))
}

function parsed(words: string[]): { values: Flags; positionals: string[] } {
  try {
    return parseArgs({ args: joined(words), options: flags, allowPositionals: true })
  } catch (error) {
    // What follows the first sentence tells how to name a file that begins with a dash.
    throw new UsageError(`${(error as Error).message.split('. ', 1)[0]}. \`fieldstone --help\` lists what there is.`)
  }
}

function mustTake(name: CommandName, values: Flags): void {
  const taken = Object.keys({ ...pages[name].options, ...always })
  const strange = Object.keys(values).find((flag) => !taken.includes(flag))
  if (strange !== undefined) throw new UsageError(`\`fieldstone ${name}\` takes no --${strange}; it takes ${taken.map((flag) => `--${flag}`).join(', ')}. \`fieldstone --help\` lists what there is.`)
}

/** A word that a command does not understand may have been the most important one. */
function mustTakeWords(name: CommandName, words: string[]): void {
  const { usage, words: most = 0 }: Page = pages[name]
  if (words.length > most) throw new UsageError(`${JSON.stringify(words[most])} is one word too many: it is written ${usage.map((it) => `\`fieldstone ${it}\``).join(' or ')}. \`fieldstone help ${name}\` tells more.`)
}

function noCommand(name: string): UsageError {
  return new UsageError(`There is no command ${JSON.stringify(name)}: there are ${commandNames.join(', ')}. \`fieldstone --help\` tells more.`)
}

function helped(name: string | undefined, outside: Outside): number {
  if (name !== undefined && !isCommand(name)) throw noCommand(name)
  return said(helpOf(name), outside)
}

/** A number below zero behind a flag is its value, and not a flag of its own: the west of a box is. */
function joined(words: string[]): string[] {
  return words.reduce<string[]>((all, word) => {
    const before = all.at(-1)
    const isValue = /^-[\d.]/.test(word) && before !== undefined && /^--[\w-]+$/.test(before)
    return isValue ? [...all.slice(0, -1), `${before}=${word}`] : [...all, word]
  }, [])
}

/** The server that is meant, as its logins are kept by it. */
function serverOf({ server }: Flags): string | null {
  if (server === undefined) return null
  if (typeof server !== 'string' || !/^https?:\/\/[^/]/.test(server) || !URL.canParse(server)) throw new UsageError('--server takes an address such as https://fieldstone.example.')
  return server.replace(/\/$/, '')
}

/** The environment, below it the file that --env-file names, above it the flags. */
function environment(values: Flags, { env }: Outside): Environment {
  const file = typeof values['env-file'] === 'string' ? envFile(values['env-file']) : {}
  const given = Object.entries({ FIELDSTONE_HOST: values.host, FIELDSTONE_PORT: values.port, FIELDSTONE_DATA: values.data })
  return { ...file, ...env, ...Object.fromEntries(given.filter((it): it is [string, string] => typeof it[1] === 'string')) }
}

function envFile(path: string): Environment {
  try {
    return parseEnv(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new ConfigError(`The file ${path} of --env-file cannot be read: ${(cause as Error).message}`, { cause })
  }
}

async function doctor(names: string[], { live, json, recover, clock }: Flags, config: Config, { print, house }: Outside): Promise<number> {
  if (!live && names.length > 0) throw new UsageError('`fieldstone doctor --live [<dataset> …]` asks the sources on other servers, each for its fields at known places; without --live it takes no words.')
  if ([live, recover, clock].filter((it) => it === true).length > 1 || (recover && json)) throw new UsageError(`${pages.doctor.usage.map((it) => `\`fieldstone ${it}\``).join(', ')}: one of them at a time.`)
  if (recover) return recoverHere(config.data, new Date(), print)
  if (!live) return doctorHere({ config, house, now: new Date(), asksClock: clock === true }, (found) => (json ? [JSON.stringify(found)] : linesOf(found)).forEach(print))
  const unknown = names.filter((name) => !Object.hasOwn(house(config).contents.datasets, name))
  if (unknown.length > 0) throw new UsageError(`There is no dataset ${unknown.join(', ')}: GET /v1/meta/sources lists them all.`)
  return doctorLive({ config, ...house(config) }, names, (examined) => (json ? [JSON.stringify(examined)] : tableOf(examined)).forEach(print))
}

function asked(question: string, flags: Flags, options: AppOptions, print: (line: string) => void): Promise<number> {
  if (question.trim() === '') throw new UsageError('Nothing is asked: `fieldstone ask "<question>" --at <lat,lng>`.')
  return ask({ question, ...placeOf(flags), ...(flags.trace ? { include_trace: true } : {}) }, flags.json === true, options, print)
}

function completed(shell: string | undefined, outside: Outside): number {
  if (!isShell(shell)) throw new UsageError(`\`fieldstone completion ${Object.keys(shells).join('|')}\` prints the completion of a shell. \`fieldstone --help\` tells more.`)
  return said(shells[shell](), outside)
}

function said(text: string, { print }: Outside): number {
  print(text)
  return 0
}
