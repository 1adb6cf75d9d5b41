import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Config, Environment } from '../../config.ts'
import type { Log } from '../../log.ts'
import { isRecord } from '../../model/record.ts'
import { replaceFile, tryReadJson } from '../../files/small-files.ts'

/** The file of the data folder that says where its server listens. It stays when the server stops. */
const serverFile = 'server.json'

type ServerAddress = Pick<Config, 'host' | 'port' | 'base_url'>

/** Records where the server of a data folder listens, for the other commands. A full disk does not stop the server. */
export function recordServer({ data, host, port, base_url }: ServerAddress & { data: string }, log: Log): void {
  const file = join(data, serverFile)
  try {
    mkdirSync(data, { recursive: true, mode: 0o700 })
    replaceFile(file, JSON.stringify({ host, port, base_url }))
  } catch (error) {
    log.error('server_not_recorded', { file, error })
  }
}

/**
 * Returns the configuration with the address of the server that runs, or last ran, on the data folder. Settings that
 * name an address win; the port 0 names none.
 */
export function withRecordedServer(config: Config, environment: Environment): Config {
  const { FIELDSTONE_BASE_URL: url, FIELDSTONE_HOST: host, FIELDSTONE_PORT: port = '0' } = environment
  return url || host || port !== '0' ? config : { ...config, ...readServer(config.data) }
}

/** Nothing if no server has run on the folder, or the file is damaged: the address is then that of the settings. */
function readServer(data: string): ServerAddress | Record<string, never> {
  const record = tryReadJson(join(data, serverFile))
  const { host, port, base_url } = isRecord(record) ? record : {}
  const isAddress = typeof host === 'string' && typeof port === 'number' && URL.canParse(String(base_url))
  return isAddress ? { host, port, base_url: String(base_url) } : {}
}
