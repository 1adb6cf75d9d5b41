import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ConfigError, type Environment } from '../config.ts'
import { isRecord } from '../model/record.ts'

/** A login at a server: its tokens, and where they are renewed. */
export type Login = { resource: string; token_endpoint: string; client_id: string; access_token: string; refresh_token: string; expires_at: number }

/** The logins of this person, in a file that nobody else can read. */
export type Credentials = {
  of(server: string): Login | null
  servers(): string[]
  keep(server: string, login: Login): void
}

const members = ['resource', 'token_endpoint', 'client_id', 'access_token', 'refresh_token'] as const

export function openCredentials({ XDG_CONFIG_HOME: config, HOME: home = '.' }: Environment): Credentials {
  const file = join(config || join(home, '.config'), 'fieldstone', 'credentials.json')
  return {
    of: (server) => all().get(server) ?? null,
    servers: () => [...all().keys()],
    keep(server, login) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      const part = `${file}.${process.pid}`
      writeFileSync(part, `${JSON.stringify(Object.fromEntries(all().set(server, login)), null, 2)}\n`, { mode: 0o600 })
      chmodSync(part, 0o600)
      renameSync(part, file)
    },
  }

  /** Read anew each time: another program may have renewed a login. */
  function all(): Map<string, Login> {
    const text = textOf(file)
    const found = text === null ? {} : parsed(text, file)
    return new Map(Object.entries(isRecord(found) ? found : {}).filter((it): it is [string, Login] => isLogin(it[1])))
  }
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ConfigError(`${file} is damaged: remove it, and log in again with \`fieldstone login\`.`, { cause })
  }
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function isLogin(value: unknown): value is Login {
  return isRecord(value) && members.every((name) => typeof value[name] === 'string') && typeof value.expires_at === 'number'
}
