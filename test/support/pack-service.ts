import { afterAll } from 'bun:test'
import { rmSync } from 'node:fs'
import { openHttpService, type HttpService } from './http-service.ts'

/**
 * Opens the service of a test file over a folder of packs, and waits until the packs are checked. After the tests of
 * the file, the service is closed and the folder is removed.
 */
export async function openPackService(packs: string): Promise<HttpService> {
  const service = await openHttpService({ FIELDSTONE_PACKS: packs })
  afterAll(async () => {
    await service.close()
    rmSync(packs, { recursive: true, force: true })
  })
  await service.testService.app.packs.waitUntilChecked()
  return service
}
