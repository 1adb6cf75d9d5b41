import type { Environment } from '../../src/config.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { openTestService, type TestService } from '../support/test-service.ts'

/** A service on a real port of this machine. */
export type ListeningService = { testService: TestService; url: string; close(): Promise<void> }

export async function openListeningService(env: Environment = {}): Promise<ListeningService> {
  // Metadata for clients contains the address, so the port must be known before the service opens.
  const probe = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port } = probe
  await probe.stop(true)
  const url = `http://127.0.0.1:${port}`
  const testService = openTestService({ FIELDSTONE_BASE_URL: url, FIELDSTONE_PORT: String(port), ...env })
  await testService.ready
  const http = createHttpServer(testService.app)
  await new Promise<void>((resolve) => void http.listen({ hostname: '127.0.0.1', port: port! }, () => resolve()))
  return {
    testService,
    url,
    async close() {
      await http.server!.stop(true)
      await testService.close()
    },
  }
}
