import type { Server } from 'bun'
import { isOutOfFiles } from '../../model/error.ts'
import { baseUrlOf, ConfigError, type Config } from '../../config.ts'
import { serverOptions } from '../../http/server-options.ts'
import { ApiError } from '../../model/error.ts'

/** A server, and the configuration with the port that it listens on. */
export type Listener = { config: Config; server: Server<undefined> }

/**
 * Listens before the app is open. Until the server is reloaded with the handler of the app, it answers `/healthz` and
 * rejects every other request. Replaces port 0 by a free port, also in the base URL, which the app needs to open.
 * @throws ConfigError if the port cannot be used.
 */
export function openListener(config: Config, options: { version: string; isShared: boolean }): Listener {
  const server = listen(config, options)
  const port = server.port!
  const isOwnUrl = config.base_url === baseUrlOf(config.host, config.port)
  const base_url = isOwnUrl ? baseUrlOf(config.host, port) : config.base_url
  return { config: { ...config, port, base_url }, server }
}

/**
 * Listens on a port that several processes share. It can also be shared with another server, so this first checks that
 * the port is free.
 * @throws ConfigError if another program listens on the port.
 */
export async function openSharedListener(config: Config, version: string): Promise<Listener> {
  if (config.port !== 0) await listen(config, { version, isShared: false }).stop(true)
  return openListener(config, { version, isShared: true })
}

function listen(config: Config, { version, isShared }: { version: string; isShared: boolean }): Listener['server'] {
  const fetch = ({ url }: Request) => answerWhileStarting(new URL(url).pathname, version)
  try {
    return Bun.serve({ ...serverOptions, hostname: config.host, port: config.port, reusePort: isShared, fetch })
  } catch (error) {
    throw listenErrorOf(error as Error, config)
  }
}

/** Returns the error of a port that cannot be used. */
export function listenErrorOf(cause: Error, { host, port }: Config): Error {
  if (isOutOfFiles(cause)) return cause
  const isInUse = 'code' in cause && cause.code === 'EADDRINUSE'
  const why = isInUse ? 'the address is already in use.' : `${cause.message.replace(/[.?]$/, '')}.`
  return new ConfigError(
    `Cannot listen on ${host}, port ${port}: ${why} Set --host to an address of this machine and --port to a free port.`,
    { cause },
  )
}

function answerWhileStarting(path: string, version: string): Response {
  if (path === '/healthz') return Response.json({ status: 'ok', version, uptime_s: process.uptime() })
  const { status, detail } = new ApiError('starting_up', 'The server is starting. Send the request again.')
  return Response.json({ detail }, { status, headers: { 'retry-after': '1' } })
}
