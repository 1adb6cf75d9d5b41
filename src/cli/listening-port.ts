import { baseUrlOf, type Config } from '../config.ts'

/** With port 0 the system chooses. The address stands in what clients are told, so the choice is made before anything is opened. */
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
