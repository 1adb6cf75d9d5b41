import { join } from 'node:path'
import { newFolder, startFieldstone } from '../../cli/fieldstone.ts'
import type { SimulatedService } from '../../upstreams/service.ts'
import { openUpstreams } from '../../upstreams/upstreams.ts'

/** A data folder with packs fetched from the simulated upstreams by the real command. */
export type PackFetchFixture = {
  upstreams: ReturnType<typeof openUpstreams>
  folder: string
  packs: string
  downloads: string
  /** Runs `fieldstone pack …` and returns its exit code and output. */
  pack(words: string[], env?: Record<string, string>): Promise<{ code: number; out: string; err: string }>
  close(): void
}

/** Default for `services`: all simulated upstreams. */
export function openPackFetchFixture(services?: SimulatedService[]): PackFetchFixture {
  const upstreams = openUpstreams(services && { services })
  const { folder, remove } = newFolder()
  return {
    upstreams,
    folder,
    packs: join(folder, 'data', 'packs'),
    downloads: join(folder, 'data', 'downloads'),
    pack: (words, env = {}) =>
      startFieldstone(
        ['pack', ...words],
        { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url, ...env },
        folder,
      ).end(),
    close() {
      upstreams.close()
      remove()
    },
  }
}
