import type { Environment } from '../../src/config.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { openHouse, type House } from '../house.ts'

/** A service on a real port of this machine. */
export type Served = { house: House; url: string; close(): Promise<void> }

export async function openServed(env: Environment = {}): Promise<Served> {
  // Metadata for clients contains the address, so the port must be known before the service opens.
  const probe = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port } = probe
  await probe.stop(true)
  const url = `http://127.0.0.1:${port}`
  const house = openHouse({ FIELDSTONE_BASE_URL: url, FIELDSTONE_PORT: String(port), ...env })
  const http = createHttpServer(house.app)
  await new Promise<void>((resolve) => void http.listen({ hostname: '127.0.0.1', port: port! }, () => resolve()))
  return {
    house,
    url,
    async close() {
      await http.server!.stop(true)
      house.close()
    },
  }
}
