import { readFileSync } from 'node:fs'
import { parseArgs, parseEnv } from 'node:util'
import { openAccounts } from '../auth/accounts.ts'
import { cryptoBytes } from '../auth/token.ts'
import { ConfigError, configOf, type Config, type Environment } from '../config.ts'
import { openAccountStore } from '../store/accounts.ts'
import { openState, StoreError } from '../store/database.ts'
import { ask } from './ask.ts'
import { openCredentials } from './credentials.ts'
import { doctorLive, tableOf } from './doctor.ts'
import { helpOf, commandNames } from './help.ts'
import { linesHere } from './lines.ts'
import { login } from './login.ts'
import { mcpHere, mcpThere } from './mcp.ts'
import { pack } from './pack.ts'
import { PackUsage } from './pack-tools.ts'
import { answered, placeOf, questionOf, QuestionUsage } from './question.ts'
import { run, RunUsage } from './run.ts'
import { serve } from './serve.ts'
import { AccessUsage, user } from './user.ts'
import type { Options } from '../app.ts'

/** Exit codes: 0 done, 64 the command line is wrong, 70 a fault of ours, 78 the configuration or the data folder cannot be used. */
const usageExit = 64
const faultExit = 70
const configExit = 78

const flags = {
  host: { type: 'string' },
  port: { type: 'string' },
  data: { type: 'string' },
  'env-file': { type: 'string' },
  name: { type: 'string' },
  json: { type: 'boolean' },
  live: { type: 'boolean' },
  trace: { type: 'boolean' },
  all: { type: 'boolean' },
  out: { type: 'string' },
  layer: { type: 'string' },
  'source-layer': { type: 'string' },
  crs: { type: 'string' },
  where: { type: 'string' },
  rename: { type: 'string' },
  number: { type: 'string' },
  whole: { type: 'boolean' },
  lat: { type: 'string' },
  lng: { type: 'string' },
  vintage: { type: 'string' },
  coverage: { type: 'string' },
  at: { type: 'string' },
  address: { type: 'string' },
  fields: { type: 'string' },
  preset: { type: 'string' },
  'include-parcel': { type: 'boolean' },
  kind: { type: 'string' },
  server: { type: 'string' },
  token: { type: 'string' },
  local: { type: 'boolean' },
  scopes: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

type Flags = { [name in keyof typeof flags]?: string | boolean }

/** What a command is given beside its words: the house's data, and the world outside. */
export type Outside = {
  env: Environment
  print(line: string): void
  complain(line: string): void
  /** All that it takes to open the app but the configuration. */
  house(config: Config): Omit<Options, 'config'>
  version: string
}

/** Carries out a command line and gives its exit code. */
export async function command(words: string[], outside: Outside): Promise<number> {
  try {
    return await carriedOut(words, outside)
  } catch (error) {
    if (error instanceof UsageError || error instanceof PackUsage || error instanceof QuestionUsage || error instanceof RunUsage || error instanceof AccessUsage) return complained(error, usageExit)
    if (error instanceof ConfigError || error instanceof StoreError) return complained(error, configExit)
    outside.complain(Bun.inspect(error))
    return faultExit
  }

  function complained({ message }: Error, code: number): number {
    outside.complain(message)
    return code
  }
}

class UsageError extends Error {}

async function carriedOut(words: string[], outside: Outside): Promise<number> {
  const { values, positionals } = parsed(words)
  const [name = 'serve', ...rest] = positionals
  if (!commandNames.includes(name)) throw new UsageError(`There is no command ${JSON.stringify(name)}: there are ${commandNames.join(', ')}. \`fieldstone --help\` tells more.`)
  if (values.help || name === 'help') return said(helpOf(rest[0] ?? (values.help && positionals.length > 0 ? name : undefined)), outside)
  if (name === 'version') return said(values.json ? JSON.stringify({ version: outside.version }) : `fieldstone ${outside.version}`, outside)
  const config = configOf(environment(values, outside))
  if (name === 'token') return token(rest, values, config, outside)
  if (name === 'user') return user(rest, typeof values.scopes === 'string' ? values.scopes : null, config, outside)
  if (name === 'login') return login(serverOf(values) ?? config.base_url, typeof values.scopes === 'string' ? values.scopes.replaceAll(',', ' ') : null, { ...outside, credentials: openCredentials(outside.env), ask: fetch, wait: (ms) => Bun.sleep(ms), now: () => new Date() })
  if (name === 'mcp' && values.local) return mcpHere({ config, ...outside.house(config) })
  if (name === 'mcp') return mcpThere(serverOf(values), config.token, { ...outside, credentials: openCredentials(outside.env), ask: fetch, lines: linesHere() })
  if (name === 'doctor') return doctor(rest, values, config, outside)
  if (name === 'pack') return pack(rest, values, { config, options: outside.house(config), print: outside.print, complain: outside.complain })
  if (name === 'ask') return asked(rest.join(' '), values, { config, ...outside.house(config) }, outside.print)
  if (name === 'fetch' || name === 'geocode' || name === 'lookup') return answered(questionOf(name, rest, values), { config, ...outside.house(config) }, outside.print)
  if (name === 'run') return run(rest, values, { config, ...outside })
  return serve({ config, ...outside.house(config) }, outside.print)
}

function parsed(words: string[]): { values: Flags; positionals: string[] } {
  try {
    return parseArgs({ args: joined(words), options: flags, allowPositionals: true })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}. \`fieldstone --help\` lists what there is.`)
  }
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
  if (typeof server !== 'string' || !/^https?:\/\/[^/]/.test(server) || !URL.canParse(server)) throw new AccessUsage('--server takes an address such as https://fieldstone.example.')
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

function token([action]: string[], values: Flags, config: Config, { print }: Outside): number {
  if (action !== 'new') throw new UsageError('`fieldstone token new [--name <words>]` makes a token of the owner\'s and prints it, once.')
  const db = openState(config.data)
  try {
    const accounts = openAccounts(openAccountStore(db), { auth: config.auth, now: () => new Date(), randomBytes: cryptoBytes })
    print(accounts.issue(typeof values.name === 'string' ? values.name : 'command line'))
    return 0
  } finally {
    db.close()
  }
}

async function doctor(names: string[], { live, json }: Flags, config: Config, { print, house }: Outside): Promise<number> {
  if (!live) throw new UsageError('`fieldstone doctor --live [<dataset> …]` asks the sources on other servers, each for its fields at known places.')
  const unknown = names.filter((name) => !Object.hasOwn(house(config).contents.datasets, name))
  if (unknown.length > 0) throw new UsageError(`There is no dataset ${unknown.join(', ')}: GET /v1/meta/sources lists them all.`)
  return doctorLive({ config, ...house(config) }, names, (examined) => (json ? [JSON.stringify(examined)] : tableOf(examined)).forEach(print))
}

function asked(question: string, flags: Flags, options: Options, print: (line: string) => void): Promise<number> {
  if (question.trim() === '') throw new QuestionUsage('Nothing is asked: `fieldstone ask "<question>" --at <lat,lng>`.')
  return ask({ question, ...placeOf(flags), ...(flags.trace ? { include_trace: true } : {}) }, flags.json === true, options, print)
}

function said(text: string, { print }: Outside): number {
  print(text)
  return 0
}
