import { isOutOfFiles } from '../command-error.ts'
import { baseUrlOf, ConfigError, type Config } from '../../config.ts'

/** A config with the port to listen on. `isHeld`: a listener holds the port until it is released. */
export type ReservedPort = { config: Config; isHeld: boolean; release(): Promise<void> }

/**
 * Replaces port 0 by a free port. The port is part of the base URL, so it must be known before the app opens. A
 * listener holds it until the server listens too, so that no other program takes it.
 */
export async function reservePort(config: Config): Promise<ReservedPort> {
  if (config.port !== 0) return { config, isHeld: false, release: () => Promise.resolve() }
  const holder = Bun.serve({ hostname: config.host, port: 0, reusePort: true, fetch: () => new Response() })
  // The listener must not keep the process alive if the app cannot open.
  holder.unref()
  const port = holder.port!
  const base_url = config.base_url === baseUrlOf(config.host, 0) ? baseUrlOf(config.host, port) : config.base_url
  return { config: { ...config, port, base_url }, isHeld: true, release: () => holder.stop(true) }
}

/**
 * Reserves the port for several processes, which share it. A shared port can also be shared with another server, so
 * this first checks that the port is free.
 * @throws {Error} if another program listens on the port.
 */
export async function reserveSharedPort(config: Config): Promise<ReservedPort> {
  if (config.port !== 0)
    await Bun.serve({ hostname: config.host, port: config.port, fetch: () => new Response() }).stop(true)
  return reservePort(config)
}

/** Returns a function that throws the error of a port that cannot be used. */
export function listenError({ host, port }: Config): (cause: Error) => never {
  return (cause) => {
    if (isOutOfFiles(cause)) throw cause
    const why =
      'code' in cause && cause.code === 'EADDRINUSE'
        ? 'the address is already in use.'
        : `${cause.message.replace(/[.?]$/, '')}.`
    throw new ConfigError(
      `Cannot listen on ${host}, port ${port}: ${why} Set --host to an address of this machine and --port to a free port.`,
      { cause },
    )
  }
}
