import { baseUrlOf, type Config } from '../config.ts'

/** Replaces port 0 by a free port. The port is part of the base URL, so it must be known before the app opens. */
export async function resolvePort(config: Config): Promise<Config> {
  if (config.port !== 0) return config
  const probe = Bun.serve({ hostname: config.host, port: 0, fetch: () => new Response() })
  const port = probe.port!
  await probe.stop(true)
  return {
    ...config,
    port,
    base_url: config.base_url === baseUrlOf(config.host, 0) ? baseUrlOf(config.host, port) : config.base_url,
  }
}
