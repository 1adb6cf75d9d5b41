import type { Environment } from '../../src/config.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { openHouse, type House } from '../house.ts'

/** A house that answers at a real port of this machine. */
export type Served = { house: House; url: string; close(): Promise<void> }

export async function openServed(env: Environment = {}): Promise<Served> {
  // The address stands in what is promised to clients, so the port must be known before the house is opened.
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
