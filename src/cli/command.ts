import { readFileSync } from 'node:fs'
import { parseArgs, parseEnv } from 'node:util'
import { openAccounts } from '../auth/accounts.ts'
import { cryptoBytes } from '../auth/token.ts'
import { ConfigError, configOf, type Config, type Environment } from '../config.ts'
import { openAccountStore } from '../store/accounts.ts'
import { openState, StoreError } from '../store/database.ts'
import { helpOf, commandNames } from './help.ts'
import { serve } from './serve.ts'
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
    if (error instanceof UsageError) return complained(error, usageExit)
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
  return serve({ config, ...outside.house(config) }, outside.print)
}

function parsed(words: string[]): { values: Flags; positionals: string[] } {
  try {
    return parseArgs({ args: words, options: flags, allowPositionals: true })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}. \`fieldstone --help\` lists what there is.`)
  }
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

function said(text: string, { print }: Outside): number {
  print(text)
  return 0
}
