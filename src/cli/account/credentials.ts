import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ConfigError, type Environment } from '../../config.ts'
import { isRecord, parseJson } from '../../model/record.ts'

/** A login to a server. `expires_at` is in milliseconds since 1970. */
export type Login = {
  resource: string
  token_endpoint: string
  client_id: string
  access_token: string
  refresh_token: string
  expires_at: number
}

/** The logins of this user by server URL, in a file that only the user can read. */
export type CredentialStore = {
  find(server: string): Login | null
  servers(): string[]
  save(server: string, login: Login): void
}

const textMembers = ['resource', 'token_endpoint', 'client_id', 'access_token', 'refresh_token'] as const

export function createCredentialStore({ XDG_CONFIG_HOME: config, HOME: home = '.' }: Environment): CredentialStore {
  const file = join(config || join(home, '.config'), 'fieldstone', 'credentials.json')
  return {
    find: (server) => readAll().get(server) ?? null,
    servers: () => [...readAll().keys()],
    save(server, login) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      const temporaryFile = `${file}.${process.pid}`
      writeFileSync(temporaryFile, `${JSON.stringify(Object.fromEntries(readAll().set(server, login)), null, 2)}\n`, {
        mode: 0o600,
      })
      chmodSync(temporaryFile, 0o600)
      renameSync(temporaryFile, file)
    },
  }

  function invalidFileError(cause: unknown): ConfigError {
    return new ConfigError(`${file} is not valid JSON. Remove it and run \`fieldstone login\`.`, { cause })
  }

  /** Reads the file on every call, because another process may have renewed a login. */
  function readAll(): Map<string, Login> {
    const text = readFileOrNull(file)
    const value = text === null ? {} : parseJson(text, invalidFileError)
    return new Map(Object.entries(isRecord(value) ? value : {}).filter((it): it is [string, Login] => isLogin(it[1])))
  }
}

function readFileOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function isLogin(value: unknown): value is Login {
  return (
    isRecord(value) &&
    textMembers.every((name) => typeof value[name] === 'string') &&
    typeof value.expires_at === 'number'
  )
}
